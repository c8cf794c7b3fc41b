package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.Row;
import com.fasterxml.jackson.databind.JsonNode;
import dev.cassidy.definition.RowMark;
import dev.cassidy.migration.MortalLink.Fault;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.table.TableContract;
import dev.cassidy.table.TableRegistry;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Processes that are killed while they create, alter, adopt and drop tables: one at each of the writes of which the statement
 * consists. What they leave is named by {@code tables check}, keeps its rules, and is completed by the same statement; no id is
 * issued twice.
 *
 * <p>Writes that announce or copy a change are alike in all statements, and the first of them stands for the others; of what is
 * left, processes die at every second write of a statement, and at every one of CREATE. In the long form, {@code
 * -Dcassidy.faults=true}, they die at every write, and live on after a write of unknown outcome.
 */
class KilledProcessesIT {

    /** Whether processes die at every write, and whether writes whose answer or request is lost are tried as well. */
    private static final boolean ALL = Boolean.getBoolean("cassidy.faults");

    private static final String REFERENCE = "t99";

    private static final Set<Integer> DONE_BEFORE = Set.of(
            // There is an object of the name already.
            2714,
            // There is no such table, column.
            3701,
            4924,
            207,
            // There is such a column, no such constraint.
            2705,
            3728);

    private static TargetNode node;

    /** Does not read the schema, for which the driver would wait after each change of it. */
    private static CqlSession session;

    @BeforeAll
    static void install() {
        node = new TargetNode("killed_it_cassidy");
        node.init();
        session = CqlSession.builder()
                .addContactPoint(node.address())
                .withLocalDatacenter(node.datacenter())
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, false)
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(1))
                        .build())
                .build();
    }

    @AfterAll
    static void drop() {
        session.close();
        node.close();
    }

    /**
     * What is done to each table, one after the other; {@code $} stands for the table.
     *
     * @param before what is done by CQL before, to each table
     * @param run a statement, or a command of the tool
     * @param named whether a row without a name is refused also before this is complete
     */
    private record Change(String label, List<String> before, String run, boolean named) {

        static Change of(String run) {
            return new Change(run, List.of(), run, true);
        }

        boolean isCommand() {
            return run.startsWith("tables ");
        }
    }

    private static final String CREATE = "CREATE TABLE $ (Name NVARCHAR(5) NOT NULL, Id INT IDENTITY(1,1) PRIMARY KEY,"
            + " Price DECIMAL(5,2) CONSTRAINT $_price DEFAULT 1.5, n INT, CONSTRAINT $_positive CHECK (Price > 0))";

    private static final List<Change> CHANGES = List.of(
            Change.of(CREATE),
            Change.of("ALTER TABLE $ WITH NOCHECK ADD Code NVARCHAR(3) NOT NULL CONSTRAINT $_code DEFAULT 'x',"
                    + " Extra INT CONSTRAINT $_extra DEFAULT 7, CONSTRAINT $_few CHECK (n < 100)"),
            Change.of("ALTER TABLE $ ALTER COLUMN Name NVARCHAR(9) NOT NULL"),
            Change.of("ALTER TABLE $ ADD CONSTRAINT $_n DEFAULT 3 FOR n"),
            Change.of("ALTER TABLE $ DROP CONSTRAINT $_few, $_n"),
            Change.of("ALTER TABLE $ DROP COLUMN Extra"),
            new Change(
                    "adopt",
                    List.of(
                            "DROP TABLE killed.$",
                            "CREATE TABLE killed.$ (id int PRIMARY KEY, code text, n int, name text, price decimal)"),
                    "tables adopt --yes --table killed.$",
                    false),
            Change.of("DROP TABLE $"),
            Change.of(CREATE));

    /**
     * What a change leaves if nothing disturbs it.
     *
     * @param points how many writes pass before a process dies
     */
    private record Undisturbed(List<Integer> points, String contract, Map<String, String> columns) {

        /** @param each whether a process dies at each write also in the short form */
        static Undisturbed of(List<String> writes, boolean each, String contract, Map<String, String> columns) {
            List<Integer> points = new ArrayList<>();
            String changed = "";
            for (int n = 0; n <= writes.size(); n++) {
                String write = n < writes.size() ? writes.get(n) : "";
                // Of what announces a change, the first write to all datacenters alone; of what copies it, the first as
                // well.
                boolean same = isBatch(write)
                        ? isOfDatacenter(changed) || isBatch(writes.get(n - 1))
                        : isOfDatacenter(write) && isOfDatacenter(changed);
                if (ALL || !same) {
                    points.add(n);
                }
                changed = isBatch(write) ? changed : write;
            }
            if (!ALL && !each) {
                List<Integer> some = new ArrayList<>();
                for (int i = 0; i < points.size(); i += 2) {
                    some.add(points.get(i));
                }
                points = some;
            }
            return new Undisturbed(List.copyOf(points), contract, columns);
        }

        private static boolean isBatch(String write) {
            return write.startsWith("BEGIN");
        }

        private static boolean isOfDatacenter(String write) {
            return write.contains("killed_it_cassidy_");
        }
    }

    // ---- processes

    /** A process of its own, as far as the cluster sees: its sessions have a link of their own. */
    private static final class Process implements AutoCloseable {

        private final MortalLink link = new MortalLink(node.address());
        private @Nullable Connection connection;

        Connection connection() throws SQLException {
            if (connection == null) {
                connection = DriverManager.getConnection("jdbc:cassidy://" + link.contactPoint()
                        + "/killed?localDatacenter=" + node.datacenter() + "&globalKeyspace=" + node.globalKeyspace()
                        + "&requestTimeout=20s&connectTimeout=1m&constraints=warn&fanOut=warn");
            }
            return connection;
        }

        /** Begins the process, up to the change. */
        void prepare(Change change) throws SQLException {
            if (!change.isCommand()) {
                connection();
            }
        }

        void run(Change change, String table) throws SQLException {
            String run = change.run().replace("$", table);
            if (change.isCommand()) {
                List<String> words = new ArrayList<>(List.of(run.split(" ")));
                words.addAll(List.of(
                        "--contact-points",
                        link.contactPoint(),
                        "--local-dc",
                        node.datacenter(),
                        "--global-keyspace",
                        node.globalKeyspace()));
                ToolRun ended = ToolRun.of(Map.of(), null, words);
                if (ended.exitCode() != 0) {
                    throw new SQLException(ended.out() + ended.err());
                }
            } else {
                execute(run);
            }
        }

        void execute(String sql) throws SQLException {
            try (Statement statement = connection().createStatement()) {
                statement.execute(sql);
            }
        }

        @Override
        public void close() throws SQLException {
            link.close();
            if (connection != null) {
                connection.close();
            }
        }
    }

    // ---- what is stored

    private static TableContract contract(TableRegistry tables, String table) {
        return tables.contract("killed", table);
    }

    /** Returns what a contract says, of whatever table. */
    private static String said(TableContract contract) {
        return contract.toString()
                .replace(contract.table(), "$")
                .replaceAll("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "ID")
                .replaceAll("revision=\\d+", "revision");
    }

    /** Returns what is stored of contracts, but for whether it was recorded that a table was created. */
    private static Map<String, String> rows(String keyspace) {
        Map<String, String> rows = new HashMap<>();
        session.execute("SELECT table_name, column_name, sequence, defaults, drew, table_id, columns, constraints FROM "
                        + keyspace + ".contracts")
                .forEach(row -> rows.put(row.getString(0), row.getFormattedContents()));
        return rows;
    }

    private static Map<String, String> columns(String table) {
        Map<String, String> columns = new HashMap<>();
        for (Row row : session.execute(
                "SELECT column_name, type FROM system_schema.columns WHERE keyspace_name = 'killed' AND"
                        + " table_name = ?",
                table)) {
            columns.put(row.getString(0), row.getString(1));
        }
        // That of each row, which nobody declares.
        columns.remove(RowMark.COLUMN);
        return columns;
    }

    private static Optional<String> id(String table) {
        return Optional.ofNullable(session.execute(
                                "SELECT id FROM system_schema.tables WHERE keyspace_name = 'killed' AND table_name = ?",
                                table)
                        .one())
                .map(row -> String.valueOf(row.getUuid(0)));
    }

    /** Returns the tables that the contracts disagree about with the schema, as a reader of both sees it. */
    private static Set<String> disagreeing(TableRegistry tables, List<String> all) {
        Set<String> found = new TreeSet<>();
        for (String table : all) {
            TableContract contract = contract(tables, table);
            if (contract.revision() == 0) {
                continue;
            }
            Set<String> declared = new HashSet<>();
            contract.definition().columns().forEach(column -> declared.add(column.name()));
            boolean same = id(table)
                            .filter(contract.definition().id().toString()::equals)
                            .isPresent()
                    && !contract.pending()
                    && contract.claim() == null
                    && declared.equals(columns(table).keySet())
                    && contract.defaults().stream().allMatch(each -> declared.contains(each.column()));
            if (!same) {
                found.add(table);
            }
        }
        return found;
    }

    private static Set<String> named() {
        ToolRun check = node.run("tables check", "--keyspace", "killed", "--output", "json");
        Set<String> found = new TreeSet<>();
        for (JsonNode each : check.json().get("findings")) {
            found.add(each.get("table").asText().substring("killed.".length()));
        }
        return found;
    }

    // ---- the test

    @Test
    void shouldLeaveWhatIsNamedAndKeptAndCompleted() throws Exception {
        play(Fault.DEATH);
    }

    @Test
    @EnabledIfSystemProperty(named = "cassidy.faults", matches = "true")
    void shouldDoSoWhenAnswersAreLost() throws Exception {
        play(Fault.LOST_ANSWER);
    }

    @Test
    @EnabledIfSystemProperty(named = "cassidy.faults", matches = "true")
    void shouldDoSoWhenRequestsAreLost() throws Exception {
        play(Fault.LOST_REQUEST);
    }

    private static void play(Fault fault) throws Exception {
        session.execute("DROP KEYSPACE IF EXISTS killed");
        node.createKeyspace("killed");
        List<Undisturbed> undisturbed = undisturbed();
        List<String> trouble = new ArrayList<>();
        Ids ids = new Ids();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try (Sequences watcher = Sequences.open(session, node.config().withWatchInterval(Duration.ofMillis(200)))) {
            // From here on it knows what is announced.
            InternalAccess.tables(watcher)
                    .defaultsAsync("killed", REFERENCE)
                    .toCompletableFuture()
                    .get(1, TimeUnit.MINUTES);
            for (int i = 0; i < CHANGES.size(); i++) {
                int most = undisturbed.subList(i, CHANGES.size()).stream()
                        .mapToInt(each -> each.points().size())
                        .max()
                        .orElseThrow();
                play(fault, CHANGES.get(i), undisturbed.get(i), most, ids, watcher, threads, trouble);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(String.join("\n", trouble)).isEmpty();
    }

    /** Makes all changes to a table that nothing else is done to. */
    private static List<Undisturbed> undisturbed() throws SQLException {
        List<Undisturbed> all = new ArrayList<>();
        try (Process process = new Process();
                Sequences sequences = Sequences.open(session, node.config())) {
            for (Change change : CHANGES) {
                change.before().forEach(cql -> cql(cql, REFERENCE));
                process.prepare(change);
                process.link.arm(Integer.MAX_VALUE, Fault.DEATH);
                process.run(change, REFERENCE);
                List<String> writes = process.link.passed();
                all.add(Undisturbed.of(
                        writes,
                        all.isEmpty(),
                        said(contract(InternalAccess.tables(sequences), REFERENCE)),
                        columns(REFERENCE)));
            }
        }
        return all;
    }

    private static void cql(String cql, String table) {
        session.execute(cql.replace("$", table));
    }

    private static List<String> tables(int count) {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(String.format("t%02d", i));
        }
        return all;
    }

    /** The ids that rows got. */
    private static final class Ids {
        private final Map<String, Set<Integer>> issued = new HashMap<>();

        void add(String table, int id, List<String> trouble) {
            if (!issued.computeIfAbsent(table, any -> new HashSet<>()).add(id)) {
                trouble.add(table + ": id " + id + " was issued twice");
            }
        }
    }

    private static void play(
            Fault fault,
            Change change,
            Undisturbed undisturbed,
            int most,
            Ids ids,
            Sequences watcher,
            ExecutorService threads,
            List<String> trouble)
            throws Exception {
        List<String> all = tables(most);
        for (String table : all) {
            for (String cql : change.before()) {
                cql(cql, table);
            }
        }
        List<CompletableFuture<Void>> dying = new ArrayList<>();
        for (int i = 0; i < undisturbed.points().size(); i++) {
            int writes = undisturbed.points().get(i);
            String table = all.get(i);
            dying.add(CompletableFuture.runAsync(() -> disturb(change, table, writes, fault), threads));
        }
        for (CompletableFuture<Void> each : dying) {
            each.get(5, TimeUnit.MINUTES);
        }
        try (Process fresh = new Process();
                Process later = new Process();
                Sequences sequences = Sequences.open(session, node.config())) {
            TableRegistry registry = InternalAccess.tables(sequences);
            List<String> disturbed = all.subList(0, undisturbed.points().size());
            Set<String> disagreeing = disagreeing(registry, disturbed);
            Set<String> named = named();
            named.retainAll(disturbed);
            if (!named.equals(disagreeing)) {
                trouble.add(change.label() + ": check names " + named + ", and these disagree: " + disagreeing);
            }
            for (String table : disturbed) {
                insert(fresh, change, table, change.named(), ids, trouble);
            }
            for (String table : all) {
                again(fresh, change, table, undisturbed, trouble);
            }
            for (String table : disturbed) {
                TableContract contract = contract(registry, table);
                if (!said(contract).equals(undisturbed.contract())
                        || !columns(table).equals(undisturbed.columns())) {
                    trouble.add(change.label() + ": " + table + " became " + said(contract) + " " + columns(table)
                            + ", and not " + undisturbed.contract() + " " + undisturbed.columns());
                }
                // What a command declares is known to the other one only after its watch interval.
                insert(change.isCommand() ? later : fresh, change, table, true, ids, trouble);
            }
            for (String table : disturbed) {
                TableContract contract = contract(registry, table);
                TableRegistry far = InternalAccess.tables(watcher);
                try {
                    await().atMost(Duration.ofSeconds(10))
                            .until(() -> far.cachedDefaults("killed", table).equals(contract.defaults())
                                    && Optional.ofNullable(contract.definition())
                                            .equals(far.cachedDefinition("killed", table)));
                } catch (ConditionTimeoutException e) {
                    trouble.add(change.label() + ": another process does not learn of " + table);
                }
            }
            Map<String, String> copies = rows(node.globalKeyspace() + "_" + node.datacenter());
            Map<String, String> rows = rows(node.globalKeyspace());
            for (String table : disturbed) {
                if (!Objects.equals(rows.get(table), copies.get(table))) {
                    trouble.add(change.label() + ": the copy of " + table + " is " + copies.get(table) + ", and not "
                            + rows.get(table));
                }
            }
        }
    }

    /** Runs the change in a process of its own, up to the fault. */
    private static void disturb(Change change, String table, int writes, Fault fault) {
        Process process = new Process();
        CompletableFuture<Void> ended = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        process.prepare(change);
                        process.link.arm(writes, fault);
                        process.run(change, table);
                    } catch (SQLException e) {
                        // It is dead, or was told that the outcome is unknown.
                    } finally {
                        ended.complete(null);
                        try {
                            process.close();
                        } catch (SQLException e) {
                            // It is dead.
                        }
                    }
                },
                "cassidy-test-killed");
        thread.setDaemon(true);
        thread.start();
        CompletableFuture.anyOf(ended, process.link.death()).join();
    }

    /** Runs the change once more. */
    private static void again(
            Process fresh, Change change, String table, Undisturbed undisturbed, List<String> trouble) {
        boolean complete = columns(table).equals(undisturbed.columns());
        try {
            fresh.run(change, table);
        } catch (SQLException e) {
            if (!complete || !DONE_BEFORE.contains(e.getErrorCode())) {
                trouble.add(change.label() + ": again on " + table + ": " + e.getErrorCode() + " " + e.getMessage());
            }
        }
    }

    /** Inserts rows, as applications do, and looks whether the table's rules are kept. */
    private static void insert(
            Process fresh, Change change, String table, boolean named, Ids ids, List<String> trouble) {
        Set<String> columns = columns(table).keySet();
        if (columns.isEmpty()) {
            return;
        }
        if (named) {
            try {
                fresh.execute("INSERT INTO " + table + " (n) VALUES (1)");
                trouble.add(change.label() + ": " + table + " has a row without a name");
            } catch (SQLException e) {
                if (e.getErrorCode() != 515) {
                    trouble.add(change.label() + ": " + table + " without a name: " + e);
                }
            }
        }
        try (Statement insert = fresh.connection().createStatement()) {
            insert.executeUpdate("INSERT INTO " + table + " (name) VALUES ('ok')", Statement.RETURN_GENERATED_KEYS);
            int id;
            try (ResultSet keys = insert.getGeneratedKeys()) {
                if (!keys.next()) {
                    trouble.add(change.label() + ": " + table + " gives no key");
                    return;
                }
                id = keys.getInt(1);
            }
            ids.add(table, id, trouble);
            try (ResultSet row = insert.executeQuery("SELECT * FROM " + table + " WHERE id = " + id)) {
                row.next();
                if (row.getBigDecimal("price") == null
                        || (columns.contains("extra") && row.getInt("extra") != 7)
                        || (columns.contains("code") && !"x".equals(row.getString("code")))) {
                    trouble.add(change.label() + ": " + table + " has a row without its defaults");
                }
            }
        } catch (SQLException e) {
            trouble.add(change.label() + ": " + table + " refuses a row: " + e);
        }
    }
}
