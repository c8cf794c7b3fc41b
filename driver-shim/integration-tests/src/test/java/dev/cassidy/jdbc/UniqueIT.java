package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.definition.Reservations;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLNonTransientException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** UNIQUE on one node: no two rows have one value, whoever writes them and however. */
class UniqueIT {

    private static final String KEYSPACE = "unique_it";

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    @AutoClose
    private final Connection other = cluster.open();

    @BeforeAll
    static void create() {
        cluster = TestCluster.fresh(KEYSPACE);
        TestCluster.install("cassidy");
    }

    private static int run(Connection on, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = on.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            return statement.executeUpdate();
        }
    }

    private int run(String sql, Object... parameters) throws SQLException {
        return run(connection, sql, parameters);
    }

    private List<Object> column(String sql, Object... parameters) throws SQLException {
        return column(connection, sql, parameters);
    }

    private static List<Object> column(Connection on, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = on.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            List<Object> found = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(rows.getObject(1));
                }
            }
            return found;
        }
    }

    private static void assertDuplicate(ThrowingCallable statement, int error, String... said) {
        assertThatThrownBy(statement)
                .isInstanceOf(SQLIntegrityConstraintViolationException.class)
                .satisfies(e -> {
                    for (String each : said) {
                        assertThat(e.getMessage()).contains(each);
                    }
                    assertThat(((SQLException) e).getErrorCode()).isEqualTo(error);
                    assertThat(((SQLException) e).getSQLState()).isEqualTo("23000");
                });
    }

    @Test
    void shouldRefuseASecondRowWithAValue() throws SQLException {
        run("CREATE TABLE account (id INT IDENTITY PRIMARY KEY, email NVARCHAR(50) NOT NULL, name NVARCHAR(50),"
                + " CONSTRAINT UQ_account_email UNIQUE (email))");

        run("INSERT INTO account (email, name) VALUES (?, ?)", "ann@example.org", "Ann");
        assertDuplicate(
                () -> run("INSERT INTO account (email, name) VALUES (?, ?)", "ann@example.org", "Anna"),
                2627,
                "UNIQUE KEY constraint 'UQ_account_email'",
                "(ann@example.org)");
        assertDuplicate(
                () -> run("INSERT INTO account (email) VALUES ('ANN@example.org  ')"), 2627, "UQ_account_email");
        run("INSERT INTO account (email, name) VALUES (?, ?)", "bob@example.org", "Bob");
        assertThat(column("SELECT name FROM account")).containsExactlyInAnyOrder("Ann", "Bob");
    }

    @Test
    void shouldMoveAndFreeValuesWithTheirRows() throws SQLException {
        run("CREATE TABLE seat (id INT PRIMARY KEY, label NVARCHAR(20) UNIQUE, note NVARCHAR(20))");
        run("INSERT INTO seat (id, label) VALUES (1, 'a'), (2, 'b')");

        assertDuplicate(() -> run("UPDATE seat SET label = 'b' WHERE id = 1"), 2627, "(b)");
        assertThat(run("UPDATE seat SET label = 'A' WHERE id = 1")).isEqualTo(1);
        assertThat(run("UPDATE seat SET label = 'c' WHERE id = 1")).isEqualTo(1);
        assertThat(run("UPDATE seat SET note = 'n' WHERE id = 1")).isEqualTo(1);
        run("INSERT INTO seat (id, label) VALUES (3, 'a')");
        assertThat(run("DELETE FROM seat WHERE id = 2")).isEqualTo(1);
        run("INSERT INTO seat (id, label) VALUES (4, 'b')");
        assertThat(run("UPDATE seat SET label = 'z' WHERE id = 99")).isZero();
        assertThat(run("DELETE FROM seat WHERE id = 99")).isZero();
        run("INSERT INTO seat (id, label) VALUES (5, 'z')");

        assertThat(column("SELECT label FROM seat")).containsExactlyInAnyOrder("c", "a", "b", "z");
    }

    @Test
    void shouldInsertWhatIsDrawnBesideTheTime() throws SQLException {
        run("CREATE SEQUENCE ticket_numbers AS INT START WITH 100");
        run("CREATE TABLE ticket (id INT IDENTITY PRIMARY KEY, number INT UNIQUE, twice INT, made DATETIME2,"
                + " day DATE, tag UNIQUEIDENTIFIER UNIQUE, name NVARCHAR(20))");
        String insert =
                "INSERT INTO ticket (number, twice, made, day, tag, name) VALUES (NEXT VALUE FOR ticket_numbers,"
                        + " NEXT VALUE FOR ticket_numbers, GETDATE(), GETDATE(), NEWID(), ?)";

        assertThat(run(insert, "a")).isEqualTo(1);
        assertThat(run(
                        "INSERT INTO ticket (name, made, number, tag) VALUES (?, GETDATE(), NEXT VALUE FOR ticket_numbers,"
                                + " NEWID()), (?, GETDATE(), NEXT VALUE FOR ticket_numbers, NEWID())",
                        "b",
                        "c"))
                .isEqualTo(2);
        connection.setAutoCommit(false);
        run(insert, "d");
        assertThat(column("SELECT name FROM ticket WHERE number = 103")).containsExactly("d");
        connection.commit();
        connection.setAutoCommit(true);
        assertDuplicate(() -> run("INSERT INTO ticket (number, made) VALUES (?, GETDATE())", 102), 2627, "(102)");

        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT * FROM ticket")) {
            List<String> found = new ArrayList<>();
            while (rows.next()) {
                String name = rows.getString("name");
                found.add(name + rows.getInt("number") + "/" + rows.getInt("twice"));
                Date day = rows.getDate("day");
                assertThat(rows.getTimestamp("made")).isNotNull();
                assertThat(rows.getString("tag")).isNotNull();
                assertThat(day == null).isEqualTo(name.equals("b") || name.equals("c"));
                assertThat(day == null || !day.toLocalDate().isBefore(LocalDate.of(2026, 1, 1)))
                        .isTrue();
            }
            assertThat(found).containsExactlyInAnyOrder("a100/100", "b101/0", "c102/0", "d103/103");
        }
    }

    @Test
    void shouldTakeNullForAValueAsSqlServerDoes() throws SQLException {
        run("CREATE TABLE nullable (id INT PRIMARY KEY, a INT, b INT, UNIQUE (a, b))");

        run("INSERT INTO nullable (id) VALUES (1)");
        assertDuplicate(() -> run("INSERT INTO nullable (id) VALUES (2)"), 2627, "(<NULL>, <NULL>)");
        run("INSERT INTO nullable (id, a) VALUES (3, 1)");
        run("INSERT INTO nullable (id, b) VALUES (4, 1)");
        assertDuplicate(() -> run("INSERT INTO nullable (id, a) VALUES (5, 1)"), 2627, "(1, <NULL>)");
        run("UPDATE nullable SET b = 2 WHERE id = 3");
        run("INSERT INTO nullable (id, a) VALUES (5, 1)");
    }

    @Test
    void shouldWriteAllRowsOfAStatementOrNone() throws SQLException {
        run("CREATE TABLE several (id INT PRIMARY KEY, v INT UNIQUE, w INT UNIQUE)");
        run("INSERT INTO several (id, v, w) VALUES (1, 1, 1)");

        assertDuplicate(() -> run("INSERT INTO several (id, v, w) VALUES (2, 2, 2), (3, 3, 1)"), 2627, "(1)");
        assertDuplicate(() -> run("INSERT INTO several (id, v, w) VALUES (2, 2, 2), (3, 2, 3)"), 2627, "(2)");
        assertThat(column("SELECT id FROM several")).containsExactly(1);
        run("INSERT INTO several (id, v, w) VALUES (2, 2, 2), (3, 3, 3)");
        assertDuplicate(() -> run("UPDATE several SET v = 7 WHERE id IN (2, 3)"), 2627, "(7)");
        assertThat(column("SELECT v FROM several WHERE id = 2")).containsExactly(2);
    }

    @Test
    void shouldKeepItWithinATransaction() throws SQLException {
        run("CREATE TABLE held (id INT IDENTITY PRIMARY KEY, v NVARCHAR(20) UNIQUE)");
        run("INSERT INTO held (v) VALUES ('a')");
        connection.setAutoCommit(false);

        run("INSERT INTO held (v) VALUES ('b')");
        assertDuplicate(() -> run("INSERT INTO held (v) VALUES ('B')"), 2627, "(B)");
        Savepoint savepoint = connection.setSavepoint();
        run("INSERT INTO held (v) VALUES ('c')");
        connection.rollback(savepoint);
        run("INSERT INTO held (v) VALUES ('c')");
        // Two rows exchange their values.
        List<Object> a = column("SELECT id FROM held WHERE id = ?", 1);
        assertThat(a).hasSize(1);
        run("UPDATE held SET v = 'x' WHERE id = ?", a.get(0));
        run("INSERT INTO held (v) VALUES ('a')");
        assertThat(column(other, "SELECT v FROM held")).containsExactly("a");
        connection.commit();

        assertThat(column("SELECT v FROM held")).containsExactlyInAnyOrder("x", "a", "b", "c");
        connection.commit();
        run("INSERT INTO held (v) VALUES ('d')");
        run(other, "INSERT INTO held (v) VALUES ('d')");
        assertDuplicate(connection::commit, 2627, "(d)", "rolled back");
        run("INSERT INTO held (v) VALUES ('e')");
        connection.rollback();
        run(other, "INSERT INTO held (v) VALUES ('e')");
    }

    @Test
    void shouldKeepAnIndexThatIsUnique() throws SQLException {
        run("CREATE TABLE indexed (id INT IDENTITY PRIMARY KEY, a NVARCHAR(20), b NVARCHAR(20))");
        run("CREATE UNIQUE INDEX UX_indexed ON indexed (a, b)");

        run("INSERT INTO indexed (a, b) VALUES ('x', 'y')");
        assertDuplicate(
                () -> run("INSERT INTO indexed (a, b) VALUES ('x', 'y')"),
                2601,
                "duplicate key row",
                "'UX_indexed'",
                "(x, y)");
        run("DROP INDEX UX_indexed ON indexed");
        run("INSERT INTO indexed (a, b) VALUES ('x', 'y')");

        // As Hibernate makes it of a column that may be NULL.
        run("CREATE TABLE filtered (id INT IDENTITY PRIMARY KEY, a NVARCHAR(20))");
        run("CREATE UNIQUE NONCLUSTERED INDEX UK_f ON filtered (a) WHERE a IS NOT NULL");
        run("INSERT INTO filtered (a) VALUES (NULL), (NULL), ('x')");
        assertDuplicate(() -> run("INSERT INTO filtered (a) VALUES ('x')"), 2601, "'UK_f'");
        List<Object> ids = column("SELECT id FROM filtered");
        assertDuplicate(
                () -> run("UPDATE filtered SET a = 'y' WHERE id IN (?, ?, ?)", ids.get(0), ids.get(1), ids.get(2)),
                2601);
    }

    @Test
    void shouldAddAndDropConstraintsOfATableWithoutRows() throws SQLException {
        run("CREATE TABLE later (id INT IDENTITY PRIMARY KEY, email VARCHAR(50))");
        run("ALTER TABLE later ADD CONSTRAINT UK_later UNIQUE (email)");

        run("INSERT INTO later (email) VALUES ('a')");
        assertDuplicate(() -> run("INSERT INTO later (email) VALUES ('a')"), 2627, "UK_later");
        assertThatThrownBy(() -> run("ALTER TABLE later ADD CONSTRAINT UK_more UNIQUE (id, email)"))
                .hasMessageContaining("has rows");
        run("ALTER TABLE later DROP CONSTRAINT UK_later");
        run("INSERT INTO later (email) VALUES ('a')");
    }

    @Test
    void shouldForgetTheValuesOfATableThatIsDropped() throws SQLException {
        for (int i = 0; i < 2; i++) {
            run("CREATE TABLE again (id INT IDENTITY PRIMARY KEY, v INT UNIQUE)");
            run("INSERT INTO again (v) VALUES (1)");
            assertDuplicate(() -> run("INSERT INTO again (v) VALUES (1)"), 2627, "(1)");
            run("DROP TABLE again");
        }
        try (Statement statement = connection.createStatement()) {
            assertThat(column("SELECT table_name FROM system_schema.tables WHERE keyspace_name = ?", KEYSPACE))
                    .doesNotContain("again");
            assertThat(statement).isNotNull();
        }
    }

    @Test
    void shouldLetOneOfManyWritersHaveAValue() throws Exception {
        run("CREATE TABLE race (id INT IDENTITY PRIMARY KEY, v INT UNIQUE, w INT)");
        int writers = 8;
        int values = 5;
        AtomicInteger inserted = new AtomicInteger();
        ExecutorService pool = Executors.newFixedThreadPool(writers);
        List<Callable<Void>> tasks = new ArrayList<>();
        for (int i = 0; i < writers; i++) {
            tasks.add(() -> {
                try (Connection own = cluster.open()) {
                    for (int n = 0; n < 40; n++) {
                        write(own, values, inserted);
                    }
                }
                return null;
            });
        }
        try {
            for (Future<Void> task : pool.invokeAll(tasks)) {
                task.get();
            }
        } finally {
            pool.shutdown();
        }
        List<Object> left = column("SELECT v FROM race");
        Set<Object> distinct = new HashSet<>(left);
        assertThat(left).hasSameSizeAs(distinct);
        assertThat(inserted.get()).isPositive();
        // No value is lost: each that no row has can be taken.
        for (int v = 0; v < values; v++) {
            if (!distinct.contains(v)) {
                run("INSERT INTO race (v) VALUES (?)", v);
            } else {
                int taken = v;
                assertDuplicate(() -> run("INSERT INTO race (v) VALUES (?)", taken), 2627, "(" + v + ")");
            }
        }
    }

    private static void write(Connection own, int values, AtomicInteger inserted) throws SQLException {
        int v = ThreadLocalRandom.current().nextInt(values);
        try {
            switch (ThreadLocalRandom.current().nextInt(3)) {
                case 0 -> inserted.addAndGet(run(own, "INSERT INTO race (v) VALUES (?)", v));
                case 1 -> {
                    for (Object id : column(own, "SELECT id FROM race")) {
                        run(own, "UPDATE race SET v = ? WHERE id = ?", v, id);
                        break;
                    }
                }
                default -> {
                    for (Object id : column(own, "SELECT id FROM race")) {
                        run(own, "DELETE FROM race WHERE id = ?", id);
                        break;
                    }
                }
            }
        } catch (SQLIntegrityConstraintViolationException e) {
            assertThat(e.getErrorCode()).isEqualTo(2627);
        } catch (SQLException e) {
            assertThat(e.getErrorCode()).as(e.getMessage()).isEqualTo(1205);
        }
    }

    @Test
    void shouldFindARowByItsValue() throws SQLException {
        run("CREATE TABLE users (tenant INT, id INT, email NVARCHAR(50) UNIQUE, name NVARCHAR(50), logins INT,"
                + " PRIMARY KEY (tenant, id))");
        run(
                "INSERT INTO users (tenant, id, email, name, logins) VALUES (1, 1, 'Ann@example.org', 'Ann', 0), (1, 2, 'bob@x', 'Bob', 5)");

        assertThat(column("SELECT name FROM users WHERE email = ?", "ann@EXAMPLE.org "))
                .containsExactly("Ann");
        assertThat(column("SELECT * FROM users WHERE email = 'ANN@example.org'"))
                .containsExactly(1);
        assertThat(column("SELECT name FROM users WHERE email = ? AND logins = 1", "ann@example.org"))
                .isEmpty();
        assertThat(column("SELECT name FROM users WHERE tenant = 2 AND email = 'ann@example.org'"))
                .isEmpty();
        assertThatThrownBy(() ->
                        run("UPDATE users SET name = 'x' WHERE email COLLATE Latin1_General_BIN2 = 'ann@example.org'"))
                .as("not by what the collation takes for equal")
                .isInstanceOf(SQLException.class);
        assertThat(column("SELECT COUNT(*) FROM users WHERE email = ?", "bob@x"))
                .containsExactly(1L);
        assertThat(column("SELECT COUNT(*) FROM users WHERE email = ?", "nobody"))
                .containsExactly(0L);
        assertThat(column("SELECT name FROM users WHERE email = ?", "nobody")).isEmpty();
        assertThat(column("SELECT name FROM users WHERE email = ?", (Object) null))
                .isEmpty();

        assertThat(run("UPDATE users SET logins = logins + 1 WHERE email = ?", "ANN@example.org"))
                .isEqualTo(1);
        assertThat(
                        run(
                                "UPDATE users SET name = 'Anna', email = 'anna@x' WHERE email = 'ann@example.ORG' AND logins = 1"))
                .isEqualTo(1);
        assertThat(run("UPDATE users SET name = 'x' WHERE email = ?", "ann@example.org"))
                .isZero();
        assertThat(run("DELETE FROM users WHERE email = ?", "nobody")).isZero();
        assertThat(run("DELETE FROM users WHERE email = ?", "BOB@X")).isEqualTo(1);
        assertThat(column("SELECT name FROM users")).containsExactly("Anna");
        try (PreparedStatement statement = connection.prepareStatement("SELECT name FROM users WHERE email = ?")) {
            assertThat(statement.getMetaData().getColumnName(1)).isEqualTo("name");
            assertThat(statement.getParameterMetaData().getParameterCount()).isEqualTo(1);
            assertThat(statement.getParameterMetaData().getParameterTypeName(1)).isEqualTo("nvarchar");
        }

        connection.setAutoCommit(false);
        run("INSERT INTO users (tenant, id, email, name) VALUES (2, 1, 'carl@x', 'Carl')");
        run("UPDATE users SET email = 'ann@y' WHERE email = 'anna@x'");
        assertThat(column("SELECT name FROM users WHERE email = 'CARL@x'")).containsExactly("Carl");
        assertThat(column("SELECT name FROM users WHERE email = 'ann@Y'")).containsExactly("Anna");
        assertThat(column("SELECT name FROM users WHERE email = 'anna@x'")).isEmpty();
        assertThat(column(other, "SELECT name FROM users WHERE email = 'carl@x'"))
                .isEmpty();
        assertThat(column(other, "SELECT name FROM users WHERE email = 'anna@x'"))
                .containsExactly("Anna");
        connection.commit();
        assertThat(column(other, "SELECT name FROM users WHERE email = 'carl@x'"))
                .containsExactly("Carl");
    }

    @Test
    void shouldFindARowByItsValueWithTheFirstStatementOfASession() throws SQLException {
        run("CREATE TABLE firsts (id INT IDENTITY PRIMARY KEY, v NVARCHAR(20) UNIQUE, w INT)");
        run("INSERT INTO firsts (v, w) VALUES ('a', 1), ('b', 2)");

        // What a session knows of tables is its own, and each of these knows nothing yet.
        try (Connection first = cluster.open("redactValues=true")) {
            assertThat(column(first, "SELECT w FROM firsts WHERE v = ?", "A")).containsExactly(1);
        }
        try (Connection first = cluster.open("fanOut=refuse")) {
            assertThat(run(first, "UPDATE firsts SET w = 3 WHERE v = 'a'")).isEqualTo(1);
        }
        try (Connection first = cluster.open("fanOut=warn")) {
            assertThat(run(first, "DELETE FROM firsts WHERE v = ?", "b")).isEqualTo(1);
        }
        assertThat(column("SELECT w FROM firsts")).containsExactly(3);
    }

    @Test
    void shouldRefuseWhatWouldBeWrittenPastTheReservations() throws SQLException {
        run("CREATE TABLE past (id INT IDENTITY PRIMARY KEY, v INT UNIQUE, w INT)");
        run("INSERT INTO past (v, w) VALUES (1, 1)");
        int id = (int) column("SELECT id FROM past").get(0);
        IdentitySession session = connection.unwrap(IdentitySession.class);
        for (String cql : List.of(
                "INSERT INTO past (v) VALUES (1)",
                "INSERT INTO past (id, v) VALUES (-5, 1) IF NOT EXISTS",
                "UPDATE past SET v = 2 WHERE id = " + id + " IF cassidy_tx >= 0xff",
                "DELETE FROM past WHERE id = " + id + " IF cassidy_tx >= 0xff")) {
            assertThatThrownBy(() -> session.execute(cql)).as(cql).hasMessageContaining("UQ_past_v");
            assertThatThrownBy(() -> session.execute(session.prepare(cql).bind()))
                    .as(cql)
                    .hasMessageContaining("UQ_past_v");
            assertThatThrownBy(() ->
                            session.executeAsync(cql).toCompletableFuture().join())
                    .as(cql)
                    .hasMessageContaining("UQ_past_v");
        }
        assertThat(session.execute("UPDATE past SET w = 2 WHERE id = " + id + " IF cassidy_tx >= 0xff")
                        .wasApplied())
                .isTrue();
        assertThat(column("SELECT w FROM past")).containsExactly(2);
        String reservations =
                column("SELECT table_name FROM system_schema.tables WHERE keyspace_name = ?", KEYSPACE).stream()
                        .map(String::valueOf)
                        .filter(Reservations::isOne)
                        .findFirst()
                        .orElseThrow();
        assertThatThrownBy(() -> run("DELETE FROM " + reservations + " WHERE value = 0x00"))
                .hasMessageContaining("nothing is declared of it here");
        assertThatThrownBy(() -> run("INSERT INTO " + reservations + " (value, row_key) VALUES (0x00, 0x00)"))
                .hasMessageContaining("nothing is declared of it here");
        assertThatThrownBy(() -> run("INSERT INTO past (v) VALUES (3) IF NOT EXISTS"))
                .hasMessageContaining("Leave the condition out");
        assertThatThrownBy(() -> run("UPDATE past SET v = 4 WHERE id = ? IF w = 2", id))
                .hasMessageContaining("Say it in WHERE");
        assertThat(column("SELECT v FROM past")).containsExactly(1);
    }

    @Test
    void shouldNameAValueThatIsNotReservedForItsRow() throws SQLException {
        run("CREATE TABLE bare (id INT PRIMARY KEY, email NVARCHAR(20), n INT, CONSTRAINT UQ_bare UNIQUE (email))");
        run("INSERT INTO bare VALUES (1, 'a', 1), (2, 'b', 1), (3, 'c', 1), (4, 'd', 1)");
        CqlSession session = TestCluster.session();
        String reservations = KEYSPACE + "." + reservationsOf("bare");
        Map<Integer, ByteBuffer> values = new HashMap<>();
        for (Row each : session.execute("SELECT row_key, value FROM " + reservations)) {
            values.put(each.getByteBuffer(0).getInt(4), each.getByteBuffer(1));
        }
        // 1 has none, and that of 2 is of 3.
        session.execute("DELETE FROM " + reservations + " WHERE value = ?", values.get(1));
        session.execute(
                "UPDATE " + reservations + " SET row_key = ? WHERE value = ?",
                ByteBuffer.allocate(8).putInt(4).putInt(3).flip(),
                values.get(2));

        for (int id = 1; id <= 2; id++) {
            int row = id;
            assertNotReserved(row, () -> run("UPDATE bare SET email = 'z' WHERE id = ?", row));
            connection.setAutoCommit(false);
            run("UPDATE bare SET email = 'z' WHERE id = ?", row);
            // It has seen the row, so that its statements cannot run again.
            assertThat(column("SELECT email FROM bare WHERE id = ?", row)).containsExactly("z");
            run("UPDATE bare SET n = 2 WHERE id = 3");
            assertNotReserved(row, connection::commit);
            connection.rollback();
            connection.setAutoCommit(true);
        }
        assertThat(column("SELECT n FROM bare WHERE id = 3")).containsExactly(1);
        // What others have moved is a conflict, and the transaction is run again.
        connection.setAutoCommit(false);
        run("UPDATE bare SET email = 'y' WHERE id = 4");
        assertThat(column("SELECT email FROM bare WHERE id = 4")).containsExactly("y");
        run(other, "UPDATE bare SET email = 'x' WHERE id = 4");
        assertThatThrownBy(connection::commit).hasFieldOrPropertyWithValue("errorCode", 1205);
    }

    private static String reservationsOf(String table) {
        for (Row each : TestCluster.session()
                .execute("SELECT table_name, comment FROM system_schema.tables WHERE keyspace_name = ?", KEYSPACE)) {
            if (String.valueOf(each.getString(1)).endsWith(" of table " + table + ", by Cassidy")) {
                return each.getString(0);
            }
        }
        throw new AssertionError("no reservations of table " + table);
    }

    private static void assertNotReserved(int id, ThrowingCallable commit) {
        assertThatThrownBy(commit)
                .isInstanceOf(SQLNonTransientException.class)
                .hasFieldOrPropertyWithValue("errorCode", 0)
                .hasMessageContaining("Nothing was written: a row of table unique_it.bare has the value ("
                        + "ab".charAt(id - 1) + ") of UNIQUE KEY constraint 'UQ_bare', which is not reserved for it")
                .hasMessageContaining("Run: cassidy tables rebuild --table unique_it.bare --contact-points");
    }

    @Test
    void shouldShowUniqueAndNoReservations() throws SQLException {
        run("CREATE TABLE shown (id INT PRIMARY KEY, a NVARCHAR(20), b INT, CONSTRAINT UQ_shown UNIQUE (a, b))");
        run("CREATE UNIQUE INDEX UX_shown ON shown (b) WHERE b IS NOT NULL");

        try (ResultSet indexes = connection.getMetaData().getIndexInfo(null, null, "shown", true, true)) {
            List<String> found = new ArrayList<>();
            while (indexes.next()) {
                assertThat(indexes.getBoolean("NON_UNIQUE")).isFalse();
                found.add(indexes.getString("INDEX_NAME") + " " + indexes.getInt("ORDINAL_POSITION") + " "
                        + indexes.getString("COLUMN_NAME") + " " + indexes.getString("FILTER_CONDITION"));
            }
            assertThat(found)
                    .containsExactly("UQ_shown 1 a null", "UQ_shown 2 b null", "UX_shown 1 b ([b] IS NOT NULL)");
        }
        try (ResultSet tables = connection.getMetaData().getTables(null, null, "%", null)) {
            while (tables.next()) {
                assertThat(tables.getString("TABLE_NAME")).doesNotStartWith("cassidy_unique_");
            }
        }
        assertThat(column("SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES"))
                .contains("shown")
                .noneMatch(name -> String.valueOf(name).startsWith("cassidy_unique_"));
        assertThat(column(
                        "SELECT CONSTRAINT_NAME FROM INFORMATION_SCHEMA.TABLE_CONSTRAINTS WHERE TABLE_NAME = 'shown'"))
                .containsExactlyInAnyOrder("PK_shown", "UQ_shown");
    }

    @Test
    void shouldEmptyATableWithItsReservations() throws SQLException {
        run("CREATE TABLE emptied (id INT IDENTITY PRIMARY KEY, v INT UNIQUE)");
        run("INSERT INTO emptied (v) VALUES (1)");
        run("TRUNCATE TABLE emptied");
        run("INSERT INTO emptied (v) VALUES (1)");
        assertDuplicate(() -> run("INSERT INTO emptied (v) VALUES (1)"), 2627, "(1)");
    }

    @Test
    void shouldCompareTextsAsTheirCollationSays() throws SQLException {
        run(
                "CREATE TABLE collated (id INT IDENTITY PRIMARY KEY, ci NVARCHAR(20) UNIQUE,"
                        + " cs NVARCHAR(20) COLLATE Latin1_General_CS_AS UNIQUE, ai NVARCHAR(20) COLLATE Latin1_General_CI_AI UNIQUE)");
        run("INSERT INTO collated (ci, cs, ai) VALUES (N'Straße', N'a', N'é')");
        assertDuplicate(
                () -> run("INSERT INTO collated (ci, cs, ai) VALUES (N'STRASSE ', N'b', N'b')"), 2627, "STRASSE");
        run("INSERT INTO collated (ci, cs, ai) VALUES (N'c', N'A', N'd')");
        assertDuplicate(() -> run("INSERT INTO collated (ci, cs, ai) VALUES (N'x', N'x', N'E')"), 2627, "(E)");
        assertThat(column("SELECT ci FROM collated WHERE ai = N'É'")).containsExactly("Straße");
        assertThatThrownBy(() ->
                        run("CREATE TABLE refused (id INT PRIMARY KEY, a NVARCHAR(20) COLLATE Hungarian_CI_AS UNIQUE)"))
                .hasMessageContaining("Hungarian_CI_AS");
    }

    @Test
    void shouldFindARowByItsValueInEveryFormOfAStatement() throws SQLException {
        run(
                "CREATE TABLE sign_in (tenant INT, id INT, email NVARCHAR(50), status NVARCHAR(10), n INT, UNIQUE (tenant, email),"
                        + " PRIMARY KEY (tenant, id))");
        run(
                "INSERT INTO sign_in (tenant, id, email, status, n) VALUES (1, 1, 'Ann@x', 'p', 0), (1, 2, 'bob@x', 'q', 0)");
        assertThat(column("SELECT TOP 1 id FROM sign_in WHERE tenant = ? AND email = ?", 1, "ANN@x"))
                .containsExactly(1);
        assertThat(column("SELECT TOP (?) id FROM sign_in WHERE email = 'BOB@x' AND tenant = 1", 5))
                .containsExactly(2);
        assertThat(run("UPDATE sign_in SET n = 1 WHERE tenant = 1 AND email = 'ann@x' AND status IN ('p', 'r')"))
                .isEqualTo(1);
        assertThat(run("DELETE FROM sign_in WHERE tenant = 1 AND id IN (1, 2) AND email = 'nobody'"))
                .isZero();
        try (PreparedStatement statement =
                connection.prepareStatement("UPDATE sign_in SET n = n + 1 WHERE tenant = ? AND email = ? AND n < 5")) {
            assertThat(statement.getParameterMetaData().getParameterCount()).isEqualTo(2);
            for (String email : List.of("ANN@x", "nobody", "bob@X")) {
                statement.setInt(1, 1);
                statement.setString(2, email);
                statement.addBatch();
            }
            assertThat(statement.executeBatch()).containsExactly(1, 0, 1);
        }
        assertThat(column("SELECT n FROM sign_in WHERE tenant = 1")).containsExactly(2, 1);
    }

    /** Both would have the value only after what another transaction has done in between. */
    @Test
    void shouldLookForDuplicatesOfRowsThatAreWrittenOnceMoreAtTheCommit() throws SQLException {
        run("CREATE TABLE pair (id INT PRIMARY KEY, a INT, b INT, UNIQUE (a, b))");
        run("INSERT INTO pair (id, a, b) VALUES (1, 0, 1), (2, 9, 2)");
        connection.setAutoCommit(false);
        assertThat(run("UPDATE pair SET a = 5 WHERE id IN (1, 2)")).isEqualTo(2);
        assertThat(run(other, "UPDATE pair SET b = 2 WHERE id = 1")).isEqualTo(1);
        assertDuplicate(connection::commit, 2627, "(5, 2)");
        assertThat(column(other, "SELECT a FROM pair WHERE id = 1")).containsExactly(0);
        assertThat(column(other, "SELECT a FROM pair WHERE id = 2")).containsExactly(9);
    }

    @Test
    void shouldRefuseToCommitRowsThatWereInsertedBeforeTheConstraint() throws SQLException {
        run("CREATE TABLE slow (id INT IDENTITY PRIMARY KEY, v INT)");
        connection.setAutoCommit(false);
        run("INSERT INTO slow (v) VALUES (1)");
        run(other, "ALTER TABLE slow ADD CONSTRAINT UQ_slow UNIQUE (v)");
        run(other, "INSERT INTO slow (v) VALUES (1)");
        assertThatThrownBy(connection::commit).hasFieldOrPropertyWithValue("SQLState", "40001");
        connection.rollback();
        assertThat(column(other, "SELECT v FROM slow")).containsExactly(1);
    }

    @Test
    void shouldLeaveNoReservationsOfATableThatIsRefused() throws SQLException {
        Set<String> before = tables();
        for (int i = 0; i < 2; i++) {
            try (Statement create = connection.createStatement()) {
                assertThatThrownBy(() -> create.execute(
                                "CREATE TABLE untyped (id INT PRIMARY KEY, v INT UNIQUE, w unknown_type)"))
                        .hasFieldOrPropertyWithValue("SQLState", "42000");
                assertThat((Object) create.getWarnings()).isNull();
            }
        }
        assertThat(tables()).isEqualTo(before);
        run("CREATE TABLE untyped (id INT PRIMARY KEY, v INT UNIQUE, w INT)");
        run("INSERT INTO untyped (id, v) VALUES (1, 1)");
        assertDuplicate(() -> run("INSERT INTO untyped (id, v) VALUES (2, 1)"), 2627, "(1)");
    }

    private static Set<String> tables() {
        Set<String> tables = new HashSet<>();
        TestCluster.session()
                .execute("SELECT table_name FROM system_schema.tables WHERE keyspace_name = ?", KEYSPACE)
                .forEach(each -> tables.add(each.getString(0)));
        return tables;
    }

    @Test
    void shouldEmptyNothingThatIsRefused() throws SQLException {
        run("CREATE TABLE kept (id INT IDENTITY PRIMARY KEY, v INT UNIQUE)");
        run("INSERT INTO kept (v) VALUES (1)");
        connection.setAutoCommit(false);
        assertThatThrownBy(() -> run("TRUNCATE TABLE kept")).isInstanceOf(SQLException.class);
        connection.rollback();
        assertDuplicate(() -> run(other, "INSERT INTO kept (v) VALUES (1)"), 2627, "(1)");
        IdentitySession session = connection.unwrap(IdentitySession.class);
        assertThatThrownBy(() -> session.execute("TRUNCATE kept")).hasMessageContaining("UQ_kept_v");
    }

    @Test
    void shouldRefuseUniqueOfAPlainTable() throws SQLException {
        assertThatThrownBy(() -> run("CREATE TABLE loose (id INT PRIMARY KEY, v INT UNIQUE) WITH (plain)"))
                .hasMessageContaining("UNIQUE of table")
                .hasMessageContaining("constraints=warn");
        run("CREATE TABLE loose (id INT PRIMARY KEY, v INT) WITH (plain)");
        assertThatThrownBy(() -> run("ALTER TABLE loose ADD UNIQUE (v)")).hasMessageContaining("UNIQUE");
        assertThatThrownBy(() -> run("CREATE UNIQUE INDEX ux ON loose (v)")).hasMessageContaining("UNIQUE");
    }
}
