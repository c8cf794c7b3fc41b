package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.context.DriverContext;
import com.datastax.oss.driver.api.core.time.TimestampGenerator;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.cql.WriteModeException;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Sequences;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransactionRollbackException;
import java.sql.SQLTransientException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Writes to exact tables, by clients whose clocks are an hour apart; and what a table's way to exact writes closes. */
class ExactWritesIT {

    private static final String KEYSPACE = "exact_writes_it";
    private static final String TAKE = "UPDATE item SET stock = stock - ? WHERE id = ? AND stock >= ?";

    private static TestCluster cluster;
    private static String ahead;

    @AutoClose
    private final Connection connection = cluster.open();

    /** Of a client whose clock is an hour ahead. */
    @AutoClose
    private final Connection early = cluster.open("configFile=" + ahead);

    @BeforeAll
    static void create(@TempDir Path folder) throws Exception {
        cluster = TestCluster.fresh(KEYSPACE);
        TestCluster.install("cassidy");
        cluster.cql(
                "CREATE TABLE $.waiting (id int PRIMARY KEY, name text, cassidy_tx blob)",
                "CREATE TABLE $.later (id int PRIMARY KEY, name text)",
                // As a command leaves it that was killed.
                contract("cassidy", "waiting", "EXACT", true));
        try (Connection connection = cluster.open("constraints=warn");
                Statement statement = connection.createStatement()) {
            for (String table : List.of(
                    "item (id INT PRIMARY KEY, name NVARCHAR(20), stock INT, price DECIMAL(9,2))",
                    "ruled (id INT PRIMARY KEY, state NVARCHAR(9), name NVARCHAR(20) NOT NULL, stock INT,"
                            + " price DECIMAL(9,2) CHECK (price >= 0))",
                    "orders (id INT IDENTITY(1001,1) PRIMARY KEY, name NVARCHAR(20))",
                    "line (o INT, no INT, qty INT, rev INT, note NVARCHAR(9), PRIMARY KEY (o, no))",
                    "plain_line (o INT, no INT, qty INT, PRIMARY KEY (o, no)) WITH (plain)",
                    "[plain] (id INT PRIMARY KEY, name NVARCHAR(20), stock INT) WITH (plain)")) {
                statement.execute("CREATE TABLE " + table);
            }
        }
        Path file = folder.resolve("ahead.conf");
        Files.writeString(
                file,
                "datastax-java-driver.advanced.timestamp-generator.class = \"" + HourAhead.class.getName() + "\"");
        ahead = file.toString();
    }

    private static String contract(String globalKeyspace, String table, String mode, boolean changing) {
        return "INSERT INTO " + globalKeyspace
                + ".contracts (keyspace_name, table_name, column_name, sequence, mode, home,"
                + " changing, table_id, counters, pending, moved_to, moved, move, revision) VALUES ('" + KEYSPACE
                + "', '"
                + table + "', '', '', '" + mode + "', '" + TestCluster.NODE.localDatacenter() + "', " + changing
                + ", '', '', false, '', false, '', 1) IF NOT EXISTS";
    }

    /** It would take a write for done that one node has. */
    @Test
    void shouldRefuseARetryPolicyThatLowersLevels(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("lower.conf");
        Files.writeString(file, "datastax-java-driver.advanced.retry-policy.class = ConsistencyDowngradingRetryPolicy");
        try (Connection lower = cluster.open("configFile=" + file);
                Statement statement = lower.createStatement()) {
            for (String sql : List.of(
                    "INSERT INTO item (id, name) VALUES (4711, 'lower')",
                    "UPDATE item SET stock = 1 WHERE id = 4711")) {
                assertThatThrownBy(() -> statement.executeUpdate(sql))
                        .as(sql)
                        .hasMessageContaining("ConsistencyDowngradingRetryPolicy")
                        .hasMessageContaining("nothing was sent");
            }
        }
    }

    /** The clock of a client that is an hour ahead. */
    public static final class HourAhead implements TimestampGenerator {

        private final AtomicLong last = new AtomicLong();

        public HourAhead(DriverContext context) {}

        @Override
        public long next() {
            long now = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis() + TimeUnit.HOURS.toMillis(1));
            return last.updateAndGet(before -> Math.max(before + 1, now));
        }

        @Override
        public void close() {}
    }

    private static int run(Connection connection, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            return statement.executeUpdate();
        }
    }

    private List<Object> row(String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            try (ResultSet rows = statement.executeQuery()) {
                List<Object> row = new ArrayList<>();
                if (rows.next()) {
                    for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                        row.add(rows.getObject(i));
                    }
                }
                return row;
            }
        }
    }

    /** NULL + 1 is NULL; but whether the row is found, the other conditions say. */
    @Test
    void shouldCountAChangeOfNullOnlyIfTheRowIsFound() throws SQLException {
        run(connection, "INSERT INTO item (id, name) VALUES (40, 'closed')");
        String change = "UPDATE item SET stock = stock + 1 WHERE id = 40 AND name = ?";
        assertThat(run(connection, change, "open")).isZero();
        assertThat(run(connection, change, "closed")).isEqualTo(1);
        assertThat(run(connection, "UPDATE item SET stock = stock + 1, price = 2 WHERE id = 40 AND name = ?", "open"))
                .isZero();
        assertThat(run(connection, "UPDATE item SET stock = stock + 1, price = 3 WHERE id = 40 AND name = ?", "closed"))
                .isEqualTo(1);
        assertThat(row("SELECT stock, price FROM item WHERE id = 40")).containsExactly(null, new BigDecimal("3.00"));
        assertThat(run(connection, "UPDATE item SET stock = stock + 1 WHERE id = 41 AND name = 'closed'"))
                .isZero();
        assertThat(row("SELECT id FROM item WHERE id = 41")).isEmpty();
    }

    @Test
    void shouldNameTheDeclarationAlsoWhereParametersAreDescribed() throws SQLException {
        try (PreparedStatement take =
                connection.prepareStatement("UPDATE plain SET stock = stock - ? WHERE id = ? AND stock >= ?")) {
            assertThatThrownBy(take::getParameterMetaData)
                    .hasMessageContaining(
                            "cassidy tables declare --table exact_writes_it.plain --writes exact --contact-points ");
        }
        try (PreparedStatement take = connection.prepareStatement(TAKE)) {
            assertThat(take.getParameterMetaData().getParameterTypeName(3)).isEqualToIgnoringCase("int");
        }
    }

    @Test
    void shouldCountWhatItWrites() throws SQLException {
        assertThat(run(connection, "UPDATE item SET name = ? WHERE id = ?", "ghost", 1))
                .isZero();
        assertThat(run(connection, "UPDATE item SET stock = stock + 1 WHERE id = ?", 1))
                .isZero();
        assertThat(run(connection, "UPDATE item SET name = 'ghost' WHERE id = 1 AND name = 'x'"))
                .isZero();
        assertThat(run(connection, "DELETE FROM item WHERE id = 1")).isZero();
        assertThat(row("SELECT id FROM item WHERE id = 1")).isEmpty();

        assertThat(run(connection, "INSERT INTO item (id, name, stock) VALUES (?, ?, ?)", 1, "a", 5))
                .isEqualTo(1);
        assertThatThrownBy(() -> run(connection, "INSERT INTO item (id, name) VALUES (1, 'b')"))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(2627));
        assertThat(run(connection, "UPDATE item SET name = ? WHERE id = ? AND stock > ?", "c", 1, 5))
                .isZero();
        assertThat(run(connection, "UPDATE item SET name = ? WHERE id = ? AND stock >= ?", "c", 1, 5))
                .isEqualTo(1);
        assertThat(run(connection, "UPDATE item SET name = 'd' WHERE id = 1 AND stock IN (4, 5) AND name = 'c'"))
                .isEqualTo(1);
        assertThatThrownBy(() -> run(connection, "INSERT INTO item JSON '{\"id\": 1}'"))
                .isInstanceOf(SQLFeatureNotSupportedException.class)
                .hasMessageContaining("name the columns: INSERT INTO t (...)");
        // In SQL, a comparison with NULL finds nothing; in CQL, a null.
        assertThat(run(connection, "UPDATE item SET name = 'e' WHERE id = 1 AND price = ?", (Object) null))
                .isZero();
        assertThat(run(connection, "DELETE FROM item WHERE id = 1 AND price = NULL"))
                .isZero();
        assertThat(row("SELECT name, stock FROM item WHERE id = 1")).containsExactly("d", 5);
        assertThat(run(connection, "DELETE FROM item WHERE id = 1 AND stock < 5"))
                .isZero();
        assertThat(run(connection, "DELETE FROM item WHERE id = 1 AND stock = 5"))
                .isEqualTo(1);
        assertThat(row("SELECT id FROM item WHERE id = 1")).isEmpty();
    }

    /** As in SQL: a NULL among the values of IN finds nothing, and neither hides what the others find. */
    @Test
    void shouldCompareAsSqlDoesWhereCqlKnowsNull() throws SQLException {
        run(connection, "INSERT INTO item (id, name, stock) VALUES (50, 'a', 5)");
        run(connection, "INSERT INTO item (id, name) VALUES (51, 'b')");
        String in = "UPDATE item SET name = ? WHERE id = ? AND stock IN (?, ?)";
        assertThat(run(connection, in, "c", 50, null, 5)).isEqualTo(1);
        assertThat(run(connection, in, "x", 51, null, 5)).isZero();
        assertThat(run(connection, in, "x", 51, null, null)).isZero();
        assertThat(run(connection, "UPDATE item SET name = 'd' WHERE id = 50 AND stock IN (NULL, 5)"))
                .isEqualTo(1);
        assertThat(run(connection, "UPDATE item SET name = 'x' WHERE id = 51 AND stock IN (NULL, 5)"))
                .isZero();
        assertThat(run(connection, "UPDATE item SET name = 'e' WHERE id = 50 AND (stock = ? OR stock = ?)", 4, 5))
                .isEqualTo(1);
        String unequal = "UPDATE item SET name = ? WHERE id = ? AND stock <> ?";
        assertThat(run(connection, unequal, "f", 50, 4)).isEqualTo(1);
        assertThat(run(connection, unequal, "x", 50, 5)).isZero();
        assertThat(run(connection, unequal, "x", 50, null)).isZero();
        // NULL differs from nothing, and a row that is missing is not made.
        assertThat(run(connection, unequal, "x", 51, 4)).isZero();
        assertThat(run(connection, unequal, "x", 59, 4)).isZero();
        assertThat(run(connection, "UPDATE item SET stock = stock + 1 WHERE id = 50 AND stock != 5"))
                .isZero();
        assertThat(run(connection, "UPDATE item SET stock = stock + 1 WHERE id = 50 AND stock <> 6"))
                .isEqualTo(1);
        assertThat(run(connection, "DELETE FROM item WHERE id = 51 AND stock IS NOT NULL"))
                .isZero();
        assertThat(run(connection, "DELETE FROM item WHERE id = 59 AND stock IS NOT NULL"))
                .isZero();
        assertThat(row("SELECT name, stock FROM item WHERE id = 50")).containsExactly("f", 6);
        assertThat(row("SELECT name, stock FROM item WHERE id = 51")).containsExactly("b", null);
        assertThat(run(connection, "DELETE FROM item WHERE id = 50 AND stock IS NOT NULL"))
                .isEqualTo(1);
        assertThat(row("SELECT id FROM item WHERE id = 59")).isEmpty();

        // NULL + 1 is NULL, and counts only where the other conditions hold.
        assertThat(run(connection, "INSERT INTO item (id) VALUES (52)")).isEqualTo(1);
        assertThat(run(connection, "UPDATE item SET stock = stock + 1 WHERE id = 52 AND name IS NOT NULL"))
                .isZero();
        assertThat(run(connection, "UPDATE item SET stock = stock + 1 WHERE id = 52 AND stock IS NOT NULL"))
                .isZero();
        assertThat(run(connection, "UPDATE item SET name = 'g' WHERE id = 52")).isEqualTo(1);
        assertThat(run(connection, "UPDATE item SET stock = stock + 1 WHERE id = 52 AND name IS NOT NULL"))
                .isEqualTo(1);
        assertThat(row("SELECT name, stock FROM item WHERE id = 52")).containsExactly("g", null);
        assertThat(run(connection, "UPDATE item SET stock = 1 WHERE id = 52")).isEqualTo(1);
        assertThat(run(connection, "UPDATE item SET stock = stock + 1 WHERE id = 52 AND stock IS NOT NULL"))
                .isEqualTo(1);
        assertThat(row("SELECT name, stock FROM item WHERE id = 52")).containsExactly("g", 2);
    }

    /** As in SQL Server: a row that WHERE excludes by another column than the key is as good as missing. */
    @ParameterizedTest
    @CsvSource({
        "stock = stock + 1, 8115",
        "name = 'more than twenty letters', 2628",
        "name = NULL, 515",
        "price = 12345678.9, 8115",
        "price = -1, 547"
    })
    void shouldRaiseWhatIsWrongWithAValueOnlyIfARowIsFound(String set, int error) throws SQLException {
        String update = "UPDATE ruled SET " + set + " WHERE id = ? AND state = ?";
        String several = "UPDATE ruled SET " + set + " WHERE id IN (90, 91) AND state = ?";
        run(connection, "DELETE FROM ruled WHERE id = 90");
        run(connection, "INSERT INTO ruled (id, state, name, stock) VALUES (90, 'closed', 'a', ?)", Integer.MAX_VALUE);
        for (boolean atOnce : new boolean[] {true, false}) {
            connection.setAutoCommit(atOnce);
            assertThat(run(connection, update, 91, "closed")).isZero();
            assertThat(run(connection, update, 90, "open")).isZero();
            assertThat(run(connection, several, "open")).isZero();
            for (Callable<Integer> found : List.<Callable<Integer>>of(
                    () -> run(connection, update, 90, "closed"), () -> run(connection, several, "closed"))) {
                assertThatThrownBy(found::call)
                        .isInstanceOfSatisfying(SQLException.class, e -> assertThat(e.getErrorCode())
                                .isEqualTo(error));
            }
            try (PreparedStatement batch = connection.prepareStatement(update)) {
                for (String state : List.of("open", "closed", "other")) {
                    batch.setInt(1, 90);
                    batch.setString(2, state);
                    batch.addBatch();
                }
                assertThatExceptionOfType(BatchUpdateException.class)
                        .isThrownBy(batch::executeBatch)
                        .satisfies(e -> {
                            assertThat(e.getErrorCode()).isEqualTo(error);
                            assertThat(e.getUpdateCounts()).containsExactly(0, Statement.EXECUTE_FAILED, 0);
                        });
            }
        }
        connection.commit();
        assertThat(row("SELECT state, name, stock, price FROM ruled WHERE id = 90"))
                .containsExactly("closed", "a", Integer.MAX_VALUE, null);
    }

    /** The node has taken the sale, and its answer does not arrive: the outcome is unknown. */
    @Test
    void shouldSayThatASaleMayHaveBeenMadeAndSendItOnce() throws Exception {
        // What is written is ABCD in the request.
        int written = 0x41424344;
        run(connection, "INSERT INTO item (id, stock) VALUES (60, ?)", written + 4);
        try (HeldLink link = new HeldLink(TestCluster.NODE.contactPoint());
                Connection slow = DriverManager.getConnection("jdbc:cassidy://127.0.0.1:" + link.port() + "/" + KEYSPACE
                        + "?localDatacenter=" + TestCluster.NODE.localDatacenter()
                        + "&requestTimeout=1m&connectTimeout=1m")) {
            // What a session asks once is asked before.
            assertThat(run(slow, TAKE, 1, 61, 1)).isZero();
            try (PreparedStatement take = slow.prepareStatement(TAKE)) {
                take.setInt(1, 4);
                take.setInt(2, 60);
                take.setInt(3, 4);
                take.setQueryTimeout(1);
                link.holdFrom("ABCD");
                assertThatThrownBy(take::executeUpdate)
                        .isInstanceOf(SQLTimeoutException.class)
                        .hasMessageContaining("may or may not have been applied")
                        .isInstanceOfSatisfying(SQLException.class, e -> assertThat(e.getSQLState())
                                .isEqualTo("HYT00"));
                link.awaitHeld();
            } finally {
                link.release();
            }
            // While the sale is made once, a second one would take four more.
            assertThat(row("SELECT stock FROM item WHERE id = 60")).containsExactly(written);
            slow.unwrap(CqlSession.class).close();
        }
        assertThat(row("SELECT stock FROM item WHERE id = 60")).containsExactly(written);
    }

    @Test
    void shouldComputeAColumnFromItsOwnValue() throws SQLException {
        run(connection, "INSERT INTO item (id, name, stock, price) VALUES (2, 'a', 10, 1.50)");
        assertThat(run(connection, TAKE, 4, 2, 4)).isEqualTo(1);
        assertThat(run(connection, TAKE, 7, 2, 7)).isZero();
        assertThat(run(
                        connection,
                        "UPDATE item SET stock = 2 + stock, price = price + ?, name = 'b' WHERE id = 2 AND name = ?",
                        new BigDecimal("0.25"),
                        "a"))
                .isEqualTo(1);
        assertThat(run(connection, "UPDATE item SET stock = stock + 1 WHERE id = 2 AND name = 'a'"))
                .isZero();
        assertThat(row("SELECT stock, price, name FROM item WHERE id = 2"))
                .containsExactly(8, new BigDecimal("1.75"), "b");
        assertThatThrownBy(() -> run(connection, "UPDATE item SET stock = stock + ? WHERE id = 2", Integer.MAX_VALUE))
                .isInstanceOfSatisfying(SQLException.class, e -> {
                    assertThat(e.getErrorCode()).isEqualTo(8115);
                    assertThat(e.getSQLState()).isEqualTo("22003");
                });
        run(connection, "UPDATE item SET price = NULL WHERE id = 2");
        assertThat(run(connection, "UPDATE item SET price = price + 1 WHERE id = 2"))
                .isEqualTo(1);
        assertThat(run(connection, "UPDATE item SET price = price + 1 WHERE id = 2 AND price > 0"))
                .isZero();
        assertThat(row("SELECT stock, price FROM item WHERE id = 2")).containsExactly(8, null);
    }

    @Test
    void shouldNeverSellWhatIsNotThere() throws Exception {
        run(connection, "INSERT INTO item (id, stock) VALUES (3, 100)");
        ExecutorService buyers = Executors.newFixedThreadPool(8);
        try {
            List<Callable<Integer>> sales = new ArrayList<>();
            for (int buyer = 0; buyer < 8; buyer++) {
                boolean isEarly = buyer % 2 == 0;
                sales.add(() -> {
                    int sold = 0;
                    try (Connection own = isEarly ? cluster.open("configFile=" + ahead) : cluster.connect()) {
                        for (int i = 0; i < 10; i++) {
                            sold += 3 * run(own, TAKE, 3, 3, 3);
                        }
                    }
                    return sold;
                });
            }
            int sold = 0;
            for (Future<Integer> each : buyers.invokeAll(sales)) {
                sold += each.get();
            }
            assertThat(sold).isEqualTo(99);
        } finally {
            buyers.shutdownNow();
        }
        assertThat(row("SELECT stock FROM item WHERE id = 3")).containsExactly(1);
    }

    @Test
    void shouldKeepTheLaterWriteWhateverTheClocksSay() throws SQLException {
        run(early, "INSERT INTO item (id, name) VALUES (4, 'early')");
        run(connection, "UPDATE item SET name = 'later' WHERE id = 4");
        assertThat(row("SELECT name FROM item WHERE id = 4")).containsExactly("later");
        run(early, "UPDATE item SET name = 'early again', stock = 1 WHERE id = 4");
        assertThat(run(connection, "DELETE FROM item WHERE id = 4")).isEqualTo(1);
        assertThat(row("SELECT name FROM item WHERE id = 4")).isEmpty();
        run(connection, "INSERT INTO item (id, name) VALUES (4, 'new')");
        assertThat(row("SELECT name, stock FROM item WHERE id = 4")).containsExactly("new", null);

        int id;
        try (PreparedStatement insert =
                early.prepareStatement("INSERT INTO orders (name) VALUES ('early')", Statement.RETURN_GENERATED_KEYS)) {
            insert.executeUpdate();
            ResultSet keys = insert.getGeneratedKeys();
            assertThat(keys.next()).isTrue();
            id = keys.getInt(1);
        }
        assertThat(run(connection, "UPDATE orders SET name = 'later' WHERE id = ?", id))
                .isEqualTo(1);
        assertThat(row("SELECT name FROM orders WHERE id = ?", id)).containsExactly("later");
    }

    @Test
    void shouldWriteUnderConditionsAlsoInBatchesAndTransactions() throws SQLException {
        run(connection, "INSERT INTO item (id, name, stock) VALUES (5, 'a', 0)");
        try (PreparedStatement batch = connection.prepareStatement("UPDATE item SET stock = stock + ? WHERE id = ?")) {
            for (int id : new int[] {5, 6, 5}) {
                batch.setInt(1, 10);
                batch.setInt(2, id);
                batch.addBatch();
            }
            assertThat(batch.executeBatch()).containsExactly(1, 0, 1);
            assertThat(batch.getParameterMetaData().getParameterClassName(1)).isEqualTo("java.lang.Integer");
        }
        connection.setAutoCommit(false);
        assertThat(run(connection, "UPDATE item SET stock = stock + 1 WHERE id = 5"))
                .isEqualTo(1);
        connection.rollback();
        connection.setAutoCommit(true);
        assertThat(row("SELECT stock FROM item WHERE id = 5")).containsExactly(20);
        assertThatThrownBy(() -> run(
                        connection,
                        "BEGIN BATCH UPDATE item SET name = 'x' WHERE id = 5; UPDATE plain SET name = 'x' WHERE id = 5 APPLY"
                                + " BATCH"))
                .hasMessageContaining("item, whose writes are exact");
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO orders (name) VALUES (?)", Statement.RETURN_GENERATED_KEYS)) {
            insert.setString(1, "a");
            assertThat(insert.executeUpdate()).isEqualTo(1);
            ResultSet keys = insert.getGeneratedKeys();
            assertThat(keys.next()).isTrue();
            assertThat(keys.getInt(1)).isGreaterThanOrEqualTo(1001);
        }
    }

    @Test
    void shouldComputeAVersionAndOtherColumns() throws SQLException {
        run(connection, "INSERT INTO line (o, no, qty, rev) VALUES (2, 1, 5, 1)");
        String take = "UPDATE line SET qty = qty - ?, rev = rev + 1 WHERE o = 2 AND no = 1 AND rev = ? AND qty >= ?";
        assertThat(run(connection, take, 3, 2, 3)).isZero();
        assertThat(run(connection, take, 6, 1, 6)).isZero();
        assertThat(run(early, take, 3, 1, 3)).isEqualTo(1);
        assertThat(run(connection, "UPDATE line SET qty = qty + 1 WHERE o = 2 AND no = 1"))
                .isEqualTo(1);
        assertThat(run(connection, "UPDATE line SET qty = qty + 1 WHERE o = 2 AND no = 9"))
                .isZero();
        assertThat(run(connection, "DELETE FROM line WHERE o = 2 AND no = 1 AND rev = 2 AND qty = 9"))
                .isZero();
        assertThat(row("SELECT qty, rev FROM line WHERE o = 2 AND no = 1")).containsExactly(3, 2);
    }

    @Test
    void shouldProposeTheDeclarationAlsoForAWriteOfSeveralRows() {
        for (String sql : List.of(
                "UPDATE plain_line SET qty = 3 WHERE o = 1 AND qty = 2",
                "DELETE FROM plain_line WHERE o = 1 AND no = 1 AND qty <> 2")) {
            assertThatThrownBy(() -> run(connection, sql))
                    .as(sql)
                    .hasMessageContaining(
                            "cassidy tables declare --table exact_writes_it.plain_line --writes exact --contact-points ");
        }
        assertThatThrownBy(() -> run(connection, "UPDATE plain_line SET nothing = 1 WHERE o = 1 AND no = 1"))
                .isInstanceOf(SQLException.class)
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("--writes"));
    }

    @Test
    void shouldSayHowAPlainTableIsDeclared() {
        for (String sql : List.of(
                "UPDATE plain SET stock = stock - 1 WHERE id = 1",
                "UPDATE plain SET name = ? WHERE id = 1 AND stock = 2",
                "DELETE FROM plain WHERE id = 1 AND stock >= 2")) {
            assertThatThrownBy(() -> run(connection, sql, sql.contains("?") ? new Object[] {"x"} : new Object[0]))
                    .as(sql)
                    .isInstanceOf(SQLFeatureNotSupportedException.class)
                    .hasMessageContaining(
                            "cassidy tables declare --table exact_writes_it.plain --writes exact --contact-points ");
        }
    }

    @Test
    void shouldRefusePlainWritesOfJavaDriverCode() throws SQLException {
        IdentitySession session = connection.unwrap(IdentitySession.class);
        for (String cql : List.of(
                "INSERT INTO item (id) VALUES (7)",
                "UPDATE item SET name = 'x' WHERE id = 7",
                "DELETE FROM exact_writes_it.item WHERE id = 7",
                "/* dao */ UPDATE item SET name = 'x' WHERE id = 7",
                "BEGIN BATCH UPDATE item SET name = 'x' WHERE id = 7 APPLY BATCH",
                "/* dao */ BEGIN BATCH UPDATE item SET name = 'x' WHERE id = 7 APPLY BATCH")) {
            assertThatExceptionOfType(WriteModeException.class)
                    .as(cql)
                    .isThrownBy(() -> session.execute(cql))
                    .withMessageContaining("exact_writes_it.item")
                    .withMessageContaining("exact");
        }
        com.datastax.oss.driver.api.core.cql.PreparedStatement prepared =
                session.prepare("UPDATE item SET name = ? WHERE id = ?");
        assertThatExceptionOfType(WriteModeException.class).isThrownBy(() -> session.execute(prepared.bind("x", 7)));
        assertThat(session.execute("INSERT INTO item (id) VALUES (7) IF NOT EXISTS")
                        .wasApplied())
                .isTrue();
        session.execute("UPDATE plain SET name = 'x' WHERE id = 7");
    }

    @Test
    void shouldWriteNothingWhileTheModeChanges() throws SQLException {
        for (String sql : List.of(
                "INSERT INTO waiting (id) VALUES (1)",
                "UPDATE waiting SET name = 'x' WHERE id = 1",
                "DELETE FROM waiting WHERE id = 1")) {
            assertThatThrownBy(() -> run(connection, sql))
                    .as(sql)
                    .isInstanceOf(SQLTransientException.class)
                    .hasMessageContaining("is about to be written exactly");
        }
        IdentitySession session = connection.unwrap(IdentitySession.class);
        for (String cql :
                List.of("INSERT INTO waiting (id) VALUES (1)", "INSERT INTO waiting (id) VALUES (1) IF NOT EXISTS")) {
            assertThatExceptionOfType(WriteModeException.class)
                    .as(cql)
                    .isThrownBy(() -> session.execute(cql))
                    .withMessageContaining("is about to be written exactly");
        }
        assertThat(row("SELECT * FROM waiting WHERE id = 1")).isEmpty();
    }

    @Test
    void shouldNotCommitWhatWasTakenBeforeTheModeChanged() throws SQLException {
        connection.setAutoCommit(false);
        run(connection, "INSERT INTO later (id, name) VALUES (1, 'plain')");
        cluster.exact("later");
        Sequences own = connection.unwrap(IdentitySession.class).sequences();
        await().atMost(Duration.ofMinutes(1)).until(() -> InternalAccess.tables(own)
                .writesAsync(KEYSPACE, "later")
                .toCompletableFuture()
                .join()
                .filter(known -> !known.changing())
                .isPresent());
        assertThatThrownBy(connection::commit)
                .isInstanceOf(SQLTransactionRollbackException.class)
                .hasMessageContaining("exact_writes_it.later is written exactly since");
        connection.rollback();
        connection.setAutoCommit(true);
        assertThat(row("SELECT id FROM later WHERE id = 1")).isEmpty();
        assertThat(run(connection, "INSERT INTO later (id, name) VALUES (1, 'exact')"))
                .isEqualTo(1);
    }

    /** A version that is not this one may have declared it. */
    @Test
    void shouldWriteNothingOfAModeThatItDoesNotKnow() throws SQLException {
        TestCluster.install("exact_writes_it_unknown");
        cluster.cql(
                "CREATE TABLE $.strange (id int PRIMARY KEY, name text)",
                contract("exact_writes_it_unknown", "strange", "CONDITIONAL", false));
        try (Connection stranger = cluster.open("globalKeyspace=exact_writes_it_unknown")) {
            for (String sql : List.of(
                    "INSERT INTO strange (id) VALUES (1)",
                    "UPDATE strange SET name = 'x' WHERE id = 1",
                    "DELETE FROM strange WHERE id = 1")) {
                assertThatThrownBy(() -> run(stranger, sql))
                        .as(sql)
                        .isInstanceOf(SQLException.class)
                        .hasMessageContaining("exact_writes_it.strange says that its rows are written 'CONDITIONAL'");
            }
        }
        assertThat(row("SELECT id FROM strange WHERE id = 1")).isEmpty();
    }
}
