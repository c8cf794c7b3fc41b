package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** SELECTs that have no form in CQL: rows are read by keys, indexes and bounded scans, and the statement is evaluated over them. */
class AssistedReadsIT {

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open();

    @BeforeAll
    static void create() throws SQLException {
        cluster = TestCluster.fresh("assisted_reads_it");
        TestCluster.install("cassidy");
        try (Connection connection = cluster.open();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE customer (id INT PRIMARY KEY, name NVARCHAR(40), city NVARCHAR(40))");
            statement.execute(
                    "CREATE TABLE orders (id INT PRIMARY KEY, customer INT, placed DATETIME2(3), total DECIMAL(9,2))");
            statement.execute("CREATE INDEX orders_customer ON orders (customer)");
            statement.execute("CREATE TABLE line (orders INT, no INT, item NVARCHAR(20), qty INT, price MONEY,"
                    + " PRIMARY KEY (orders, no))");
            statement.execute("CREATE TABLE account (name NVARCHAR(20) PRIMARY KEY, customer INT)");
            for (String each : List.of("1, N'Ann', N'Oslo'", "2, N'Bob', N'oslo '", "3, N'Cid', N'Rome'")) {
                statement.execute("INSERT INTO customer (id, name, city) VALUES (" + each + ")");
            }
            for (String each : List.of(
                    "10, 1, '2024-03-01 10:00', 7.50", "11, 1, '2024-03-02 11:30', 12.25", "12, 2, '2024-04-01', 1")) {
                statement.execute("INSERT INTO orders (id, customer, placed, total) VALUES (" + each + ")");
            }
            for (String each : List.of("10, 1, N'pen', 2, 1.50", "10, 2, N'ink', 1, 4.50", "11, 1, N'Pen', 5, 2.45")) {
                statement.execute("INSERT INTO line (orders, no, item, qty, price) VALUES (" + each + ")");
            }
            statement.execute("INSERT INTO account (name, customer) VALUES (N'Ann', 1)");
        }
    }

    private static List<String> rows(ResultSet result) throws SQLException {
        List<String> rows = new ArrayList<>();
        int columns = result.getMetaData().getColumnCount();
        while (result.next()) {
            List<String> row = new ArrayList<>();
            for (int i = 1; i <= columns; i++) {
                row.add(result.getString(i));
            }
            rows.add(String.join("|", row));
        }
        return rows;
    }

    private List<String> select(String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            return rows(statement.executeQuery());
        }
    }

    private String plan(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET SHOWPLAN_TEXT ON");
            try {
                return String.join("\n", rows(statement.executeQuery(sql)));
            } finally {
                statement.execute("SET SHOWPLAN_TEXT OFF");
            }
        }
    }

    @Test
    void shouldJoinByKeys() throws SQLException {
        String sql = "SELECT o.id, c.name, l.item, l.qty * l.price AS amount FROM orders o"
                + " JOIN customer c ON c.id = o.customer JOIN line l ON l.orders = o.id WHERE o.id = ? ORDER BY l.no DESC";

        assertThat(select(sql, 10)).containsExactly("10|Ann|ink|4.5000", "10|Ann|pen|3.0000");
        assertThat(plan(sql.replace("?", "10")))
                .contains("Assisted", "assisted_reads_it.orders by its key (id)")
                .contains("customer by its key (id)", "line within partitions, by (orders)");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "SELECT c.name, COUNT(o.id) AS n FROM customer c LEFT JOIN orders o ON o.customer = c.id GROUP BY c.name ORDER BY n DESC, c.name; Ann|2,Bob|1,Cid|0",
                "SELECT name FROM customer WHERE city = 'OSLO' ORDER BY name DESC; Bob,Ann",
                "SELECT TOP 1 id FROM orders ORDER BY total DESC; 11",
                "SELECT id FROM orders ORDER BY id OFFSET 1 ROWS FETCH NEXT 1 ROWS ONLY; 11",
                "SELECT name FROM customer c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer = c.id AND o.total > 10); Ann",
                "SELECT DISTINCT item FROM line ORDER BY item; ink,pen",
                "WITH big AS (SELECT customer FROM orders WHERE total > 5) SELECT COUNT(*) FROM big; 2",
                "SELECT UPPER(name) FROM customer WHERE name LIKE 'a%' UNION SELECT item FROM line WHERE qty = 1 ORDER BY 1; ANN,ink",
                "SELECT MONTH(placed), SUM(total) FROM orders GROUP BY MONTH(placed) HAVING COUNT(*) > 1; 3|19.75",
                "SELECT c.city FROM account a INNER JOIN customer c ON c.id = a.customer WHERE a.name = 'ANN '; Oslo",
                "SELECT [c].[name] FROM dbo.customer AS [c] WITH (NOLOCK), orders o WHERE o.customer = c.id AND o.id = 12; Bob",
                "SELECT id, ROW_NUMBER() OVER (PARTITION BY customer ORDER BY id DESC) AS r FROM orders ORDER BY id; 10|2,11|1,12|1",
                "SELECT name FROM customer WHERE name LIKE 'a\\_%' ESCAPE '\\' OR name = 'B\\' OR name LIKE 'c%' ESCAPE '\\' ORDER BY id; Cid",
                "SELECT 'a\\' + name AS x FROM customer WHERE id IN (SELECT 1) ORDER BY name; a\\Ann",
                "SELECT CASE WHEN total > 10 THEN 'big' ELSE 'small' END FROM orders WHERE customer = 1 ORDER BY id; small,big",
            })
    void shouldEvaluate(String sql, String expected) throws SQLException {
        assertThat(String.join(",", select(sql))).isEqualTo(expected);
        // Then it is remembered as one that Cassandra does not take.
        assertThat(String.join(",", select(sql))).isEqualTo(expected);
    }

    @Test
    void shouldGiveTypesAsSqlServer() throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result =
                        statement.executeQuery("SELECT o.id, o.placed, o.total, l.price, c.name, COUNT(*) AS n"
                                + " FROM orders o JOIN line l ON l.orders = o.id JOIN customer c ON c.id = o.customer WHERE o.id = 11"
                                + " GROUP BY o.id, o.placed, o.total, l.price, c.name")) {
            ResultSetMetaData columns = result.getMetaData();
            assertThat(columns.getColumnTypeName(2)).isEqualTo("datetime2");
            assertThat(columns.getColumnType(3)).isEqualTo(Types.DECIMAL);
            assertThat(columns.getPrecision(3)).isEqualTo(9);
            assertThat(columns.getScale(3)).isEqualTo(2);
            assertThat(columns.getColumnTypeName(4)).isEqualTo("money");
            assertThat(columns.getColumnLabel(6)).isEqualTo("n");
            assertThat(result.next()).isTrue();
            assertThat(result.getObject(1)).isEqualTo(11);
            assertThat(result.getTimestamp("placed")).isEqualTo(Timestamp.valueOf("2024-03-02 11:30:00"));
            assertThat(result.getObject(2, LocalDateTime.class)).isEqualTo(LocalDateTime.of(2024, 3, 2, 11, 30));
            assertThat(result.getBigDecimal(3)).isEqualTo(new BigDecimal("12.25"));
            assertThat(result.getBigDecimal(4)).isEqualTo(new BigDecimal("2.4500"));
            assertThat(result.getInt("N")).isEqualTo(1);
            assertThat(result.next()).isFalse();
        }
    }

    @Test
    void shouldSeeWhatItsTransactionHasWritten() throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("UPDATE customer SET name = N'Dan' WHERE id = 3");
            statement.execute("INSERT INTO orders (id, customer, total) VALUES (99, 3, 5)");

            String sql = "SELECT c.name, o.total FROM orders o JOIN customer c ON c.id = o.customer WHERE o.id = 99";
            assertThat(select(sql)).containsExactly("Dan|5.00");
            connection.rollback();
            assertThat(select(sql)).isEmpty();
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    @Test
    void shouldServeStatementsOfAScript() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            assertThat(statement.execute(
                            "SET NOCOUNT ON SELECT COUNT(*) AS n FROM customer c JOIN orders o ON o.customer = c.id"
                                    + " WHERE c.id = 1 SELECT name FROM customer WHERE id = 2"))
                    .isTrue();
            assertThat(rows(statement.getResultSet())).containsExactly("2");
            assertThat(statement.getMoreResults()).isTrue();
            assertThat(rows(statement.getResultSet())).containsExactly("Bob");
        }
    }

    @Test
    void shouldSayWhatNobodyServes() {
        assertThatThrownBy(() -> select("SELECT * FROM customer c CROSS APPLY (SELECT TOP 1 id FROM orders) o"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("APPLY");
        assertThatThrownBy(() -> select("SELECT * FROM customer c JOIN missing m ON m.id = c.id"))
                .hasMessageContaining("missing");
        assertThatThrownBy(() -> select("SELECT id / 0 AS x FROM customer ORDER BY name"))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(8134));
    }

    /** H2 is relocated in the jar, and finds no message of its own. */
    @Test
    void shouldHaveTheNumberOfANumberThatDoesNotFit() {
        assertThatThrownBy(() -> select("SELECT CAST(total AS DECIMAL(2,2)) AS x FROM orders ORDER BY id"))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(8115))
                .hasMessageNotContaining("Message");
    }

    @Test
    void shouldReadDatesAsTheSessionSays() throws SQLException {
        String sql = "SELECT id FROM orders WHERE placed < '02/03/2024' ORDER BY total";
        String given = "SELECT id FROM orders WHERE placed < ? ORDER BY total";
        for (Object[] each : List.of(new Object[] {sql}, new Object[] {given, "02/03/2024"})) {
            Object[] parameters = Arrays.copyOfRange(each, 1, each.length);
            assertThatThrownBy(() -> select((String) each[0], parameters))
                    .isInstanceOfSatisfying(SQLException.class, e -> assertThat(e.getErrorCode())
                            .isEqualTo(241))
                    .hasMessageContaining("in SQL Server its order depends on the language of the session");
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET DATEFORMAT dmy");
            assertThat(select(sql)).containsExactly("10");
            assertThat(select(given, "02/03/2024")).containsExactly("10");
            statement.execute("SET LANGUAGE us_english");
            assertThat(select(sql)).isEmpty();
        }
        try (Connection dmy = cluster.open("dateFormat=dmy");
                Statement statement = dmy.createStatement()) {
            assertThat(rows(statement.executeQuery(sql))).containsExactly("10");
        }
    }

    /** 2024-03-01 was a Friday. */
    @Test
    void shouldCountDaysOfTheWeekAsTheSessionSays() throws SQLException {
        String day = "SELECT DATEPART(weekday, placed) AS d FROM orders WHERE id = 10";
        String name = "SELECT DATENAME(month, placed) AS d FROM orders WHERE id = 10";
        assertThat(select(day)).containsExactly("6");
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET DATEFIRST 1");
            assertThat(select(day)).containsExactly("5");
            assertThat(select(name)).containsExactly("March");
            statement.execute("SET LANGUAGE us_english");
            assertThat(select(day)).containsExactly("6");
            statement.execute("SET LANGUAGE Deutsch");
            assertThat(select(day)).containsExactly("5");
            assertThatThrownBy(() -> select(name)).hasMessageContaining("only English names are known");
        }
    }

    @Test
    void shouldFindKeysByWhatIsGiven() throws SQLException {
        String search =
                "SELECT name FROM customer WHERE (? IS NULL OR id = ?) AND (? IS NULL OR city = ?) ORDER BY name";
        try (Connection few = cluster.open("assistRows=1");
                PreparedStatement statement = few.prepareStatement(search)) {
            // Of another type than the column, too.
            statement.setString(1, "2");
            statement.setString(2, "2");
            statement.setString(3, null);
            statement.setString(4, null);
            assertThat(rows(statement.executeQuery())).containsExactly("Bob");
        }
        assertThat(select(search, null, null, "OSLO", "OSLO")).containsExactly("Ann", "Bob");
        assertThat(select(search, null, null, null, null)).containsExactly("Ann", "Bob", "Cid");
    }

    @Test
    void shouldServeLongListsOfKeys() throws SQLException {
        Object[] keys = IntStream.range(0, 600).boxed().toArray();
        String marks = String.join(", ", Collections.nCopies(keys.length, "?"));
        assertThat(select("SELECT name FROM customer WHERE id IN (" + marks + ") ORDER BY city DESC, name", keys))
                .containsExactly("Cid", "Ann", "Bob");
    }

    @Test
    void shouldShowStringsOfPlainTablesBesideOthers() throws SQLException {
        cluster.cql(
                "CREATE TABLE $.note (id int PRIMARY KEY, body text)", "INSERT INTO $.note (id, body) VALUES (1, 'x')");
        assertThat(select("SELECT c.name, n.body FROM customer c JOIN note n ON n.id = c.id WHERE c.city = 'OSLO'"))
                .containsExactly("Ann|x");
        assertThatThrownBy(() -> select("SELECT c.name FROM customer c JOIN note n ON n.body = c.name"))
                .hasMessageContaining("their collations differ");
    }

    @Test
    void shouldReadAllKeysOfMany() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            // Of 32 look-ups side by side, these are twice as many, and one more.
            statement.execute("CREATE TABLE ring (id INT PRIMARY KEY, following INT)");
            StringBuilder insert = new StringBuilder("INSERT INTO ring (id, following) VALUES (0, 1)");
            for (int i = 1; i < 65; i++) {
                insert.append(", (").append(i).append(", ").append((i + 1) % 65).append(")");
            }
            statement.execute(insert.toString());
        }

        assertThat(select("SELECT COUNT(*), SUM(b.id) FROM ring a JOIN ring b ON b.id = a.following"))
                .containsExactly("65|2080");
    }

    /** A table that has become exact keeps its keys, which have no form for all equal strings. */
    @Test
    void shouldCompareKeysByTheirBytesWhereTheseAreKeys() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE label (name NVARCHAR(9) PRIMARY KEY, customer INT) WITH (plain)");
            cluster.exact("label");
        }
        // With a session of its own, which has not known the table as it was.
        try (Connection later = cluster.open("assist=on", "assistRows=100");
                Statement statement = later.createStatement()) {
            statement.execute("INSERT INTO label (name, customer) VALUES (N'ann', 1)");
            statement.execute("INSERT INTO label (name, customer) VALUES (N'Ann', 2)");

            try (ResultSet result =
                    statement.executeQuery("SELECT l.customer FROM label l WHERE l.customer > 0 ORDER BY l.customer")) {
                assertThat(rows(result)).containsExactly("1", "2");
            }
            try (ResultSet result = statement.executeQuery(
                    "SELECT l.customer, o.id FROM label l JOIN orders o ON o.customer = l.customer WHERE l.name = N'Ann'")) {
                assertThat(rows(result)).containsExactly("2|12");
            }
        }
    }

    @Test
    void shouldFindRowsByUniqueValuesAsItsTransactionHasThem() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE member (id INT PRIMARY KEY, email NVARCHAR(20) UNIQUE, customer INT)");
            statement.execute("INSERT INTO member (id, email, customer) VALUES (1, N'a@x', 1), (2, N'b@x', 2)");
        }
        String sql =
                "SELECT c.name, m.email FROM member m JOIN customer c ON c.id = m.customer WHERE m.email = N'A@X '";

        assertThat(select(sql)).containsExactly("Ann|a@x");
        assertThat(plan(sql)).contains("member by the index on email", "customer by its key (id)");
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("UPDATE member SET email = N'c@x' WHERE id = 1");
            assertThat(select(sql)).isEmpty();
            statement.execute("UPDATE member SET email = N'a@X' WHERE id = 2");
            assertThat(select(sql)).containsExactly("Bob|a@X");
            statement.execute("DELETE FROM member WHERE id = 2");
            statement.execute("INSERT INTO member (id, email, customer) VALUES (3, N'a@x', 3)");
            assertThat(select(sql)).containsExactly("Cid|a@x");
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    /** Without a collation, as of plain tables, and by a binary one, strings are compared by code; but blanks at the end of CHAR never count. */
    @ParameterizedTest
    @CsvSource({"plain, '', WITH (plain)", "binary, COLLATE Latin1_General_BIN2, ''"})
    void shouldFindCharWithoutItsBlanks(String name, String collation, String writes) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE code_" + name + " (id CHAR(5) " + collation
                    + " PRIMARY KEY, name VARCHAR(9) " + collation + ") " + writes);
            statement.execute("INSERT INTO code_" + name + " (id, name) VALUES ('ab', 'cd')");
            statement.execute("INSERT INTO code_" + name + " (id, name) VALUES ('cd', 'x')");
        }

        assertThat(select("SELECT c.name FROM code_" + name + " c WHERE c.id = 'ab' AND LEN(c.name) = 2"))
                .containsExactly("cd");
        assertThat(select("SELECT d.name FROM code_" + name + " c JOIN code_" + name
                        + " d ON d.id = c.name WHERE c.id = 'ab'"))
                .containsExactly("x");
        assertThat(select("SELECT c.name FROM code_" + name + " c JOIN code_" + name
                        + " d ON c.name = d.id WHERE d.id = 'cd' ORDER BY 1"))
                .containsExactly("cd");
    }

    /** The types decide about results. */
    @Test
    void shouldKnowTheTypesOfATableThatAnotherSessionHasJustMade() throws SQLException {
        // Until here this session has read what is declared.
        assertThat(select("SELECT COUNT(*) FROM customer c JOIN orders o ON o.customer = c.id"))
                .containsExactly("3");
        try (Connection other = cluster.open();
                Statement statement = other.createStatement()) {
            statement.execute("CREATE TABLE fresh (id INT PRIMARY KEY, code CHAR(5), price MONEY) WITH (plain)");
            statement.execute("INSERT INTO fresh (id, code, price) VALUES (1, 'ab', 2)");
        }

        assertThat(select("SELECT f.code + '.', f.price FROM fresh f WHERE f.code = 'ab'"))
                .containsExactly("ab   .|2.0000");
    }

    /** Of a whole key there is one row, of a part of it there may be any number. */
    @Test
    void shouldAskForNoMoreRowsThanItMayRead() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE bounded (p INT, c INT, v INT, PRIMARY KEY (p, c))");
            statement.execute("CREATE INDEX bounded_v ON bounded (v)");
        }
        select("SELECT c FROM bounded WHERE p = 1 ORDER BY v");
        select("SELECT c FROM bounded WHERE v = 1 ORDER BY c DESC");
        select("SELECT c FROM bounded WHERE c > 1 ORDER BY v");

        List<String> asked = new ArrayList<>();
        for (Row row :
                connection.unwrap(CqlSession.class).execute("SELECT query_string FROM system.prepared_statements")) {
            String text = String.valueOf(row.getString("query_string"));
            if (text.matches("SELECT .* FROM assisted_reads_it\\.bounded.*")) {
                asked.add(text);
            }
        }
        assertThat(asked).hasSizeGreaterThanOrEqualTo(3).allMatch(text -> text.endsWith(" LIMIT ?"));
    }

    /** Of these, H2 tells by its messages alone, which the jar of this module has within it. */
    @Test
    void shouldSayWhatANumberCannotHold() {
        assertThatThrownBy(() -> select("SELECT CAST(total * 1000 AS DECIMAL(5,2)) FROM orders ORDER BY id"))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(8115));
    }

    @Test
    void shouldRefuseWhereItIsOff() throws SQLException {
        try (Connection off = cluster.open("assist=off");
                Statement statement = off.createStatement()) {
            assertThatThrownBy(() ->
                            statement.executeQuery("SELECT c.name FROM customer c JOIN orders o ON o.customer = c.id"))
                    .hasMessageContaining("a join is not supported");
        }
    }

    @Test
    void shouldEndByTheTimeoutOfItsStatement() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE crossed (id INT PRIMARY KEY, v NVARCHAR(4000))");
            for (int i = 0; i < 300; i++) {
                statement.execute("INSERT INTO crossed (id, v) VALUES (" + i + ", '" + "a".repeat(3_000) + "')");
            }
            statement.setQueryTimeout(1);
            // Each comparison takes so long that a second is over before the bound of joined rows is reached.
            assertThatThrownBy(() -> statement.executeQuery("SELECT COUNT(*) FROM crossed a WHERE EXISTS (SELECT 1 FROM"
                            + " crossed b, crossed c WHERE b.v LIKE '%a%a%a%b' AND b.id + c.id + a.id < -1)"))
                    .isInstanceOf(SQLTimeoutException.class);
        }
    }

    @Test
    void shouldIgnoreNoLock() throws SQLException {
        String join =
                "SELECT c.name FROM orders o WITH (NOLOCK) JOIN customer c (NOLOCK) ON c.id = o.customer WHERE o.id = 10";

        assertThat(select(join)).containsExactly("Ann");
        assertThat(select(join.replace("WITH (NOLOCK)", "WITH (ROWLOCK, INDEX(1))") + " OPTION (RECOMPILE)"))
                .containsExactly("Ann");
        assertThat(select(join.replace("NOLOCK", "READPAST"))).containsExactly("Ann");
        assertThat(select("SELECT name FROM customer WITH (READPAST, ROWLOCK) WHERE id = 1"))
                .containsExactly("Ann");
        assertThat(select("SELECT name FROM customer c (READPAST) WHERE id = 1"))
                .containsExactly("Ann");
        for (String lock : List.of("UPDLOCK", "HOLDLOCK", "TABLOCKX", "XLOCK", "READPAST, UPDLOCK")) {
            assertThatThrownBy(() -> select(join.replace("WITH (NOLOCK)", "WITH (" + lock + ")")))
                    .as(lock)
                    .isInstanceOf(SQLException.class);
        }
        for (String lock : List.of("UPDLOCK", "HOLDLOCK", "TABLOCKX", "XLOCK", "READPAST")) {
            assertThatThrownBy(() -> select(join + " OPTION (TABLE HINT (o, " + lock + "))"))
                    .as(lock)
                    .isInstanceOf(SQLException.class);
        }
    }

    /** What is evaluated needs no form in CQL. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            SELECT SOUNDEX(name) FROM customer WHERE city NOT IN ('x')          | The driver does not evaluate the statement in the client: The function soundex
            SELECT name FROM customer WHERE city NOT IN ('x') AND name > NOW()  | The driver does not evaluate the statement in the client: The function now is not evaluated in the client: T-SQL does not have it. Write GETDATE()
            SELECT name FROM customer WHERE city NOT IN ('x') ORDER name        | The driver does not evaluate the statement in the client: it cannot be read from 'ORDER' in line 1, column 51 on. Nor has CQL a form for it:
            SELECT name FROM customer WITH (UPDLOCK) WHERE city NOT IN ('x')    | The driver does not evaluate the statement in the client: the hint UPDLOCK locks rows, and there no row is locked.
            """)
    void shouldSayFirstWhyAStatementIsNotEvaluated(String sql, String message) throws SQLException {
        assertThatThrownBy(() -> select(sql))
                .hasMessageStartingWith(message)
                .hasMessageContaining("NOT IN in WHERE is not supported");
        try (Connection off = cluster.open("assist=off");
                Statement statement = off.createStatement()) {
            assertThatThrownBy(() -> statement.executeQuery(sql)).hasMessageNotContaining("does not evaluate");
        }
    }

    /** It may be meant as CQL, so what the server says of it comes first. */
    @Test
    void shouldSayFromWhereOnAStatementCannotBeRead() {
        assertThatThrownBy(() -> select("SELECT name FROM customer WHERE and city = 'x'"))
                .hasMessageStartingWith("Incorrect syntax near 'and'")
                .hasMessageContaining("it cannot be read as T-SQL from 'WHERE' in line 1, column 27 on");
    }

    @Test
    void shouldServeAgainDirectlyWhatATransactionHadEvaluated() throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO customer (id, name) VALUES (77, N'Max')");
            assertThat(select("SELECT MAX(id) FROM customer")).containsExactly("77");
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
        assertThat(plan("SELECT MAX(id) FROM customer")).contains("Direct");
    }

    @Test
    void shouldShowNamesAsTheyWereDeclared() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE Shown (Id INT PRIMARY KEY, FullName NVARCHAR(20))");
            statement.execute("INSERT INTO Shown (Id, FullName) VALUES (1, N'Ann')");
            try (ResultSet result = statement.executeQuery("SELECT * FROM Shown WHERE FullName LIKE 'a%'")) {
                assertThat(result.getMetaData().getColumnLabel(1)).isEqualTo("Id");
                assertThat(result.getMetaData().getColumnLabel(2)).isEqualTo("FullName");
            }
        }
    }

    @Test
    void shouldLeaveOutWhatTsqlHasNoTypeFor() throws SQLException {
        cluster.cql("CREATE TABLE $.tagged (id int PRIMARY KEY, name text, tags list<text>)");
        cluster.cql("INSERT INTO $.tagged (id, name, tags) VALUES (1, 'a', ['x'])");
        cluster.cql("CREATE TABLE $.mixed (id int PRIMARY KEY, name text, \"Name\" text)");

        assertThat(select("SELECT name FROM tagged WHERE name LIKE 'a%'")).containsExactly("a");
        assertThatThrownBy(() -> select("SELECT * FROM tagged WHERE name LIKE 'a%'"))
                .hasMessageContaining("tags");
        assertThatThrownBy(() -> select("SELECT id FROM mixed WHERE name LIKE 'a%'"))
                .hasMessageContaining("differ in case alone");
    }

    @Test
    void shouldReadNoMoreThanItMay() throws SQLException {
        try (Connection few = cluster.open("assistRows=2");
                Statement statement = few.createStatement()) {
            assertThatThrownBy(() -> statement.executeQuery("SELECT name FROM customer ORDER BY city"))
                    .isInstanceOf(SQLFeatureNotSupportedException.class)
                    .hasMessageContaining("customer")
                    .hasMessageContaining("2 rows");
            assertThatThrownBy(() -> statement.executeQuery(
                            "SELECT o.id FROM orders o JOIN line l ON l.orders = o.id WHERE o.id IN (10, 11)"))
                    .isInstanceOf(SQLFeatureNotSupportedException.class)
                    .hasMessageContaining("2 rows")
                    .hasMessageContaining("assisted_reads_it.line");
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE many (id INT PRIMARY KEY, v INT)");
            for (int from = 0; from < 1_001; from += 143) {
                StringBuilder insert = new StringBuilder("INSERT INTO many (id, v) VALUES ");
                for (int i = from; i < from + 143; i++) {
                    insert.append(i == from ? "" : ", ").append("(").append(i).append(", 0)");
                }
                statement.execute(insert.toString());
            }
            assertThatThrownBy(() -> statement.executeQuery("SELECT id FROM many WHERE v = 0 ORDER BY id"))
                    .hasMessageContaining("assisted_reads_it.many", "more than 1000 rows", "CREATE INDEX");
        }
    }
}
