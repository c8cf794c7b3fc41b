package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.collation.Collation;
import dev.cassidy.cql.ExactConditions;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.definition.Twin;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.rows.TwinCheck;
import dev.cassidy.migration.target.OpenTransactions;
import dev.cassidy.migration.target.Target;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.table.TableContract;
import dev.cassidy.table.TableRegistry;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Indexes that compare by collations, of tables that have rows: {@code tables add-twin}, {@code check --rows} and {@code rebuild}. */
class TwinTablesIT {

    private static final String KEYSPACE = "twin_tables";
    private static final int IDS = 1_000_000;

    private static TargetNode node;

    /** Of a process that notices changes soon. */
    private static Sequences sequences;

    @BeforeAll
    static void install() {
        node = new TargetNode("twin_tables_it_cassidy");
        node.init();
        node.createKeyspace(KEYSPACE);
        sequences = Sequences.open(node.session(), node.config().withWatchInterval(Duration.ofMillis(100)));
    }

    @AfterAll
    static void drop() {
        sequences.close();
        node.close();
    }

    private static TableRegistry registry() {
        return InternalAccess.tables(sequences);
    }

    private static Twin twin(String table, String column) {
        return registry()
                .contract(KEYSPACE, table)
                .definition()
                .column(column)
                .orElseThrow()
                .twin();
    }

    /** @param process another number is another process: what it knows of contracts is its own */
    private static Connection connect(int process) throws SQLException {
        return connect(process, "");
    }

    private static Connection connect(int process, String options) throws SQLException {
        return DriverManager.getConnection(
                node.jdbc(KEYSPACE) + "&requestTimeout=" + (60 + process) + "s&connectTimeout=1m" + options);
    }

    private static void tsql(String... statements) throws SQLException {
        try (Connection connection = connect(0);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static void cql(String statement, Object... values) {
        node.session().execute(statement, values);
    }

    /** Returns the ids of rows, in their order, by a session that has not seen an earlier contract. */
    private static List<Integer> ids(int process, String sql, Object... parameters) throws SQLException {
        try (Connection connection = connect(process);
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            List<Integer> ids = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    ids.add(rows.getInt(1));
                }
            }
            ids.sort(null);
            return ids;
        }
    }

    private static ToolRun tool(ExitCode code, String command, String table, String... rest) {
        List<String> arguments = new ArrayList<>(List.of("--table", KEYSPACE + "." + table));
        arguments.addAll(List.of(rest));
        ToolRun run = node.run(command, arguments.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(code.code());
        return run;
    }

    /** Returns what {@code check} says of a table. */
    private static List<String> findings(String table, String... options) {
        List<String> arguments = new ArrayList<>(List.of("--keyspace", KEYSPACE, "--output", "json"));
        arguments.addAll(List.of(options));
        ToolRun run = node.run("tables check", arguments.toArray(String[]::new));
        return StreamSupport.stream(run.json().get("findings").spliterator(), false)
                .filter(each -> each.get("table").asText().equals(KEYSPACE + "." + table))
                .map(each -> each.get("kind").asText() + ": "
                        + each.get("message").asText() + " " + each.get("run").asText())
                .toList();
    }

    /** Returns the rows whose form is not that of their strings. */
    private static List<String> wrong(String table) {
        List<String> wrong = new ArrayList<>();
        for (Row row : node.session().execute("SELECT id, email, cassidy_eq_email FROM " + KEYSPACE + "." + table)) {
            String email = row.getString(1);
            String form = email == null ? null : Collation.standard().fold(email);
            if (form == null ? row.getString(2) != null : !form.equals(row.getString(2))) {
                wrong.add(row.getFormattedContents());
            }
        }
        return wrong;
    }

    // ---- add-twin

    @Test
    void shouldAddATwinWhileApplicationsWrite() throws Exception {
        tsql(
                "CREATE TABLE busy (id INT PRIMARY KEY, email NVARCHAR(20), n INT)",
                "INSERT INTO busy VALUES (1000, 'Before', 1), (1001, NULL, 1), (1002, 'bEFORE ', 1)");
        cql("CREATE INDEX ix_busy ON " + KEYSPACE + ".busy (email) USING 'sai'");
        AtomicBoolean ends = new AtomicBoolean();
        CompletableFuture<ToolRun> added =
                CompletableFuture.supplyAsync(() -> tool(ExitCode.OK, "tables add-twin", "busy", "--column", "email"));
        List<CompletableFuture<Void>> writers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int writer = i;
            writers.add(CompletableFuture.runAsync(() -> keepBusy(writer, ends)));
        }
        writers.add(CompletableFuture.runAsync(() -> keepInserting(3, ends)));
        try {
            added.join();
        } finally {
            ends.set(true);
        }
        writers.forEach(CompletableFuture::join);

        assertThat(added.join().out())
                .startsWith("twin_tables.busy: column email: each row has the form of it by which "
                        + Collation.DEFAULT_NAME + " compares\n")
                .contains("index ix_busy_eq was made in place of ix_busy, which compared bytes");
        assertThat(wrong("busy")).isEmpty();
        assertThat(twin("busy", "email"))
                .isEqualTo(new Twin(Collation.DEFAULT_NAME, Collation.NEWEST_VERSION, Twin.Place.BESIDE));
        assertThat(ids(7, "SELECT id FROM busy WHERE email = ?", "BEFORE")).containsExactly(1000, 1002);
        Map<String, List<Integer>> there = new TreeMap<>();
        for (Row row : node.session().execute("SELECT id, email FROM " + KEYSPACE + ".busy")) {
            if (row.getString(1) != null) {
                there.computeIfAbsent(row.getString(1).strip().toUpperCase(Locale.ROOT), email -> new ArrayList<>())
                        .add(row.getInt(0));
            }
        }
        assertThat(there).hasSize(10);
        there.forEach((email, expected) -> {
            expected.sort(null);
            try {
                assertThat(ids(7, "SELECT id FROM busy WHERE email = ?", email)).isEqualTo(expected);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(findings("busy", "--rows")).isEmpty();
        assertThat(tool(ExitCode.OK, "tables add-twin", "busy", "--column", "email")
                        .out())
                .contains("already");
        tsql("DROP INDEX ix_busy ON busy", "CREATE INDEX ix_busy ON busy (email)");
        assertThat(ids(0, "SELECT id FROM busy WHERE email = ?", "before")).containsExactly(1000, 1002);
    }

    /**
     * Each writer has ids of its own, and is another process. What becomes of a row is left as it is: a later write would mend what an
     * earlier one has left out.
     */
    private static void keepBusy(int writer, AtomicBoolean ends) {
        Random random = new Random(writer);
        try (Connection connection = connect(writer);
                PreparedStatement insert = connection.prepareStatement("INSERT INTO busy VALUES (?, ?, 0)");
                PreparedStatement move = connection.prepareStatement("UPDATE busy SET email = ? WHERE id = ?");
                PreparedStatement other = connection.prepareStatement("UPDATE busy SET n = n + 1 WHERE id = ?");
                PreparedStatement delete = connection.prepareStatement("DELETE FROM busy WHERE id = ?")) {
            for (int id = (writer + 1) * IDS; !ends.get(); id++) {
                // Others wait for the commit, or are told to begin again.
                boolean transaction = random.nextInt(4) == 0;
                connection.setAutoCommit(!transaction);
                try {
                    insert.setInt(1, id);
                    insert.setString(2, email(random));
                    assertThat(insert.executeUpdate()).isEqualTo(1);
                    switch (random.nextInt(4)) {
                        case 0 -> {
                            move.setString(1, email(random));
                            move.setInt(2, id);
                            assertThat(move.executeUpdate()).isEqualTo(1);
                        }
                        case 1 -> {
                            other.setInt(1, id);
                            assertThat(other.executeUpdate()).isEqualTo(1);
                        }
                        case 2 -> {
                            delete.setInt(1, id);
                            assertThat(delete.executeUpdate()).isEqualTo(1);
                        }
                        default -> {
                            // It stays as it was inserted.
                        }
                    }
                    if (transaction) {
                        connection.commit();
                    }
                } catch (SQLException e) {
                    // What is declared of the table has changed meanwhile, and nothing was written.
                    assertThat(e.getSQLState()).as(String.valueOf(e)).startsWith("40");
                    if (transaction) {
                        connection.rollback();
                    }
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** By java-driver: what its process knows of contracts is what it has heard of them, for it does not look at the schema. */
    private static void keepInserting(int writer, AtomicBoolean ends) {
        Random random = new Random(writer);
        try (Connection connection = connect(writer)) {
            IdentitySession session =
                    connection.unwrap(IdentitySession.class).withExactConditions(ExactConditions.ADDED);
            com.datastax.oss.driver.api.core.cql.PreparedStatement insert =
                    session.prepare("INSERT INTO " + KEYSPACE + ".busy (id, email) VALUES (?, ?)");
            for (int id = (writer + 1) * IDS; !ends.get(); id++) {
                assertThat(session.execute(insert.bind(id, email(random))).wasApplied())
                        .isTrue();
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static @Nullable String email(Random random) {
        return random.nextInt(5) == 0 ? null : (random.nextBoolean() ? "User" : "uSER") + random.nextInt(9);
    }

    @Test
    void shouldContinueWhatHasEnded() throws SQLException {
        tsql(
                "CREATE TABLE begun (id INT PRIMARY KEY, email NVARCHAR(20))",
                "INSERT INTO begun VALUES (1, 'Ann'), (2, 'bob'), (3, NULL), (4, 'ANN')");
        // As a command leaves it that was killed.
        cql("ALTER TABLE " + KEYSPACE + ".begun ADD cassidy_eq_email text");
        assertThat(findings("begun"))
                .singleElement()
                .asString()
                .startsWith("twin: has forms beside the columns [email]");
        TableContract contract = registry().contract(KEYSPACE, "begun");
        TableDefinition known = contract.definition();
        ColumnDefinition email = known.column("email").orElseThrow();
        registry()
                .tighten(
                        contract,
                        known.replacing(email.withTwin(
                                new Twin(Collation.DEFAULT_NAME, Collation.NEWEST_VERSION, Twin.Place.BUILDING))));
        assertThat(findings("begun"))
                .singleElement()
                .asString()
                .startsWith("twin: has the form by which ")
                .contains("cassidy tables add-twin --table twin_tables.begun --column email");
        cql("CREATE INDEX ix_begun ON " + KEYSPACE + ".begun (cassidy_eq_email) USING 'sai'");
        // Nobody reads by what not every row has.
        try (Connection direct = connect(3, "&assist=off");
                Statement statement = direct.createStatement()) {
            assertThatThrownBy(() -> statement.executeQuery("SELECT id FROM begun WHERE email = 'ann'"))
                    .isInstanceOf(SQLException.class);
        }
        assertThat(ids(3, "SELECT id FROM begun WHERE email = 'ann'"))
                .as("all rows are read, also those without a twin")
                .contains(1);
        assertThatThrownBy(() -> tsql("CREATE INDEX ix_again ON begun (email)"))
                .hasMessageContaining("cassidy tables add-twin --table twin_tables.begun --column email");
        try (Connection connection = connect(3);
                Statement statement = connection.createStatement()) {
            assertThat(statement.executeUpdate("UPDATE begun SET email = 'Zoe' WHERE id = 2"))
                    .isEqualTo(1);
            assertThat(statement.executeUpdate("INSERT INTO begun VALUES (5, 'ann')"))
                    .isEqualTo(1);
            assertThat(statement.executeUpdate("DELETE FROM begun WHERE id = 4"))
                    .isEqualTo(1);
        }
        // Of a transaction whose process is gone, and that left no record.
        cql("UPDATE " + KEYSPACE + ".begun SET cassidy_tx = 0x" + "01".repeat(17) + "00 WHERE id = 1");

        ToolRun run = tool(ExitCode.OK, "tables add-twin", "begun", "--column", "email", "--output", "json");

        assertThat(run.json().get("given").asInt()).isEqualTo(1);
        assertThat(run.json().get("rows").asInt()).isEqualTo(4);
        assertThat(run.json().get("index").asText()).isEqualTo("ix_begun");
        assertThat(wrong("begun")).isEmpty();
        assertThat(ids(4, "SELECT id FROM begun WHERE email = 'ann '")).containsExactly(1, 5);
        assertThat(ids(4, "SELECT id FROM begun WHERE email IN ('bob', 'ZOE')")).containsExactly(2);
        assertThat(findings("begun", "--rows")).isEmpty();
    }

    /** Between the look at a row and its change, an application writes one row, and deletes the other. */
    @Test
    void shouldGiveARowTheFormOfWhatItHasNow() throws Exception {
        tsql(
                "CREATE TABLE raced (id INT PRIMARY KEY, email NVARCHAR(20), INDEX ix_raced (email))",
                "INSERT INTO raced VALUES (1, 'Ann'), (2, 'Bob')");
        cql("DELETE cassidy_eq_email FROM " + KEYSPACE + ".raced WHERE id IN (1, 2)");
        AtomicInteger between = new AtomicInteger();
        Set<Integer> looked = ConcurrentHashMap.newKeySet();
        CqlSession session = (CqlSession) Proxy.newProxyInstance(
                CqlSession.class.getClassLoader(), new Class<?>[] {CqlSession.class}, (proxy, method, arguments) -> {
                    Object result;
                    try {
                        result = method.invoke(node.session(), arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                    if (method.getName().equals("execute")
                            && arguments[0] instanceof BoundStatement bound
                            && bound.getPreparedStatement().getQuery().endsWith(" WHERE id = ?")) {
                        between.getAndIncrement();
                        if (looked.add(bound.getInt(0))) {
                            tsql(
                                    bound.getInt(0) == 1
                                            ? "UPDATE raced SET email = 'Zoe' WHERE id = 1"
                                            : "DELETE FROM raced WHERE id = 2");
                        }
                    }
                    return result;
                });
        TwinCheck.Result result;
        try (Target target = Target.open(ownSession(), ownSession(), node.config());
                OpenTransactions transactions = target.transactions()) {
            node.session().refreshSchema();
            result = TwinCheck.run(
                    session,
                    transactions,
                    Target.table(node.session().getMetadata(), KEYSPACE, "raced")
                            .orElseThrow(),
                    registry().contract(KEYSPACE, "raced").writes(),
                    Map.of("email", twin("raced", "email")),
                    1,
                    true,
                    rows -> {});
        }

        assertThat(between.get()).isGreaterThanOrEqualTo(4);
        assertThat(result.isBroken()).isFalse();
        assertThat(wrong("raced")).isEmpty();
        assertThat(node.session()
                        .execute("SELECT id, email FROM " + KEYSPACE + ".raced")
                        .all())
                .singleElement()
                .satisfies(row -> assertThat(row.getString("email")).isEqualTo("Zoe"));
        assertThat(ids(0, "SELECT id FROM raced WHERE email = 'ZOE'")).containsExactly(1);
    }

    private static CqlSession ownSession() {
        return CqlSession.builder()
                .addContactPoint(node.address())
                .withLocalDatacenter(node.datacenter())
                .build();
    }

    // ---- check and rebuild

    @Test
    void shouldFindAndMendRowsThatAnIndexMisses() throws SQLException {
        tsql(
                "CREATE TABLE mended (id INT PRIMARY KEY, email NVARCHAR(20), INDEX ix_mended (email))",
                "INSERT INTO mended VALUES (1, 'Ann'), (2, 'bob'), (3, NULL), (4, 'ANN')",
                "CREATE TABLE keyed (name NVARCHAR(20) PRIMARY KEY, v INT)",
                "INSERT INTO keyed VALUES ('Ann', 1)");
        assertThat(findings("mended", "--rows")).isEmpty();
        assertThat(findings("keyed", "--rows")).isEmpty();
        // Past the driver.
        cql("UPDATE " + KEYSPACE + ".mended SET email = 'Zoe' WHERE id = 1");
        cql("DELETE cassidy_eq_email FROM " + KEYSPACE + ".mended WHERE id = 2");
        cql("UPDATE " + KEYSPACE + ".mended SET cassidy_eq_email = 'x' WHERE id = 3");
        cql("INSERT INTO " + KEYSPACE + ".mended (id, email) VALUES (5, 'Unmarked')");
        cql(
                "UPDATE " + KEYSPACE + ".keyed SET name = 'Zoe' WHERE cassidy_eq_name = ?",
                Collation.standard().fold("Ann"));
        assertThat(ids(0, "SELECT id FROM mended WHERE email IN ('zoe', 'bob')"))
                .isEmpty();

        assertThat(findings("mended", "--rows")).anySatisfy(each -> assertThat(each)
                .startsWith("twin: 3 rows have not the form by which an index compares their strings")
                .contains("id=1", "id=2", "id=3", "cassidy tables rebuild --table twin_tables.mended"));
        assertThat(findings("keyed", "--rows"))
                .singleElement()
                .asString()
                .startsWith("rows: 1 row breaks the key of name by collation " + Collation.DEFAULT_NAME)
                .contains("is not the key of its value");
        assertThat(wrong("mended")).hasSize(4);

        assertThat(tool(ExitCode.DISAGREES, "tables rebuild", "mended").out())
                .contains("what indexes on email compare: 3 rows mended; 5 rows were read")
                .contains("warning: 1 row lacks its mark", "id=5");

        assertThat(wrong("mended")).hasSize(1);
        assertThat(ids(0, "SELECT id FROM mended WHERE email IN ('ZOE', 'BOB', 'ann')"))
                .containsExactly(1, 2, 4);
        cql("DELETE FROM " + KEYSPACE + ".mended WHERE id = 5");
        assertThat(tool(ExitCode.OK, "tables rebuild", "mended").out()).contains("0 rows mended");
        assertThat(findings("mended", "--rows")).isEmpty();

        tsql("DROP INDEX ix_mended ON mended");
        cql("ALTER TABLE " + KEYSPACE + ".mended DROP cassidy_eq_email");
        assertThat(findings("mended")).singleElement().asString().startsWith("twin: lacks the column cassidy_eq_email");
        assertThat(tool(ExitCode.OK, "tables rebuild", "mended").out()).contains("3 rows mended");
        assertThat(wrong("mended")).isEmpty();
        assertThat(findings("mended", "--rows")).isEmpty();
        tsql("INSERT INTO mended VALUES (6, 'Six')", "CREATE INDEX ix_mended ON mended (email)");
        assertThat(ids(0, "SELECT id FROM mended WHERE email IN ('ZOE', 'BOB', 'ann', 'SIX')"))
                .containsExactly(1, 2, 4, 6);
    }

    @Test
    void shouldRefuseWhatHasNoTwin() throws SQLException {
        tsql(
                "CREATE TABLE loose (id INT PRIMARY KEY, email NVARCHAR(20)) WITH (plain)",
                "CREATE TABLE refused (id INT PRIMARY KEY, code VARCHAR(9) COLLATE Latin1_General_BIN2, n INT)",
                "CREATE TABLE of_key (name NVARCHAR(20) PRIMARY KEY)");
        assertThat(tool(ExitCode.REFUSED, "tables add-twin", "loose", "--column", "email")
                        .err())
                .contains("are plain", "cassidy tables declare --table twin_tables.loose --writes exact");
        for (String[] refused : new String[][] {
            {"refused", "code", "is compared by its bytes"},
            {"refused", "n", "is compared by its bytes"},
            {"refused", "nothing", "is not one of the table's"},
            {"of_key", "name", "is in the primary key"}
        }) {
            assertThat(tool(ExitCode.REFUSED, "tables add-twin", refused[0], "--column", refused[1])
                            .err())
                    .contains(refused[2]);
        }
    }
}
