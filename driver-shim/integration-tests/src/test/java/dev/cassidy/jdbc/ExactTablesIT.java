package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.cql.WriteModeException;
import dev.cassidy.sequence.IdentityType;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tables whose writes are exact, on one node: effects, counts and errors are SQL Server's. */
class ExactTablesIT {

    private static final String KEYSPACE = "exact_it";

    /** 2^42 microseconds. */
    private static final long FRESH = 4_398_046_511_104L;

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    @BeforeAll
    static void create() throws SQLException {
        cluster = TestCluster.fresh(KEYSPACE);
        TestCluster.install("cassidy");
        try (Connection connection = cluster.open();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE [item] (id INT IDENTITY PRIMARY KEY, name NVARCHAR(50), stock INT, price DECIMAL(10,2))");
            statement.execute(
                    "CREATE TABLE [code] (code NVARCHAR(10) PRIMARY KEY, name NVARCHAR(50), n INT DEFAULT 7)");
            statement.execute(
                    "CREATE TABLE [line] (o INT, no INT, qty INT, note NVARCHAR(20), PRIMARY KEY (o, no)) WITH (exact)");
            statement.execute("CREATE TABLE [entry] (o INT, id INT IDENTITY, note NVARCHAR(20), PRIMARY KEY (o, id))");
            statement.execute("CREATE TABLE [free] (id INT IDENTITY PRIMARY KEY, name NVARCHAR(50)) WITH (plain)");
            statement.execute("CREATE TABLE [every] (id INT IDENTITY PRIMARY KEY, name NVARCHAR(50)) WITH (serial)");
        }
    }

    private int run(String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            return statement.executeUpdate();
        }
    }

    private int insert(String name, int stock) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO item (name, stock) VALUES (?, ?)", Statement.RETURN_GENERATED_KEYS)) {
            insert.setString(1, name);
            insert.setInt(2, stock);
            insert.executeUpdate();
            try (ResultSet keys = insert.getGeneratedKeys()) {
                assertThat(keys.next()).isTrue();
                return keys.getInt(1);
            }
        }
    }

    private List<List<Object>> rows(String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            try (ResultSet found = statement.executeQuery()) {
                List<List<Object>> rows = new ArrayList<>();
                while (found.next()) {
                    List<Object> row = new ArrayList<>();
                    for (int i = 1; i <= found.getMetaData().getColumnCount(); i++) {
                        row.add(found.getObject(i));
                    }
                    rows.add(row);
                }
                return rows;
            }
        }
    }

    private static Row stored(String cql) {
        return TestCluster.session().execute(cql.replace("$", KEYSPACE)).one();
    }

    @Test
    void shouldCountTheRowsThatAreThere() throws SQLException {
        int id = insert("kettle", 3);
        assertThat(run("UPDATE item SET stock = ? WHERE id = ?", 4, id)).isEqualTo(1);
        assertThat(run("UPDATE item SET stock = ? WHERE id = ? AND stock = ?", 5, id, 4))
                .isEqualTo(1);
        assertThat(run("UPDATE item SET stock = ? WHERE id = ? AND stock = ?", 6, id, 4))
                .isZero();
        assertThat(run("UPDATE item SET stock = stock + 10 WHERE id = ? AND stock < 6", id))
                .isEqualTo(1);
        assertThat(rows("SELECT * FROM item WHERE id = ?", id))
                .containsExactly(java.util.Arrays.asList(id, "kettle", 15, null));
        assertThat(run("DELETE FROM item WHERE id = ?", id)).isEqualTo(1);
        assertThat(run("DELETE FROM item WHERE id = ?", id)).isZero();
        assertThat(rows("SELECT * FROM item WHERE id = ?", id)).isEmpty();
    }

    @Test
    void shouldLeaveNoGhostWhereNoRowIs() throws SQLException {
        assertThat(run("UPDATE item SET name = 'ghost', price = 1 WHERE id = ?", 900_000))
                .isZero();
        assertThat(run("UPDATE item SET stock = stock + 1 WHERE id = ?", 900_000))
                .isZero();
        assertThat(run("UPDATE item SET name = NULL WHERE id = ?", 900_000)).isZero();
        assertThat(stored("SELECT * FROM $.item WHERE id = 900000")).isNull();
    }

    @Test
    void shouldKeepARowWhoseColumnsAreAllNull() throws SQLException {
        int id = insert("pan", 1);
        assertThat(run("UPDATE item SET name = NULL, stock = NULL WHERE id = ?", id))
                .isEqualTo(1);
        assertThat(run("UPDATE item SET stock = stock + 1 WHERE id = ?", id)).isEqualTo(1);
        assertThat(rows("SELECT name, stock FROM item WHERE id = ?", id))
                .containsExactly(java.util.Arrays.asList(null, null));
        assertThat(run("UPDATE item SET stock = stock + 1, name = 'pan' WHERE id = ?", id))
                .isEqualTo(1);
        assertThat(rows("SELECT name, stock FROM item WHERE id = ?", id))
                .containsExactly(java.util.Arrays.asList("pan", null));
    }

    @Test
    void shouldWriteNewRowsPlainlyBeforeEveryOtherWrite() throws SQLException {
        int id = insert("mug", 2);
        String times =
                "SELECT WRITETIME(name) AS written, WRITETIME(cassidy_tx) AS marked, cassidy_tx FROM $.item WHERE id = ";
        Row row = stored(times + id);
        assertThat(row.getLong("written")).isEqualTo(FRESH);
        assertThat(row.getLong("marked")).isEqualTo(FRESH);
        assertThat(row.getByteBuffer("cassidy_tx").get(0)).isEqualTo((byte) 0xff);
        assertThat(run("UPDATE item SET name = 'cup' WHERE id = ?", id)).isEqualTo(1);
        assertThat(stored(times + id).getLong("written")).isGreaterThan(1_700_000_000_000_000L);
        assertThat(stored(times + id).getLong("marked")).isEqualTo(FRESH);
    }

    @Test
    void shouldInsertManyNewRowsTogether() throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO item (name, stock) VALUES (?, ?)", Statement.RETURN_GENERATED_KEYS)) {
            for (int i = 0; i < 50; i++) {
                insert.setString(1, "row" + i);
                insert.setInt(2, i);
                insert.addBatch();
            }
            assertThat(insert.executeBatch()).hasSize(50).containsOnly(1);
            List<Integer> ids = new ArrayList<>();
            try (ResultSet keys = insert.getGeneratedKeys()) {
                while (keys.next()) {
                    ids.add(keys.getInt(1));
                }
            }
            assertThat(ids).hasSize(50).doesNotHaveDuplicates();
            for (int id : ids) {
                assertThat(stored("SELECT WRITETIME(name) AS w FROM $.item WHERE id = " + id)
                                .getLong("w"))
                        .isEqualTo(FRESH);
            }
            assertThat(run("UPDATE item SET stock = 100 WHERE id IN (?, ?, ?)", ids.get(0), 900_001, ids.get(1)))
                    .isEqualTo(2);
        }
        assertThat(run("INSERT INTO item (name) VALUES ('a'), ('b')")).isEqualTo(2);
        assertThat(rows("SELECT SCOPE_IDENTITY()")).hasSize(1);
    }

    @Test
    void shouldWriteNewRowsAtTheCommit() throws SQLException {
        connection.setAutoCommit(false);
        int id = insert("in a transaction", 1);
        int other = insert("in the same", 2);
        assertThat(stored("SELECT * FROM $.item WHERE id = " + id)).isNull();
        assertThat(run("UPDATE item SET stock = 9 WHERE id = ?", id))
                .as("the row is not there, and will be")
                .isEqualTo(1);
        connection.commit();
        connection.setAutoCommit(true);
        for (int each : List.of(id, other)) {
            assertThat(stored("SELECT WRITETIME(name) AS w FROM $.item WHERE id = " + each)
                            .getLong("w"))
                    .isEqualTo(FRESH);
        }
        assertThat(run("DELETE FROM item WHERE id IN (?, ?)", id, other)).isEqualTo(2);
    }

    @Test
    void shouldRefuseTheSameKeyAgain() throws SQLException {
        assertThat(run("INSERT INTO code (code, name) VALUES ('A', 'first')")).isEqualTo(1);
        assertThatExceptionOfType(SQLIntegrityConstraintViolationException.class)
                .isThrownBy(() -> run("INSERT INTO code (code, name) VALUES ('A', 'second')"))
                .returns(2627, SQLException::getErrorCode);
        assertThat(rows("SELECT * FROM code WHERE code = 'A'")).containsExactly(List.of("A", "first", 7));
        assertThatExceptionOfType(SQLIntegrityConstraintViolationException.class)
                .isThrownBy(
                        () -> run("INSERT INTO code (code, name) VALUES ('B', 'new'), ('A', 'second'), ('C', 'new')"))
                .withMessageContaining("1 of 3, were written")
                .returns(2627, SQLException::getErrorCode);
        assertThat(rows("SELECT name FROM code WHERE code IN ('A', 'B', 'C')"))
                .containsExactlyInAnyOrder(List.of("first"), List.of("new"));
        assertThat(run("INSERT INTO code (code, name) VALUES ('D', 'x'), ('E', 'y')"))
                .isEqualTo(2);
        assertThat(run("DELETE FROM code WHERE code = 'A'")).isEqualTo(1);
        assertThat(run("INSERT INTO code (code) VALUES ('A')")).isEqualTo(1);
        assertThat(rows("SELECT * FROM code WHERE code = 'A'")).containsExactly(java.util.Arrays.asList("A", null, 7));
    }

    @Test
    void shouldWriteEachRowOfAPartition() throws SQLException {
        for (int no = 1; no <= 3; no++) {
            assertThat(run("INSERT INTO line VALUES (1, ?, ?, 'x')", no, 10 * no))
                    .isEqualTo(1);
        }
        assertThat(run("UPDATE line SET qty = qty + 1 WHERE o = 1")).isEqualTo(3);
        assertThat(run("UPDATE line SET note = 'y' WHERE o = 1 AND qty > ?", 11))
                .isEqualTo(2);
        assertThat(rows("SELECT * FROM line WHERE o = 1"))
                .containsExactly(List.of(1, 1, 11, "x"), List.of(1, 2, 21, "y"), List.of(1, 3, 31, "y"));
        assertThat(run("DELETE FROM line WHERE o = 1 AND no >= 2")).isEqualTo(2);
        assertThat(run("DELETE FROM line WHERE o = 1")).isEqualTo(1);
        assertThat(run("DELETE FROM line WHERE o = 1")).isZero();
        assertThat(rows("SELECT * FROM line WHERE o = 1")).isEmpty();
    }

    /** A deletion of the partition would hide a row that is inserted later at an earlier time. */
    @Test
    void shouldInsertUnderAConditionWhereTheIdentityIsNoPartition() throws SQLException {
        assertThat(run("INSERT INTO entry (o, note) VALUES (1, 'first')")).isEqualTo(1);
        assertThat(stored("SELECT WRITETIME(note) AS w FROM $.entry WHERE o = 1")
                        .getLong("w"))
                .isGreaterThan(1_700_000_000_000_000L);
        assertThat(run("DELETE FROM entry WHERE o = 1")).isEqualTo(1);
        assertThat(run("INSERT INTO entry (o, note) VALUES (1, 'second')")).isEqualTo(1);
        assertThat(rows("SELECT note FROM entry WHERE o = 1")).containsExactly(List.of("second"));
    }

    @Test
    void shouldHideTheMark() throws SQLException {
        insert("shown", 1);
        try (Statement statement = connection.createStatement();
                ResultSet all = statement.executeQuery("SELECT TOP 1 * FROM item WITH (NOLOCK)")) {
            assertThat(all.getMetaData().getColumnCount()).isEqualTo(4);
        }
        List<String> columns = new ArrayList<>();
        try (ResultSet found = connection.getMetaData().getColumns(null, null, "item", null)) {
            while (found.next()) {
                columns.add(found.getString("COLUMN_NAME"));
            }
        }
        assertThat(columns).containsExactly("id", "name", "stock", "price");
        assertThat(rows("SELECT COLUMN_NAME FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'code'"))
                .containsExactly(List.of("code"), List.of("name"), List.of("n"));
    }

    @Test
    void shouldServeExactAndPlainTablesByTheirContract() throws SQLException {
        assertThat(run("INSERT INTO free (name) VALUES ('x')")).isEqualTo(1);
        assertThat(stored("SELECT WRITETIME(name) AS w FROM $.free LIMIT 1").getLong("w"))
                .isGreaterThan(1_700_000_000_000_000L);
        assertThat(run("INSERT INTO every (name) VALUES ('x')")).isEqualTo(1);
        Row row = stored("SELECT id, WRITETIME(name) AS w FROM $.every LIMIT 1");
        assertThat(row.getLong("w")).isEqualTo(FRESH);
        assertThat(run("UPDATE every SET name = 'y' WHERE id = ?", row.getInt("id")))
                .isEqualTo(1);
        assertThat(run("UPDATE every SET name = 'y' WHERE id = 77777")).isZero();
    }

    @Test
    void shouldTellOfARowWithoutItsMark() {
        TestCluster.session()
                .execute("INSERT INTO exact_it.code (cassidy_eq_code, code, name) VALUES ('raw', 'raw', 'by CQL')");
        assertThatThrownBy(() -> run("UPDATE code SET name = 'x' WHERE code = 'raw'"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("lacks its mark");
        assertThatThrownBy(() -> run("DELETE FROM code WHERE code = 'raw'"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("lacks its mark");
    }

    @Test
    void shouldRefuseWhatIsNotExact() throws SQLException {
        IdentitySession session = connection.unwrap(IdentitySession.class);
        assertThatExceptionOfType(WriteModeException.class)
                .isThrownBy(() -> session.execute("UPDATE exact_it.item SET name = 'x' WHERE id = 1"))
                .withMessageContaining("cassidy_tx >= 0xff");
        assertThatExceptionOfType(WriteModeException.class)
                .isThrownBy(() -> session.execute("UPDATE exact_it.item SET name = 'x' WHERE id = 1 IF EXISTS"))
                .withMessageContaining("cassidy_tx >= 0xff");
        assertThatExceptionOfType(WriteModeException.class)
                .isThrownBy(() -> session.execute("INSERT INTO exact_it.code (code) VALUES ('k')"))
                .withMessageContaining("IF NOT EXISTS");
        assertThatExceptionOfType(WriteModeException.class)
                .isThrownBy(() -> session.execute("INSERT INTO exact_it.item (name) VALUES ('k') USING TTL 5"))
                .withMessageContaining("TTL");
        assertThatExceptionOfType(WriteModeException.class)
                .isThrownBy(() -> session.execute("INSERT INTO exact_it.item (name) VALUES ('k') USING TIMESTAMP 5"))
                .withMessageContaining("time of its own");
        assertThatExceptionOfType(WriteModeException.class)
                .isThrownBy(() -> session.execute("INSERT INTO exact_it.item (name, cassidy_tx) VALUES ('k', 0x00)"))
                .withMessageContaining("mark");
        assertThatThrownBy(() -> run("ALTER TABLE item DROP COLUMN cassidy_tx"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("cassidy_tx");
        assertThat(session.execute("INSERT INTO exact_it.item (name) VALUES ('by the driver')")
                        .wasApplied())
                .isTrue();
        assertThat(session.execute("UPDATE exact_it.item SET name = 'x' WHERE id = 912345 IF cassidy_tx >= 0xff")
                        .wasApplied())
                .isFalse();
        assertThatExceptionOfType(SQLFeatureNotSupportedException.class)
                .isThrownBy(() -> run("CREATE TABLE [own] (id INT PRIMARY KEY, cassidy_tx INT)"));
        assertThatExceptionOfType(SQLFeatureNotSupportedException.class)
                .isThrownBy(() -> run("CREATE TABLE [far] (id INT PRIMARY KEY) WITH (home = 'mars')"))
                .withMessageContaining("datacenter");
    }

    /** Its contract is another installation's, or was lost. */
    @Test
    void shouldNotWriteATableThatIsMarkedAndNotDeclared() {
        cluster.cql("CREATE TABLE $.foreign_marked (id int PRIMARY KEY, name text, cassidy_tx blob)");
        assertThatThrownBy(() -> run("INSERT INTO foreign_marked (id, name) VALUES (1, 'x')"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("cassidy_tx");
        assertThat(stored("SELECT * FROM $.foreign_marked WHERE id = 1")).isNull();
        for (String sql : List.of(
                "UPDATE foreign_marked SET name = 'x' WHERE id = 1", "DELETE FROM foreign_marked WHERE id = 1")) {
            assertThatThrownBy(() -> run(sql))
                    .as(sql)
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("cassidy_tx");
        }
    }

    /** Cassandra hides what is earlier than the end of a column that had the name. */
    @Test
    void shouldKeepTheValuesOfAColumnThatWasDroppedAndAddedAgain() throws SQLException {
        run("CREATE TABLE [again] (id INT IDENTITY PRIMARY KEY, name NVARCHAR(20), n INT)");
        run("INSERT INTO again (name, n) VALUES ('a', 1)");
        run("ALTER TABLE again DROP COLUMN name");
        run("INSERT INTO again (n) VALUES (2)");
        run("ALTER TABLE again ADD name NVARCHAR(30)");
        assertThat(run("INSERT INTO again (name, n) VALUES ('b', 3)")).isEqualTo(1);
        assertThat(rows("SELECT name, n FROM again WHERE id = 3")).containsExactly(List.of("b", 3));
        assertThat(run("UPDATE again SET n = 4 WHERE id = 3 AND name = 'b'")).isEqualTo(1);
    }

    /** If the statement is sent twice, both write the same. */
    @Test
    void shouldWriteOneTimeAndOneUuidHoweverOftenItIsSent() throws SQLException {
        run("CREATE TABLE [stamp] (id INT IDENTITY PRIMARY KEY, at DATETIME, t UNIQUEIDENTIFIER, n INT)");
        assertThat(run("INSERT INTO stamp (n, at, t) VALUES (?, GETDATE(), NEWID())", 7))
                .isEqualTo(1);
        Row row = stored("SELECT WRITETIME(at) AS w, WRITETIME(t) AS x, at, t, n FROM $.stamp");
        assertThat(List.of(row.getLong("w"), row.getLong("x"))).containsOnly(FRESH);
        assertThat(row.getInstant("at"))
                .isBetween(Instant.now().minusSeconds(600), Instant.now().plusSeconds(600));
        assertThat(row.getUuid("t")).isNotNull();
        assertThat(row.getInt("n")).isEqualTo(7);
        connection.setAutoCommit(false);
        assertThat(run("INSERT INTO stamp (at, t, n) VALUES (GETDATE(), NEWID(), 8), (GETDATE(), NEWID(), 9)"))
                .isEqualTo(2);
        connection.commit();
        connection.setAutoCommit(true);
        assertThat(cluster.keyspace()).isEqualTo(KEYSPACE);
        assertThat(stored("SELECT COUNT(*) FROM $.stamp").getLong(0)).isEqualTo(3);
    }

    @Test
    void shouldNotTakeADefaultOfASequenceForNew() throws SQLException {
        run("CREATE TABLE [ticket] (id BIGINT PRIMARY KEY, title NVARCHAR(20), extra NVARCHAR(20))");
        run("INSERT INTO ticket (id, title) VALUES (1, 'by hand')");
        run("CREATE SEQUENCE exact_tickets START WITH 1");
        run("ALTER TABLE ticket ADD CONSTRAINT d DEFAULT NEXT VALUE FOR exact_tickets FOR id");
        assertThatExceptionOfType(SQLIntegrityConstraintViolationException.class)
                .isThrownBy(() -> run("INSERT INTO ticket (title, extra) VALUES ('drawn', 'x')"))
                .returns(2627, SQLException::getErrorCode);
        IdentitySession session = connection.unwrap(IdentitySession.class);
        assertThatExceptionOfType(WriteModeException.class)
                .isThrownBy(() -> session.execute("INSERT INTO exact_it.ticket (title, extra) VALUES ('drawn', 'x')"))
                .withMessageContaining("IF NOT EXISTS");
        run("CREATE SEQUENCE exact_numbers START WITH 1");
        run("CREATE TABLE [numbered] (id BIGINT DEFAULT NEXT VALUE FOR exact_numbers PRIMARY KEY, name NVARCHAR(9))");
        run("INSERT INTO numbered (name) VALUES ('drawn')");
        assertThat(stored("SELECT WRITETIME(name) AS w FROM $.numbered").getLong("w"))
                .as("the sequence may have given numbers to others")
                .isGreaterThan(1_700_000_000_000_000L);
        assertThatExceptionOfType(WriteModeException.class)
                .isThrownBy(() -> session.execute("INSERT INTO exact_it.numbered (name) VALUES ('drawn')"))
                .withMessageContaining("IF NOT EXISTS");
        assertThat(rows("SELECT * FROM ticket WHERE id = 1"))
                .containsExactly(java.util.Arrays.asList(1L, "by hand", null));
    }

    @Test
    void shouldNotLeaveOutRowsThatWaitForTheCommit() throws SQLException {
        int there = insert("there", 1);
        connection.setAutoCommit(false);
        int waiting = insert("waiting", 1);
        assertThat(run("DELETE FROM item WHERE id IN (?, ?)", there, waiting)).isEqualTo(2);
        assertThat(run("UPDATE item SET stock = 5 WHERE id = ? AND stock = 77", there))
                .as("it is deleted")
                .isZero();
        connection.rollback();
        connection.setAutoCommit(true);
        assertThat(rows("SELECT stock FROM item WHERE id = ?", there)).containsExactly(List.of(1));
    }

    /** A batch has one level and one time, and its statements' own are of no effect. */
    @Test
    void shouldKeepTheLevelsOfBatches() throws SQLException {
        IdentitySession session = connection.unwrap(IdentitySession.class);
        SimpleStatement plain = SimpleStatement.newInstance("INSERT INTO exact_it.free (name) VALUES ('x')")
                .setConsistencyLevel(ConsistencyLevel.ONE);
        com.datastax.oss.driver.api.core.cql.Statement<?> sent = session.fillAsync(
                        BatchStatement.newInstance(BatchType.UNLOGGED, plain).setConsistencyLevel(ConsistencyLevel.ALL))
                .toCompletableFuture()
                .join()
                .statement();
        assertThat(sent.getConsistencyLevel()).isEqualTo(ConsistencyLevel.ALL);
        SimpleStatement fresh = SimpleStatement.newInstance("INSERT INTO exact_it.item (name) VALUES ('x')");
        com.datastax.oss.driver.api.core.cql.Statement<?> exact = session.fillAsync(
                        BatchStatement.newInstance(BatchType.UNLOGGED, fresh).setConsistencyLevel(ConsistencyLevel.ONE))
                .toCompletableFuture()
                .join()
                .statement();
        assertThat(exact.getConsistencyLevel()).isEqualTo(ConsistencyLevel.LOCAL_QUORUM);
        assertThat(exact.getQueryTimestamp()).isEqualTo(FRESH);
        assertThatExceptionOfType(WriteModeException.class)
                .isThrownBy(() -> session.execute(BatchStatement.newInstance(BatchType.UNLOGGED, fresh, plain)))
                .withMessageContaining("one time");
        assertThatExceptionOfType(WriteModeException.class)
                .isThrownBy(() -> session.execute("BEGIN BATCH UPDATE exact_it.code SET name = 'g' WHERE code = 'q' IF"
                        + " cassidy_tx >= 0xff; UPDATE exact_it.code SET n = 1 WHERE code = 'q'; APPLY BATCH"));
        assertThatExceptionOfType(WriteModeException.class)
                .isThrownBy(() -> session.execute(
                        "UPDATE exact_it.code SET name = 'x' WHERE code = 'q' IF name =" + " 'cassidy_tx >= 0xff'"));
        assertThatExceptionOfType(WriteModeException.class)
                .isThrownBy(() ->
                        session.execute("DELETE cassidy_tx FROM exact_it.code WHERE code = 'q' IF cassidy_tx >= 0xff"));
    }

    /** The word is a type of Cassandra's, whose rows could not be exact, and here it is a name. */
    @Test
    void shouldWriteTablesExactlyThatAreCalledCounter() throws SQLException {
        run("CREATE TABLE counter (id INT PRIMARY KEY, counter INT)");
        run("CREATE TABLE dbo.static (id INT PRIMARY KEY, n INT)");

        assertThat(run("UPDATE counter SET counter = 1 WHERE id = 1")).isZero();
        assertThat(run("UPDATE dbo.static SET n = 1 WHERE id = 1")).isZero();
        run("DROP TABLE counter");
        run("DROP TABLE dbo.static");
    }

    @Test
    void shouldWriteATableOfBothLanguagesExactly() throws SQLException {
        run("CREATE TABLE both_languages (id int PRIMARY KEY, qty int, at timestamp) WITH comment = 'CQL'");
        run("CREATE TABLE IF NOT EXISTS both_languages (id int PRIMARY KEY)");
        run("CREATE TABLE visits (id int PRIMARY KEY, n counter)");

        assertThat(run("INSERT INTO both_languages (id, qty) VALUES (1, 2)")).isEqualTo(1);
        assertThatExceptionOfType(SQLIntegrityConstraintViolationException.class)
                .isThrownBy(() -> run("INSERT INTO both_languages (id, qty) VALUES (1, 3)"));
        assertThat(run("UPDATE both_languages SET qty = 5 WHERE id = 2")).isZero();
        assertThat(rows("SELECT * FROM both_languages WHERE id = ?", 1)).containsExactly(Arrays.asList(1, null, 2));
        run("ALTER TABLE both_languages ADD small tinyint");
        assertThat(run("UPDATE both_languages SET small = -1 WHERE id = 1"))
                .as("the types are CQL's")
                .isEqualTo(1);
    }

    /** Cassandra hides what is earlier than the end of the column before, also in a table of which T-SQL has said nothing. */
    @Test
    void shouldKeepTheValuesOfAColumnThatIsAddedAgainToATableOfCql() throws SQLException {
        cluster.cql("CREATE TABLE $.renewed (id int PRIMARY KEY)");
        cluster.identity("renewed", "id", IdentityType.INT, 1);
        cluster.cql("DROP TABLE $.renewed");
        run("CREATE TABLE renewed (id int PRIMARY KEY, a text, b text)");
        assertThat(run("INSERT INTO renewed (a, b) VALUES ('first', 'x')")).isEqualTo(1);
        run("ALTER TABLE renewed DROP b");
        run("ALTER TABLE renewed ADD b text");

        assertThat(run("INSERT INTO renewed (a, b) VALUES ('second', 'y')")).isEqualTo(1);

        assertThat(rows("SELECT a, b FROM renewed")).contains(List.of("second", "y"));
    }

    /** CQL's CREATE TABLE with what no condition serves makes a plain table, and an exact one does not become such a table. */
    @Test
    void shouldLeaveWhatCannotBeExactPlain() throws SQLException {
        run("CREATE TABLE tagged (p int, c int, tags set<text> static, v text, PRIMARY KEY (p, c))");
        run("CREATE TABLE expiring (id int PRIMARY KEY, v text) WITH default_time_to_live = 3600");
        run("CREATE TABLE [hits] (page NVARCHAR(50) PRIMARY KEY, n COUNTER)");
        for (String plain : List.of(
                "UPDATE tagged SET v = 'x' WHERE p = 1 AND c = 2", "UPDATE expiring SET v = 'x' WHERE id = 1")) {
            assertThat(run(plain)).as(plain).isEqualTo(1);
        }
        assertThat(run("UPDATE hits SET n = n + 1 WHERE page = 'a'")).isEqualTo(1);
        for (String refused : List.of(
                "CREATE TABLE refused (id INT PRIMARY KEY, v INT) WITH (exact) WITH default_time_to_live = 60",
                "ALTER TABLE item ADD s text static",
                "ALTER TABLE item WITH default_time_to_live = 60")) {
            assertThatExceptionOfType(SQLFeatureNotSupportedException.class)
                    .as(refused)
                    .isThrownBy(() -> run(refused))
                    .withMessageContaining("WITH (plain)");
        }
        run("CREATE TABLE described (id int PRIMARY KEY, v text) WITH default_time_to_live = 0");
        assertThat(run("UPDATE described SET v = 'x' WHERE id = 1")).isZero();
    }

    /** Also if no row is there that it would change. */
    @Test
    void shouldRefuseWhatIsWrongWithAStatement() throws SQLException {
        run("CREATE TABLE ruled (id INT PRIMARY KEY, name NVARCHAR(5), n INT CHECK (n > 0), f FLOAT)");
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> run("UPDATE ruled SET n = 1, n = 2 WHERE id = 1"))
                .returns(264, SQLException::getErrorCode);
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> run("UPDATE ruled SET no = ? WHERE id IN (?, ?)", 1, 2, 3))
                .returns(207, SQLException::getErrorCode);
        assertThat(run("UPDATE ruled SET name = 'too long' WHERE id = 1")).isZero();
        run("INSERT INTO ruled (id, name, n) VALUES (1, 'a', 1)");
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> run("UPDATE ruled SET name = 'too long' WHERE id = 1"))
                .returns(2628, SQLException::getErrorCode);
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> run("UPDATE ruled SET n = ? WHERE id IN (1, 2)", 0))
                .returns(547, SQLException::getErrorCode);
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> run("UPDATE ruled SET f = ? WHERE id = 1", Double.NaN))
                .returns(8023, SQLException::getErrorCode);
        assertThat(rows("SELECT name, n FROM ruled WHERE id = ?", 1)).containsExactly(List.of("a", 1));
    }

    @Test
    void shouldRoundAndCountDecimals() throws SQLException {
        int id = insert("priced", 1);
        assertThat(run("UPDATE item SET price = ? WHERE id = ?", new BigDecimal("1.50"), id))
                .isEqualTo(1);
        assertThat(run("UPDATE item SET price = price - 0.25 WHERE id = ? AND price >= 0.25", id))
                .isEqualTo(1);
        assertThat(rows("SELECT price FROM item WHERE id = ?", id)).containsExactly(List.of(new BigDecimal("1.25")));
    }
}
