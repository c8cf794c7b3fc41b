package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.definition.ConstraintDefinition;
import dev.cassidy.definition.Reservations;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.definition.UniqueKey;
import dev.cassidy.jdbc.run.UniqueDeclarations;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.rows.UniqueCheck;
import dev.cassidy.migration.target.OpenTransactions;
import dev.cassidy.migration.target.Target;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.table.TableContract;
import dev.cassidy.table.TableRegistry;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** UNIQUE of tables that have rows: {@code tables add-unique}, and what {@code check --rows} finds and {@code rebuild} mends. */
class UniqueTablesIT {

    private static final String KEYSPACE = "unique_tables";

    private static TargetNode node;

    /** Of a process that notices changes soon. */
    private static Sequences sequences;

    @BeforeAll
    static void install() {
        node = new TargetNode("unique_tables_it_cassidy");
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

    private static TableContract contract(String table) {
        return registry().contract(KEYSPACE, table);
    }

    private static Connection connect() throws SQLException {
        return DriverManager.getConnection(node.jdbc(KEYSPACE) + "&requestTimeout=1m&connectTimeout=1m");
    }

    private static void tsql(String... statements) throws SQLException {
        try (Connection connection = connect()) {
            run(connection, statements);
        }
    }

    /** By a session that has not seen an earlier contract: others notice within a few seconds. */
    private static void tsqlAnew(String... statements) throws SQLException {
        try (Connection connection = connectAnew()) {
            run(connection, statements);
        }
    }

    private static Connection connectAnew() throws SQLException {
        return DriverManager.getConnection(node.jdbc(KEYSPACE) + "&requestTimeout=59s&connectTimeout=1m");
    }

    private static void run(Connection connection, String... statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static void cql(String statement, Object... values) {
        node.session().execute(statement, values);
    }

    private static ToolRun tool(ExitCode code, String command, String table, String... rest) {
        List<String> arguments = new ArrayList<>(List.of("--table", KEYSPACE + "." + table));
        arguments.addAll(List.of(rest));
        return expect(code, node.run(command, arguments.toArray(String[]::new)));
    }

    private static ToolRun expect(ExitCode code, ToolRun run) {
        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(code.code());
        return run;
    }

    /** Returns what {@code check} says of a table. */
    private static List<String> findings(String table, String... options) {
        ToolRun run = node.run(
                "tables check",
                ToolRun.join("", List.of("--keyspace", KEYSPACE, "--output", "json"), options).stream()
                        .filter(word -> !word.isEmpty())
                        .toArray(String[]::new));
        return StreamSupport.stream(run.json().get("findings").spliterator(), false)
                .filter(each -> each.get("table").asText().equals(KEYSPACE + "." + table))
                .map(each -> each.get("kind").asText() + ": "
                        + each.get("message").asText() + " " + each.get("run").asText())
                .toList();
    }

    private static String reservations(String table) {
        return contract(table).definition().uniqueKeys().get(0).reservations().table();
    }

    private static String qualified(String reservations) {
        return KEYSPACE + "." + reservations;
    }

    private static boolean exists(String table) {
        return node.session()
                        .execute(
                                "SELECT id FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?",
                                KEYSPACE,
                                table)
                        .one()
                != null;
    }

    /** Returns the reservation of each row that has an INT for its key. */
    private static Map<Integer, Row> reserved(String reservations) {
        Map<Integer, Row> found = new TreeMap<>();
        for (Row row : node.session().execute("SELECT * FROM " + qualified(reservations))) {
            found.put(row.getByteBuffer(Reservations.ROW).getInt(4), row);
        }
        return found;
    }

    private static ByteBuffer value(Row reservation) {
        return reservation.getByteBuffer(Reservations.VALUE);
    }

    private static Set<Integer> ids(String table) {
        Set<Integer> ids = new HashSet<>();
        node.session().execute("SELECT id FROM " + qualified(table)).forEach(row -> ids.add(row.getInt(0)));
        return ids;
    }

    // ---- check and rebuild

    @Test
    void shouldFindAndMendWhatWasWrittenPastTheDriver() throws SQLException {
        tsql(
                "CREATE TABLE account (id INT PRIMARY KEY, email NVARCHAR(50), CONSTRAINT uq UNIQUE (email))",
                "INSERT INTO account VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e'), (6, NULL)");
        assertThat(findings("account", "--rows")).isEmpty();
        String reservations = reservations("account");
        Map<Integer, Row> before = reserved(reservations);
        assertThat(before).containsOnlyKeys(1, 2, 3, 4, 5, 6);
        String update = "UPDATE " + qualified(reservations) + " SET row_key = ? WHERE value = ?";
        // 1 lost its reservation, that of 2 names a row that is missing, and that of 3 one with another value.
        cql("DELETE FROM " + qualified(reservations) + " WHERE value = ?", value(before.get(1)));
        cql(update, rowKey(99), value(before.get(2)));
        cql(update, rowKey(1), value(before.get(3)));
        // 4 is gone, and 5 has its value; the mark of 6's was lost.
        cql("DELETE FROM unique_tables.account WHERE id = 4");
        cql("UPDATE " + qualified(reservations) + " SET cassidy_tx = null WHERE value = ?", value(before.get(6)));

        assertThat(findings("account")).isEmpty();
        assertThat(findings("account", "--rows"))
                .singleElement()
                .asString()
                .startsWith("reservations: ")
                .contains(
                        "CONSTRAINT [uq] UNIQUE (email)",
                        "1 row without a reservation (id=1)",
                        "2 rows with a reservation of another row",
                        "4 reservations of no row that has its value",
                        "cassidy tables rebuild --table unique_tables.account");

        ToolRun rebuilt = tool(ExitCode.OK, "tables rebuild", "account");
        assertThat(rebuilt.out()).contains("1 added, 2 moved, 2 removed; 5 rows and 6 reservations were read\n");
        assertThat(findings("account", "--rows")).isEmpty();
        assertThat(reserved(reservations)).containsOnlyKeys(1, 2, 3, 5, 6);
        tsql(
                "INSERT INTO account VALUES (7, 'd')",
                "UPDATE account SET email = 'x' WHERE id = 6",
                "DELETE FROM account WHERE id IN (1, 2, 3, 7)",
                "INSERT INTO account VALUES (8, 'a'), (9, 'b'), (10, 'c'), (11, 'd'), (12, NULL)");
        assertThat(findings("account", "--rows")).isEmpty();
    }

    private static ByteBuffer rowKey(int id) {
        return ByteBuffer.allocate(8).putInt(4).putInt(id).flip();
    }

    @Test
    void shouldListWhatOnlyTheOwnerOfTheRowsCanDecide() throws SQLException {
        tsql(
                "CREATE TABLE twins (id INT PRIMARY KEY, email NVARCHAR(50) UNIQUE)",
                "INSERT INTO twins VALUES (1, 'a'), (2, 'b'), (3, 'c')");
        cql("UPDATE unique_tables.twins SET email = 'A ' WHERE id = 2");
        cql("INSERT INTO unique_tables.twins (id, email) VALUES (4, 'd')");

        assertThat(findings("twins", "--rows"))
                .hasSize(3)
                .anySatisfy(each ->
                        assertThat(each).startsWith("rows: 1 row breaks UNIQUE (email): id=1 and id=2 have the same"))
                .anySatisfy(each -> assertThat(each)
                        .startsWith("rows: 1 row cannot be held against")
                        .contains("id=4"))
                .anySatisfy(
                        each -> assertThat(each).startsWith("reservations: ").contains("1 reservation of no row"));
        ToolRun rebuilt = tool(ExitCode.DISAGREES, "tables rebuild", "twins");
        assertThat(rebuilt.out())
                .contains(
                        "0 added, 0 moved, 1 removed",
                        "1 row has a value that another row has reserved: id=1 and id=2 have the same",
                        "id=4");
        assertThat(reserved(reservations("twins"))).containsOnlyKeys(1, 3);
        // The row that has the reservation gives it up, and the other one gets it.
        tsql("UPDATE twins SET email = 'z' WHERE id = 1");
        cql("DELETE FROM unique_tables.twins WHERE id = 4");
        assertThat(tool(ExitCode.OK, "tables rebuild", "twins").out()).contains("1 added, 0 moved, 0 removed");
        assertThat(findings("twins", "--rows")).isEmpty();
    }

    @Test
    void shouldMakeATableOfReservationsThatIsGone() throws SQLException {
        tsql(
                "CREATE TABLE lost (id INT PRIMARY KEY, a INT, b NVARCHAR(9), UNIQUE (a, b))",
                "CREATE UNIQUE INDEX ux ON lost (b) WHERE b IS NOT NULL",
                "INSERT INTO lost VALUES (1, 1, 'x'), (2, NULL, 'y'), (3, NULL, NULL), (4, 2, NULL)");
        String reservations = reservations("lost");
        String ofIndex =
                contract("lost").definition().uniqueKeys().get(1).reservations().table();
        cql("DROP TABLE " + qualified(reservations));
        cql("ALTER TABLE " + qualified(ofIndex) + " DROP row_key");

        assertThat(findings("lost"))
                .hasSize(2)
                .anySatisfy(each -> assertThat(each)
                        .startsWith("reservations: keeps UNIQUE (a, b) by the table " + reservations
                                + ", which does not exist")
                        .contains("cassidy tables rebuild --table unique_tables.lost"))
                .anySatisfy(each -> assertThat(each)
                        .startsWith("reservations: keeps UNIQUE INDEX [ux] (b) WHERE b IS NOT NULL by the table "
                                + ofIndex + ", which has other columns"));
        assertThat(tool(ExitCode.REFUSED, "tables rebuild", "lost").err()).contains("drop it by CQL");
        cql("DROP TABLE " + qualified(ofIndex));

        assertThat(tool(ExitCode.OK, "tables rebuild", "lost").out())
                .contains("UNIQUE (a, b): 4 added, 0 moved, 0 removed; 4 rows and 4 reservations were read\n")
                .contains(
                        "UNIQUE INDEX [ux] (b) WHERE b IS NOT NULL: 2 added, 0 moved, 0 removed; 4 rows and 2 reservations"
                                + " were read\n");
        assertThat(findings("lost", "--rows")).isEmpty();
        assertDuplicate("INSERT INTO lost VALUES (5, 1, 'X')", 2627);
        assertDuplicate("INSERT INTO lost VALUES (5, 3, 'y')", 2601);
        tsql("INSERT INTO lost VALUES (5, 3, NULL)");
    }

    @Test
    void shouldNotAdoptTheReservationsOfATableThatWasDropped() throws SQLException {
        String unique = "CONSTRAINT [uq] UNIQUE (email)";
        tsql(
                "CREATE TABLE anew (id INT PRIMARY KEY, email NVARCHAR(50), CONSTRAINT uq UNIQUE (email))",
                "INSERT INTO anew VALUES (1, 'a'), (2, 'b')");
        String reservations = reservations("anew");
        assertThat(tool(ExitCode.OK, "tables adopt", "anew", "--yes").err()).doesNotContain("will not be kept");
        assertThat(reservations("anew")).isEqualTo(reservations);
        cql("DROP TABLE unique_tables.anew");
        cql("CREATE TABLE unique_tables.anew (id int PRIMARY KEY, email text, cassidy_tx blob)");

        assertThat(tool(ExitCode.OK, "tables adopt", "anew", "--yes").err())
                .contains(
                        "warning: " + unique + " will not be kept",
                        "Run: cassidy tables add-unique --table unique_tables.anew --unique '" + unique + "'")
                .doesNotContain("no longer");
        assertThat(contract("anew").definition().constraints())
                .singleElement()
                .satisfies(each -> assertThat(UniqueDeclarations.written(each)).isEqualTo(unique))
                .satisfies(each -> assertThat(each.reserved()).isNull());
        // With what was reserved before, no row could take these.
        tsqlAnew("INSERT INTO anew VALUES (3, 'a'), (4, 'b')");
        tool(ExitCode.OK, "tables add-unique", "anew", "--unique", unique);
        assertThat(reservations("anew")).isNotEqualTo(reservations);
        assertDuplicateAnew("INSERT INTO anew VALUES (5, 'A')", 2627);
    }

    private static void assertDuplicate(String sql, int error) {
        assertThatThrownBy(() -> tsql(sql)).hasFieldOrPropertyWithValue("errorCode", error);
    }

    private static void assertDuplicateAnew(String sql, int error) {
        assertThatThrownBy(() -> tsqlAnew(sql)).hasFieldOrPropertyWithValue("errorCode", error);
    }

    /**
     * Two processes mend, others insert, move and delete rows of a few values, and another makes reservations of rows that do not have the
     * value, but may have it soon. No reservation of a row that has its value is ever removed.
     */
    @Test
    void shouldRemoveNoReservationOfARow() throws Exception {
        tsql(
                "CREATE TABLE contended (id INT PRIMARY KEY, v INT UNIQUE)",
                "INSERT INTO contended VALUES (0, 0), (1, 1), (2, 2), (3, 3)");
        String reservations = reservations("contended");
        Map<Integer, Row> first = reserved(reservations);
        AtomicBoolean ends = new AtomicBoolean();
        List<Work> work = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Random random = new Random(i);
            work.add(() -> write(random, ends));
        }
        Random random = new Random(17);
        work.add(() -> {
            while (!ends.get()) {
                cql(
                        "INSERT INTO " + qualified(reservations)
                                + " (value, row_key, cassidy_tx) VALUES (?, ?, 0xff) IF NOT EXISTS",
                        value(first.get(random.nextInt(4))),
                        rowKey(random.nextInt(4)));
            }
        });
        for (int i = 0; i < 2; i++) {
            work.add(() -> {
                for (int n = 0; n < 15; n++) {
                    tool(ExitCode.OK, "tables rebuild", "contended");
                }
                ends.set(true);
            });
        }
        together(work);

        assertThat(findings("contended", "--rows"))
                .allSatisfy(each -> assertThat(each).doesNotContain("without a reservation", "another row", "breaks"));
        tool(ExitCode.OK, "tables rebuild", "contended");
        assertThat(findings("contended", "--rows")).isEmpty();
        assertThat(reserved(reservations).keySet()).isEqualTo(ids("contended"));
    }

    /**
     * Between the look at the row that a reservation names and the removal of the reservation, others remove that reservation, and a
     * writer takes the value for the same row: its reservation says the same, and stays.
     */
    @Test
    void shouldNotRemoveAReservationThatIsAnotherOneNow() throws Exception {
        tsql("CREATE TABLE again (id INT PRIMARY KEY, email NVARCHAR(9) UNIQUE)", "INSERT INTO again VALUES (5, 'v')");
        TableContract contract = contract("again");
        UniqueKey key = contract.definition().uniqueKeys().get(0);
        String reservations = qualified(key.reservations().table());
        ByteBuffer value = value(reserved(key.reservations().table()).get(5));
        cql("DELETE FROM unique_tables.again WHERE id = 5");
        AtomicBoolean tagged = new AtomicBoolean();
        AtomicInteger between = new AtomicInteger();
        CqlSession session = (CqlSession) Proxy.newProxyInstance(
                CqlSession.class.getClassLoader(), new Class<?>[] {CqlSession.class}, (proxy, method, arguments) -> {
                    Object result;
                    try {
                        result = method.invoke(node.session(), arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                    if (method.getName().equals("execute") && arguments[0] instanceof BoundStatement bound) {
                        String text = bound.getPreparedStatement().getQuery();
                        if (text.startsWith("UPDATE ")) {
                            tagged.set(true);
                        } else if (tagged.get()
                                && text.contains(" FROM unique_tables.again ")
                                && between.getAndIncrement() == 0) {
                            cql("DELETE FROM " + reservations + " WHERE value = ?", value);
                            tsql("INSERT INTO again VALUES (5, 'V')");
                        }
                    }
                    return result;
                });
        UniqueCheck.Result result;
        try (Target target = Target.open(ownSession(), ownSession(), node.config());
                OpenTransactions transactions = target.transactions()) {
            node.session().refreshSchema();
            result = UniqueCheck.run(
                    session,
                    transactions,
                    Target.table(node.session().getMetadata(), KEYSPACE, "again")
                            .orElseThrow(),
                    contract.writes(),
                    key,
                    1,
                    true,
                    rows -> {});
        }

        assertThat(between.get()).isPositive();
        assertThat(result.orphans().count()).isZero();
        assertThat(reserved(key.reservations().table())).containsOnlyKeys(5);
        assertThat(findings("again", "--rows")).isEmpty();
    }

    private static CqlSession ownSession() {
        return CqlSession.builder()
                .addContactPoint(node.address())
                .withLocalDatacenter(node.datacenter())
                .build();
    }

    private interface Work {
        void run() throws Exception;
    }

    private static void together(List<Work> work) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(work.size());
        try {
            List<Future<?>> under = new ArrayList<>();
            for (Work each : work) {
                under.add(pool.submit(() -> {
                    each.run();
                    return null;
                }));
            }
            for (Future<?> each : under) {
                each.get();
            }
        } finally {
            pool.shutdownNow();
        }
    }

    private static void write(Random random, AtomicBoolean ends) throws SQLException {
        try (Connection connection = connect();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO contended VALUES (?, ?)");
                PreparedStatement move = connection.prepareStatement("UPDATE contended SET v = ? WHERE id = ?");
                PreparedStatement delete = connection.prepareStatement("DELETE FROM contended WHERE id = ?")) {
            while (!ends.get()) {
                int id = random.nextInt(4);
                int v = random.nextInt(4);
                try {
                    switch (random.nextInt(3)) {
                        case 0 -> {
                            insert.setInt(1, id);
                            insert.setInt(2, v);
                            insert.executeUpdate();
                        }
                        case 1 -> {
                            move.setInt(1, v);
                            move.setInt(2, id);
                            move.executeUpdate();
                        }
                        default -> {
                            delete.setInt(1, id);
                            delete.executeUpdate();
                        }
                    }
                } catch (SQLException e) {
                    assertThat(e.getErrorCode()).as(String.valueOf(e)).isIn(2627, 1205);
                }
            }
        }
    }

    // ---- add-unique

    /** Four commands at the same time, because each waits. */
    @Test
    void shouldAddUniqueWhileApplicationsWrite() throws Exception {
        tsql(
                "CREATE TABLE busy (id INT IDENTITY PRIMARY KEY, v INT, w INT)",
                "CREATE TABLE doubled (id INT PRIMARY KEY, email NVARCHAR(9), n INT)",
                "INSERT INTO doubled VALUES (1, 'a', 1), (2, 'b', 1), (3, 'A', NULL), (4, 'c', NULL)",
                "CREATE TABLE [Mixed] (a INT, b DECIMAL(9,2), c NVARCHAR(9), PRIMARY KEY (a, b))",
                "INSERT INTO [Mixed] VALUES (1, 1.50, 'x'), (1, 2, NULL), (2, 1, NULL)");
        TableDefinition doubled = contract("doubled").definition();
        AtomicBoolean ends = new AtomicBoolean();
        CompletableFuture<ToolRun> busy = CompletableFuture.supplyAsync(
                () -> tool(ExitCode.OK, "tables add-unique", "busy", "--unique", "CONSTRAINT uq UNIQUE (v)"));
        CompletableFuture<ToolRun> twins = CompletableFuture.supplyAsync(
                () -> tool(ExitCode.DISAGREES, "tables add-unique", "doubled", "--unique", "UNIQUE (email)"));
        CompletableFuture<ToolRun> mixed = CompletableFuture.supplyAsync(() -> tool(
                ExitCode.OK, "tables add-unique", "mixed", "--unique", "UNIQUE INDEX [UX c] (c) WHERE c IS NOT NULL"));
        List<Work> work = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int writer = i;
            work.add(() -> keepBusy(writer, ends));
        }
        work.add(() -> {
            try {
                busy.join();
            } finally {
                ends.set(true);
            }
        });
        together(work);

        assertThat(busy.join().out())
                .startsWith("unique_tables.busy: CONSTRAINT [uq] UNIQUE (v): is kept now, by table cassidy_unique_");
        assertThat(findings("busy", "--rows")).isEmpty();
        assertThat(reserved(reservations("busy")).keySet()).isEqualTo(ids("busy"));
        assertThat(contract("busy")
                        .definition()
                        .uniqueKeys()
                        .get(0)
                        .reservations()
                        .complete())
                .isTrue();
        tsql("INSERT INTO busy (v) VALUES (-1)");
        assertDuplicate("INSERT INTO busy (v) VALUES (-1)", 2627);
        assertThat(tool(ExitCode.OK, "tables add-unique", "busy", "--unique", "UNIQUE (v)")
                        .out())
                .contains("is kept already");

        ToolRun taken = twins.join();
        assertThat(taken.out())
                .contains("not kept", "warning: 1 row has a value that another row has reserved: ", "id=1", "id=3");
        assertThat(contract("doubled").definition()).isEqualTo(doubled);
        assertThat(exists(taken.out().replaceAll("(?s).*(cassidy_unique_[0-9a-f]+) is dropped.*", "$1")))
                .isFalse();
        tsql("INSERT INTO doubled VALUES (5, 'a', NULL)");

        assertThat(mixed.join().out()).contains("3 rows were read, 1 got its reservation");
        assertThat(findings("mixed", "--rows")).isEmpty();
        assertDuplicate("INSERT INTO [Mixed] VALUES (3, 3, 'X')", 2601);
        tsql("INSERT INTO [Mixed] VALUES (3, 3, NULL)", "DELETE FROM [Mixed] WHERE a = 1 AND b = 1.5");
        tsql("INSERT INTO [Mixed] VALUES (3, 4, 'x')", "DROP INDEX [UX c] ON [Mixed]");
    }

    /** Each writer has values of its own, each of which one row has at most. */
    private static void keepBusy(int writer, AtomicBoolean ends) throws SQLException {
        Map<Integer, Integer> held = new HashMap<>();
        Random random = new Random(writer);
        try (Connection connection = connect();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO busy (v, w) VALUES (?, 0)", Statement.RETURN_GENERATED_KEYS);
                PreparedStatement move = connection.prepareStatement("UPDATE busy SET v = ? WHERE id = ?");
                PreparedStatement other = connection.prepareStatement("UPDATE busy SET w = w + 1 WHERE id = ?");
                PreparedStatement delete = connection.prepareStatement("DELETE FROM busy WHERE id = ?")) {
            while (!ends.get()) {
                int v = writer * 10 + random.nextInt(10);
                Integer id = held.get(v);
                if (id == null && random.nextBoolean()) {
                    insert.setInt(1, v);
                    written(insert);
                    try (ResultSet keys = insert.getGeneratedKeys()) {
                        assertThat(keys.next()).isTrue();
                        held.put(v, keys.getInt(1));
                    }
                } else if (id == null && !held.isEmpty()) {
                    int from = held.keySet().iterator().next();
                    int moved = held.remove(from);
                    move.setInt(1, v);
                    move.setInt(2, moved);
                    assertThat(written(move)).isEqualTo(1);
                    held.put(v, moved);
                } else if (id != null && random.nextBoolean()) {
                    other.setInt(1, id);
                    assertThat(written(other)).isEqualTo(1);
                } else if (id != null) {
                    delete.setInt(1, id);
                    assertThat(written(delete)).isEqualTo(1);
                    held.remove(v);
                }
            }
        }
    }

    /** A statement that was read before the declaration, and is sent after it, is refused, and has written nothing. */
    private static int written(PreparedStatement statement) throws SQLException {
        while (true) {
            try {
                return statement.executeUpdate();
            } catch (SQLTransientException e) {
                assertThat((Throwable) e).hasMessageContainingAll("was declared", "nothing was written");
            }
        }
    }

    /** As a command leaves it that was killed: declared, and some rows have no reservation. */
    private static String beginUnique(String table, String unique) throws SQLException {
        TableContract contract = contract(table);
        TableDefinition known = contract.definition();
        ConstraintDefinition given = UniqueDeclarations.unique(
                node.session()
                        .refreshSchema()
                        .getKeyspace(KEYSPACE)
                        .orElseThrow()
                        .getTable(table)
                        .orElseThrow(),
                unique,
                known);
        ConstraintDefinition constraint =
                given.reservedIn(UniqueDeclarations.reservations(given, known.columns(), false));
        cql(UniqueDeclarations.createTable(KEYSPACE, table, constraint, constraint.reserved()));
        registry().tighten(contract, known.with(List.of(), List.of(constraint)));
        return constraint.reserved().table();
    }

    @Test
    void shouldWriteAndContinueWhileReservationsAreMade() throws SQLException {
        tsql(
                "CREATE TABLE begun (id INT PRIMARY KEY, email NVARCHAR(9), n INT)",
                "INSERT INTO begun VALUES (1, 'a', 1), (2, 'b', 1), (3, 'c', 1), (4, 'd', 1), (5, 'd', 1), (6, 'e', 1)");
        String reservations = beginUnique("begun", "CONSTRAINT uq UNIQUE (email)");
        assertThat(findings("begun"))
                .singleElement()
                .asString()
                .startsWith("reservations: has CONSTRAINT [uq] UNIQUE (email) declared")
                .contains(
                        "cassidy tables add-unique --table unique_tables.begun --unique 'CONSTRAINT [uq] UNIQUE (email)'");

        // Rows without a reservation can be written.
        tsqlAnew(
                "UPDATE begun SET n = 2 WHERE id = 1",
                "UPDATE begun SET email = 'x' WHERE id = 1",
                "DELETE FROM begun WHERE id = 2",
                "INSERT INTO begun VALUES (7, 'a', 1), (8, 'b', 1)");
        assertThat(reserved(reservations)).containsOnlyKeys(1, 7, 8);
        assertDuplicateAnew("INSERT INTO begun VALUES (9, 'X', 1)", 2627);
        assertDuplicateAnew("UPDATE begun SET email = 'b' WHERE id = 3", 2627);
        // A value that two rows have, one of which has it reserved.
        tsqlAnew("INSERT INTO begun VALUES (10, 'c', 1)");
        assertThat(reserved(reservations)).containsOnlyKeys(1, 7, 8, 10);
        tsqlAnew("UPDATE begun SET email = 'cc' WHERE id = 3");
        assertDuplicateAnew("INSERT INTO begun VALUES (9, 'c', 1)", 2627);
        assertThat(reserved(reservations)).containsOnlyKeys(1, 3, 7, 8, 10);
        // Also by a transaction that has seen what it wrote, so that its statements cannot run again.
        tsqlAnew("INSERT INTO begun VALUES (11, 'f', 1)");
        cql(
                "DELETE FROM " + qualified(reservations) + " WHERE value = ?",
                value(reserved(reservations).get(11)));
        try (Connection connection = connectAnew()) {
            connection.setAutoCommit(false);
            run(connection, "UPDATE begun SET email = 'ff' WHERE id = 11");
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT email FROM begun WHERE id = 11")) {
                assertThat(row.next()).isTrue();
            }
            connection.commit();
            assertThat(reserved(reservations)).containsOnlyKeys(1, 3, 7, 8, 10, 11);
            run(connection, "DELETE FROM begun WHERE id = 11");
            connection.commit();
        }
        try (Connection connection = connectAnew()) {
            connection.setAutoCommit(false);
            run(
                    connection,
                    "DELETE FROM begun WHERE id IN (4, 5, 6)",
                    "INSERT INTO begun VALUES (11, 'd', 1)",
                    "UPDATE begun SET email = 'e' WHERE id = 1");
            connection.commit();
        }
        assertThat(reserved(reservations)).containsOnlyKeys(1, 3, 7, 8, 10, 11);
        cql(
                "DELETE FROM " + qualified(reservations) + " WHERE value = ?",
                value(reserved(reservations).get(7)));

        ToolRun added = tool(ExitCode.OK, "tables add-unique", "begun", "--unique", "UNIQUE (email)");

        assertThat(added.out()).contains("is kept now, by table " + reservations, "6 rows were read, 1 got its");
        // A session that knows the contract as it was learns of the end within a watch interval.
        await().atMost(Duration.ofMinutes(1))
                .ignoreExceptionsInstanceOf(SQLException.class)
                .untilAsserted(() -> assertThat(namesByEmail("A")).containsExactly(7));
        assertThat(findings("begun", "--rows")).isEmpty();
    }

    private static List<Integer> namesByEmail(String email) throws SQLException {
        List<Integer> found = new ArrayList<>();
        try (Connection connection = connectAnew();
                PreparedStatement select = connection.prepareStatement("SELECT id FROM begun WHERE email = ?")) {
            select.setString(1, email);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    found.add(rows.getInt(1));
                }
            }
        }
        return found;
    }

    @Test
    void shouldRefuseWhatReservationsDoNotKeep() throws SQLException {
        tsql(
                "CREATE TABLE loose (id INT PRIMARY KEY, a INT) WITH (plain)",
                "CREATE TABLE refused (id INT PRIMARY KEY, a INT, CONSTRAINT taken CHECK (a > 0))",
                "INSERT INTO refused VALUES (1, 1)");
        cql("CREATE TABLE unique_tables.of_cql (id int PRIMARY KEY, a int)");
        TableContract before = contract("refused");

        assertThat(tool(ExitCode.REFUSED, "tables add-unique", "loose", "--unique", "UNIQUE (a)")
                        .err())
                .contains("are plain", "cassidy tables declare --table unique_tables.loose --writes exact");
        for (String[] refused : new String[][] {
            {"UNIQUE (b)", "has no column 'b'"},
            {"UNIQUE (id)", "columns of the key"},
            {"CHECK (a > 1)", "must be UNIQUE (column, ...)"},
            {"UNIQUE INDEX x (a) WHERE a > 1", "say IS NOT NULL"},
            {"CONSTRAINT taken UNIQUE (a)", "has a constraint taken already"},
            {"UNIQUE (a); DROP TABLE refused", "must be UNIQUE (column, ...)"}
        }) {
            assertThat(tool(ExitCode.REFUSED, "tables add-unique", "refused", "--unique", refused[0])
                            .err())
                    .contains(refused[1]);
        }
        String line = "cassidy tables add-unique --table unique_tables.refused --unique ";
        assertThat(tool(ExitCode.REFUSED, "tables alter", "refused", "--add", "UNIQUE (a)")
                        .err())
                .contains(line + "'UNIQUE (a)'");
        assertThatThrownBy(() -> tsql("ALTER TABLE refused ADD CONSTRAINT u UNIQUE (a)"))
                .hasMessageContaining(line + "'CONSTRAINT [u] UNIQUE (a)'");
        assertThatThrownBy(() -> tsql("CREATE UNIQUE INDEX u ON refused (a) WHERE a IS NOT NULL"))
                .hasMessageContaining(line + "'UNIQUE INDEX [u] (a) WHERE a IS NOT NULL'");
        assertThat(contract("refused")).isEqualTo(before);
        assertThat(tool(ExitCode.OK, "tables rebuild", "refused").out()).contains("no UNIQUE of it is kept");
    }
}
