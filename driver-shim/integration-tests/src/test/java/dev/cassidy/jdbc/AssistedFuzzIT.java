package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.assist.Judge;
import dev.cassidy.assist.RandomStatements;
import dev.cassidy.assist.RandomTables;
import dev.cassidy.collation.Collation;
import dev.cassidy.jdbc.assist.Assistant;
import dev.cassidy.jdbc.assist.Assistants;
import dev.cassidy.jdbc.assist.AssistedSelect;
import dev.cassidy.jdbc.assist.SessionLanguage;
import dev.cassidy.jdbc.assist.TableModel;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Random SELECTs over random tables give what H2 gives over whole tables with the same rows, also in transactions that have changed some
 * of them, and where few rows may be read. {@code -Dassist.statements=N} runs N, and {@code -Dassist.seed=N} other ones.
 */
class AssistedFuzzIT {

    private static final Logger LOG = LoggerFactory.getLogger(AssistedFuzzIT.class);

    private static final int STATEMENTS = Integer.getInteger("assist.statements", 500);
    private static final long SEED = Long.getLong("assist.seed", 20_261_130L);

    /** Of these the last fifth may read few rows, and the others are served if the driver serves their form. */
    private static final int PER_SCHEMA = 100;

    private static final int FEW = 12;

    /** More differences tell no more. */
    private static final int ENOUGH = 3;

    private static final Assistant ASSISTANT = Assistants.find().orElseThrow();

    private static final String REFUSED = "The driver does not evaluate the statement in the client";

    /** What the driver compares by code by itself, whatever the collation. */
    private static final Pattern BY_CODE = Pattern.compile("MIN\\(|MAX\\(|DISTINCT|GROUP BY|ORDER BY");

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open("assist=on");

    @AutoClose
    private final Connection readsFew = cluster.open("assist=on", "assistRows=" + FEW);

    /** In which nothing runs. */
    @AutoClose
    private final Connection plans = cluster.open("assist=on");

    private final Map<String, Integer> served = new TreeMap<>();
    private final Map<String, Integer> refused = new TreeMap<>();
    private final Map<String, Integer> beyondFew = new TreeMap<>();
    private final List<String> differences = new ArrayList<>();
    private int asked;
    private int rowsThere;
    private int plansSeen;

    @BeforeAll
    static void create() {
        cluster = TestCluster.fresh("assisted_fuzz_it");
        TestCluster.install("cassidy");
    }

    @Test
    void shouldGiveWhatH2GivesOverWholeTables() throws SQLException {
        for (int schema = 0; asked < STATEMENTS && differences.size() < ENOUGH; schema++) {
            try (Schema each = new Schema(schema)) {
                each.run();
            }
        }

        LOG.info("of {} statements {} have rows; served {}", asked, rowsThere, served);
        LOG.info("refused {}; with few rows {}", refused, beyondFew);
        assertThat(differences).as("seed %d", SEED).isEmpty();
        int free = sum(served) + sum(refused);
        assertThat(sum(served)).as("of %d, refused %s", free, refused).isGreaterThan(free * 8 / 10);
        assertThat(rowsThere).as("of %d", asked).isGreaterThan(asked / 4);
        assertThat(plansSeen).isPositive();
        assertThat(beyondFew).containsKeys("served", "refused");
    }

    private static int sum(Map<String, Integer> counts) {
        return counts.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** Tables with their judges. */
    private final class Schema implements AutoCloseable {
        private final int number;
        private final Random random;
        private final boolean blanks;
        private final RandomTables tables;
        private final Judge judge = new Judge(true);
        private final Judge byCode = new Judge(false);

        Schema(int number) throws SQLException {
            this.number = number;
            this.random = new Random(SEED + number);
            // Strings of two kinds in one statement are refused, so most schemas have one.
            int plain = number % 5 == 2 ? 1 : number % 5 == 3 ? 4 : 0;
            this.blanks = plain == 0;
            // The keys of one table that another gives are then more than are looked up at a time.
            boolean wide = number % 5 == 4;
            this.tables = new RandomTables(
                    random,
                    new RandomTables.Form(
                            "_" + number,
                            Collation.standard(),
                            plain,
                            blanks,
                            wide ? 100 : 5,
                            wide ? 45 : 0,
                            wide ? 8 : 14,
                            true,
                            false));
            for (TableModel table : tables.all()) {
                judge.create(table.name(), table.columns(), tables.rows(table.name()));
                byCode.create(table.name(), table.columns(), tables.rows(table.name()));
            }
            try (Statement statement = connection.createStatement()) {
                for (String each : tables.definitions()) {
                    statement.execute(each);
                }
                for (String each : tables.inserts()) {
                    statement.execute(each);
                }
            }
        }

        void run() throws SQLException {
            changed(connection, 6);
            select(connection, PER_SCHEMA * 2 / 10);
            inTransaction(connection, PER_SCHEMA * 4 / 10);
            select(connection, PER_SCHEMA * 2 / 10);
            select(readsFew, PER_SCHEMA / 10);
            inTransaction(readsFew, PER_SCHEMA / 10);
        }

        /** With changes that are not committed before the statements have run. */
        private void inTransaction(Connection on, int statements) throws SQLException {
            Map<String, List<List<@Nullable Object>>> before = tables.copy();
            on.setAutoCommit(false);
            try {
                changed(on, 12);
                select(on, statements);
                if (random.nextBoolean()) {
                    on.commit();
                } else {
                    on.rollback();
                    tables.restore(before);
                    judged();
                }
            } finally {
                on.rollback();
                on.setAutoCommit(true);
            }
        }

        /** Writes to plain tables are seen when they are sent, which is at the commit. */
        private void changed(Connection on, int changes) throws SQLException {
            boolean autoCommit = on.getAutoCommit();
            List<TableModel> changed = tables.all().stream()
                    .filter(each -> autoCommit || !tables.isPlain(each))
                    .toList();
            try (Statement statement = on.createStatement()) {
                for (int i = 0; i < changes && !changed.isEmpty(); i++) {
                    RandomTables.Change change = tables.change(random, changed.get(random.nextInt(changed.size())));
                    assertThat(statement.executeUpdate(change.sql()))
                            .as("seed %d: %s", SEED, change.sql())
                            .isEqualTo(change.count());
                }
            }
            judged();
        }

        private void judged() throws SQLException {
            for (TableModel table : tables.all()) {
                judge.replace(table.name(), table.columns(), tables.rows(table.name()));
                byCode.replace(table.name(), table.columns(), tables.rows(table.name()));
            }
        }

        private void select(Connection on, int statements) throws SQLException {
            for (int i = 0; i < statements && asked < STATEMENTS; i++) {
                RandomStatements made = new RandomStatements(random, tables.all(), blanks);
                boolean ordered = random.nextInt(3) == 0;
                String sql = ordered ? made.ordered() : made.mixed();
                compare(on, sql, made.parameters(), ordered);
                if (i % 4 == 0) {
                    comparePlans(sql, made.parameters().size());
                }
            }
        }

        private void compare(Connection on, String sql, List<@Nullable Object> parameters, boolean ordered)
                throws SQLException {
            asked++;
            List<String> wanted = shown(judge.rows(sql, parameters), ordered);
            rowsThere += wanted.isEmpty() ? 0 : 1;
            boolean few = on == readsFew;
            try (PreparedStatement statement = on.prepareStatement(sql)) {
                for (int i = 0; i < parameters.size(); i++) {
                    statement.setObject(i + 1, parameters.get(i));
                }
                try (ResultSet found = statement.executeQuery()) {
                    boolean direct = !found.getMetaData().getTableName(1).isEmpty();
                    List<String> given = shown(Judge.rows(found), ordered);
                    boolean right = given.equals(wanted);
                    boolean rightByCode = !right
                            && direct
                            && comparesByCode(sql)
                            && given.equals(shown(byCode.rows(sql, parameters), ordered));
                    if (few && !direct && scanned(sql, parameters) > FEW) {
                        differences.add("more rows were read than " + FEW + " by " + sql + " " + parameters);
                    }
                    if (!right && !rightByCode) {
                        differences.add("schema " + number + (few ? ", few rows" : "")
                                + (on.getAutoCommit() ? "" : ", in a transaction") + (direct ? ", direct: " : ": ")
                                + sql + " " + parameters + "\n  gave " + given + "\n  not  " + wanted + "\n  of "
                                + tables.definitions() + "\n  with " + tables.inserts());
                    }
                    count(
                            few ? beyondFew : served,
                            few ? "served" : rightByCode ? "direct, by code" : direct ? "direct" : "assisted");
                }
            } catch (SQLException e) {
                if (!(e instanceof SQLFeatureNotSupportedException)
                        && !String.valueOf(e.getMessage()).contains(REFUSED)) {
                    throw new AssertionError("seed " + SEED + ", schema " + number + ": " + sql + " " + parameters, e);
                }
                String start = start(e.getMessage());
                if (!few && !refused.containsKey(start)) {
                    LOG.info("refused, for instance, {} {}: {}", sql, parameters, e.getMessage());
                }
                count(few ? beyondFew : refused, few ? "refused" : start);
            }
        }

        /** Results do not tell whether the driver knows by what the rows of its tables can be found. */
        private void comparePlans(String sql, int parameters) throws SQLException {
            try (Statement setting = plans.createStatement()) {
                setting.execute("SET SHOWPLAN_TEXT ON");
                List<String> lines = new ArrayList<>();
                try (PreparedStatement statement = plans.prepareStatement(sql)) {
                    for (int i = 1; i <= parameters; i++) {
                        statement.setObject(i, null);
                    }
                    try (ResultSet plan = statement.executeQuery()) {
                        while (plan.next()) {
                            lines.add(plan.getString(1).strip());
                        }
                    }
                } finally {
                    setting.execute("SET SHOWPLAN_TEXT OFF");
                }
                if (lines.get(1).startsWith("|--Assisted")) {
                    plansSeen++;
                    assertThat(lines.subList(2, lines.size()))
                            .extracting(line -> line.replaceAll("; found by an index on .*", ""))
                            .as("seed %d, schema %d: %s of %s", SEED, number, sql, tables.definitions())
                            .isEqualTo(ASSISTANT
                                    .plan(sql, tables, Collections.nCopies(parameters, null), SessionLanguage.unset())
                                    .reads()
                                    .stream()
                                    .map(this::shown)
                                    .toList());
                }
            }
        }

        private String shown(AssistedSelect.PlannedRead read) {
            String by = String.join(", ", read.by());
            return cluster.keyspace() + "." + read.table().name()
                    + switch (read.reach()) {
                        case KEY -> " by its key (" + by + ")";
                        case PARTITION -> " within partitions, by (" + by + ")";
                        case INDEX -> " by the index on " + by;
                        case SCAN -> ", all rows";
                    };
        }

        /** Returns how many rows are read for want of a key, at least. */
        private int scanned(String sql, List<@Nullable Object> parameters) {
            return ASSISTANT.plan(sql, tables, parameters, SessionLanguage.unset()).reads().stream()
                    .filter(read -> read.reach() == AssistedSelect.Reach.SCAN)
                    .mapToInt(read -> tables.rows(read.table().name()).size())
                    .sum();
        }

        private boolean comparesByCode(String sql) {
            return BY_CODE.matcher(sql).find()
                    || tables.all().stream()
                            .anyMatch(table -> sql.contains(table.name() + " ") && tables.hasIndexOfBytes(table));
        }

        private List<String> shown(List<String> rows, boolean ordered) {
            // Of strings that are equal, any may stand for all.
            List<String> shown = rows.stream()
                    .map(row -> row.toLowerCase(Locale.ROOT).replaceAll(" +\\|", "|"))
                    .toList();
            return ordered ? shown : shown.stream().sorted().toList();
        }

        @Override
        public void close() throws SQLException {
            judge.close();
            byCode.close();
            try (Statement statement = connection.createStatement()) {
                for (TableModel table : tables.all()) {
                    statement.execute("DROP TABLE " + table.name());
                }
            }
        }
    }

    private static void count(Map<String, Integer> counts, String what) {
        counts.merge(what, 1, Integer::sum);
    }

    private static String start(@Nullable String message) {
        String line = String.valueOf(message).replaceAll("(?s).*" + REFUSED + ": ", "");
        return line.substring(0, Math.min(70, line.length())).replaceAll("[0-9]+", "N");
    }
}
