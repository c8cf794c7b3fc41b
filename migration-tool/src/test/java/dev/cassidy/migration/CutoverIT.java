package dev.cassidy.migration;

import static java.io.OutputStream.nullOutputStream;
import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.migration.error.ExitCode;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.h2.tools.Server;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The cutover and the way back with everything that goes on beside it. H2 in SQL Server mode, and a real Cassandra. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CutoverIT {

    private static final AtomicInteger KEYSPACES = new AtomicInteger();

    private TargetNode node;
    private CqlSession session;
    private SourceDatabase source;
    private String keyspace;

    @TempDir
    private Path folder;

    @BeforeAll
    void connect() {
        node = new TargetNode("cutover_it");
        session = node.session();
        node.init();
    }

    @AfterAll
    void disconnect() {
        node.close();
    }

    @BeforeEach
    void begin() {
        int number = KEYSPACES.incrementAndGet();
        keyspace = "cutover_it_" + number;
        source = SourceDatabase.h2WithoutFunctions("cutover_it_" + number);
        source.execute("CREATE TABLE [dbo].[Orders] ([id] INT NOT NULL IDENTITY(1,1) PRIMARY KEY, [ref] NVARCHAR(40),"
                + " [x] INT)");
        source.execute("CREATE TABLE [dbo].[Lines] ([id] BIGINT NOT NULL IDENTITY(1,1) PRIMARY KEY, [order_id] INT NOT"
                + " NULL REFERENCES [dbo].[Orders]([id]), [ref] NVARCHAR(40))");
        node.createKeyspace(keyspace);
    }

    @AfterEach
    void end() {
        source.close();
    }

    private List<String> arguments(String command, String... rest) {
        List<String> all = ToolRun.join(command, source.arguments(), rest);
        if (!command.equals("migrate fence")) {
            all.addAll(node.arguments());
        }
        if (!command.equals("migrate copy-back")) {
            all.addAll(List.of("--keyspace", keyspace));
        }
        if (command.startsWith("migrate copy")) {
            all.addAll(List.of("--state", state()));
        }
        all.addAll(List.of("--output", "json"));
        return all;
    }

    private String state() {
        return folder.resolve(keyspace + ".state").toString();
    }

    private ToolRun run(ExitCode code, String command, String... rest) {
        ToolRun run = ToolRun.of(source.environment(), null, arguments(command, rest));
        assertThat(run.exitCode()).as(command + "\n" + run.out() + run.err()).isEqualTo(code.code());
        return run;
    }

    private void createTables(String... more) {
        List<String> all = new ArrayList<>(List.of("--apply", "--key", "dbo.Orders=id", "--key", "dbo.Lines=id"));
        all.addAll(List.of(more));
        run(ExitCode.OK, "migrate schema", all.toArray(String[]::new));
    }

    private Writers source(int count) {
        source.execute("CREATE USER WRITER PASSWORD ''");
        grant();
        return new Writers("source", source.url(), "WRITER", true, count);
    }

    private void grant() {
        source.execute("GRANT SELECT, INSERT ON [dbo].[Orders] TO WRITER");
        source.execute("GRANT SELECT, INSERT ON [dbo].[Lines] TO WRITER");
    }

    private void revoke() {
        source.execute("REVOKE INSERT ON [dbo].[Orders] FROM WRITER");
        source.execute("REVOKE INSERT ON [dbo].[Lines] FROM WRITER");
    }

    private static void await(Callable<Boolean> condition) {
        Awaitility.await().atMost(Duration.ofMinutes(3)).until(condition);
    }

    /** Waits until so many further rows are acknowledged. */
    private static void more(Writers writers, int rows) {
        int wanted = writers.orders().size() + rows;
        Awaitility.await().atMost(Duration.ofMinutes(3)).untilAsserted(() -> assertThat(writers.orders())
                .as(() -> String.valueOf(writers.refusals()))
                .hasSizeGreaterThanOrEqualTo(wanted));
    }

    /** Returns the orders of the source by their id, each as {@code ref|x}. */
    private Map<Long, String> sourceOrders() {
        return sourceRows("SELECT [id], [ref] || '|' || COALESCE(CAST([x] AS VARCHAR), 'NULL') FROM [dbo].[Orders]");
    }

    private Map<Long, String> sourceLines() {
        return sourceRows("SELECT [id], [order_id] || '|' || [ref] FROM [dbo].[Lines]");
    }

    private Map<Long, String> sourceRows(String sql) {
        Map<Long, String> rows = new HashMap<>();
        try (Connection connection = DriverManager.getConnection(source.url(), "sa", "");
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(sql)) {
            while (found.next()) {
                rows.put(found.getLong(1), found.getString(2));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return rows;
    }

    private Map<Long, String> cassandraOrders() {
        Map<Long, String> rows = new HashMap<>();
        for (Row row : session.execute("SELECT id, ref, x FROM " + keyspace + ".orders")) {
            rows.put((long) row.getInt("id"), row.getString("ref") + "|" + row.getObject("x"));
        }
        return rows;
    }

    private Map<Long, String> cassandraLines() {
        Map<Long, String> rows = new HashMap<>();
        for (Row row : session.execute("SELECT id, order_id, ref FROM " + keyspace + ".lines")) {
            rows.put(row.getLong("id"), row.getInt("order_id") + "|" + row.getString("ref"));
        }
        return rows;
    }

    /** Asserts that a database has every acknowledged row, and no other row but those of unknown outcome. */
    private static void assertComplete(
            Map<Long, String> orders, Map<Long, String> lines, Map<Long, String> changed, Writers... all) {
        Map<Long, String> wantedOrders = new HashMap<>();
        Map<Long, String> wantedLines = new HashMap<>();
        Set<String> unknown = new HashSet<>();
        for (Writers writers : all) {
            assertThat(writers.twice()).isEmpty();
            unknown.addAll(writers.unknown());
            writers.orders().forEach((id, order) -> {
                assertThat(wantedOrders.put(id, order.ref() + "|" + order.x()))
                        .as("order " + id + " of " + order.ref())
                        .isNull();
                assertThat(wantedLines.put(order.line(), id + "|" + order.ref()))
                        .as("line " + order.line() + " of " + order.ref())
                        .isNull();
            });
        }
        wantedOrders.putAll(changed);
        Map<Long, String> more = new HashMap<>(orders);
        more.keySet().removeAll(wantedOrders.keySet());
        assertThat(more.values()).allSatisfy(row -> assertThat(unknown).contains(row.replaceFirst("\\|.*", "")));
        Map<Long, String> have = new HashMap<>(orders);
        have.keySet().retainAll(wantedOrders.keySet());
        assertThat(have).isEqualTo(wantedOrders);
        Map<Long, String> haveLines = new HashMap<>(lines);
        haveLines.keySet().retainAll(wantedLines.keySet());
        assertThat(haveLines).isEqualTo(wantedLines);
    }

    private Map<String, Long> fences(ToolRun fence) {
        Map<String, Long> last = new HashMap<>();
        fence.json()
                .get("tables")
                .forEach(table ->
                        last.put(table.get("table").asText(), table.get("last").asLong()));
        return last;
    }

    @Test
    void shouldMoveALiveShopAndComeBack() throws Exception {
        try (Writers old = source(2)) {
            more(old, 20);
            // 1. plan, 2. the tables, with sequences that issue nothing yet
            run(ExitCode.OK, "migrate plan");
            createTables("--writes", "dbo.Orders=exact");
            Map<Long, String> changed = new HashMap<>();
            try (Writers moved = new Writers("cassandra", node.jdbc(keyspace), null, false, 2)) {
                await(() -> moved.refusedEach() > 0);
                // 3. the fence, 4. no row lies beyond it: exit code 0 says so
                Map<String, Long> fences = fences(run(
                        ExitCode.OK,
                        "migrate fence",
                        "--margin",
                        "100000",
                        "--apply",
                        "--yes",
                        "--lock-timeout",
                        "10s"));
                assertThat(moved.orders()).isEmpty();
                assertThat(cassandraOrders()).isEmpty();
                assertThat(moved.refusals())
                        .isNotEmpty()
                        .extracting(SQLException::getMessage)
                        .allSatisfy(message -> assertThat(message).contains("seed"));
                // 5. both insert
                run(ExitCode.OK, "migrate seed", "--yes");
                more(moved, 20);
                more(old, 20);
                run(ExitCode.OK, "migrate verify", "--require-fence");
                assertThat(moved.orders().keySet())
                        .allSatisfy(id -> assertThat(id).isGreaterThan(fences.get("dbo.Orders")));
                assertThat(moved.orders().values())
                        .allSatisfy(order -> assertThat(order.line()).isGreaterThan(fences.get("dbo.Lines")));
                // 6. the rows that were there, while others come on both sides
                run(ExitCode.OK, "migrate copy", "--no-verify", "--range-size", "50");
                more(old, 20);
                // 7. and 8. the source takes no more rows, and its writers go on to try
                revoke();
                int before = old.refusedEach();
                await(() -> old.refusedEach() > before + 1);
                run(ExitCode.OK, "migrate fence", "--margin", "0", "--apply", "--yes");
                Map<Long, String> taken = sourceOrders();
                // 9. what came since, 10. nothing is missing
                run(ExitCode.OK, "migrate copy", "--repair");
                run(ExitCode.OK, "migrate verify", "--require-fence", "--rows", "--strict", "--state", state());
                more(moved, 20);
                assertThat(sourceOrders()).isEqualTo(taken);
                // Applications change old rows too.
                long[] some = taken.keySet().stream()
                        .sorted()
                        .mapToLong(Long::longValue)
                        .limit(2)
                        .toArray();
                try (Connection connection = DriverManager.getConnection(node.jdbc(keyspace));
                        Statement statement = connection.createStatement()) {
                    assertThat(statement.executeUpdate("UPDATE orders SET x = -1 WHERE id = " + some[0]))
                            .isEqualTo(1);
                    assertThat(statement.executeUpdate("UPDATE orders SET ref = 'new', x = NULL WHERE id = " + some[1]))
                            .isEqualTo(1);
                    assertThat(statement.executeUpdate("UPDATE orders SET x = 0 WHERE id = 2000000000"))
                            .isZero();
                }
                changed.put(some[0], taken.get(some[0]).replaceFirst("\\|.*", "|-1"));
                changed.put(some[1], "new|NULL");

                // 11. the way back: the writers of Cassandra stop
                moved.close();
                assertMarked(moved);
                assertThat(cassandraOrders().keySet().stream()
                                .filter(id -> !old.orders().containsKey(id)))
                        .allSatisfy(id -> assertThat(id).isGreaterThan(fences.get("dbo.Orders")));
                assertComplete(withNulls(cassandraOrders()), cassandraLines(), changed, old, moved);
                ToolRun back = run(ExitCode.OK, "migrate rollback-plan");
                Map<String, String> continued = back.tables("reseed");
                back.json()
                        .get("tables")
                        .forEach(table -> source.execute(
                                source.portable(table.get("statement").asText())));
                run(ExitCode.REFUSED, "migrate copy-back", "--yes");
                run(ExitCode.OK, "migrate fence", "--remove", "--apply", "--yes");
                int rows = cassandraOrders().size() - taken.size();
                ToolRun dry = run(ExitCode.OK, "migrate copy-back", "--dry-run");
                assertThat(dry.tables("inserted")).containsEntry("dbo.Orders", "" + rows);
                assertThat(sourceOrders()).isEqualTo(taken);
                ToolRun brought = run(ExitCode.OK, "migrate copy-back", "--yes");
                assertThat(brought.tables("inserted")).containsEntry("dbo.Orders", "" + rows);
                assertThat(brought.tables("updated")).isEqualTo(Map.of("dbo.Orders", "2", "dbo.Lines", "0"));
                assertThat(run(ExitCode.OK, "migrate rollback-plan").tables("reseed"))
                        .isEqualTo(continued);
                assertComplete(sourceOrders(), sourceLines(), changed, old, moved);
                Set<Long> there = sourceOrders().keySet();

                grant();
                more(old, 20);
                old.close();
                assertComplete(sourceOrders(), sourceLines(), changed, old, moved);
                assertThat(old.orders().keySet().stream().filter(id -> !there.contains(id)))
                        .hasSizeGreaterThanOrEqualTo(20)
                        .allSatisfy(id ->
                                assertThat(id).isGreaterThanOrEqualTo(Long.parseLong(continued.get("dbo.Orders"))));
            }
        }
    }

    /** Each row has its mark, and those that the application has inserted are later than what was copied. */
    private void assertMarked(Writers moved) {
        for (Row row : session.execute(
                "SELECT id, cassidy_tx, WRITETIME(cassidy_tx) AS written FROM " + keyspace + ".orders")) {
            assertThat(row.isNull("cassidy_tx")).as("row " + row.getInt("id")).isFalse();
            boolean inserted = moved.orders().containsKey((long) row.getInt("id"));
            assertThat(row.getLong("written"))
                    .as("row " + row.getInt("id"))
                    .matches(time -> inserted ? time == 1L << 42 : time != 1L << 42);
        }
    }

    private static Map<Long, String> withNulls(Map<Long, String> rows) {
        rows.replaceAll((id, row) -> row.replace("|null", "|NULL"));
        return rows;
    }

    @Test
    void shouldBringBackWhatApplicationsWroteAndCountTheRest() {
        createTables();
        source.execute("INSERT INTO [dbo].[Orders] ([ref], [x]) SELECT 'old', 10 * x FROM SYSTEM_RANGE(1, 6)");
        run(ExitCode.OK, "migrate seed", "--offline", "--yes", "--accept-empty");
        run(ExitCode.OK, "migrate copy");
        source.execute("UPDATE [dbo].[Orders] SET [x] = 61 WHERE [id] = 6");
        run(ExitCode.OK, "migrate copy", "--repair");
        session.execute("ALTER TABLE " + keyspace + ".orders ADD more text");
        source.execute("ALTER TABLE [dbo].[Orders] ADD CONSTRAINT [good] CHECK ([ref] <> 'bad')");
        for (String cql : List.of(
                "INSERT INTO ks.orders (id, ref, x) VALUES (100, 'new', 1)",
                "INSERT INTO ks.orders (id) VALUES (101)",
                "INSERT INTO ks.orders (id, ref) VALUES (102, 'bad')",
                "INSERT INTO ks.lines (id, order_id, ref) VALUES (50, 100, 'new')",
                "UPDATE ks.orders SET x = 9, ref = null WHERE id = 1",
                "DELETE FROM ks.orders WHERE id = 2",
                "UPDATE ks.orders SET x = null WHERE id = 3")) {
            session.execute(cql.replace("ks.", keyspace + "."));
        }
        source.execute("UPDATE [dbo].[Orders] SET [x] = 44 WHERE [id] = 4");
        source.execute("UPDATE [dbo].[Orders] SET [x] = 66 WHERE [id] = 6");
        source.execute("DELETE FROM [dbo].[Orders] WHERE [id] = 5");

        ToolRun dry = run(ExitCode.RISK, "migrate copy-back", "--dry-run");
        ToolRun run = run(ExitCode.PARTIAL, "migrate copy-back", "--yes");

        assertThat(dry.tables("inserted")).isEqualTo(Map.of("dbo.Orders", "3", "dbo.Lines", "1"));
        assertThat(run.json().get("tables").get(0).toString())
                .contains("\"table\":\"dbo.Orders\"", "\"rows\":8,\"inserted\":2,\"updated\":1,\"left\":1,")
                .contains("\"onlyInSource\":1,\"changedInSource\":3,\"deletedInSource\":1,\"unmatched\":[\"more\"]")
                .contains("\"refusals\":{\"id=102\":\"Check constraint violation")
                .contains("missing in the source: id=102", "only in the source: id=2")
                .contains("was copied and is gone in the source: id=5");
        assertThat(sourceLines()).isEqualTo(Map.of(50L, "100|new"));
        source.execute("ALTER TABLE [dbo].[Orders] DROP CONSTRAINT [good]");
        assertThat(run(ExitCode.RISK, "migrate copy-back", "--yes").tables("inserted"))
                .isEqualTo(Map.of("dbo.Orders", "1", "dbo.Lines", "0"));
        assertThat(sourceRows("SELECT [id], COALESCE([ref], '-') || '|' || COALESCE(CAST([x] AS VARCHAR), '-')"
                        + " FROM [dbo].[Orders]"))
                .isEqualTo(Map.of(
                        1L, "-|9", 2L, "old|20", 3L, "old|30", 4L, "old|44", 6L, "old|66", 100L, "new|1", 101L, "-|-",
                        102L, "bad|-"));
    }

    /** A run in a thread of its own that stops dead at a line of its progress, as by a kill: nothing is closed. */
    private final class Killed extends OutputStream {

        private static final class Ended extends Error {
            private static final long serialVersionUID = 1;
        }

        private final CountDownLatch over = new CountDownLatch(1);
        private final CountDownLatch released = new CountDownLatch(1);
        private final StringBuilder said = new StringBuilder();
        private final Predicate<String> point;
        private final Thread thread;
        private volatile boolean killed;

        Killed(Predicate<String> point, List<String> arguments) throws InterruptedException {
            this.point = point;
            thread = new Thread(() -> {
                try {
                    PrintStream err = new PrintStream(this, true, StandardCharsets.UTF_8);
                    new MigrationTool(new PrintStream(nullOutputStream()), err, source.environment(), Optional.empty())
                            .run(arguments.toArray(String[]::new));
                } catch (Ended e) {
                    // What it had open is closed now.
                } finally {
                    over.countDown();
                }
            });
            thread.start();
            over.await();
        }

        @Override
        public void write(int b) {
            said.append((char) b);
            if (b == '\n' && point.test(said.toString())) {
                killed = true;
                over.countDown();
                try {
                    released.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                throw new Ended();
            }
        }

        /** Lets go of what a killed process would have lost to the operating system. */
        void bury() throws InterruptedException {
            released.countDown();
            thread.join();
        }
    }

    @Test
    void shouldGoOnAfterAKillAtEveryStep() throws Exception {
        source.execute("INSERT INTO [dbo].[Orders] ([ref]) SELECT 'old' FROM SYSTEM_RANGE(1, 3)");
        source.execute("INSERT INTO [dbo].[Lines] ([order_id], [ref]) VALUES (1, 'old')");
        createTables();
        List<Killed> graves = new ArrayList<>();
        List<List<String>> commands = List.of(
                arguments("migrate fence", "--margin", "7", "--apply", "--yes"),
                arguments("migrate seed", "--yes", "--parallelism", "1"),
                arguments("migrate copy"),
                arguments("migrate fence", "--remove", "--apply", "--yes"),
                arguments("migrate copy-back", "--yes"));
        int kills = 0;
        for (List<String> command : commands) {
            if (command.get(1).equals("copy-back")) {
                run(ExitCode.OK, "migrate verify");
                session.execute("INSERT INTO " + keyspace + ".lines (id, order_id, ref) VALUES (100, 90, 'new')");
                session.execute("INSERT INTO " + keyspace + ".orders (id, ref) VALUES (90, 'new')");
            }
            boolean killed = true;
            // Nothing is done before it connects.
            for (int line = command.contains("--apply") ? 2 : 3; killed; line++) {
                int last = line;
                Killed run = new Killed(said -> said.lines().count() == last, command);
                killed = run.killed;
                kills += killed ? 1 : 0;
                if (command.get(1).startsWith("copy")) {
                    // The operating system gives the lock of the state file back.
                    run.bury();
                }
                graves.add(run);
            }
            ToolRun again = ToolRun.of(source.environment(), null, command);
            assertThat(again.exitCode()).as(command + again.out() + again.err()).isZero();
        }
        for (Killed grave : graves) {
            grave.bury();
        }

        assertThat(kills).isGreaterThan(8);
        try (Connection connection = DriverManager.getConnection(node.jdbc(keyspace));
                Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO orders (ref) VALUES ('next')", Statement.RETURN_GENERATED_KEYS);
            ResultSet keys = statement.getGeneratedKeys();
            keys.next();
            assertThat(keys.getLong(1)).isEqualTo(11);
        }
        assertThat(sourceOrders()).containsEntry(90L, "new|NULL").hasSize(4);
        assertThat(sourceLines()).containsEntry(100L, "90|new").hasSize(2);
    }

    @Test
    void shouldLetTwoRunsDoTheSameWork() throws Exception {
        source.execute("INSERT INTO [dbo].[Orders] ([ref]) SELECT 'old' FROM SYSTEM_RANGE(1, 3)");
        createTables();
        atOnce(
                arguments("migrate fence", "--margin", "7", "--apply", "--yes"),
                arguments("migrate fence", "--margin", "7", "--apply", "--yes"));
        atOnce(arguments("migrate seed", "--yes"), arguments("migrate seed", "--yes"));
        run(ExitCode.OK, "migrate copy");
        run(ExitCode.OK, "migrate fence", "--remove", "--apply", "--yes");
        List<CompletableFuture<AsyncResultSet>> inserts = IntStream.range(100, 900)
                .mapToObj(id -> session.executeAsync(
                                "INSERT INTO " + keyspace + ".orders (id, ref) VALUES (" + id + ", 'new')")
                        .toCompletableFuture())
                .collect(Collectors.toList());
        inserts.forEach(CompletableFuture::join);
        List<String> other = new ArrayList<>(arguments("migrate copy-back", "--yes"));
        Path copy = Files.copy(Path.of(state()), folder.resolve("other.state"));
        other.replaceAll(each -> each.equals(state()) ? copy.toString() : each);

        atOnce(arguments("migrate copy-back", "--yes"), other);

        assertThat(sourceOrders()).isEqualTo(withNulls(cassandraOrders())).hasSize(803);
    }

    private void atOnce(List<String> some, List<String> others) throws InterruptedException {
        List<ToolRun> runs = new CopyOnWriteArrayList<>();
        List<Thread> threads = Stream.of(some, others)
                .map(arguments -> new Thread(() -> runs.add(ToolRun.of(source.environment(), null, arguments))))
                .toList();
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(runs).hasSize(2).allSatisfy(run -> assertThat(run.exitCode())
                .as(some + "\n" + run.out() + run.err())
                .isZero());
    }

    @Test
    void shouldGoOnWhenTheSourceComesBack() throws Exception {
        source.execute("INSERT INTO [dbo].[Orders] ([ref]) SELECT 'old' FROM SYSTEM_RANGE(1, 3)");
        createTables();
        AtomicReference<Server> server = new AtomicReference<>(tcp(0));
        int port = server.get().getPort();
        try {
            losing(
                    server,
                    port,
                    "ADD CONSTRAINT",
                    ExitCode.SOURCE,
                    "migrate fence",
                    "--margin",
                    "7",
                    "--apply",
                    "--yes");
            // Written, but not looked at again.
            losing(server, port, "seeding", ExitCode.RISK, "migrate seed", "--yes");
            losing(server, port, "comparing", ExitCode.SOURCE, "migrate copy");
            run(ExitCode.OK, "migrate fence", "--remove", "--apply", "--yes");
            session.execute("INSERT INTO " + keyspace + ".orders (id, ref) VALUES (90, 'new')");
            losing(server, port, "copying back", ExitCode.SOURCE, "migrate copy-back", "--yes");
        } finally {
            server.get().stop();
        }
        assertThat(sourceOrders()).isEqualTo(withNulls(cassandraOrders())).hasSize(4);
    }

    private Server tcp(int port) throws SQLException {
        return Server.createTcpServer("-tcpPort", "" + port, "-baseDir", folder.toString())
                .start();
    }

    /** Runs a command whose source goes away when it says something, and again when the source is back. */
    private void losing(AtomicReference<Server> server, int port, String point, ExitCode expected, String... command)
            throws SQLException {
        List<String> arguments =
                arguments(command[0], Arrays.stream(command).skip(1).toArray(String[]::new));
        arguments.replaceAll(each -> each.replace("jdbc:h2:mem:", "jdbc:h2:tcp://127.0.0.1:" + port + "/mem:"));
        ToolRun run = ToolRun.listening(
                source.environment(), arguments, point, () -> server.get().stop());
        assertThat(run.exitCode()).as(arguments + "\n" + run.out() + run.err()).isEqualTo(expected.code());
        server.set(tcp(port));
        ToolRun again = ToolRun.of(source.environment(), null, arguments);
        assertThat(again.exitCode())
                .as(arguments + "\n" + again.out() + again.err())
                .isZero();
    }

    /** Says what HAS_PERMS_BY_NAME says to a login with every right on the catalogue. */
    public static final class Rights {
        public static int granted(String securable, String type, String permission) {
            return 1;
        }
    }

    @Test
    void shouldNameRightsThatAreLost() {
        source.execute("INSERT INTO [dbo].[Orders] ([ref]) SELECT 'old' FROM SYSTEM_RANGE(1, 3)");
        createTables();
        run(ExitCode.OK, "migrate fence", "--margin", "7", "--apply", "--yes");
        source.execute("CREATE USER READER PASSWORD ''");
        List.of("sys", "[dbo]").forEach(schema -> source.execute("GRANT SELECT ON SCHEMA " + schema + " TO READER"));
        assertThat(as("READER", ExitCode.REFUSED, null, "migrate plan").err()).contains("has no VIEW DEFINITION");
        source.execute("DROP ALIAS HAS_PERMS_BY_NAME");
        source.execute("CREATE ALIAS HAS_PERMS_BY_NAME FOR '" + Rights.class.getName() + ".granted'");

        ToolRun seed = as(
                "READER",
                ExitCode.SOURCE,
                ToolRun.meanwhile(() -> source.execute("REVOKE SELECT ON SCHEMA [dbo] FROM READER")),
                "migrate seed");
        assertThat(seed.err()).contains("Not enough rights for object");
        assertThat(run(ExitCode.RISK, "migrate verify").tables("result").values())
                .containsOnly("unready");
        source.execute("GRANT SELECT ON SCHEMA [dbo] TO READER");
        as("READER", ExitCode.OK, null, "migrate seed", "--yes");
        assertThat(as("READER", ExitCode.RISK, null, "migrate fence", "--margin", "0", "--apply", "--yes")
                        .out())
                .contains("Not enough rights for object");
        as("READER", ExitCode.OK, null, "migrate copy");
        run(ExitCode.OK, "migrate fence", "--remove", "--apply", "--yes");
        session.execute("INSERT INTO " + keyspace + ".orders (id, ref) VALUES (90, 'new')");

        assertThat(as("READER", ExitCode.PARTIAL, null, "migrate copy-back", "--yes")
                        .out())
                .contains("\"id=90\" : \"Not enough rights for object");
        source.execute("GRANT INSERT ON [dbo].[Orders] TO READER");
        as("READER", ExitCode.OK, null, "migrate copy-back", "--yes");
        assertThat(sourceOrders()).containsEntry(90L, "new|NULL");
    }

    private ToolRun as(String user, ExitCode code, Terminal terminal, String... command) {
        List<String> arguments =
                arguments(command[0], Arrays.stream(command).skip(1).toArray(String[]::new));
        arguments.replaceAll(each -> each.equals("sa") ? user : each);
        ToolRun run = ToolRun.of(source.environment(), terminal, arguments);
        assertThat(run.exitCode()).as(arguments + "\n" + run.out() + run.err()).isEqualTo(code.code());
        return run;
    }
}
