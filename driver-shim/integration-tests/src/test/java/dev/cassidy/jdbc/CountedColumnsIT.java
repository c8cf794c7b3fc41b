package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.internal.core.context.InternalDriverContext;
import dev.cassidy.counter.Counters;
import dev.cassidy.counter.CountersConfig;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.cql.WriteModeException;
import dev.cassidy.definition.RowMark;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.table.TableWrites;
import dev.cassidy.transaction.CommitResult;
import dev.cassidy.transaction.RowChange;
import dev.cassidy.transaction.cassandra.Ordering;
import dev.cassidy.transaction.cassandra.Transactions;
import java.io.BufferedReader;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTimeoutException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Columns that count: statements add to them, each addition counts once, and SELECT shows the sum. */
class CountedColumnsIT {

    private static final String KEYSPACE = "counted_columns_it";

    private static final int KILLED = Integer.getInteger("killed", 3);

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    @BeforeAll
    static void create() throws SQLException {
        cluster = TestCluster.fresh(KEYSPACE);
        TestCluster.install("cassidy");
        try (Connection connection = cluster.open();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE page (id INT PRIMARY KEY, Title NVARCHAR(20), site INT, hits INT COUNTED,"
                    + " bytes BIGINT NOT NULL DEFAULT 100 COUNTED)");
            statement.execute("CREATE TABLE site (id INT PRIMARY KEY, name NVARCHAR(20))");
            statement.execute("CREATE TABLE post (id INT IDENTITY PRIMARY KEY, name NVARCHAR(20), views INT COUNTED)");
        }
    }

    @BeforeEach
    void fill() throws SQLException {
        run("TRUNCATE TABLE page");
        run("TRUNCATE TABLE site");
        run("INSERT INTO page (id, title, site) VALUES (1, 'a', 1), (2, 'b', 1), (3, 'c', 2)");
        run("INSERT INTO site (id, name) VALUES (1, 'one'), (2, 'two')");
    }

    private int run(String sql, Object... parameters) throws SQLException {
        return run(connection, sql, parameters);
    }

    private static int run(Connection connection, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            return statement.executeUpdate();
        }
    }

    private String rows(String sql) throws SQLException {
        return rows(connection, sql);
    }

    private static String rows(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            List<String> rows = new ArrayList<>();
            int columns = result.getMetaData().getColumnCount();
            while (result.next()) {
                List<String> row = new ArrayList<>();
                for (int i = 1; i <= columns; i++) {
                    row.add(String.valueOf(result.getObject(i)));
                }
                rows.add(String.join(" ", row));
            }
            return String.join(", ", rows);
        }
    }

    // ---- adding

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "hits = hits + 1 | 1",
                "hits = hits - 3 | -3",
                "hits += 7 | 7",
                "hits -= 7 | -7",
                "hits = 2 + hits | 2",
                "hits = (hits + 4) | 4",
                "hits = page.hits + (5) | 5",
                "[Hits] = hits + -6 | -6"
            })
    void shouldAddWhatAStatementSays(String set, int then) throws SQLException {
        assertThat(run("UPDATE page SET " + set + " WHERE id = 1")).isOne();

        assertThat(rows("SELECT hits FROM page WHERE id = 1")).isEqualTo(String.valueOf(then));
    }

    @Test
    void shouldAddParametersOfAPreparedStatement() throws SQLException {
        try (PreparedStatement add = connection.prepareStatement("UPDATE page SET hits = hits + ? WHERE id = ?")) {
            for (int i = 1; i <= 5; i++) {
                add.setInt(1, i);
                add.setInt(2, 2);
                assertThat(add.executeUpdate()).isOne();
            }
            assertThat(add.getParameterMetaData().getParameterType(1)).isEqualTo(Types.INTEGER);
            assertThat(add.getParameterMetaData().getParameterType(2)).isEqualTo(Types.INTEGER);
        }

        assertThat(rows("SELECT hits FROM page WHERE id = 2")).isEqualTo("15");
        assertThat(run("UPDATE page SET hits -= ?, bytes += ? WHERE id = ?", 5, 1_000_000_000_000L, 2))
                .isOne();
        assertThat(rows("SELECT hits, bytes FROM page WHERE id = 2")).isEqualTo("10 1000000000100");
    }

    @Test
    void shouldCountNothingForARowThatIsNotThere() throws SQLException {
        assertThat(run("UPDATE page SET hits = hits + 1 WHERE id = 99")).isZero();
        run("INSERT INTO page (id, title) VALUES (99, 'late')");

        assertThat(rows("SELECT hits FROM page WHERE id = 99")).isEqualTo("0");
    }

    @Test
    void shouldBeginAnewWhenARowIsInsertedAgain() throws SQLException {
        run("UPDATE page SET hits = hits + 5 WHERE id = 1");
        run("DELETE FROM page WHERE id = 1");
        run("INSERT INTO page (id, title, hits) VALUES (1, 'again', 40)");

        run("UPDATE page SET hits = hits + 2 WHERE id = 1");

        assertThat(rows("SELECT hits FROM page WHERE id = 1")).isEqualTo("42");
    }

    @Test
    void shouldAddToEachRowOfAStatement() throws SQLException {
        assertThat(run("UPDATE page SET hits = hits + 1 WHERE id IN (1, 2, 9)")).isEqualTo(2);
        assertThat(run("UPDATE page SET hits = hits + 10 WHERE site = 1 AND title <> 'a'"))
                .isOne();
        assertThat(run("UPDATE page SET hits = hits + 100")).isEqualTo(3);
        assertThat(run("UPDATE page SET hits = hits + 1000 WHERE site IN (SELECT id FROM site WHERE name = 'two')"))
                .isOne();

        assertThat(rows("SELECT id, hits FROM page ORDER BY id")).isEqualTo("1 101, 2 111, 3 1100");
    }

    /** As a copy of rows writes them, and a table that counts since a moment ago has them. */
    @Test
    void shouldGiveARowWithoutAnIdOne() throws Exception {
        cluster.cql("INSERT INTO $.page (id, hits, bytes, cassidy_tx) VALUES (70, 5, 0, 0xff)");
        cluster.cql("INSERT INTO $.page (id, hits, bytes, cassidy_tx) VALUES (71, 5, 0, 0xff)");
        cluster.cql("INSERT INTO $.page (id, hits, bytes, cassidy_tx) VALUES (74, 5, 0, 0xff)");
        assertThat(rows("SELECT hits FROM page WHERE id = 70")).isEqualTo("5");
        int threads = 4;
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<Integer>> all = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                all.add(executor.submit(() -> {
                    try (Connection own = cluster.open()) {
                        return run(own, "UPDATE page SET hits = hits + 1 WHERE id = 70");
                    }
                }));
            }
            for (Future<Integer> one : all) {
                assertThat(one.get()).isOne();
            }
        } finally {
            executor.shutdownNow();
        }
        cluster.cql("INSERT INTO $.page (id, hits, bytes, cassidy_tx) VALUES (72, 5, 0, 0xff)");
        assertThat(run("UPDATE page SET hits = hits + 1, title = 'x' WHERE id = 72"))
                .isOne();
        assertThat(rows("SELECT hits, title FROM page WHERE id = 72")).isEqualTo("6 x");
        cluster.cql("INSERT INTO $.page (id, cassidy_tx) VALUES (73, 0xff)");
        assertThat(rows("SELECT hits FROM page WHERE id = 73")).isEqualTo("0");
        assertThat(run("UPDATE page SET hits = hits + 1 WHERE id = 73")).isOne();
        assertThat(rows("SELECT hits, bytes FROM page WHERE id = 73")).isEqualTo("1 0");
        try (Connection own = cluster.open()) {
            own.setAutoCommit(false);
            run(own, "UPDATE page SET hits = hits + 1 WHERE id = 71");
            assertThat(rows(own, "SELECT hits FROM page WHERE id = 71")).isEqualTo("6");
            assertThat(run(own, "UPDATE page SET hits = hits + 1, title = 'y' WHERE id = 74"))
                    .isOne();
            own.commit();
        }

        assertThat(rows("SELECT hits FROM page WHERE id IN (70, 71, 74) ORDER BY id"))
                .isEqualTo("9, 6, 6");
    }

    @Test
    void shouldSetOtherColumnsOfTheSameRows() throws SQLException {
        assertThat(run("UPDATE page SET title = ?, hits = hits + ?, site = 7 WHERE id = ?", "new", 3, 1))
                .isOne();
        assertThat(run("UPDATE page SET title = ?, hits = hits + ? WHERE id = ?", "none", 3, 99))
                .isZero();

        assertThat(rows("SELECT title, site, hits FROM page WHERE id = 1")).isEqualTo("new 7 3");
        assertThat(rows("SELECT title FROM page WHERE id = 99")).isEmpty();
    }

    @Test
    void shouldCountEachOfManyThreadsOnce() throws Exception {
        int threads = 8;
        int each = 50;
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                all.add(executor.submit(() -> {
                    try (Connection own = cluster.open();
                            PreparedStatement add =
                                    own.prepareStatement("UPDATE page SET hits = hits + 1 WHERE id = 1")) {
                        for (int i = 0; i < each; i++) {
                            assertThat(add.executeUpdate()).isOne();
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
        } finally {
            executor.shutdownNow();
        }

        assertThat(rows("SELECT hits FROM page WHERE id = 1")).isEqualTo(String.valueOf(threads * each));
    }

    /** The statement is in doubt, and what it adds counts once: its row is sent again under the same name. */
    @Test
    void shouldLeaveInDoubtWhatHasNoAnswerAndCountItOnce() throws Exception {
        try (HeldLink link = new HeldLink(TestCluster.NODE.contactPoint());
                Connection slow = DriverManager.getConnection(
                        "jdbc:cassidy://127.0.0.1:" + link.port() + "/" + KEYSPACE + "?localDatacenter="
                                + TestCluster.NODE.localDatacenter() + "&requestTimeout=1m&connectTimeout=1m");
                Statement add = slow.createStatement()) {
            // A session asks some things once.
            add.executeUpdate("UPDATE page SET hits = hits + 1 WHERE id = 1");
            run("UPDATE page SET hits = hits + 1 WHERE id = 2");
            slow.setAutoCommit(false);
            add.executeUpdate("UPDATE page SET hits = hits + 1 WHERE id = 2");
            slow.commit();
            add.executeUpdate("UPDATE page SET hits = hits + 10 WHERE id = 1");
            slow.setNetworkTimeout(Runnable::run, 1_000);
            link.hold();
            try {
                assertThatExceptionOfType(SQLTimeoutException.class)
                        .isThrownBy(slow::commit)
                        .satisfies(e -> assertThat(e.getSQLState()).isEqualTo("HYT00"))
                        .withMessageContaining("Do not run");
            } finally {
                link.release();
            }
            slow.rollback();

            await().atMost(Duration.ofSeconds(40))
                    .until(() -> rows("SELECT hits FROM page WHERE id = 1").equals("11"));
        }
        assertThat(rows("SELECT hits FROM page WHERE id = 1")).isEqualTo("11");
    }

    @Test
    void shouldAddInABatch() throws SQLException {
        try (PreparedStatement add = connection.prepareStatement("UPDATE page SET hits = hits + ? WHERE id = ?")) {
            for (int i = 0; i < 30; i++) {
                add.setInt(1, 2);
                add.setInt(2, i % 5);
                add.addBatch();
            }
            int[] counts = add.executeBatch();
            for (int i = 0; i < 30; i++) {
                assertThat(counts[i]).isEqualTo(i % 5 >= 1 && i % 5 <= 3 ? 1 : 0);
            }
        }

        assertThat(rows("SELECT hits FROM page ORDER BY id")).isEqualTo("12, 12, 12");
    }

    @Test
    void shouldGiveNoGeneratedKeysForAnAddition() throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO post (name) VALUES (?)", Statement.RETURN_GENERATED_KEYS);
                PreparedStatement add = connection.prepareStatement(
                        "UPDATE post SET views = views + 1 WHERE id = ?", Statement.RETURN_GENERATED_KEYS)) {
            insert.setString(1, "x");
            insert.executeUpdate();
            int id;
            try (ResultSet keys = insert.getGeneratedKeys()) {
                assertThat(keys.next()).isTrue();
                id = keys.getInt(1);
                assertThat(keys.next()).isFalse();
            }
            add.setInt(1, id);
            assertThat(add.executeUpdate()).isOne();
            try (ResultSet keys = add.getGeneratedKeys()) {
                assertThat(keys.next()).isFalse();
            }
            assertThat(rows("SELECT views FROM post WHERE id = " + id)).isEqualTo("1");
        }
    }

    // ---- inserting

    @Test
    void shouldBeginWithWhatARowIsInsertedWith() throws SQLException {
        run("INSERT INTO page (id, hits, bytes) VALUES (?, ?, ?)", 10, 7, 8L);
        run("INSERT INTO page (id) VALUES (11)");
        run("INSERT INTO page (id, hits, bytes) VALUES (12, DEFAULT, DEFAULT)");
        run("INSERT INTO page SELECT 13, 'm', site, hits + 2, bytes FROM page WHERE id = 10");
        for (int id = 10; id <= 13; id++) {
            run("UPDATE page SET hits = hits + 1 WHERE id = ?", id);
        }

        assertThat(rows("SELECT hits, bytes FROM page WHERE id IN (10, 11, 12, 13) ORDER BY id"))
                .isEqualTo("8 8, 1 100, 1 100, 10 8");
        assertThatThrownBy(() -> run("INSERT INTO page (id, hits) VALUES (14, NULL)"))
                .hasMessageContaining("hits")
                .satisfies(e -> assertThat(((SQLException) e).getErrorCode()).isEqualTo(515));
    }

    // ---- reading

    @Test
    void shouldShowWhatHasCountedInEverySelect() throws SQLException {
        run("UPDATE page SET hits = hits + 3 WHERE id = 1");
        run("UPDATE page SET hits = hits + 4 WHERE id = 3");

        assertThat(rows("SELECT * FROM page WHERE id = 1")).isEqualTo("1 a 1 3 100");
        assertThat(rows("SELECT hits AS h, id, hits FROM page WHERE id = 3")).isEqualTo("4 3 4");
        assertThat(rows("SELECT TOP 1 hits FROM page WHERE id = 3")).isEqualTo("4");
        assertThat(rows("SELECT hits + 1 FROM page WHERE id = 3")).isEqualTo("5");
        assertThat(rows("SELECT hits FROM page WHERE id = 1 OR id = 3")).isEqualTo("3, 4");
        assertThat(rows("SELECT id FROM page WHERE hits = 4")).isEqualTo("3");
        assertThat(rows("SELECT id FROM page WHERE id = 1 AND hits = 0")).isEmpty();
        assertThat(rows("SELECT SUM(hits), MAX(hits), COUNT(*) FROM page")).isEqualTo("7 4 3");
        assertThat(rows("SELECT SUM(hits) FROM page WHERE id = 1")).isEqualTo("3");
        assertThat(rows("SELECT id, hits FROM page ORDER BY hits DESC, id")).isEqualTo("3 4, 1 3, 2 0");
        assertThat(rows("SELECT DISTINCT hits FROM page WHERE id = 1")).isEqualTo("3");
        assertThat(rows("SELECT s.name, SUM(p.hits) FROM page p JOIN site s ON s.id = p.site GROUP BY s.name"
                        + " ORDER BY s.name"))
                .isEqualTo("one 3, two 4");
        assertThat(rows("SELECT COUNT(*) FROM page")).isEqualTo("3");
        assertThat(rows("SELECT title FROM page WHERE id = 2")).isEqualTo("b");
    }

    @Test
    void shouldShowWhatHasCountedOnEachPage() throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO page (id, hits) VALUES (?, ?)")) {
            for (int id = 100; id < 400; id++) {
                insert.setInt(1, id);
                insert.setInt(2, id);
                insert.addBatch();
            }
            insert.executeBatch();
        }
        run("UPDATE page SET hits = hits + 1000 WHERE id = 399");
        long sum = 0;
        int rows = 0;
        try (Statement statement = connection.createStatement()) {
            statement.setFetchSize(20);
            try (ResultSet result = statement.executeQuery("SELECT id, hits FROM page")) {
                while (result.next()) {
                    rows++;
                    sum += result.getInt("hits");
                }
            }
        }

        assertThat(rows).isEqualTo(303);
        assertThat(sum).isEqualTo(1000 + (100 + 399) * 300 / 2);
    }

    @Test
    void shouldHideTheIdsByWhichRowsCount() throws SQLException {
        DatabaseMetaData meta = connection.getMetaData();
        List<String> columns = new ArrayList<>();
        try (ResultSet found = meta.getColumns(KEYSPACE, null, "page", null)) {
            while (found.next()) {
                columns.add(found.getString("COLUMN_NAME") + " "
                        + found.getString("TYPE_NAME").toLowerCase());
            }
        }
        assertThat(columns).hasSize(5).contains("hits int", "bytes bigint");
        assertThat(rows("SELECT column_name, is_nullable FROM INFORMATION_SCHEMA.COLUMNS WHERE table_name = 'page'"))
                .contains("hits NO")
                .doesNotContain("cassidy");
        try (PreparedStatement select = connection.prepareStatement("SELECT * FROM page WHERE id = ?")) {
            assertThat(select.getMetaData().getColumnCount()).isEqualTo(5);
            assertThat(select.getMetaData().getColumnType(4)).isEqualTo(Types.INTEGER);
        }
    }

    // ---- transactions

    @Test
    void shouldCountAfterTheCommitAndShowItsOwnBefore() throws SQLException {
        run("UPDATE page SET hits = hits + 1 WHERE id = 1");
        try (Connection own = cluster.open()) {
            own.setAutoCommit(false);
            assertThat(run(own, "UPDATE page SET hits = hits + 5 WHERE id = 1")).isOne();
            assertThat(run(own, "UPDATE page SET hits = hits + 5, title = 'mine' WHERE id = 1"))
                    .isOne();
            run(own, "INSERT INTO page (id, hits) VALUES (50, 3)");
            assertThat(run(own, "UPDATE page SET hits = hits + 2 WHERE id = 50"))
                    .isOne();
            assertThat(run(own, "UPDATE page SET hits = hits + 2 WHERE id = 51"))
                    .isZero();

            assertThat(rows(own, "SELECT hits FROM page WHERE id = 1")).isEqualTo("11");
            assertThat(rows(own, "SELECT hits FROM page WHERE id = 50")).isEqualTo("5");
            assertThat(rows(own, "SELECT MAX(hits) FROM page WHERE id IN (1, 50)"))
                    .isEqualTo("11");
            assertThat(rows("SELECT hits, title FROM page WHERE id = 1")).isEqualTo("1 a");

            own.commit();
        }

        assertThat(rows("SELECT hits, title FROM page WHERE id = 1")).isEqualTo("11 mine");
        assertThat(rows("SELECT hits FROM page WHERE id = 50")).isEqualTo("5");
    }

    @Test
    void shouldCountNothingOfWhatIsRolledBack() throws SQLException {
        try (Connection own = cluster.open()) {
            own.setAutoCommit(false);
            run(own, "UPDATE page SET hits = hits + 5 WHERE id = 1");
            own.rollback();
            own.commit();
            run(own, "UPDATE page SET hits = hits + 1 WHERE id = 2");
            Savepoint point = own.setSavepoint();
            run(own, "UPDATE page SET hits = hits + 10 WHERE id = 2");
            own.rollback(point);
            assertThat(rows(own, "SELECT hits FROM page WHERE id = 2")).isEqualTo("1");
            own.commit();
        }

        assertThat(rows("SELECT hits FROM page WHERE id IN (1, 2) ORDER BY id")).isEqualTo("0, 1");
    }

    @Test
    void shouldCountNothingIfOthersHaveChangedWhatTheTransactionSets() throws SQLException {
        try (Connection own = cluster.open()) {
            own.setAutoCommit(false);
            run(own, "UPDATE page SET hits = hits + 5, title = 'mine' WHERE id = 1");
            run("DELETE FROM page WHERE id = 1");
            run("INSERT INTO page (id, title) VALUES (1, 'theirs')");

            assertThatThrownBy(own::commit)
                    .satisfies(e -> assertThat(((SQLException) e).getSQLState()).isEqualTo("40001"));
        }

        assertThat(rows("SELECT hits, title FROM page WHERE id = 1")).isEqualTo("0 theirs");
    }

    @Test
    void shouldCountNothingOfATransactionThatLosesItsRows() throws SQLException {
        try (Connection own = cluster.open()) {
            own.setAutoCommit(false);
            assertThat(rows(own, "SELECT title FROM page WITH (UPDLOCK) WHERE id = 2"))
                    .isEqualTo("b");
            run(own, "UPDATE page SET hits = hits + 5 WHERE id = 1");
            run(own, "UPDATE page SET title = 'mine' WHERE id = 2");
            run("UPDATE page SET title = 'theirs' WHERE id = 2");

            assertThatThrownBy(own::commit)
                    .satisfies(e -> assertThat(((SQLException) e).getSQLState()).isEqualTo("40001"));
            own.commit();
        }

        assertThat(rows("SELECT hits, title FROM page WHERE id IN (1, 2) ORDER BY id"))
                .isEqualTo("0 a, 0 theirs");
    }

    /** A commit that is refused before it is sent loses nothing: the next one sends all. */
    @Test
    void shouldKeepWhatIsAddedIfTheCommitIsRefused() throws Exception {
        try (Connection own = cluster.open()) {
            own.setAutoCommit(false);
            run(own, "UPDATE page SET hits = hits + 5, title = 'mine' WHERE id = 1");
            Future<Throwable> refused = ((InternalDriverContext)
                            TestCluster.session().getContext())
                    .getNettyOptions()
                    .ioEventLoopGroup()
                    .submit(() -> {
                        try {
                            own.commit();
                            return new AssertionError("was not refused");
                        } catch (SQLException e) {
                            return e;
                        }
                    });
            assertThat(refused.get()).isInstanceOf(SQLException.class);
            assertThat(rows(own, "SELECT hits FROM page WHERE id = 1")).isEqualTo("5");

            own.commit();
            own.commit();
        }

        assertThat(rows("SELECT hits, title FROM page WHERE id = 1")).isEqualTo("5 mine");
    }

    /** Neither of the two statements has read for the other, and both are of one row all the same. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldCountForTheRowThatOtherStatementsWrite(boolean countsFirst) throws SQLException {
        String counts = "UPDATE page SET hits = hits + 5 WHERE id = 1";
        String writes = "UPDATE page SET title = 'mine' WHERE id = 1";
        try (Connection own = cluster.open()) {
            own.setAutoCommit(false);
            run(own, countsFirst ? counts : writes);
            run(own, countsFirst ? writes : counts);
            run("UPDATE page SET site = 9 WHERE id = 1");
            own.commit();
            assertThat(rows("SELECT hits, title, site FROM page WHERE id = 1")).isEqualTo("5 mine 9");

            run(own, countsFirst ? counts : writes);
            run(own, countsFirst ? writes : counts);
            run("DELETE FROM page WHERE id = 1");
            run("INSERT INTO page (id, title) VALUES (1, 'theirs')");
            assertThatThrownBy(own::commit)
                    .satisfies(e -> assertThat(((SQLException) e).getSQLState()).isEqualTo("40001"));
        }

        assertThat(rows("SELECT hits, title FROM page WHERE id = 1")).isEqualTo("0 theirs");
    }

    // ---- what transactions add, whoever ends them

    private static String recordKeyspace(TableWrites table) {
        return "cassidy_" + table.home();
    }

    private static TableWrites page() {
        return new TableWrites(KEYSPACE, "page", TestCluster.NODE.localDatacenter(), null, false);
    }

    private static String counter(int id, String column) {
        return TestCluster.session()
                        .execute("SELECT cassidy_counts FROM " + KEYSPACE + ".page WHERE id = " + id)
                        .one()
                        .getUuid(0)
                + "/" + column;
    }

    private static ByteBuffer number(int value) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(0, value);
    }

    /** Gives a row the site 7 and adds to its hits, in a process that sends nothing any more from the first statement on with this text. */
    private static UUID commitAndStop(int id, long hits, String last) {
        Ordering stopping = new Ordering() {
            private volatile boolean stopped;

            @Override
            public com.datastax.oss.driver.api.core.cql.Statement<?> ordered(
                    com.datastax.oss.driver.api.core.cql.Statement<?> statement, TableWrites table) {
                stopped |= statement instanceof BoundStatement bound
                        && bound.getPreparedStatement().getQuery().contains(last);
                if (stopped) {
                    throw new IllegalStateException("the process has ended");
                }
                return statement
                        .setSerialConsistencyLevel(ConsistencyLevel.LOCAL_SERIAL)
                        .setConsistencyLevel(ConsistencyLevel.LOCAL_QUORUM);
            }
        };
        RowChange site = new RowChange(
                page(), Map.of("id", number(id)), 1, Map.of(), RowChange.Kind.UPDATE, Map.of("site", number(7)));
        RowChange added =
                RowChange.addition(page(), counter(id, "hits"), "transactions~dc1~" + UUID.randomUUID(), 1, hits);
        try (Transactions transactions =
                new Transactions(TestCluster.session(), stopping, CountedColumnsIT::recordKeyspace, "stopped")) {
            CommitResult result = transactions
                    .commit(List.of(site, added))
                    .toCompletableFuture()
                    .join();
            assertThat(result)
                    .isInstanceOfSatisfying(CommitResult.Committed.class, committed -> assertThat(committed.complete())
                            .isFalse());
            return ((CommitResult.Committed) result).id();
        }
    }

    /** What a process has committed counts once, whoever meets its lock, and whatever of it was sent before. */
    @ParameterizedTest
    @ValueSource(strings = {"cassidy_counts_page (", "USING TIMESTAMP"})
    void shouldCountWhatAProcessHasCommittedThatEndedThen(String last) throws SQLException {
        run("UPDATE page SET hits = hits + 1 WHERE id = 1");
        UUID id = commitAndStop(1, 5, last);

        assertThat(rows("SELECT site, hits FROM page WHERE id = 1")).isEqualTo("7 6");

        await().until(() -> HeldRows.state(id).equals("none"));
        run("UPDATE page SET hits = hits + 1, title = 'later' WHERE id = 1");
        assertThat(rows("SELECT title, site, hits FROM page WHERE id = 1")).isEqualTo("later 7 7");
    }

    @Test
    void shouldCountOnceWhatIsResolvedSeveralTimes() throws Exception {
        UUID id = commitAndStop(1, 5, "cassidy_counts_page (");
        // The record of another try, which is not removed when the first one has ended.
        Row record = TestCluster.session()
                .execute("SELECT * FROM cassidy_dc1.transactions WHERE id = ?", id)
                .one();
        assertThat(record.getString("state")).isEqualTo("COMMITTED");
        try (Transactions transactions = new Transactions(
                TestCluster.session(),
                (statement, table) -> statement
                        .setSerialConsistencyLevel(ConsistencyLevel.LOCAL_SERIAL)
                        .setConsistencyLevel(ConsistencyLevel.LOCAL_QUORUM),
                CountedColumnsIT::recordKeyspace,
                "resolving")) {
            List<CompletableFuture<?>> all = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                all.add(transactions.resolve("dc1", id).toCompletableFuture());
            }
            for (CompletableFuture<?> each : all) {
                each.join();
            }
        }

        assertThat(HeldRows.state(id)).isEqualTo("none");
        assertThat(rows("SELECT site, hits FROM page WHERE id = 1")).isEqualTo("7 5");
    }

    private static long rowsOf(String counter) {
        return TestCluster.session()
                .execute("SELECT COUNT(*) FROM " + KEYSPACE + ".cassidy_counts_page WHERE type = ?", counter)
                .one()
                .getLong(0);
    }

    /** One row is left of many; what is written again afterwards, as by one who was slow, does not count again. */
    @Test
    void shouldSumUpTheRowsOfTransactions() throws Exception {
        String counter = counter(1, "hits");
        List<Row> first = new ArrayList<>();
        try (Connection own = cluster.open();
                Connection others = cluster.open("assistRows=9999")) {
            for (Connection each : List.of(own, others)) {
                each.setAutoCommit(false);
            }
            for (int i = 0; i < 100; i++) {
                Connection each = i % 4 == 0 ? others : own;
                if (i % 10 == 3) {
                    // The row of this one is never written.
                    rows(each, "SELECT title FROM page WITH (UPDLOCK) WHERE id = 2");
                    run(each, "UPDATE page SET hits = hits + 1000 WHERE id = 1");
                    run(each, "UPDATE page SET title = 'mine' WHERE id = 2");
                    run("UPDATE page SET title = ? WHERE id = 2", "theirs " + i);
                    assertThatThrownBy(each::commit).isInstanceOf(SQLException.class);
                }
                run(each, "UPDATE page SET hits = hits + ? WHERE id = 1", i);
                each.commit();
                if (i == 9) {
                    TestCluster.session()
                            .execute(
                                    "SELECT type, actor, version, increment FROM " + KEYSPACE
                                            + ".cassidy_counts_page WHERE type = ?",
                                    counter)
                            .forEach(first::add);
                }
            }
            await().atMost(Duration.ofSeconds(30)).until(() -> rowsOf(counter) <= 70);
        }
        assertThat(first).hasSize(9);
        String sum = String.valueOf(99 * 100 / 2);
        assertThat(rows("SELECT hits FROM page WHERE id = 1")).isEqualTo(sum);

        for (Row row : first) {
            TestCluster.session()
                    .execute(
                            "INSERT INTO " + KEYSPACE
                                    + ".cassidy_counts_page (type, actor, version, increment) VALUES (?, ?, ?, ?) USING TIMESTAMP "
                                    + RowMark.FRESH_MICROS,
                            row.getString("type"),
                            row.getString("actor"),
                            row.getLong("version"),
                            row.getLong("increment"));
        }
        assertThat(rows("SELECT hits FROM page WHERE id = 1")).isEqualTo(sum);
    }

    /** Programs that are killed while they commit: each commit counts, or has written nothing. */
    @Test
    void shouldCountWhatKilledProcessesHaveCommitted() throws Exception {
        for (int i = 0; i < KILLED; i++) {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            CountingProgram.class.getName(),
                            cluster.url())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try (BufferedReader out = process.inputReader()) {
                // Between two lines, and within a commit.
                int commits = 5 + 7 * i;
                for (int committed = 0; committed < commits; ) {
                    // Beside what it logs.
                    String line = out.readLine();
                    assertThat(line).isNotNull();
                    committed += line.equals("committed") ? 1 : 0;
                }
            } finally {
                process.destroyForcibly().waitFor();
            }
            // Who reads the row that is written meets its lock.
            int written = Integer.parseInt(rows("SELECT site FROM page WHERE id = 2"));
            assertThat(rows("SELECT hits FROM page WHERE id = 1")).isEqualTo(String.valueOf(written - 1));
            assertThat(written).isGreaterThan(5);
        }
    }

    /** Found before the commit: afterwards the rows would be written, and what is added would not count. */
    @Test
    void shouldRefuseWhatATransactionAddsBeyondAllCounters() throws SQLException {
        try (Connection own = cluster.open()) {
            own.setAutoCommit(false);
            run(own, "UPDATE page SET bytes = bytes + 9223372036854775807 WHERE id = 3");
            for (String also : List.of("", ", title = 'big'")) {
                assertThatExceptionOfType(SQLDataException.class)
                        .isThrownBy(() ->
                                run(own, "UPDATE page SET bytes = bytes + ?" + also + " WHERE id = 3", Long.MAX_VALUE))
                        .satisfies(e -> assertThat(e.getErrorCode()).isEqualTo(8115));
            }
            run(own, "UPDATE page SET bytes = bytes - ? WHERE id = 3", Long.MAX_VALUE - 1);
            own.commit();
        }

        assertThat(rows("SELECT title, bytes FROM page WHERE id = 3")).isEqualTo("c 101");
    }

    /** The nodes of the tests have no native sum, which the first readers of a program find out at the same moment. */
    @Test
    void shouldReadManyCountersAtOnceBeforeItIsKnownHowNodesSum() {
        try (Counters counters =
                Counters.open(TestCluster.session(), CountersConfig.of(KEYSPACE + ".cassidy_counts_page"))) {
            List<CompletableFuture<BigInteger>> sums = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                sums.add(counters.counter("none/" + i).valueAsync().toCompletableFuture());
            }
            assertThat(sums).allSatisfy(sum -> assertThat(sum.join()).isZero());
        }
    }

    /** Nobody counts where there is no table of counters: what certainly does not count is told apart from what may. */
    @Test
    void shouldTellWhatHasNotCounted() throws SQLException {
        run("CREATE TABLE gone (id INT PRIMARY KEY, title NVARCHAR(20), hits INT COUNTED)");
        run("INSERT INTO gone (id) VALUES (1)");
        run("UPDATE gone SET hits = hits + 1 WHERE id = 1");
        cluster.cql("DROP TABLE $.cassidy_counts_gone");

        assertThatThrownBy(() -> run("UPDATE gone SET hits = hits + 1 WHERE id = 1"))
                .isInstanceOf(SQLException.class)
                .satisfies(e -> assertThat(((SQLException) e).getSQLState()).isNotEqualTo("HYT00"));
        try (Connection own = cluster.open()) {
            own.setAutoCommit(false);
            run(own, "UPDATE gone SET hits = hits + 1, title = 'uncounted' WHERE id = 1");
            assertThatThrownBy(own::commit)
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("cassidy_counts_gone");
            own.rollback();
            own.commit();
        }
        assertThatThrownBy(() -> run("UPDATE gone SET hits = hits + 1, title = 'alone' WHERE id = 1"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("cassidy_counts_gone");
        assertThat(rows("SELECT title FROM gone WHERE id = 1")).isEqualTo("null");

        // What is made again counts, also for a session that has the old counters open.
        run("DROP TABLE gone");
        run("CREATE TABLE gone (id INT PRIMARY KEY, title NVARCHAR(20), hits INT COUNTED)");
        run("INSERT INTO gone (id) VALUES (1)");
        await().atMost(Duration.ofSeconds(40)).until(() -> {
            try {
                return run("UPDATE gone SET hits = hits + 1 WHERE id = 1") == 1;
            } catch (SQLException notSeenYet) {
                return false;
            }
        });
        // After so many the counters fold, and those of the table that is gone count no more.
        for (int i = 1; i < 600; i++) {
            run("UPDATE gone SET hits = hits + 1 WHERE id = 1");
        }
        assertThat(rows("SELECT hits FROM gone WHERE id = 1")).isEqualTo("600");
        run("DROP TABLE gone");
    }

    @Test
    void shouldDrawAnIdForEachRowThatIsInserted() {
        assertThat(TestCluster.session()
                        .execute("SELECT cassidy_counts FROM " + KEYSPACE + ".page")
                        .map(row -> row.getUuid(0))
                        .all())
                .hasSize(3)
                .doesNotContainNull()
                .doesNotHaveDuplicates();
    }

    /** The ids by which rows count are given by Cassidy alone, whichever session writes. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE page SET cassidy_counts = uuid() WHERE id = 1 IF cassidy_tx >= 0xff",
                "UPDATE page SET cassidy_counts = null WHERE id = 1 IF cassidy_tx >= 0xff",
                "INSERT INTO page (id, cassidy_counts) VALUES (70, uuid()) IF NOT EXISTS",
                "DELETE cassidy_counts FROM page WHERE id = 1 IF cassidy_tx >= 0xff"
            })
    void shouldRefuseThatAnIdentitySessionWritesTheIds(String cql) {
        try (Sequences sequences = Sequences.open(TestCluster.session(), SequencesConfig.defaults())) {
            IdentitySession identities = IdentitySession.wrap(TestCluster.session(), sequences);
            String before = counter(1, "hits");

            assertThatThrownBy(() -> identities.execute(cql.replace("page", KEYSPACE + ".page")))
                    .isInstanceOf(WriteModeException.class)
                    .hasMessageContaining("column cassidy_counts of table " + KEYSPACE + ".page");
            assertThat(counter(1, "hits")).isEqualTo(before);
        }
    }

    // ---- refusals

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE page SET hits = 5 WHERE id = 1",
                "UPDATE page SET hits = DEFAULT WHERE id = 1",
                "UPDATE page SET hits = hits * 2 WHERE id = 1",
                "UPDATE page SET hits = site + 1 WHERE id = 1",
                "UPDATE page SET hits = hits + site WHERE id = 1",
                "UPDATE page SET hits = hits + 1.5 WHERE id = 1",
                "UPDATE page SET hits = hits + 1 WHERE id = 1 AND hits < 5",
                "UPDATE page SET title = 'x' WHERE id = 1 AND hits = 0",
                "UPDATE page SET title = 'x' WHERE hits = 0",
                "UPDATE page SET site = hits WHERE id = 1",
                "UPDATE page SET site = hits + 1 WHERE id = 1",
                "DELETE FROM page WHERE id = 1 AND hits = 0",
                "DELETE FROM page WHERE hits = 0",
                "DELETE hits FROM page WHERE id = 1",
                "CREATE INDEX by_hits ON page (hits)",
                "CREATE UNIQUE INDEX by_hits ON page (hits, site)",
                "ALTER TABLE page ADD CHECK (hits > 0)",
                "ALTER TABLE page ADD CONSTRAINT u UNIQUE (hits)",
                "ALTER TABLE page ADD likes INT COUNTED",
                "ALTER TABLE page ALTER COLUMN hits BIGINT",
                "ALTER TABLE page DROP COLUMN hits",
                "CREATE TABLE bad (id INT PRIMARY KEY, hits INT COUNTED CHECK (hits > 0))",
                "CREATE TABLE bad (id INT PRIMARY KEY, hits INT COUNTED UNIQUE)",
                "CREATE TABLE bad (id INT, hits INT COUNTED, PRIMARY KEY (id, hits))",
                "CREATE TABLE bad (id INT PRIMARY KEY, hits DECIMAL(9, 2) COUNTED)",
                "CREATE TABLE bad (id INT PRIMARY KEY, hits INT DEFAULT NEXT VALUE FOR s COUNTED)",
                "CREATE TABLE bad (id INT PRIMARY KEY, hits INT COUNTED) WITH (plain)"
            })
    void shouldRefuseByNameWhatACountedColumnCannotDo(String sql) throws SQLException {
        run("UPDATE page SET hits = hits + 1 WHERE id = 1");

        assertThatExceptionOfType(SQLFeatureNotSupportedException.class)
                .isThrownBy(() -> run(sql))
                .withMessageContaining("count");

        assertThat(rows("SELECT id, title, hits FROM page ORDER BY id")).isEqualTo("1 a 1, 2 b 0, 3 c 0");
    }

    /** A row with another id, or none, would begin to count anew. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE page SET cassidy_counts = NULL WHERE id = 1",
                "UPDATE page SET [cassidy_counts] = NULL WHERE title = 'a'",
                "UPDATE page SET hits = hits + 1, cassidy_counts = NULL WHERE id = 1",
                "DELETE cassidy_counts FROM page WHERE id = 1",
                "INSERT INTO page (id, cassidy_counts) VALUES (4, NULL)",
                "INSERT INTO page (id, cassidy_counts) SELECT 4, NULL FROM page WHERE id = 1"
            })
    void shouldRefuseWritesOfTheIdsByWhichRowsCount(String sql) throws SQLException {
        run("UPDATE page SET hits = hits + 1 WHERE id = 1");

        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> run(sql))
                .withMessageContaining("cassidy_counts");

        assertThat(rows("SELECT id, title, hits FROM page ORDER BY id")).isEqualTo("1 a 1, 2 b 0, 3 c 0");
    }

    /** As something else than Cassidy has written it: no condition ever holds for it. */
    @Test
    void shouldRefuseARowThatNoWriteTakesAsOtherWritesDo() {
        cluster.cql("INSERT INTO $.page (id, hits, bytes, title) VALUES (82, 5, 0, 'c')");
        SQLException other = failure("UPDATE page SET title = 'x' WHERE id = 82");

        for (String also : List.of("", ", title = 'x'")) {
            SQLException e = failure("UPDATE page SET hits = hits + 1" + also + " WHERE id = 82");
            assertThat(e.getSQLState()).isEqualTo(other.getSQLState()).isNotEqualTo("40001");
            assertThat(e.getMessage()).isEqualTo(other.getMessage());
        }
    }

    private SQLException failure(String sql) {
        try {
            run(sql);
        } catch (SQLException e) {
            return e;
        }
        throw new AssertionError("was served: " + sql);
    }

    @Test
    void shouldRefuseWhatDoesNotFitAsFarAsItIsKnown() throws SQLException {
        assertThatExceptionOfType(SQLDataException.class)
                .isThrownBy(() -> run("UPDATE page SET hits = hits + ? WHERE id = 1", 1L << 40))
                .satisfies(e -> assertThat(e.getErrorCode()).isEqualTo(8115));
        run("UPDATE page SET hits = hits + ? WHERE id = 1", Integer.MAX_VALUE);
        run("UPDATE page SET hits = hits + 1 WHERE id = 1");

        assertThatExceptionOfType(SQLDataException.class)
                .isThrownBy(() -> rows("SELECT hits FROM page WHERE id = 1"))
                .withMessageContaining("2147483648")
                .satisfies(e -> assertThat(e.getErrorCode()).isEqualTo(8115));
        assertThat(rows("SELECT title FROM page WHERE id = 1")).isEqualTo("a");
        run("UPDATE page SET hits = hits - 1 WHERE id = 1");
        assertThat(rows("SELECT hits FROM page WHERE id = 1")).isEqualTo(String.valueOf(Integer.MAX_VALUE));
    }

    @Test
    void shouldTellHowItCounts() throws SQLException {
        String plan;
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET SHOWPLAN_TEXT ON");
            plan = rows("UPDATE page SET hits = hits + 1 WHERE id = 1");
            statement.execute("SET SHOWPLAN_TEXT OFF");
        }

        assertThat(plan).contains("what is added to hits is counted").contains("SELECT cassidy_counts");
        assertThat(rows("SELECT hits FROM page WHERE id = 1")).isEqualTo("0");
    }
}
