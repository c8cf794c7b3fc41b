package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** DECLARE, SET and SELECT of variables, and what uses them, within one statement of JDBC. */
class VariablesIT {

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    @BeforeAll
    static void create() throws SQLException {
        cluster = TestCluster.fresh("variables_it");
        TestCluster.install("cassidy");
        try (Connection connection = cluster.open();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE orders (id INT IDENTITY PRIMARY KEY, customer NVARCHAR(20), total DECIMAL(9,2))");
            statement.execute(
                    "CREATE TABLE line (order_id INT, no INT, item NVARCHAR(20), PRIMARY KEY (order_id, no))");
            statement.execute("CREATE TABLE stock (item NVARCHAR(20) PRIMARY KEY, quantity INT, changed DATETIME)");
        }
    }

    @BeforeEach
    void fill() throws SQLException {
        for (String table : List.of("orders", "line", "stock")) {
            all("TRUNCATE TABLE " + table);
        }
        all("INSERT INTO stock (item, quantity) VALUES ('nut', 5), ('bolt', 7), ('none', NULL)");
    }

    /** Returns what a statement gives, in order: a count, or the rows of a result. */
    private List<Object> all(String sql, Object... parameters) throws SQLException {
        return all(connection, sql, parameters);
    }

    private static List<Object> all(Connection connection, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            List<Object> results = new ArrayList<>();
            boolean rows = statement.execute();
            while (rows || statement.getUpdateCount() >= 0) {
                results.add(rows ? rows(statement.getResultSet()) : (Object) statement.getUpdateCount());
                rows = statement.getMoreResults();
            }
            return results;
        }
    }

    private static String rows(ResultSet result) throws SQLException {
        List<String> rows = new ArrayList<>();
        while (result.next()) {
            List<String> row = new ArrayList<>();
            for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
                row.add(result.getString(i));
            }
            rows.add(String.join("|", row));
        }
        return String.join(",", rows);
    }

    @Test
    void shouldInsertAChildByTheIdOfItsParent() throws SQLException {
        List<Object> results = all(
                "DECLARE @id INT; INSERT INTO orders (customer, total) VALUES (?, 5); SET @id = SCOPE_IDENTITY();"
                        + " INSERT INTO line (order_id, no, item) VALUES (@id, 1, ?), (@id, 2, N'bolt'); SELECT @id AS id",
                "Ann",
                "nut");

        assertThat(results).hasSize(3).startsWith(1, 2);
        String id = (String) results.get(2);
        assertThat(all("SELECT no, item FROM line WHERE order_id = ?", Integer.valueOf(id)))
                .containsExactly("1|nut,2|bolt");
        assertThat(all("SELECT customer FROM orders WHERE id = ?", Integer.valueOf(id)))
                .containsExactly("Ann");
    }

    @Test
    void shouldTakeTheLastIdentityWithoutAVariableToo() throws SQLException {
        assertThat(all("INSERT INTO orders (customer) VALUES ('Bob');"
                        + " INSERT INTO line (order_id, no, item) VALUES (SCOPE_IDENTITY(), 1, 'nut');"
                        + " SELECT l.item FROM line l JOIN orders o ON o.id = l.order_id WHERE o.customer = 'Bob'"))
                .containsExactly(1, 1, "nut");
    }

    @Test
    void shouldInsertWhatAnUpdateHasNotFound() throws SQLException {
        String sql = "UPDATE stock SET quantity = ? WHERE item = ? IF @@ROWCOUNT = 0"
                + " INSERT INTO stock (item, quantity) VALUES (?, ?)";

        assertThat(all(sql, 1, "screw", "screw", 2)).containsExactly(0, 1);
        assertThat(all(sql, 3, "screw", "screw", 4)).containsExactly(1);
        assertThat(all("SELECT quantity FROM stock WHERE item = 'screw'")).containsExactly("3");
        assertThat(all("DECLARE @n INT UPDATE stock SET quantity = 9 WHERE item = 'screw' SET @n = @@ROWCOUNT"
                        + " UPDATE stock SET quantity = 9 WHERE item = 'no' SELECT @n, @@ROWCOUNT"))
                .containsExactly(1, 0, "1|0");
    }

    @Test
    void shouldAssignTheLastRowAndChangeNothingWithoutOne() throws SQLException {
        assertThat(all(
                        "DECLARE @q INT = -1, @i NVARCHAR(20);"
                                + " SELECT @q = quantity, @i = item FROM stock WHERE item = ?; SELECT @q, @i",
                        "nut"))
                .containsExactly("5|nut");
        assertThat(all("DECLARE @q INT = -1; SELECT @q = quantity FROM stock WHERE item = 'no'; SELECT @q, @@ROWCOUNT"))
                .containsExactly("-1|0");
        assertThat(all("DECLARE @q INT = -1; SELECT @q = quantity FROM stock WHERE item = 'none';"
                        + " SELECT @@ROWCOUNT; SELECT @q"))
                .containsExactly("1", "null");
        assertThat(
                        all(
                                "DECLARE @i NVARCHAR(20); SELECT @i = item FROM stock ORDER BY item DESC; SELECT @@ROWCOUNT; SELECT @i"))
                .containsExactly("3", "bolt");
        assertThat(all("DECLARE @n INT; SELECT @n = COUNT(*) FROM stock WHERE quantity > 1; SELECT @n"))
                .containsExactly("2");
        assertThat(
                        all(
                                "DECLARE @i NVARCHAR(20); SELECT TOP (1) @i = item FROM stock ORDER BY quantity DESC; SELECT @i AS i"))
                .containsExactly("bolt");
        assertThat(
                        all(
                                "DECLARE @n INT; WITH s AS (SELECT quantity AS q FROM stock) SELECT @n = SUM(q) FROM s; SELECT @n"))
                .containsExactly("12");
    }

    @Test
    void shouldAssignWhatASubqueryGives() throws SQLException {
        assertThat(all("DECLARE @q INT = 1; SET @q = (SELECT quantity FROM stock WHERE item = 'nut'); SELECT @q"))
                .containsExactly("5");
        assertThat(all("DECLARE @q INT = 1; SET @q = (SELECT quantity FROM stock WHERE item = 'no'); SELECT @q"))
                .containsExactly("null");
        assertThat(all("DECLARE @q INT; SET @q = (SELECT MAX(quantity) FROM stock) + 1; SELECT @q"))
                .containsExactly("8");
        assertThatThrownBy(() ->
                        all("DECLARE @q INT; SET @q = (SELECT quantity FROM stock WHERE quantity > 1); SELECT @q"))
                .hasFieldOrPropertyWithValue("errorCode", 512);
        assertThatThrownBy(() -> all("DECLARE @q INT; SET @q = (SELECT quantity, item FROM stock WHERE item = 'nut')"))
                .hasFieldOrPropertyWithValue("errorCode", 116);
    }

    @Test
    void shouldCalculate() throws SQLException {
        assertThat(all(
                        "DECLARE @a INT = 7, @b INT; SET @b = @a / 2 + ?; SET @a += @b * 2; SELECT @a = @a - 1, @b = @a;"
                                + " SELECT @a, @b",
                        10))
                .containsExactly("32|32");
        assertThat(all("DECLARE @s NVARCHAR(30) = 'ab'; SET @s = UPPER(@s) + N'-' + CAST(LEN(@s) AS VARCHAR(5));"
                        + " SELECT @s AS s"))
                .containsExactly("AB-2");
        assertThat(all("DECLARE @p DECIMAL(10,2) = 1, @q DECIMAL(10,2) = 3; SELECT @p / @q AS third, @p * 2"))
                .containsExactly("0.3333333333333|2.00");
        assertThat(all("DECLARE @x INT; SELECT @x + 1, ISNULL(@x, 5), CASE WHEN @x IS NULL THEN 'n' ELSE 'v' END"))
                .containsExactly("null|5|n");
    }

    @Test
    void shouldUseVariablesInEveryStatement() throws SQLException {
        assertThat(all(
                        "DECLARE @i NVARCHAR(20) = ?, @q INT = 3; UPDATE stock SET quantity = quantity - @q WHERE item = @i;"
                                + " SELECT quantity FROM stock WHERE item = @i; DELETE FROM stock WHERE quantity < @q;"
                                + " SELECT COUNT(*) FROM stock WHERE item = @i OR quantity = @q",
                        "nut"))
                .containsExactly(1, "2", 1, "0");
        assertThat(all("DECLARE @i NVARCHAR(20) = N'x''; DROP TABLE t--'; INSERT INTO stock (item, quantity)"
                        + " VALUES (@i, NULL); SELECT item FROM stock WHERE item = @i"))
                .containsExactly(1, "x'; DROP TABLE t--");
        assertThat(all("DECLARE @n INT = 1; SELECT TOP (@n) item FROM stock ORDER BY item"))
                .containsExactly("bolt");
    }

    @Test
    void shouldDecideByVariables() throws SQLException {
        String sql = "DECLARE @q INT; SELECT @q = quantity FROM stock WHERE item = ?"
                + " IF @q IS NULL SELECT 'unknown' ELSE IF @q > ? BEGIN SELECT 'much'; SET @q = 0; SELECT @q END"
                + " ELSE SELECT 'little'";

        assertThat(all(sql, "no", 6)).containsExactly("unknown");
        assertThat(all(sql, "bolt", 6)).containsExactly("much", "0");
        assertThat(all(sql, "nut", 6)).containsExactly("little");
        assertThat(all(
                        "DECLARE @i NVARCHAR(20) = ?; IF EXISTS (SELECT 1 FROM stock WHERE item = @i) SELECT 1 ELSE SELECT 0",
                        "nut"))
                .containsExactly("1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "NVARCHAR(3) | 'abcdef' | abc",
                "VARCHAR(3) | 12345 | *",
                "CHAR(4) | 'ab' | `ab  `",
                "INT | '12' | 12",
                "INT | 2.9 | 2",
                "DECIMAL(5,2) | 1.005 | 1.01",
                "DECIMAL(5,2) | 7 | 7.00",
                "BIT | 5 | 1",
                "DATE | '20240229' | 2024-02-29",
                "DATETIME | '2024-02-29T10:11:12.345' | 2024-02-29 10:11:12.347",
                "FLOAT | 1 | 1.0",
                "MONEY | 1.5 | 1.5000",
                "BIGINT | NULL | null",
            })
    void shouldConvertAsDeclared(String type, String value, String shown) throws SQLException {
        assertThat(all("DECLARE @x " + type + " = " + value + "; SELECT @x")).containsExactly(shown);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "INT | 'x' | 245",
                "INT | 3000000000 | 8115",
                "TINYINT | 300 | 220",
                "DECIMAL(3,1) | 1000 | 8115",
                "UNIQUEIDENTIFIER | 'x' | 8169",
                "DATE | 'x' | 241",
            })
    void shouldRefuseWhatTheTypeHasNot(String type, String value, int number) {
        assertThatThrownBy(() -> all("DECLARE @x " + type + "; SET @x = " + value))
                .hasFieldOrPropertyWithValue("errorCode", number);
    }

    @Test
    void shouldKeepTheTypeOfAParameter() throws SQLException {
        Timestamp time = Timestamp.valueOf(LocalDateTime.of(2024, 5, 6, 7, 8, 9, 10_000_000));
        assertThat(all(
                        "DECLARE @t DATETIME = ?; UPDATE stock SET changed = @t WHERE item = 'nut';"
                                + " SELECT item FROM stock WHERE changed = @t AND quantity > 0",
                        time))
                .containsExactly(1, "nut");
        try (PreparedStatement statement =
                connection.prepareStatement("DECLARE @n DECIMAL(9,3) = ?, @s NVARCHAR(10) = 'x'; SELECT @n AS n, @s")) {
            ResultSetMetaData metaData = statement.getMetaData();
            assertThat(metaData.getColumnLabel(1)).isEqualTo("n");
            assertThat(metaData.getColumnType(1)).isEqualTo(Types.DECIMAL);
            assertThat(metaData.getScale(1)).isEqualTo(3);
            assertThat(metaData.getPrecision(2)).isEqualTo(10);
            assertThat(statement.getParameterMetaData().getParameterCount()).isEqualTo(1);
            statement.setObject(1, 2);
            ResultSet row = statement.executeQuery();
            assertThat(row.next()).isTrue();
            assertThat(row.getObject(1)).isEqualTo(new BigDecimal("2.000"));
        }
    }

    @Test
    void shouldRunAgainWithNoValueFromBefore() throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("DECLARE @x INT; IF ? = 1 SET @x = 5; SELECT @x")) {
            List<String> seen = new ArrayList<>();
            for (int each : List.of(1, 0)) {
                statement.setInt(1, each);
                seen.add(rows(statement.executeQuery()));
            }
            assertThat(seen).containsExactly("5", "null");
        }
    }

    @Test
    void shouldServeWhatNeedsNoEvaluationWithoutTheAssistant() throws SQLException {
        try (Connection direct = cluster.open("assist=off")) {
            assertThat(all(
                            direct,
                            "DECLARE @id INT, @i NVARCHAR(20) = 'nut', @q SMALLINT; INSERT INTO orders (customer) VALUES ('x');"
                                    + " SELECT @id = CAST(SCOPE_IDENTITY() AS INT); SELECT @q = quantity FROM stock WHERE item = @i;"
                                    + " INSERT INTO line (order_id, no, item) VALUES (@id, @q, @i); SELECT @q"))
                    .containsExactly(1, 1, "5");
            assertThatThrownBy(() -> all(direct, "DECLARE @q INT = 1; SET @q = @q + 1"))
                    .hasFieldOrPropertyWithValue("SQLState", "HYC00");
        }
    }

    @Test
    void shouldCallAVariableByItsName() {
        assertThatThrownBy(
                        () -> all("DECLARE @q NVARCHAR(5) = 'x'; INSERT INTO stock (item, quantity) VALUES ('y', @q)"))
                .hasMessageContaining("the variable @q");
    }

    @Test
    void shouldUseVariablesInATransaction() throws SQLException {
        connection.setAutoCommit(false);
        assertThat(all("DECLARE @q INT; UPDATE stock SET quantity = 50 WHERE item = 'nut';"
                        + " SELECT @q = quantity FROM stock WHERE item = 'nut';"
                        + " UPDATE stock SET quantity = @q + 1 WHERE item = 'bolt'"))
                .containsExactly(1, 1);
        connection.commit();
        connection.setAutoCommit(true);
        assertThat(all("SELECT quantity FROM stock WHERE item = 'bolt'")).containsExactly("51");
    }

    @Test
    void shouldRefuseAnAssignmentWithinAnotherStatement() throws SQLException {
        assertThatThrownBy(() -> all("DECLARE @i NVARCHAR(20); INSERT INTO line (order_id, no, item)"
                        + " SELECT @i = quantity, 1, item FROM stock WHERE quantity > 0"))
                .hasFieldOrPropertyWithValue("errorCode", 141);
        assertThatThrownBy(() -> all("DECLARE @i INT, @n INT; INSERT INTO line (order_id, no)"
                        + " SELECT @i = quantity, @n = quantity FROM stock WHERE quantity > 0"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("an assignment to @i within another statement");
        assertThat(all("SELECT COUNT(*) FROM line")).containsExactly("0");
    }

    @Test
    void shouldRunEachEntryOfABatchWithItsOwnVariables() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "DECLARE @i NVARCHAR(20) = ?, @q INT;"
                        + " SELECT @q = quantity FROM stock WHERE item = @i; INSERT INTO line (order_id, no, item) VALUES (1, @q, @i)")) {
            for (String item : List.of("nut", "bolt")) {
                statement.setString(1, item);
                statement.addBatch();
            }
            assertThat(statement.executeBatch()).containsExactly(1, 1);
        }
        assertThat(all("SELECT no, item FROM line WHERE order_id = 1")).containsExactly("5|nut,7|bolt");
    }
}
