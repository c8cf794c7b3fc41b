package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.sequence.IdentityType;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** IDENTITY_INSERT, variables and sequences: T-SQL's idioms besides generated keys. */
class IdentityIdiomsIT {

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    @BeforeAll
    static void prepare() {
        cluster = TestCluster.fresh("identity_idioms_it");
        cluster.cql(
                "CREATE TABLE $.orders (id int PRIMARY KEY, customer text, qty int)",
                "CREATE TABLE $.other (id int PRIMARY KEY, v text)",
                "CREATE TABLE $.checked (id int PRIMARY KEY, v text)",
                "CREATE TABLE $.plain (k text PRIMARY KEY, v bigint, w bigint)");
        cluster.identity("orders", "id", IdentityType.INT, 1001);
        cluster.identity("other", "id", IdentityType.INT, 1001);
        cluster.identity("checked", "id", IdentityType.INT, 1);
    }

    private static Connection connect(String option) throws SQLException {
        return DriverManager.getConnection(cluster.url() + "&" + option);
    }

    private static int run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.executeUpdate(sql);
        }
    }

    private Object value(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getObject(1) : null;
        }
    }

    private static AbstractThrowableAssert<?, ?> assertError(int number, String state, ThrowingCallable code) {
        return assertThatThrownBy(code)
                .hasFieldOrPropertyWithValue("errorCode", number)
                .hasFieldOrPropertyWithValue("SQLState", state);
    }

    @Test
    void shouldIgnoreIdentityInsertUnlessStrict() throws SQLException {
        assertThat(run(connection, "SET IDENTITY_INSERT dbo.orders ON")).isZero();
        run(connection, "INSERT INTO orders (id, customer) VALUES (11, 'lenient')");
        run(connection, "SET IDENTITY_INSERT other ON; INSERT INTO other (v) VALUES ('generated')");
        assertThat(value("SELECT customer FROM orders WHERE id = 11")).isEqualTo("lenient");
    }

    @Test
    void shouldGiveSqlServersErrorsWhenStrict() throws SQLException {
        try (Connection strict = connect("identityInsert=strict")) {
            assertError(544, "23000", () -> run(strict, "INSERT INTO orders (id, customer) VALUES (21, 'x')"))
                    .isInstanceOf(SQLIntegrityConstraintViolationException.class)
                    .hasMessageContaining("identity_idioms_it.orders' when IDENTITY_INSERT is set to OFF");
            run(strict, "SET IDENTITY_INSERT orders ON");
            assertThat(run(strict, "INSERT INTO orders (id, customer) VALUES (21, 'explicit')"))
                    .isEqualTo(1);
            assertError(2627, "23000", () -> run(strict, "INSERT INTO orders (id, customer) VALUES (21, 'twice')"));
            assertError(545, "23000", () -> run(strict, "INSERT INTO orders (customer) VALUES ('x')"));
            assertError(339, "23000", () -> run(strict, "INSERT INTO orders (id, customer) VALUES (DEFAULT, 'x')"));
            assertError(339, "23000", () -> run(strict, "INSERT INTO orders (id, customer) VALUES (NULL, 'x')"));
            try (PreparedStatement insert =
                    strict.prepareStatement("INSERT INTO orders (id, customer) VALUES (?, 'strict')")) {
                insert.setObject(1, null);
                assertError(515, "23000", insert::executeUpdate);
                insert.setInt(1, 22);
                insert.addBatch();
                insert.setObject(1, null);
                insert.addBatch();
                assertThatThrownBy(insert::executeBatch)
                        .isInstanceOf(BatchUpdateException.class)
                        .hasFieldOrPropertyWithValue("errorCode", 515)
                        .extracting(e -> ((BatchUpdateException) e).getUpdateCounts())
                        .isEqualTo(new int[] {1, Statement.EXECUTE_FAILED});
            }
            assertError(8107, "42000", () -> run(strict, "SET IDENTITY_INSERT other ON"))
                    .hasMessageContaining("already ON for table 'identity_idioms_it.orders'");
            assertError(8106, "42000", () -> run(strict, "SET IDENTITY_INSERT plain ON"));
            // An id that the sequence issues is refused, whatever is ON.
            assertThatThrownBy(() -> run(strict, "INSERT INTO orders (id, customer) VALUES (1000000, 'x')"))
                    .hasMessageContaining("advancePast");
            run(strict, "SET IDENTITY_INSERT orders OFF; SET IDENTITY_INSERT other ON");
            assertThat(run(strict, "INSERT INTO orders (customer) VALUES ('generated')"))
                    .isEqualTo(1);
            assertError(544, "23000", () -> run(strict, "INSERT INTO orders (id, customer) VALUES (23, 'x')"));
            strict.setAutoCommit(false);
            assertError(544, "23000", () -> run(strict, "INSERT INTO orders (id, customer) VALUES (23, 'x')"));
            strict.commit();
        }
        assertThat(value("SELECT customer FROM orders WHERE id = 21")).isEqualTo("explicit");
        assertThat(value("SELECT customer FROM orders WHERE id = 23")).isNull();
    }

    @Test
    void shouldRefuseAnExistingExplicitIdIfRequested() throws SQLException {
        run(connection, "INSERT INTO orders (id, customer) VALUES (31, 'first')");
        try (Connection guarded = connect("identityInsert=strict");
                PreparedStatement insert =
                        guarded.prepareStatement("INSERT INTO orders (id, customer) VALUES (?, ?)", 1)) {
            run(guarded, "SET IDENTITY_INSERT orders ON");
            assertError(2627, "23000", () -> run(guarded, "INSERT INTO orders (id, customer) VALUES (31, 'second')"))
                    .hasMessageContaining("identity_idioms_it.orders")
                    .hasMessageContaining("(id=31)");
            insert.setInt(1, 31);
            insert.setString(2, "third");
            assertError(2627, "23000", insert::executeUpdate);
            insert.setInt(1, 32);
            assertThat(insert.execute()).isFalse();
            assertThat(insert.getUpdateCount()).isEqualTo(1);
            try (ResultSet keys = insert.getGeneratedKeys()) {
                assertThat(keys.next()).isTrue();
                assertThat(keys.getInt(1)).isEqualTo(32);
            }
            insert.addBatch();
            insert.setInt(1, 33);
            insert.addBatch();
            assertThatThrownBy(insert::executeBatch)
                    .hasFieldOrPropertyWithValue("errorCode", 2627)
                    .extracting(e -> ((BatchUpdateException) e).getUpdateCounts())
                    .isEqualTo(new int[] {Statement.EXECUTE_FAILED, 1});
            assertThatThrownBy(() -> run(guarded, "INSERT INTO orders (id, customer) VALUES (34, 'a'), (35, 'b')"))
                    .hasFieldOrPropertyWithValue("SQLState", "HYC00");
            guarded.setAutoCommit(false);
            assertError(2627, "23000", () -> run(guarded, "INSERT INTO orders (id, customer) VALUES (31, 'x')"));
            guarded.rollback();
        }
        assertThat(value("SELECT customer FROM orders WHERE id = 31")).isEqualTo("first");
        assertThat(value("SELECT customer FROM orders WHERE id = 34")).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DECLARE @id INT; INSERT INTO orders (customer) VALUES (?); SET @id = SCOPE_IDENTITY(); SELECT @id",
                "declare @id int insert orders (customer) values (?) select @id = scope_identity() select @id as id",
                "declare @result table ([id] int); insert into [orders] ([customer]) output [inserted].[id] into @result"
                        + " values (?); select [r].[id] from @result [r];",
                "SET NOCOUNT ON DECLARE @g TABLE (id bigint) INSERT INTO orders (customer) OUTPUT inserted.id INTO @g VALUES"
                        + " (?) SELECT id FROM @g"
            })
    void shouldServeTheIdentityThroughVariables(String sql) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            assertThat(insert.getParameterMetaData().getParameterCount()).isEqualTo(1);
            assertThat(insert.getMetaData().getColumnCount()).isEqualTo(1);
            insert.setString(1, "variable");
            long id;
            if (sql.startsWith("SET")) {
                assertThat(insert.execute()).isTrue();
            } else {
                assertThat(insert.execute()).isFalse();
                assertThat(insert.getUpdateCount()).isEqualTo(1);
                assertThat(insert.getMoreResults()).isTrue();
            }
            try (ResultSet rows = insert.getResultSet()) {
                assertThat(rows.next()).isTrue();
                id = ((Number) rows.getObject(1)).longValue();
                assertThat(rows.getObject(1)).isInstanceOf(Integer.class);
                assertThat(rows.next()).isFalse();
            }
            assertThat(value("SELECT customer FROM orders WHERE id = " + id)).isEqualTo("variable");
            assertThat(insert.executeUpdate()).isEqualTo(1);
        }
    }

    @Test
    void shouldCreateDrawFromRestartAndDropSequences() throws SQLException {
        run(connection, "CREATE SEQUENCE dbo.numbers AS INT START WITH 5 INCREMENT BY 5 MINVALUE 5 NO CYCLE CACHE 20");
        assertThat(value("SELECT NEXT VALUE FOR numbers")).isEqualTo(5);
        assertThat(value("SELECT NEXT VALUE FOR identity_idioms_it.dbo.numbers AS n"))
                .isEqualTo(10);
        assertError(2714, "42S01", () -> run(connection, "CREATE SEQUENCE numbers AS INT START WITH 5"));
        assertThatThrownBy(() -> run(connection, "ALTER SEQUENCE numbers RESTART WITH 5"))
                .hasMessageContaining("may have been issued");
        run(connection, "ALTER SEQUENCE numbers RESTART WITH 200000");
        assertThat(value("SELECT n = NEXT VALUE FOR numbers")).isEqualTo(200_000);
        assertThatThrownBy(() -> run(connection, "CREATE SEQUENCE big START WITH 1 MAXVALUE 0"))
                .hasFieldOrPropertyWithValue("SQLState", "42000");
        assertThatThrownBy(() -> value("SELECT NEXT VALUE FOR nowhere"))
                .hasMessageContaining("identity_idioms_it.nowhere");

        run(connection, "DROP SEQUENCE IF EXISTS nowhere");
        run(connection, "DROP SEQUENCE numbers");
        assertThatThrownBy(() -> value("SELECT NEXT VALUE FOR numbers")).isInstanceOf(SQLException.class);
        assertThatThrownBy(() -> run(connection, "CREATE SEQUENCE numbers AS INT START WITH 5 INCREMENT BY -5"))
                .hasMessageContaining("was dropped, and counted the other way");
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE SEQUENCE numbers AS INT START WITH 5 INCREMENT BY 5");
            assertThat((Throwable) statement.getWarnings())
                    .isNotNull()
                    .hasMessageContaining("identity_idioms_it.numbers continues at ")
                    .hasMessageContaining(" instead of 5");
        }
        assertThat(((Number) value("SELECT NEXT VALUE FOR numbers")).intValue())
                .isGreaterThan(200_000)
                .matches(next -> next % 5 == 0);
        assertError(3729, "42000", () -> run(connection, "DROP SEQUENCE orders"))
                .hasMessageContaining("column id of table identity_idioms_it.orders");
    }

    @Test
    void shouldInsertTheNextValueOfASequence() throws SQLException {
        run(connection, "CREATE SEQUENCE tickets START WITH 1");
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO plain (k, v, w) OUTPUT INSERTED.v VALUES"
                        + " (?, NEXT VALUE FOR tickets, NEXT VALUE FOR tickets), (?, NEXT VALUE FOR dbo.tickets, 0)")) {
            assertThat(insert.getParameterMetaData().getParameterCount()).isEqualTo(2);
            insert.setString(1, "a");
            insert.setString(2, "b");
            List<Long> drawn = new ArrayList<>();
            try (ResultSet rows = insert.executeQuery()) {
                while (rows.next()) {
                    drawn.add(rows.getLong(1));
                }
            }
            assertThat(drawn).containsExactly(1L, 2L);
        }
        assertThat(value("SELECT w FROM plain WHERE k = 'a'")).isEqualTo(1L);
        assertThat(value("SELECT v FROM plain WHERE k = 'b'")).isEqualTo(2L);
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO plain (k, v) VALUES (?, NEXT VALUE FOR tickets)")) {
            for (String k : List.of("c", "d")) {
                insert.setString(1, k);
                insert.addBatch();
            }
            assertThat(insert.executeBatch()).containsExactly(1, 1);
        }
        assertThat(value("SELECT v FROM plain WHERE k = 'd'")).isEqualTo(4L);
    }

    @Test
    void shouldUseATablesOwnSequenceForItsIdentity() throws SQLException {
        try (Statement insert = connection.createStatement()) {
            insert.executeUpdate(
                    "INSERT INTO orders (id, customer) VALUES (NEXT VALUE FOR orders, 'own'), (NEXT VALUE FOR orders, 'own')",
                    Statement.RETURN_GENERATED_KEYS);
            try (ResultSet keys = insert.getGeneratedKeys()) {
                assertThat(keys.next()).isTrue();
                int first = keys.getInt(1);
                assertThat(first).isGreaterThan(1000);
                assertThat(keys.next()).isTrue();
                assertThat(keys.getInt(1)).isEqualTo(first + 1);
            }
        }
        assertThatThrownBy(
                        () -> run(connection, "INSERT INTO orders (id, customer) VALUES (NEXT VALUE FOR other, 'x')"))
                .hasMessageContaining("lies where sequence identity_idioms_it.orders issues ids");
        // In SQL Server, all NEXT VALUE of a row are one value; here the identity is drawn only when the row is sent.
        assertThatThrownBy(() -> run(
                        connection,
                        "INSERT INTO orders (id, customer) VALUES (NEXT VALUE FOR orders, NEXT VALUE FOR dbo.orders)"))
                .isInstanceOf(SQLFeatureNotSupportedException.class)
                .hasMessageContaining("NEXT VALUE FOR the table's own sequence in another column too is not served");
    }

    @Test
    void shouldReportAndRaiseAnIdentity() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("DBCC CHECKIDENT ('dbo.checked')");
            SQLWarning report = statement.getWarnings();
            assertThat(report.getMessage())
                    .contains("Checking identity information", "identity_idioms_it.checked the ids from 1 on");
        }
        run(connection, "INSERT INTO checked (v) VALUES ('first')");
        run(connection, "DBCC CHECKIDENT ('checked', RESEED, 50000)");
        try (Statement insert = connection.createStatement()) {
            insert.executeUpdate("INSERT INTO checked (v) VALUES ('raised')", 1);
            ResultSet keys = insert.getGeneratedKeys();
            keys.next();
            assertThat(keys.getInt(1)).isEqualTo(50_001);
        }
        assertThatThrownBy(() -> run(connection, "DBCC CHECKIDENT ('checked', RESEED, 0)"))
                .hasMessageContaining(
                        "sequence identity_idioms_it.checked cannot restart with 1, which may have been issued")
                .hasFieldOrPropertyWithValue("SQLState", "42000");
        assertThatThrownBy(() -> run(connection, "DBCC CHECKIDENT ('plain', RESEED, 0)"))
                .hasMessageContaining("identity_idioms_it.plain has no registered identity column");
    }

    @Test
    void shouldMapTheClockAndNewidEverywhere() throws SQLException {
        cluster.cql("CREATE TABLE $.stamps (id int PRIMARY KEY, at timestamp, u uuid)");
        cluster.identity("stamps", "id", IdentityType.INT, 1001);
        run(connection, "INSERT stamps (id, at, u) VALUES (1, GETDATE(), NEWID()), (2, CURRENT_TIMESTAMP, NEWID())");
        run(connection, "UPDATE stamps SET at = SYSUTCDATETIME(), u = NEWID() WHERE id = 1");
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT TOP (?) s.id FROM [dbo].[Stamps] s WITH (NOLOCK) WHERE s.at <= GETDATE() ALLOW FILTERING")) {
            select.setInt(1, 1);
            try (ResultSet rows = select.executeQuery()) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.next()).isFalse();
            }
        }
    }
}
