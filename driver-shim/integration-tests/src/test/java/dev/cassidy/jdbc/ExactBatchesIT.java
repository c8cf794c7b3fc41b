package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Batches of conditional writes: those of single rows are under way together, and what may meet keeps its order. */
class ExactBatchesIT {

    private static final String KEYSPACE = "exact_batches_it";
    private static final int AT_ONCE = 32;

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    @BeforeAll
    static void create() throws SQLException {
        cluster = TestCluster.fresh(KEYSPACE);
        TestCluster.install("cassidy");
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            for (String table : List.of(
                    "item (id INT PRIMARY KEY, name NVARCHAR(20), stock INT)",
                    "line (o INT, no INT, qty TINYINT, PRIMARY KEY (o, no))",
                    "orders (id INT IDENTITY PRIMARY KEY, name NVARCHAR(20))")) {
                statement.execute("CREATE TABLE " + table);
            }
        }
    }

    @BeforeEach
    void empty() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("TRUNCATE TABLE item");
            statement.execute("TRUNCATE TABLE line");
        }
    }

    private static void add(PreparedStatement batch, Object... parameters) throws SQLException {
        for (int i = 0; i < parameters.length; i++) {
            batch.setObject(i + 1, parameters[i]);
        }
        batch.addBatch();
    }

    private int[] batch(String... entries) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String entry : entries) {
                statement.addBatch(entry);
            }
            return statement.executeBatch();
        }
    }

    private List<List<Object>> rows(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<List<Object>> all = new ArrayList<>();
            while (rows.next()) {
                List<Object> row = new ArrayList<>();
                for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                    row.add(rows.getObject(i));
                }
                all.add(row);
            }
            return all;
        }
    }

    private static long stored() {
        return TestCluster.session()
                .execute("SELECT id FROM " + KEYSPACE + ".item")
                .all()
                .size();
    }

    private static Connection open(HeldLink link) throws SQLException {
        return DriverManager.getConnection("jdbc:cassidy://127.0.0.1:" + link.port() + "/" + KEYSPACE
                + "?localDatacenter=" + TestCluster.NODE.localDatacenter() + "&requestTimeout=1m&connectTimeout=1m");
    }

    /** A session asks some things once; an answer to these must not be held. */
    private static void warmUp(PreparedStatement insert) throws SQLException {
        add(insert, 1_000_000, "first");
        insert.executeBatch();
        add(insert, 1_000_001, "second");
        insert.executeBatch();
    }

    private static List<SQLException> failures(BatchUpdateException e) {
        List<SQLException> all = new ArrayList<>();
        for (SQLException next = e.getNextException(); next != null; next = next.getNextException()) {
            all.add(next);
        }
        return all;
    }

    @Test
    void shouldHaveManyRowsUnderWay() throws Exception {
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try (HeldLink link = new HeldLink(TestCluster.NODE.contactPoint());
                Connection slow = open(link);
                PreparedStatement insert = slow.prepareStatement("INSERT INTO item (id, name) VALUES (?, ?)")) {
            warmUp(insert);
            for (int id = 0; id < 3 * AT_ONCE; id++) {
                add(insert, id, "row");
            }
            link.hold();
            Future<int[]> counts = executor.submit(insert::executeBatch);
            try {
                // The node has taken them, and the client has none of its answers.
                await().atMost(Duration.ofSeconds(40)).until(() -> stored() == 2 + AT_ONCE);
            } finally {
                link.release();
            }
            assertThat(counts.get()).hasSize(3 * AT_ONCE).containsOnly(1);
            slow.unwrap(CqlSession.class).close();
        } finally {
            executor.shutdownNow();
        }
        assertThat(stored()).isEqualTo(2 + 3 * AT_ONCE);
    }

    @Test
    void shouldCountEachEntryInItsPlace() throws SQLException {
        List<Integer> expected = new ArrayList<>();
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO item (id, stock) VALUES (?, ?)")) {
            for (int id = 0; id < 100; id++) {
                add(insert, id, id % 3);
            }
            assertThat(insert.executeBatch()).hasSize(100).containsOnly(1);
        }
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE item SET name = ? WHERE id = ? AND stock = 1")) {
            for (int id = 0; id < 150; id++) {
                add(update, "n" + id, id);
                expected.add(id < 100 && id % 3 == 1 ? 1 : 0);
            }
            assertThat(IntStream.of(update.executeBatch()).boxed().toList()).isEqualTo(expected);
        }
        try (PreparedStatement take =
                connection.prepareStatement("UPDATE item SET stock = stock - ? WHERE id = ? AND stock >= ?")) {
            for (int id = 0; id < 100; id++) {
                add(take, 2, id, 2);
            }
            assertThat(IntStream.of(take.executeBatch()).sum()).isEqualTo(33);
        }
        try (PreparedStatement delete = connection.prepareStatement("DELETE FROM item WHERE id = ?")) {
            for (int id = 50; id < 150; id++) {
                add(delete, id);
            }
            int[] counts = delete.executeBatch();
            assertThat(IntStream.of(counts).limit(50)).containsOnly(1);
            assertThat(IntStream.of(counts).skip(50)).containsOnly(0);
        }
        assertThat(stored()).isEqualTo(50);
        assertThat(rows("SELECT name, stock FROM item WHERE id = 49")).containsExactly(List.of("n49", 1));
    }

    /** Each entry counts 1 only after all before it; other partitions are under way beside them. */
    @Test
    void shouldKeepTheOrderWithinAPartition() throws SQLException {
        batch("INSERT INTO line (o, no, qty) VALUES (1, 1, 0)", "INSERT INTO line (o, no, qty) VALUES (1, 2, 0)");
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE line SET qty = ? WHERE o = ? AND no = ? AND qty = ?")) {
            List<Integer> expected = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                add(update, i + 1, 1, 1, i);
                add(update, i + 1, 2, i, i);
                add(update, i + 1, 1, 2, i);
                expected.addAll(List.of(1, 0, 1));
            }
            assertThat(IntStream.of(update.executeBatch()).boxed().toList()).isEqualTo(expected);
        }
        assertThat(rows("SELECT no, qty FROM line WHERE o = 1"))
                .containsExactly(List.of(1, (short) 60), List.of(2, (short) 60));
        assertThat(batch(
                        "DELETE FROM line WHERE o = 1 AND no = 1",
                        "INSERT INTO line (o, no, qty) VALUES (1, 1, 7)",
                        "UPDATE line SET qty = qty + 1 WHERE o = 1 AND no = 1",
                        "UPDATE line SET qty = qty + 1 WHERE o = 1 AND no = 1",
                        "DELETE FROM line WHERE o = 1 AND no = 1 AND qty = 9"))
                .containsOnly(1);
    }

    /** A statement of several rows, or of rows that nobody knows before, waits for all, and all wait for it. */
    @Test
    void shouldNotRunBesideWhatMayMeetAnyRow() throws SQLException {
        batch("INSERT INTO line (o, no, qty) VALUES (1, 1, 0)", "INSERT INTO line (o, no, qty) VALUES (2, 1, 0)");
        List<String> entries = new ArrayList<>();
        List<Integer> expected = new ArrayList<>();
        for (int i = 0; i < 60; i += 3) {
            for (int o = 1; o <= 2; o++) {
                entries.add("UPDATE line SET qty = " + (i + 1) + " WHERE o = " + o + " AND no = 1 AND qty = " + i);
                expected.add(1);
            }
            entries.add("UPDATE line SET qty = " + (i + 2) + " WHERE o IN (1, 2) AND no = 1 AND qty = " + (i + 1));
            expected.add(2);
            entries.add("UPDATE line SET qty = " + (i + 3) + " WHERE o = 1 AND qty = " + (i + 2));
            expected.add(1);
            entries.add("UPDATE line SET qty = " + (i + 3) + " WHERE o = 2 AND no >= 1 AND qty = " + (i + 2));
            expected.add(1);
        }
        assertThat(IntStream.of(batch(entries.toArray(String[]::new))).boxed().toList())
                .isEqualTo(expected);

        assertThat(batch(
                        "INSERT INTO orders (name) VALUES ('a')",
                        "UPDATE orders SET name = 'b' WHERE id = 1 AND name = 'a'",
                        "ALTER TABLE orders ADD note NVARCHAR(9)",
                        "UPDATE orders SET note = 'c' WHERE id = 1 AND name = 'b'",
                        "INSERT INTO orders (name) VALUES ('d')",
                        "UPDATE orders SET note = 'e' WHERE id = 2 AND name = 'd'"))
                .containsExactly(1, 1, 0, 1, 1, 1);
    }

    @Test
    void shouldTellWhichEntriesFailedAndRunTheOthers() throws SQLException {
        batch("INSERT INTO item (id, name) VALUES (3, 'there')");
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO item (id, name) VALUES (?, ?)")) {
            for (int id = 0; id < 40; id++) {
                add(insert, id, id == 20 ? "a name of more than twenty" : "new");
            }
            add(insert, 5, "again");
            assertThatExceptionOfType(BatchUpdateException.class)
                    .isThrownBy(insert::executeBatch)
                    .satisfies(e -> {
                        assertThat(e.getMessage()).contains("3 of 41 entries failed; the others were executed");
                        assertThat(e.getErrorCode()).isEqualTo(2627);
                        for (int i = 0; i < 41; i++) {
                            assertThat(e.getUpdateCounts()[i])
                                    .as("entry %d", i)
                                    .isEqualTo(i == 3 || i == 20 || i == 40 ? Statement.EXECUTE_FAILED : 1);
                        }
                        assertThat(failures(e))
                                .extracting(SQLException::getErrorCode)
                                .containsExactly(2627, 2628, 2627);
                        assertThat(failures(e).get(2).getMessage()).contains("id=5");
                    });
        }
        // As after any error.
        assertThat(rows("SELECT @@ROWCOUNT")).containsExactly(List.of(0));
        assertThat(rows("SELECT name FROM item WHERE id = 3")).containsExactly(List.of("there"));
        assertThat(rows("SELECT name FROM item WHERE id = 5")).containsExactly(List.of("new"));
        assertThat(stored()).isEqualTo(39);
    }

    @Test
    void shouldSayOfEachEntryThatItsOutcomeIsUnknown() throws Exception {
        try (HeldLink link = new HeldLink(TestCluster.NODE.contactPoint());
                Connection slow = open(link);
                PreparedStatement insert = slow.prepareStatement("INSERT INTO item (id, name) VALUES (?, ?)")) {
            warmUp(insert);
            for (int id = 0; id < AT_ONCE / 2; id++) {
                add(insert, id, "row");
            }
            insert.setQueryTimeout(1);
            link.hold();
            assertThatExceptionOfType(BatchUpdateException.class)
                    .isThrownBy(insert::executeBatch)
                    .satisfies(e -> {
                        assertThat(e.getUpdateCounts()).hasSize(AT_ONCE / 2).containsOnly(Statement.EXECUTE_FAILED);
                        List<SQLException> failures = failures(e);
                        assertThat(failures)
                                .hasSize(AT_ONCE / 2)
                                .hasOnlyElementsOfType(SQLTimeoutException.class)
                                .extracting(SQLException::getSQLState)
                                .containsOnly("HYT00");
                        assertThat(failures).extracting(Throwable::getMessage).allSatisfy(message -> assertThat(message)
                                .contains("may or may not have been applied"));
                    });
            link.release();
            slow.unwrap(CqlSession.class).close();
        }
    }

    @Test
    void shouldEndWhenItIsCancelled() throws Exception {
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try (HeldLink link = new HeldLink(TestCluster.NODE.contactPoint());
                Connection slow = open(link);
                PreparedStatement insert = slow.prepareStatement("INSERT INTO item (id, name) VALUES (?, ?)")) {
            warmUp(insert);
            for (int id = 0; id < AT_ONCE; id++) {
                add(insert, id, "row");
            }
            // They wait for others: of their partition, and of any.
            add(insert, 0, "again");
            add(insert, AT_ONCE, "row");
            link.hold();
            Future<int[]> counts = executor.submit(insert::executeBatch);
            await().atMost(Duration.ofSeconds(40)).until(() -> stored() == 2 + AT_ONCE);
            insert.cancel();
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(counts::get)
                    .havingCause()
                    .isInstanceOfSatisfying(BatchUpdateException.class, e -> {
                        List<SQLException> failures = failures(e);
                        assertThat(failures)
                                .hasSize(AT_ONCE + 2)
                                .extracting(SQLException::getSQLState)
                                .containsOnly("HY008");
                        assertThat(failures.subList(0, AT_ONCE))
                                .extracting(Throwable::getMessage)
                                .allSatisfy(
                                        message -> assertThat(message).contains("may or may not have been applied"));
                        assertThat(failures.subList(AT_ONCE, AT_ONCE + 2))
                                .allSatisfy(
                                        each -> assertThat(each.getMessage()).contains("so it has written nothing"));
                    });
            link.release();
            slow.unwrap(CqlSession.class).close();
        } finally {
            executor.shutdownNow();
        }
        assertThat(rows("SELECT name FROM item WHERE id = 0")).isEqualTo(Collections.singletonList(List.of("row")));
        assertThat(stored()).isEqualTo(2 + AT_ONCE);
    }

    /** Others change the same rows, one by one and in transactions: nothing is lost, and no entry fails. */
    @Test
    void shouldLoseNothingBesideOthers() throws Exception {
        for (int id = 0; id < 4; id++) {
            batch("INSERT INTO item (id, stock) VALUES (" + id + ", 0)");
        }
        ExecutorService executor = Executors.newFixedThreadPool(3);
        try {
            List<Future<Integer>> all = new ArrayList<>();
            for (int thread = 0; thread < 3; thread++) {
                boolean inTransactions = thread == 0;
                all.add(executor.submit(() -> {
                    int written = 0;
                    try (Connection own = cluster.connect();
                            PreparedStatement add =
                                    own.prepareStatement("UPDATE item SET stock = stock + 1 WHERE id = ?")) {
                        own.setAutoCommit(!inTransactions);
                        for (int round = 0; round < 5; round++) {
                            for (int i = 0; i < 8; i++) {
                                add(add, i % 5);
                            }
                            try {
                                int count = IntStream.of(add.executeBatch()).sum();
                                if (inTransactions) {
                                    own.commit();
                                }
                                written += count;
                            } catch (SQLException others) {
                                if (!inTransactions) {
                                    throw others;
                                }
                                own.rollback();
                            }
                        }
                    }
                    return written;
                }));
            }
            int written = 0;
            for (Future<Integer> each : all) {
                written += each.get();
            }
            int stock = 0;
            for (List<Object> row : rows("SELECT stock FROM item WHERE id IN (0, 1, 2, 3)")) {
                stock += (Integer) row.get(0);
            }
            assertThat(stock).isEqualTo(written).isGreaterThanOrEqualTo(2 * 5 * 7);
        } finally {
            executor.shutdownNow();
        }
    }
}
