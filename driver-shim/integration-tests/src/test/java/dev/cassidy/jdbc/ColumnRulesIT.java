package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.DefaultBatchType;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.schema.RelationMetadata;
import dev.cassidy.cql.ColumnValueException;
import dev.cassidy.cql.ExplicitIds;
import dev.cassidy.cql.GeneratedKeys;
import dev.cassidy.cql.IdentityInsertException;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.sequence.IdentityType;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The rules of columns that CREATE TABLE in T-SQL declares: NOT NULL, lengths, precision and scale. The tables are plain, so that
 * java-driver writes them, too, and an UPDATE needs no row.
 */
class ColumnRulesIT {

    private static final String KEYSPACE = "column_rules_it";

    private static TestCluster cluster;

    @AutoClose
    private final Connection connection = cluster.open("writes=plain");

    @BeforeAll
    static void prepare() throws SQLException {
        cluster = TestCluster.fresh(KEYSPACE);
        cluster.cql("CREATE TABLE $.installs_cassidy (id int PRIMARY KEY)");
        cluster.identity("installs_cassidy", "id", IdentityType.INT, 1);
        try (Connection connection = cluster.open("writes=plain");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE item (id INT IDENTITY PRIMARY KEY, Name NVARCHAR(5) NOT NULL, code CHAR(3),"
                    + " price DECIMAL(6,2), state VARCHAR(3) NOT NULL DEFAULT 'new', raw VARBINARY(2), n TINYINT)");
            statement.execute(
                    "CREATE TABLE stock (id INT NOT NULL PRIMARY KEY, Name NVARCHAR(5) NOT NULL, amount INT)");
        }
        cluster.cql("CREATE TABLE $.plain (id int PRIMARY KEY, name text)");
    }

    private int run(String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            return statement.executeUpdate();
        }
    }

    private List<Object> row(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<Object> values = new ArrayList<>();
            while (rows.next()) {
                for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                    values.add(rows.getObject(i));
                }
            }
            return values;
        }
    }

    private long rows() throws SQLException {
        return (Long) row("SELECT COUNT_BIG(*) FROM item").get(0);
    }

    private static AbstractThrowableAssert<?, ?> assertNumber(AbstractThrowableAssert<?, ?> thrown, int number) {
        return thrown.isInstanceOf(SQLException.class).hasFieldOrPropertyWithValue("errorCode", number);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "INSERT INTO item (code) VALUES ('x')                              | 515  | column 'Name', table 'column_rules_it.item'",
                "INSERT INTO item (name) VALUES (NULL)                             | 515  | column does not allow nulls. INSERT fails",
                "INSERT INTO item (name, state) VALUES ('a', NULL)                 | 515  | column 'state'",
                "INSERT INTO item (name) VALUES ('a'), (NULL)                      | 515  | column 'Name'",
                "INSERT INTO item DEFAULT VALUES                                   | 515  | column 'Name'",
                "UPDATE item SET name = NULL WHERE id = 1                          | 515  | UPDATE fails",
                "INSERT INTO item (name) VALUES ('abcdef')                         | 2628 | the value has 6 characters: 'abcdef'",
                "INSERT INTO item (name, code) VALUES ('a', 'abcd')                | 2628 | column 'code', which is char(3)",
                "UPDATE item SET name = N'abcdef' WHERE id = 1                     | 2628 | nvarchar(5)",
                "INSERT INTO item (name, raw) VALUES ('a', 0x010203)               | 2628 | has 3 bytes",
                "INSERT INTO item (name, price) VALUES ('a', 10000)                | 8115 | decimal(6,2), value=10000",
                "UPDATE item SET price = 9999.995 WHERE id = 1                     | 8115 | value=9999.995",
                "INSERT INTO item (name, n) VALUES ('a', 256)                      | 220  | value = 256",
                "UPDATE stock SET name = 'abcdef' WHERE id = 1 IF amount = 1       | 2628 | column 'Name'",
                "INSERT INTO item (name) VALUES (('abcdef'))                       | 2628 | 'abcdef'",
                "INSERT INTO item (name) VALUES (((NULL)))                         | 515  | column 'Name'",
                "UPDATE item SET n = (300) WHERE id = 1                            | 220  | value = 300",
                "UPDATE item SET name = (N'abcdef') WHERE id = 1                   | 2628 | nvarchar(5)",
                "INSERT INTO item (name) VALUES ('ab' + N'cdef')                   | 2628 | 'abcdef'",
                "UPDATE item SET name = ('ab' + 'c') + 'def' WHERE id = 1          | 2628 | 'abcdef'"
            })
    void shouldRefuseWhatSqlServerRefuses(String sql, int number, String message) throws SQLException {
        long before = rows();

        assertNumber(assertThatThrownBy(() -> run(sql)), number).hasMessageContaining(message);
        try (Statement statement = connection.createStatement()) {
            assertNumber(assertThatThrownBy(() -> statement.executeUpdate(sql)), number);
        }

        assertThat(rows()).isEqualTo(before);
    }

    @Test
    void shouldRefuseParametersToo() throws SQLException {
        assertThatThrownBy(() -> run("INSERT INTO item (name) VALUES (?)", (Object) null))
                .isInstanceOf(SQLIntegrityConstraintViolationException.class)
                .hasFieldOrPropertyWithValue("SQLState", "23000");
        assertThatThrownBy(() -> run("INSERT INTO item (name) VALUES (?)", "abcdef"))
                .isInstanceOf(SQLDataException.class)
                .hasFieldOrPropertyWithValue("SQLState", "22001");
        assertThatThrownBy(() -> run("INSERT INTO item (name, price) VALUES (?, ?)", "a", new BigDecimal("12345")))
                .isInstanceOf(SQLDataException.class)
                .hasFieldOrPropertyWithValue("SQLState", "22003");
        assertNumber(assertThatThrownBy(() -> run("UPDATE item SET name = ? WHERE id = ?", null, 1)), 515);
    }

    @Test
    void shouldStoreWhatSqlServerStores() throws SQLException {
        run("INSERT INTO item (name, code, price) VALUES (?, ?, ?)", "abc   ", "x", new BigDecimal("1.005"));
        run("INSERT INTO item (name, code, price, raw, n) VALUES ('abcde  ', 'ab ', 2, 0x01, 255)");
        int last = ((BigDecimal) row("SELECT @@IDENTITY").get(0)).intValueExact();

        assertThat(row("SELECT name, code, price, state FROM item WHERE id = " + (last - 1)))
                .containsExactly("abc  ", "x  ", new BigDecimal("1.01"), "new");
        assertThat(row("SELECT name, code, price, n FROM item WHERE id = " + last))
                .containsExactly("abcde", "ab ", new BigDecimal("2.00"), (short) 255);
        run("UPDATE item SET price = ?, code = 'y' WHERE id = ?", new BigDecimal("3.14159"), last);
        assertThat(row("SELECT code, price FROM item WHERE id = " + last))
                .containsExactly("y  ", new BigDecimal("3.14"));
    }

    @Test
    void shouldStoreDefaultsAsSqlServerStoresThem() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE filled (id INT IDENTITY PRIMARY KEY, a INT, code CHAR(4) DEFAULT 'o''k',"
                    + " price DECIMAL(6,2) DEFAULT 1.005, raw BINARY(3) DEFAULT 0x01, word VARCHAR(5) DEFAULT 'a')");
        }
        run("INSERT INTO filled (a) VALUES (?)", 1);
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO filled (a) VALUES (2)");
        }
        try (PreparedStatement batch = connection.prepareStatement("INSERT INTO filled (a) VALUES (?)")) {
            batch.setInt(1, 3);
            batch.addBatch();
            batch.executeBatch();
        }
        for (int id = 1; id <= 3; id++) {
            assertThat(row("SELECT code, price, word FROM filled WHERE id = " + id))
                    .containsExactly("o'k ", new BigDecimal("1.01"), "a");
            assertThat((byte[]) row("SELECT raw FROM filled WHERE id = " + id).get(0))
                    .containsExactly(1, 0, 0);
        }
        assertThat(row("INSERT INTO filled (a) OUTPUT INSERTED.code, INSERTED.price VALUES (4)"))
                .containsExactly("o'k ", new BigDecimal("1.01"));
        assertThat(row("INSERT INTO filled (code, price) OUTPUT INSERTED.code, INSERTED.price VALUES ('x', 2)"))
                .containsExactly("x   ", new BigDecimal("2.00"));

        // The default is looked at by each INSERT, as in SQL Server: the column may have changed.
        try (PreparedStatement prepared = connection.prepareStatement("INSERT INTO filled (a) VALUES (?)");
                Statement statement = connection.createStatement()) {
            prepared.setInt(1, 6);
            statement.execute("ALTER TABLE filled ALTER COLUMN price DECIMAL(9,3)");
            prepared.executeUpdate();
        }
        assertThat(row("SELECT price FROM filled WHERE id = 6")).containsExactly(new BigDecimal("1.005"));

        try (Statement statement = connection.createStatement()) {
            statement.execute("ALTER TABLE filled ADD longer VARCHAR(2) DEFAULT 'abc'");
        }
        assertNumber(assertThatThrownBy(() -> run("INSERT INTO filled (a) VALUES (?)", 7)), 2628)
                .hasMessageContaining("column 'longer', which is varchar(2)");
        try (Statement statement = connection.createStatement()) {
            assertNumber(assertThatThrownBy(() -> statement.executeUpdate("INSERT INTO filled (a) VALUES (7)")), 2628);
        }
    }

    /** A sequence, a clock and NEWID() give values that the column has to take. */
    @Test
    void shouldAskTheRulesOfWhatDefaultsGive() throws SQLException {
        run("CREATE SEQUENCE far_seq AS BIGINT START WITH 70000");
        run("CREATE SEQUENCE near_seq AS BIGINT START WITH 254");
        run("CREATE TABLE given (id INT IDENTITY PRIMARY KEY, a INT, code CHAR(40) DEFAULT NEWID(),"
                + " n TINYINT DEFAULT (NEXT VALUE FOR near_seq), at DATETIME DEFAULT GETDATE())");
        run("CREATE TABLE far (id INT IDENTITY PRIMARY KEY, a INT, n SMALLINT DEFAULT (NEXT VALUE FOR far_seq))");
        run("CREATE TABLE narrow (id INT IDENTITY PRIMARY KEY, a INT, code VARCHAR(10) DEFAULT NEWID())");

        run("INSERT INTO given (a) VALUES (?)", 1);
        assertThat((String) row("SELECT code FROM given").get(0)).hasSize(40).endsWith("    ");
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO given DEFAULT VALUES");
        }
        assertThat(row("SELECT n FROM given")).containsExactlyInAnyOrder((short) 254, (short) 255);
        IdentitySession session = connection.unwrap(IdentitySession.class);
        List<String> inserts = List.of(
                "INSERT INTO column_rules_it.given (a) VALUES (3)",
                "INSERT INTO column_rules_it.far (a) VALUES (3)",
                "INSERT INTO column_rules_it.narrow (a) VALUES (3)");
        List<Integer> numbers = List.of(220, 8115, 2628);
        for (int i = 0; i < inserts.size(); i++) {
            String sql = inserts.get(i);
            int number = numbers.get(i);
            assertNumber(assertThatThrownBy(() -> run(sql.replace("3", "?"), 3)), number);
            assertNumber(assertThatThrownBy(() -> run(sql)), number);
            assertNumber(assertThatThrownBy(() -> run(sql + ", (4)")), number);
            assertThatThrownBy(() -> session.execute(sql))
                    .isInstanceOf(ColumnValueException.class)
                    .extracting(e -> ((ColumnValueException) e).reason().number())
                    .isEqualTo(number);
            var prepared = session.prepare(sql.replace("3", "?"));
            BatchStatement batch = BatchStatement.newInstance(DefaultBatchType.LOGGED, prepared.bind(3));
            assertThatThrownBy(() -> session.execute(prepared.bind(3))).isInstanceOf(RuntimeException.class);
            assertThatThrownBy(() -> session.execute(batch)).isInstanceOf(RuntimeException.class);
            connection.setAutoCommit(false);
            try {
                assertNumber(assertThatThrownBy(() -> run(sql.replace("3", "?"), 3)), number);
            } finally {
                connection.setAutoCommit(true);
            }
        }
        assertThat(row("SELECT a FROM given")).containsExactlyInAnyOrder(1, null);
        assertThat(row("SELECT a FROM far")).isEmpty();
        assertThat(row("SELECT a FROM narrow")).isEmpty();
    }

    @Test
    void shouldSetAColumnToItsDefault() throws SQLException {
        run("CREATE SEQUENCE unset_seq START WITH 1");
        run(
                "CREATE TABLE unset (id INT NOT NULL PRIMARY KEY, code CHAR(4) DEFAULT 'o''k', n INT, price DECIMAL(6,2) NOT"
                        + " NULL DEFAULT 1.005, must INT NOT NULL, at DATETIME DEFAULT GETDATE(), day DATE DEFAULT '2024-01-31',"
                        + " u UNIQUEIDENTIFIER DEFAULT NEWID(), s INT DEFAULT (NEXT VALUE FOR unset_seq), raw BINARY(2) DEFAULT 0x01,"
                        + " bit BIT DEFAULT 1, longer VARCHAR(2) DEFAULT 'abc')");
        run("INSERT INTO unset VALUES (1, DEFAULT, DEFAULT, DEFAULT, 5, NULL, NULL, NULL, 7, DEFAULT, DEFAULT, 'x')");
        assertThat(row("SELECT code, n, price, bit FROM unset"))
                .containsExactly("o'k ", null, new BigDecimal("1.01"), true);
        run("UPDATE unset SET code = 'x', n = 3, price = 9, bit = 0 WHERE id = 1");

        run(
                "UPDATE unset SET [Code] = DEFAULT, n = default, price = DEFAULT, at = DEFAULT, u = DEFAULT, day = DEFAULT,"
                        + " raw = DEFAULT, bit = DEFAULT WHERE id = ?",
                1);

        assertThat(row("SELECT code, n, price, bit, day FROM unset"))
                .containsExactly("o'k ", null, new BigDecimal("1.01"), true, java.sql.Date.valueOf("2024-01-31"));
        assertThat(row("SELECT at, u FROM unset")).doesNotContainNull();
        assertThat((byte[]) row("SELECT raw FROM unset").get(0)).containsExactly(1, 0);
        assertNumber(assertThatThrownBy(() -> run("UPDATE unset SET must = DEFAULT WHERE id = 1")), 515);
        assertNumber(
                assertThatThrownBy(() -> run("INSERT INTO unset (id, must, longer) VALUES (2, DEFAULT, 'x')")), 515);
        assertNumber(assertThatThrownBy(() -> run("UPDATE unset SET longer = DEFAULT WHERE id = 1")), 2628);
        assertThatThrownBy(() -> run("UPDATE unset SET s = DEFAULT WHERE id = 1"))
                .isInstanceOf(java.sql.SQLFeatureNotSupportedException.class)
                .hasMessageContaining("SELECT NEXT VALUE FOR column_rules_it.unset_seq, and give it as a parameter");
        run("ALTER TABLE unset ADD c INT DEFAULT 4; UPDATE unset SET c = DEFAULT WHERE id = 1");
        assertThat(row("SELECT must, s, c FROM unset")).containsExactly(5, 7, 4);
    }

    @Test
    void shouldRefuseNumbersThatAreNone() throws SQLException {
        run("CREATE TABLE measured (id INT NOT NULL PRIMARY KEY, f FLOAT CHECK (f < 10), r REAL)");
        IdentitySession session = connection.unwrap(IdentitySession.class);
        var insert = session.prepare("INSERT INTO column_rules_it.measured (id, f, r) VALUES (1, ?, ?)");
        for (double none : new double[] {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY}) {
            assertNumber(assertThatThrownBy(() -> run("INSERT INTO measured (id, f) VALUES (1, ?)", none)), 8023);
            assertNumber(assertThatThrownBy(() -> run("UPDATE measured SET r = ? WHERE id = 1", (float) none)), 8023);
            assertThatThrownBy(() -> session.execute(insert.bind(none, 1f))).isInstanceOf(ColumnValueException.class);
            assertThatThrownBy(() -> session.execute(insert.bind(1d, (float) none)))
                    .isInstanceOf(ColumnValueException.class);
            assertThatThrownBy(() -> session.execute(SimpleStatement.newInstance(
                            "INSERT INTO column_rules_it.measured (id, f) VALUES (1, ?)", none)))
                    .isInstanceOf(ColumnValueException.class);
        }
        run("INSERT INTO measured (id, f, r) VALUES (1, ?, ?)", 1.5, 2.5f);
        assertThat(row("SELECT f, r FROM measured")).containsExactly(1.5, 2.5f);
    }

    /** Cassandra refuses the statement when it is prepared, and SQL Server has one error for both. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "INSERT INTO keyless (b, v) VALUES (1, 'x')                   | a",
                "INSERT INTO keyless (a, v) VALUES (1, 'x')                   | b",
                "INSERT INTO keyless (v) VALUES ('x')                         | a",
                "INSERT INTO keyless (a, b, v) VALUES (NULL, 1, 'x')          | a",
                "INSERT INTO keyless (a, b, v) VALUES (1, NULL, 'x')          | b",
                "INSERT INTO keyless (b, v) OUTPUT INSERTED.v VALUES (1, 'x') | a",
                "INSERT INTO keyless (b, v) VALUES (1, 'x'), (2, 'y')         | a",
                "INSERT INTO by_cql (b, v) VALUES (1, 'x')                  | a",
                "INSERT INTO by_cql (a, v) VALUES (1, 'x')                  | b",
                "INSERT INTO by_cql (a, b, v) VALUES (1, NULL, 'x')         | b",
                "INSERT INTO by_cql (a, b, v) VALUES (NULL, 1, 'x')         | a"
            })
    void shouldRefuseAnInsertWithoutAValueForTheKey(String sql, String column) throws SQLException {
        run("IF OBJECT_ID('keyless') IS NULL CREATE TABLE keyless (a INT, b INT, v NVARCHAR(9), PRIMARY KEY (a, b))");
        cluster.cql("CREATE TABLE IF NOT EXISTS $.by_cql (a int, b int, v text, PRIMARY KEY (a, b))");
        IdentitySession session = connection.unwrap(IdentitySession.class);
        // The connection learns of it a moment later.
        await().atMost(Duration.ofMinutes(1)).until(() -> session.getMetadata()
                .getKeyspace("column_rules_it")
                .flatMap(keyspace -> keyspace.getTable("by_cql"))
                .isPresent());
        List<ThrowingCallable> ways = List.of(
                () -> run(sql),
                () -> {
                    try (Statement statement = connection.createStatement()) {
                        statement.execute(sql);
                    }
                },
                () -> {
                    try (Statement statement = connection.createStatement()) {
                        statement.addBatch(sql);
                        statement.executeBatch();
                    }
                });
        // With OUTPUT it gives rows, and a batch takes no such.
        for (ThrowingCallable way : sql.contains("OUTPUT") ? ways.subList(1, 2) : ways) {
            assertNumber(assertThatThrownBy(way), 515)
                    .hasFieldOrPropertyWithValue("SQLState", "23000")
                    .hasMessageContaining("column '" + column + "'")
                    .hasMessageContaining("does not allow nulls. INSERT fails");
        }
    }

    @Test
    void shouldNotMakeOneTableOfTwoNamesBeyondAscii() throws SQLException {
        run("CREATE TABLE Größe (id INT PRIMARY KEY, v NVARCHAR(9))");
        run("CREATE TABLE [Gräße] (id INT PRIMARY KEY, v NVARCHAR(9))");
        run("IF OBJECT_ID(N'dbo.GRÖßE') IS NULL CREATE TABLE Größe (other INT PRIMARY KEY)");
        run("INSERT INTO Größe (id, v) VALUES (1, 'size')");
        run("INSERT INTO Gräße (id, v) VALUES (1, 'none')");

        assertThat(row("SELECT v FROM [GRÖßE] WHERE id = 1")).containsExactly("size");
        assertThat(row("SELECT g.v FROM dbo.Gräße g WHERE g.id = 1")).containsExactly("none");
        assertThat(row("SELECT v FROM gr_x00f600df_e WHERE id = 1"))
                .as("as in CQL")
                .containsExactly("size");
        assertThatThrownBy(() -> run("INSERT INTO Grüße (id, v) VALUES (1, 'no such table')"))
                .hasFieldOrPropertyWithValue("errorCode", 208);
    }

    /** T-SQL takes the letters of every language in a name. */
    @Test
    void shouldServeNamesBeyondAscii() throws SQLException {
        run("CREATE TABLE Kunden (Id INT IDENTITY PRIMARY KEY, Straße NVARCHAR(5) NOT NULL, имя VARCHAR(9) DEFAULT 'ä',"
                + " 金额 DECIMAL(6,2) CHECK (金额 >= 0), Größe INT)");
        assertThat(run("INSERT INTO Kunden (Straße, 金额) VALUES (?, 1.005)", "Allee"))
                .isEqualTo(1);
        run("INSERT INTO kunden VALUES (N'Weg', DEFAULT, 2, 7)");
        assertNumber(assertThatThrownBy(() -> run("INSERT INTO Kunden (STRAßE) VALUES (N'länger')")), 2628)
                .hasMessageContaining("column 'Straße'");
        assertNumber(assertThatThrownBy(() -> run("INSERT INTO Kunden (Straße, 金额) VALUES ('x', -1)")), 547);
        assertNumber(assertThatThrownBy(() -> run("UPDATE Kunden SET straße = NULL WHERE id = 1")), 515);
        assertThat(run("UPDATE Kunden SET größe = 8, ИМЯ = DEFAULT WHERE id = 2"))
                .isEqualTo(1);
        assertThat(row("SELECT k.Straße, имя AS é, 金额, [größe], \"Größe\" FROM Kunden k WHERE Id = 2"))
                .containsExactly("Weg", "ä", new BigDecimal("2.00"), 8, 8);
        run("ALTER TABLE Kunden ADD Übrig INT");
        run("UPDATE Kunden SET Übrig = 1 WHERE id = 1");
        run("ALTER TABLE Kunden DROP COLUMN übrig");
        assertThat(row("SELECT straße, 金额 FROM Kunden WHERE id = 1")).containsExactly("Allee", new BigDecimal("1.01"));
    }

    /** Also in a CHECK. */
    @Test
    void shouldDecideChecksByWhatDefaultsGive() throws SQLException {
        run("CREATE SEQUENCE checked_seq START WITH 1");
        run("CREATE TABLE counted_up (id INT IDENTITY PRIMARY KEY, a INT, n INT DEFAULT (NEXT VALUE FOR checked_seq),"
                + " CONSTRAINT below CHECK (n + 0 >= 0), CONSTRAINT few CHECK (n < 3), CHECK (id < 5))");
        run("INSERT INTO counted_up (a) VALUES (?)", 1);
        IdentitySession session = connection.unwrap(IdentitySession.class);
        session.execute("INSERT INTO column_rules_it.counted_up (a) VALUES (2)");
        assertThat(row("SELECT n FROM counted_up")).containsExactlyInAnyOrder(1, 2);
        assertNumber(assertThatThrownBy(() -> run("INSERT INTO counted_up (a) VALUES (?)", 3)), 547)
                .hasMessageContaining("few");
        run("INSERT INTO counted_up (a, n) VALUES (4, 0)");
        assertNumber(assertThatThrownBy(() -> run("INSERT INTO counted_up (a, n) VALUES (5, 0)")), 547)
                .hasMessageContaining("id < 5");
        assertThatThrownBy(() -> session.execute("INSERT INTO column_rules_it.counted_up (a, n) VALUES (6, 0)"))
                .isInstanceOf(ColumnValueException.class);
        assertThat(row("SELECT a FROM counted_up")).hasSizeLessThanOrEqualTo(3);
    }

    /** Cassandra, too, takes a term in brackets for the term. */
    @Test
    void shouldLookIntoBrackets() throws SQLException {
        assertNumber(assertThatThrownBy(() -> run("INSERT INTO item (name) VALUES ((?))", "abcdef")), 2628);
        assertNumber(assertThatThrownBy(() -> run("INSERT INTO item (name) VALUES (((?)))", (Object) null)), 515);
        assertNumber(assertThatThrownBy(() -> run("UPDATE item SET price = (?) WHERE id = 1", 12345)), 8115);
        run("INSERT INTO item (name, code, price) VALUES (('b'), ((?)), (1.239))", "x");
        int id = ((BigDecimal) row("SELECT @@IDENTITY").get(0)).intValueExact();
        assertThat(row("SELECT name, code, price FROM item WHERE id = " + id))
                .containsExactly("b", "x  ", new BigDecimal("1.24"));
        run("UPDATE item SET price = ((2.005)), code = (?) WHERE id = " + id, "y");
        assertThat(row("SELECT code, price FROM item WHERE id = " + id)).containsExactly("y  ", new BigDecimal("2.01"));
    }

    /** A literal of a prepared statement is stored as a parameter would be. */
    @Test
    void shouldStoreLiteralsOfPreparedStatementsAsSqlServerDoes() throws SQLException {
        IdentitySession session = connection.unwrap(IdentitySession.class);
        com.datastax.oss.driver.api.core.cql.PreparedStatement insert = session.prepare(
                "INSERT INTO column_rules_it.item (name, code, price, n) VALUES ('abc', 'y', 1.239, ?)");
        long id = GeneratedKeys.of(session.execute(insert.bind((short) 1)))
                .keys()
                .get(0)
                .id();
        assertThat(row("SELECT code, price, n FROM item WHERE id = " + id))
                .containsExactly("y  ", new BigDecimal("1.24"), (short) 1);
        com.datastax.oss.driver.api.core.cql.PreparedStatement update =
                session.prepare("UPDATE column_rules_it.item SET price = 7, code = ('z') WHERE id = ?");
        session.execute(update.bind((int) id));
        assertThat(row("SELECT code, price FROM item WHERE id = " + id)).containsExactly("z  ", new BigDecimal("7.00"));
    }

    /** Blanks at the end, zeros behind the point, and zeros at a binary's end make no other value. */
    @Test
    void shouldFindRowsByTheValuesThatTheyWereGiven() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE by_code (code CHAR(5) NOT NULL PRIMARY KEY, v INT)");
            statement.execute("CREATE TABLE by_price (price DECIMAL(10,2) NOT NULL, raw BINARY(3) NOT NULL,"
                    + " word VARCHAR(3) NOT NULL, v INT, PRIMARY KEY (price, raw, word))");
        }
        run("INSERT INTO by_code VALUES ('ab', 1)");
        run("INSERT INTO by_code VALUES (?, 2)", "cd");
        assertThat(row("SELECT v FROM by_code WHERE code = 'ab'")).containsExactly(1);
        assertThat(row("SELECT v FROM by_code WHERE code IN ('cd', 'x')")).containsExactly(2);
        assertThat(run("UPDATE by_code SET v = 3 WHERE code = ?", "ab  ")).isEqualTo(1);
        assertThat(row("SELECT code, v FROM by_code WHERE code = N'ab       '")).containsExactly("ab   ", 3);
        assertThat(run("DELETE FROM by_code WHERE code = 'cd'")).isEqualTo(1);
        assertThat(row("SELECT code FROM by_code")).containsExactly("ab   ");

        run("INSERT INTO by_price VALUES (5, 0x01, 'abc  ', 1)");
        assertThat(row("SELECT v FROM by_price WHERE price = 5 AND raw = 0x01 AND word = 'abc '"))
                .containsExactly(1);
        assertThat(run(
                        "UPDATE by_price SET v = 2 WHERE price = ? AND raw = ? AND word = 'abc'",
                        new BigDecimal("5.0"),
                        new byte[] {1, 0}))
                .isEqualTo(1);
        assertThat(row("SELECT price, v FROM by_price WHERE price = 5.000")).containsExactly(new BigDecimal("5.00"), 2);
        assertThat(row("SELECT v FROM by_price")).containsExactly(2);
        // The word LIKE within a value makes no pattern of another one.
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE noted (code CHAR(4) NOT NULL, note VARCHAR(20) NOT NULL,"
                    + " PRIMARY KEY (code, note))");
        }
        run("INSERT INTO noted VALUES ('ab', 'I like it')");
        assertThat(row("SELECT note FROM noted WHERE code = 'ab' AND note = 'I like it'"))
                .containsExactly("I like it");
        // A value that the column cannot have equals none.
        assertThat(row("SELECT v FROM by_price WHERE price = 5.001")).isEmpty();
        assertThat(row("SELECT v FROM by_code WHERE code = 'too long'")).isEmpty();
    }

    @Test
    void shouldDecideChecksOfWhatConstantDefaultsGive() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE preset (id INT NOT NULL PRIMARY KEY, low INT DEFAULT 7, high INT,"
                    + " c INT DEFAULT -1 CHECK (c >= 0), CHECK (low < high))");
        }
        assertNumber(assertThatThrownBy(() -> run("INSERT INTO preset (id) VALUES (1)")), 547);
        assertNumber(assertThatThrownBy(() -> run("INSERT INTO preset (id, c, high) VALUES (2, 1, ?)", 5)), 547);
        assertNumber(assertThatThrownBy(() -> run("INSERT INTO preset (id, c, high) VALUES (2, DEFAULT, 9)")), 547);
        assertThat(run("INSERT INTO preset (id, c, high) VALUES (3, 1, 8)")).isEqualTo(1);
        assertThat(row("SELECT id FROM preset")).containsExactly(3);
    }

    @Test
    void shouldDecideChecksWhoseColumnsAStatementGives() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE checked (id INT NOT NULL PRIMARY KEY, price DECIMAL(6,2) CONSTRAINT ck_price CHECK"
                            + " (price >= 0), kind VARCHAR(9) CHECK (kind IN ('book', 'toy') OR kind LIKE 'x%'), low INT, high INT,"
                            + " at DATETIME CHECK (at > '2000'), CONSTRAINT ck_range CHECK (low < high))");
            List<String> told = new ArrayList<>();
            for (SQLWarning each = statement.getWarnings(); each != null; each = each.getNextWarning()) {
                told.add(each.getMessage());
            }
            assertThat(told).hasSize(2);
            assertThat(told.get(0)).contains("left out: CHECK (at > '2000') of at");
            assertThat(told.get(1))
                    .contains("do not give values to all of its columns")
                    .contains("CHECK (low < high)");
        }
        assertNumber(assertThatThrownBy(() -> run("INSERT INTO checked (id, price) VALUES (1, ?)", -1)), 547)
                .hasMessageContaining("CHECK constraint \"ck_price\" of table 'column_rules_it.checked'")
                .hasMessageContaining(", and the row has price=-1.00. Give other values, or drop the constraint:"
                        + " ALTER TABLE column_rules_it.checked DROP CONSTRAINT ck_price")
                .hasFieldOrPropertyWithValue("SQLState", "23000");
        assertNumber(assertThatThrownBy(() -> run("INSERT INTO checked (id, kind) VALUES (1, 'car')")), 547)
                .hasMessageContaining("and the row has kind='car'. Give other values");
        assertNumber(assertThatThrownBy(() -> run("INSERT INTO checked (id, low, high) VALUES (1, 5, ?)", 4)), 547)
                .hasMessageContaining("and the row has high=4, low=5. ");
        assertNumber(assertThatThrownBy(() -> run("UPDATE checked SET price = -0.01 WHERE id = 1")), 547);
        assertNumber(assertThatThrownBy(() -> run("UPDATE checked SET low = ?, high = ? WHERE id = 1", 2, 1)), 547);
        assertThat(row("SELECT id FROM checked WHERE id = 1")).isEmpty();

        // -0.001 is stored as 0.00; NULL breaks nothing; the default collation ignores case.
        run("INSERT INTO checked (id, price, kind, low) VALUES (1, ?, 'Book ', 7)", new BigDecimal("-0.001"));
        run("UPDATE checked SET kind = 'XY', low = 9 WHERE id = 1");
        assertThat(row("SELECT price, kind, low FROM checked WHERE id = 1"))
                .containsExactly(new BigDecimal("0.00"), "XY", 9);
        run("ALTER TABLE checked WITH NOCHECK ADD CONSTRAINT ck_id CHECK (id <> 13)");
        assertNumber(assertThatThrownBy(() -> run("INSERT INTO checked (id) VALUES (13)")), 547);
        run("ALTER TABLE checked DROP CONSTRAINT ck_id");
        assertThat(run("INSERT INTO checked (id) VALUES (13)")).isEqualTo(1);
    }

    private List<String> warningsOf(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            List<String> told = new ArrayList<>();
            for (SQLWarning each = statement.getWarnings(); each != null; each = each.getNextWarning()) {
                told.add(each.getMessage());
            }
            return told;
        }
    }

    /** What is hostile, and what is written in other words than everybody's. */
    @Test
    void shouldDecideChecksAsSqlServerOrNotAtAll() throws SQLException {
        String deep = "(".repeat(4_000) + "n > 0" + ")".repeat(4_000);
        assertNumber(
                assertThatThrownBy(
                        () -> run("CREATE TABLE odd (id INT NOT NULL PRIMARY KEY, n INT CHECK (" + deep + "))")),
                191);
        assertThat(warningsOf("CREATE TABLE odd (id INT NOT NULL PRIMARY KEY, n INT,"
                        + " code CHAR(5) CHECK (code LIKE '[A-Z][0-9]'), never VARCHAR(9) CHECK (never LIKE '[z-a]'),"
                        + " slow NVARCHAR(200) CHECK (slow NOT LIKE '%a%a%a%a%a%b'), price DECIMAL(6,2) CHECK (price > .5),"
                        + " ai NVARCHAR(9) COLLATE Latin1_General_CI_AI CHECK (ai = N'e'),"
                        + " vi NVARCHAR(9) COLLATE Vietnamese_CI_AI CHECK (vi = N'e'),"
                        + " later INT CONSTRAINT ck_later CHECK NOT FOR REPLICATION (later > 0))"))
                .satisfiesExactlyInAnyOrder(
                        told -> assertThat(told).contains("left out: COLLATE Latin1_General_CI_AI of ai"),
                        told -> assertThat(told).contains("left out: COLLATE Vietnamese_CI_AI of vi"),
                        told -> assertThat(told).contains("left out: CHECK (vi = N'e') of vi"));
        run(
                "INSERT INTO odd (id, n, code, slow, price, ai, later) VALUES (1, 0, 'A1', ?, 0.51, N'é', 1)",
                "a".repeat(150));
        assertThat(row("SELECT code, ai FROM odd WHERE id = 1")).containsExactly("A1   ", "é");
        for (String refused : List.of(
                "INSERT INTO odd (id, code) VALUES (2, '1A')",
                "INSERT INTO odd (id, never) VALUES (2, 'b')",
                "INSERT INTO odd (id, slow) VALUES (2, 'aaaaab')",
                "INSERT INTO odd (id, price) VALUES (2, 0.5)",
                "INSERT INTO odd (id, ai) VALUES (2, N'f')",
                "INSERT INTO odd (id, later) VALUES (2, 0)")) {
            assertNumber(assertThatThrownBy(() -> run(refused)).as(refused), 547);
        }
        assertThat(warningsOf("ALTER TABLE odd WITH NOCHECK ADD CHECK (code LIKE '[^]')"))
                .isEmpty();
        assertNumber(assertThatThrownBy(() -> run("INSERT INTO odd (id, code) VALUES (2, 'A1')")), 547);
    }

    /** Dumps switch foreign keys off and on; a CHECK that stays must not be taken for one that is off. */
    @Test
    void shouldRefuseToSwitchOffACheckThatItKeeps() throws SQLException {
        warningsOf(
                "CREATE TABLE switched (id INT NOT NULL PRIMARY KEY, n INT CONSTRAINT ck_n CHECK (n > 0),"
                        + " other INT CONSTRAINT fk_other REFERENCES stock (id), late DATETIME CONSTRAINT ck_late CHECK (late > '2000'))");
        for (String names : List.of("ck_n", "CK_N, fk_other", "ALL")) {
            assertThatThrownBy(() -> run("ALTER TABLE switched NOCHECK CONSTRAINT " + names))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("ck_n: CHECK (n > 0)")
                    .hasMessageContaining("ALTER TABLE column_rules_it.switched DROP CONSTRAINT ck_n");
        }
        assertThat(warningsOf("ALTER TABLE switched CHECK CONSTRAINT ck_n")).isEmpty();
        for (String others :
                List.of("NOCHECK CONSTRAINT fk_other", "NOCHECK CONSTRAINT ck_late", "CHECK CONSTRAINT ALL")) {
            assertThat(warningsOf("ALTER TABLE switched " + others))
                    .singleElement()
                    .asString()
                    .contains("left out: ALTER TABLE switched " + others);
        }
        assertThat(warningsOf("ALTER TABLE stock NOCHECK CONSTRAINT ALL")).hasSize(1);

        run("ALTER TABLE switched DROP CONSTRAINT ck_n");
        assertThat(warningsOf("ALTER TABLE switched NOCHECK CONSTRAINT ALL")).hasSize(1);
        assertThat(run("INSERT INTO switched (id, n) VALUES (1, 0)")).isEqualTo(1);
        run("ALTER TABLE switched WITH NOCHECK ADD CONSTRAINT ck_n CHECK (n > 0)");
        assertNumber(assertThatThrownBy(() -> run("INSERT INTO switched (id, n) VALUES (2, 0)")), 547);
    }

    /** Nothing of a batch or a transaction is written after a value was refused. */
    @Test
    void shouldRefuseWithinBatchesAndTransactions() throws SQLException {
        long before = rows();
        try (PreparedStatement batch = connection.prepareStatement("INSERT INTO item (name) VALUES (?)")) {
            batch.setString(1, "toolong");
            batch.addBatch();
            assertThatThrownBy(batch::executeBatch)
                    .isInstanceOf(BatchUpdateException.class)
                    .hasMessageContaining("truncated");
        }
        connection.setAutoCommit(false);
        try {
            run("INSERT INTO item (name) VALUES ('kept')");
            assertNumber(assertThatThrownBy(() -> run("INSERT INTO item (name) VALUES ('toolong')")), 2628);
            assertNumber(assertThatThrownBy(() -> run("UPDATE stock SET name = 'toolong' WHERE id = 1")), 2628);
            connection.rollback();
        } finally {
            connection.setAutoCommit(true);
        }
        assertThat(rows()).isEqualTo(before);
    }

    /** They are sent in ways of their own. */
    @Test
    void shouldRefuseInTablesWhoseWritesAreExact() throws SQLException {
        run(
                "CREATE TABLE counted (id INT NOT NULL PRIMARY KEY, name NVARCHAR(5), stock INT CHECK (stock >= 0), version INT)"
                        + " WITH (exact)");
        run("INSERT INTO counted (id, name, stock, version) VALUES (1, 'a', 5, 1)");

        assertNumber(assertThatThrownBy(() -> run("INSERT INTO counted (id, name) VALUES (2, 'toolong')")), 2628);
        assertNumber(
                assertThatThrownBy(
                        () -> run("UPDATE counted SET name = ?, version = 2 WHERE id = 1 AND version = 1", "toolong")),
                2628);
        assertNumber(
                assertThatThrownBy(() -> run("UPDATE counted SET stock = -1, version = 2 WHERE id = 1 AND stock = 5")),
                547);
        assertNumber(assertThatThrownBy(() -> run("UPDATE counted SET stock = stock - 6 WHERE id = 1")), 547);
        assertNumber(
                assertThatThrownBy(() ->
                        run("UPDATE counted SET name = name + 'toolong', version = 2 WHERE id = 1 AND version = 1")),
                2628);
        assertThat(row("SELECT id, name, stock, version FROM counted")).containsExactly(1, "a", 5, 1);
    }

    /** Cassandra would compute them: a number wraps, and no rule sees the result. */
    @Test
    void shouldRefuseWhatTheServerWouldComputeUnderAnIf() throws SQLException {
        run("CREATE TABLE sums (id INT PRIMARY KEY, n TINYINT, m INT CHECK (m >= 0), s NVARCHAR(3), d DECIMAL(6,2))"
                + " WITH (plain)");
        run("CREATE TABLE totals (id INT PRIMARY KEY, n TINYINT, m INT CHECK (m >= 0), s NVARCHAR(3), d DECIMAL(6,2))"
                + " WITH (exact)");
        for (String table : List.of("sums", "totals")) {
            run("INSERT INTO " + table + " (id, n, m, s, d) VALUES (1, 200, 50, 'abc', 10.05)");
            for (String set : List.of(
                    "m = m + 2147483647 WHERE id = 1 IF EXISTS",
                    "m += 2147483647 WHERE id = 1 IF EXISTS",
                    "m -= 100 WHERE id = 1 IF EXISTS",
                    "n = n + 250 WHERE id = 1 IF n = 200",
                    "d = d + 0.001 WHERE id = 1 IF EXISTS",
                    "s = s + 'toolong' WHERE id = 1 IF EXISTS",
                    "s += 'toolong' WHERE id = 1 IF s = 'abc'")) {
                assertThatThrownBy(() -> run("UPDATE " + table + " SET " + set))
                        .as(set)
                        .isInstanceOf(SQLFeatureNotSupportedException.class)
                        .hasMessageContaining("under a condition is not served");
                assertThatThrownBy(() -> run("BEGIN BATCH UPDATE " + table + " SET " + set + " APPLY BATCH"))
                        .as(set)
                        .isInstanceOf(SQLException.class);
            }
            assertThatThrownBy(() -> run("UPDATE " + table + " SET s = s + ? WHERE id = 1 IF EXISTS", "toolong"))
                    .hasMessageContaining("IF s = ?");
            assertThat(row("SELECT n, m, s, CAST(d AS text) FROM " + table))
                    .containsExactly((short) 200, 50, "abc", "10.05");
        }
        assertNumber(assertThatThrownBy(() -> run("UPDATE totals SET s = s + 'toolong' WHERE id = 1")), 2628);
        assertNumber(assertThatThrownBy(() -> run("UPDATE totals SET m = m - 51 WHERE id = 1")), 547);
        run("UPDATE totals SET m = m + 1 WHERE id = 1");
        run("UPDATE sums SET m = 51 WHERE id = 1 IF m = 50");
        // T-SQL has said nothing of these.
        cluster.cql("CREATE TABLE $.unruled (id int PRIMARY KEY, n int, l list<int>)");
        run("INSERT INTO unruled (id, n, l) VALUES (1, 1, [1])");
        run("UPDATE unruled SET n = n + 1, l = l + [2] WHERE id = 1 IF EXISTS");
        assertThat(row("SELECT n FROM unruled")).containsExactly(2);
    }

    /** What is declared of a column goes by its name. */
    @Test
    void shouldRefuseToRenameADeclaredColumn() throws SQLException {
        run("CREATE TABLE renamed (k NVARCHAR(3) NOT NULL PRIMARY KEY, v INT)");
        run("CREATE TABLE renamed_id (id INT IDENTITY PRIMARY KEY, v INT)");
        cluster.cql("CREATE TABLE $.renamed_default (id int PRIMARY KEY, v int)");
        run("CREATE SEQUENCE renamed_seq START WITH 1");
        run("ALTER TABLE renamed_default ADD DEFAULT NEXT VALUE FOR renamed_seq FOR id");
        cluster.cql("CREATE TABLE $.renamed_cql (k int PRIMARY KEY, v int)");

        assertThatThrownBy(() -> run("ALTER TABLE renamed RENAME k TO kk"))
                .isInstanceOf(SQLFeatureNotSupportedException.class)
                .hasMessageContaining("cassidy tables adopt --table column_rules_it.renamed ");
        assertThatThrownBy(() -> run("ALTER TABLE renamed_id RENAME id TO other"))
                .isInstanceOf(SQLFeatureNotSupportedException.class)
                .hasMessageContaining("its identity would be lost");
        assertThatThrownBy(() -> run("ALTER TABLE renamed_default RENAME id TO other"))
                .isInstanceOf(SQLFeatureNotSupportedException.class)
                .hasMessageContaining("its default would be lost");
        run("ALTER TABLE renamed_cql RENAME k TO kk");
        IdentitySession session = connection.unwrap(IdentitySession.class);
        for (String rename : List.of(
                "ALTER TABLE renamed RENAME k TO kk",
                "ALTER TABLE column_rules_it.renamed /* /* */ RENAME IF EXISTS \"k\" TO kk -- */",
                "ALTER TABLE renamed_id RENAME id TO other",
                "ALTER TABLE renamed_default RENAME id TO other")) {
            assertRenameRefused(() -> session.execute(rename));
            assertRenameRefused(() -> session.prepare(rename));
            assertThatThrownBy(() ->
                            session.executeAsync(rename).toCompletableFuture().join())
                    .hasCauseInstanceOf(IdentityInsertException.class);
        }
        session.execute("ALTER TABLE renamed_cql RENAME kk TO k");
        session.execute("ALTER TABLE renamed_cql RENAME k TO kk");

        run("INSERT INTO renamed_id (v) VALUES (1)");
        run("INSERT INTO renamed_cql (kk, v) VALUES (1, 1)");
        assertNumber(assertThatThrownBy(() -> run("INSERT INTO renamed (k, v) VALUES ('long', 1)")), 2628);
    }

    private static void assertRenameRefused(ThrowingCallable rename) {
        assertThatThrownBy(rename).isInstanceOfSatisfying(IdentityInsertException.class, e -> assertThat(e.reason())
                .isEqualTo(IdentityInsertException.Reason.RENAME));
    }

    @Test
    void shouldRefuseTextsThatAreJoinedWithNull() throws SQLException {
        run("CREATE TABLE joined (id INT NOT NULL PRIMARY KEY, s NVARCHAR(5) NOT NULL)");
        run("INSERT INTO joined (id, s) VALUES (1, 'a' + 'b')");
        for (String joined : List.of("'a' + NULL", "NULL + 'a'", "'a' + CAST(NULL AS NVARCHAR(3))")) {
            assertNumber(assertThatThrownBy(() -> run("INSERT INTO joined (id, s) VALUES (2, " + joined + ")")), 515);
            assertNumber(assertThatThrownBy(() -> run("UPDATE joined SET s = " + joined + " WHERE id = 1")), 515);
        }
        assertThat(row("SELECT id, s FROM joined")).containsExactly(1, "ab");
    }

    @Test
    void shouldKeepRulesForJavaDriverCode() throws SQLException {
        IdentitySession session = connection.unwrap(IdentitySession.class);
        var insert = session.prepare("INSERT INTO stock (id, name, amount) VALUES (?, ?, ?)");
        BatchStatement batch = BatchStatement.newInstance(
                DefaultBatchType.LOGGED, insert.bind(50, "ok", 1), insert.bind(51, "toolong", 1));

        for (SimpleStatement refused : List.of(
                SimpleStatement.newInstance("INSERT INTO stock (id, name) VALUES (51, 'toolong')"),
                SimpleStatement.newInstance("INSERT INTO stock (id, name) VALUES (51, null)"),
                SimpleStatement.newInstance("INSERT INTO stock (id, amount) VALUES (51, 1)"),
                SimpleStatement.newInstance("INSERT INTO stock (id, name) VALUES (?, ?)", 51, "toolong"),
                SimpleStatement.newInstance(
                        "UPDATE stock SET name = :name WHERE id = :id", Map.of("id", 51, "name", "toolong")))) {
            assertThatThrownBy(() -> session.execute(refused))
                    .as(refused.getQuery())
                    .isInstanceOf(ColumnValueException.class);
        }
        assertThatThrownBy(() -> session.execute(insert.bind(51, "toolong", 1)))
                .isInstanceOf(ColumnValueException.class);
        assertThatThrownBy(() -> session.execute(insert.bind(51, null, 1))).isInstanceOf(ColumnValueException.class);
        assertThatThrownBy(() -> session.execute(batch)).isInstanceOf(ColumnValueException.class);
        assertThat(session.executeAsync(insert.bind(51, "toolong", 1)))
                .failsWithin(Duration.ofMinutes(1))
                .withThrowableThat()
                .withCauseInstanceOf(ColumnValueException.class);
        session.execute("INSERT INTO item (name, code, price) VALUES ('cql', 'z', 1.239)");
        assertThat(row("SELECT id, name FROM stock WHERE id IN (50, 51)")).isEmpty();
        int last = row("SELECT MAX(id) FROM item").get(0) instanceof Integer max ? max : 0;
        assertThat(row("SELECT code, price FROM item WHERE id = " + last))
                .containsExactly("z  ", new BigDecimal("1.24"));
    }

    /** Cassandra takes a type before a term, names a marker after its column, and reads dates and numbers in many forms. */
    @Test
    void shouldKeepRulesOfWhatCqlWritesInOtherForms() throws SQLException {
        run(
                "CREATE TABLE forms (k CHAR(5) NOT NULL PRIMARY KEY, s NVARCHAR(3) NOT NULL, d DECIMAL(4,1), n INT CHECK (n < 3),"
                        + " t TINYINT, raw BINARY(3), f FLOAT, dt DATETIME, sdt SMALLDATETIME, tm TIME(3))");
        IdentitySession session = connection.unwrap(IdentitySession.class);
        String insert = "INSERT INTO column_rules_it.forms (k, s, %s) VALUES ('x', 'abc', %s)";
        for (String refused : List.of(
                "INSERT INTO column_rules_it.forms (k, s) VALUES ('x', (text)'toolong')",
                "UPDATE column_rules_it.forms SET s = (text)NULL WHERE k = 'x'",
                "UPDATE column_rules_it.forms SET n = 1 WHERE k = (text)'toolongkey'",
                insert.formatted("n", "(int)4"),
                insert.formatted("t", "(smallint)300"),
                insert.formatted("raw", "(blob)0x01020304"),
                insert.formatted("f", "NaN"),
                insert.formatted("f", "-Infinity"),
                insert.formatted("dt", "'1700-01-01'"),
                insert.formatted("sdt", "'1899-01-01'"),
                "UPDATE column_rules_it.forms SET t += 200 WHERE k = 'x' IF EXISTS")) {
            assertThatThrownBy(() -> session.execute(refused)).as(refused).isInstanceOf(ColumnValueException.class);
            assertThatThrownBy(() -> session.execute(session.prepare(refused).bind()))
                    .as(refused)
                    .isInstanceOf(ColumnValueException.class);
        }
        var hinted = session.prepare("INSERT INTO column_rules_it.forms (k, s, t) VALUES (?, 'abc', (smallint)?)");
        assertThatThrownBy(() -> session.execute(hinted.bind("x", (short) 300)))
                .isInstanceOf(ColumnValueException.class);
        String named = "INSERT INTO column_rules_it.forms (k, s, d) VALUES (?, ?, ?)";
        for (Map<String, Object> values : List.<Map<String, Object>>of(
                Map.of("k", "x", "s", "toolong", "d", BigDecimal.ONE), Map.of("k", "x", "s", "abc", "d", "1"))) {
            assertThatThrownBy(() -> session.execute(SimpleStatement.newInstance(named, values)))
                    .isInstanceOf(ColumnValueException.class);
        }
        assertThatThrownBy(() -> session.execute(SimpleStatement.newInstance(
                        "INSERT INTO column_rules_it.forms (k, s) VALUES (:x, :x)", Map.of("x", "ab"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("use two markers");
        assertThat(row("SELECT k FROM forms")).isEmpty();

        session.execute(SimpleStatement.newInstance(named, Map.of("k", "x", "s", "abc", "d", new BigDecimal("0.04"))));
        session.execute("UPDATE column_rules_it.forms SET raw = (blob)0x01, n = (int)2,"
                + " sdt = '2020-01-01 10:20:30+0000', tm = '10:20:30.1235' WHERE k = (text)'x'");
        session.execute(SimpleStatement.newInstance(
                "UPDATE column_rules_it.forms SET t = ? WHERE k = ? IF s IN ?",
                Map.of("t", (short) 7, "k", "x", "\"in(s)\"", List.of("abc"))));
        assertThat(row("SELECT k, d, n, t FROM forms")).containsExactly("x    ", new BigDecimal("0.0"), 2, (short) 7);
        var times = session.execute("SELECT sdt, tm FROM column_rules_it.forms").one();
        assertThat(times.getInstant(0)).isEqualTo(Instant.parse("2020-01-01T10:21:00Z"));
        assertThat(times.getLocalTime(1)).isEqualTo(LocalTime.parse("10:20:30.124"));
    }

    /** The driver encodes a value of a simple statement by its class, and Cassandra takes most bytes for most types. */
    @Test
    void shouldRefuseClassesThatEncodeToAnotherType() throws SQLException {
        run(
                "CREATE TABLE typed (id INT NOT NULL PRIMARY KEY, d DECIMAL(6,2) CHECK (d >= 0), n TINYINT, raw BINARY(3),"
                        + " code CHAR(5), big BIGINT, day DATE, s SMALLINT, f FLOAT, u UNIQUEIDENTIFIER, at DATETIME, bit BIT)");
        run("CREATE TABLE typed_key (d DECIMAL(6,2) NOT NULL PRIMARY KEY, v INT)");
        cluster.cql("ALTER TABLE $.typed ADD tags set<text>");
        await().atMost(Duration.ofMinutes(1)).until(() -> connection
                .unwrap(CqlSession.class)
                .getMetadata()
                .getKeyspace(KEYSPACE)
                .flatMap(keyspace -> keyspace.getTable("typed"))
                .flatMap(table -> table.getColumn("tags"))
                .isPresent());
        IdentitySession session = connection.unwrap(IdentitySession.class);
        ByteBuffer bytes = ByteBuffer.wrap(new byte[] {1, 2, 3});
        for (Map.Entry<String, Object> wrong : List.<Map.Entry<String, Object>>of(
                Map.entry("d", 5),
                Map.entry("d", 5.5),
                Map.entry("d", "5.5"),
                Map.entry("n", "1"),
                Map.entry("n", 1),
                Map.entry("raw", "abc"),
                Map.entry("code", 5),
                Map.entry("code", bytes),
                Map.entry("big", 5.5),
                Map.entry("big", 5),
                Map.entry("day", 5),
                Map.entry("s", 5),
                Map.entry("f", 5f),
                Map.entry("at", 5L))) {
            String column = wrong.getKey();
            Object value = wrong.getValue();
            SimpleStatement insert = SimpleStatement.newInstance(
                    "INSERT INTO column_rules_it.typed (id, " + column + ") VALUES (?, ?)", 1, value);
            for (com.datastax.oss.driver.api.core.cql.Statement<?> each : List.of(
                    insert,
                    SimpleStatement.newInstance(
                            "UPDATE column_rules_it.typed SET " + column + " = :v WHERE id = :id",
                            Map.of("id", 1, "v", value)),
                    BatchStatement.newInstance(DefaultBatchType.LOGGED, insert))) {
                assertThatThrownBy(() -> session.execute(each))
                        .as(column + " " + value.getClass())
                        .isInstanceOf(ColumnValueException.class)
                        .hasMessageContaining(
                                "column '" + column + "' of table 'column_rules_it.typed', value of class "
                                        + value.getClass().getName())
                        .hasMessageContaining("prepare the statement")
                        .extracting(e -> ((ColumnValueException) e).reason())
                        .isEqualTo(ColumnValueException.Reason.CLASS);
            }
        }
        for (SimpleStatement byKey : List.of(
                SimpleStatement.newInstance("UPDATE column_rules_it.typed_key SET v = 1 WHERE d = ?", 5),
                SimpleStatement.newInstance("DELETE FROM column_rules_it.typed_key WHERE d = ?", "5"),
                SimpleStatement.newInstance("SELECT v FROM column_rules_it.typed_key WHERE d IN ?", List.of(5)))) {
            assertThatThrownBy(() -> session.execute(byKey))
                    .as(byKey.getQuery())
                    .isInstanceOf(ColumnValueException.class)
                    .hasMessageContaining("give one of the class for decimal, a BigDecimal");
        }
        assertThat(row("SELECT id FROM typed")).isEmpty();
        assertThat(row("SELECT v FROM typed_key")).isEmpty();

        UUID id = UUID.randomUUID();
        session.execute(SimpleStatement.newInstance(
                "INSERT INTO column_rules_it.typed (id, d, n, raw, code, big, day, s, f, u, at, bit, tags) VALUES (?, ?, ?, ?, ?, ?,"
                        + " ?, ?, ?, ?, ?, ?, ?)",
                1,
                new BigDecimal("1.005"),
                (short) 1,
                bytes,
                "ab",
                5L,
                LocalDate.of(2024, 1, 31),
                (short) 2,
                1.5,
                id,
                Instant.EPOCH,
                true,
                Set.of("a")));
        session.execute(SimpleStatement.newInstance(
                "INSERT INTO column_rules_it.typed (id, d, n) VALUES (?, ?, ?)", 2, null, null));
        assertThat(row("SELECT d, n, code, big, s, f, bit FROM typed WHERE id = 1"))
                .containsExactly(new BigDecimal("1.01"), (short) 1, "ab   ", 5L, (short) 2, 1.5, true);
        assertThat(row("SELECT d, n FROM typed WHERE id = 2")).containsExactly(null, null);
        assertThat(session.execute(SimpleStatement.newInstance(
                                "SELECT id FROM column_rules_it.typed WHERE id IN ? AND code = ? ALLOW FILTERING",
                                List.of(1, 2),
                                "ab"))
                        .all())
                .hasSize(1);
    }

    /** Cassandra's UPDATE creates a row that is missing, and SQL Server's finds none by such a key. */
    @Test
    void shouldRefuseToCreateARowWithAKeyThatCannotBe() throws SQLException {
        run("CREATE TABLE kc (k CHAR(5) NOT NULL PRIMARY KEY, v INT)");
        run("CREATE TABLE kv (k VARCHAR(5) NOT NULL PRIMARY KEY, v INT)");
        run("CREATE TABLE kd (d DECIMAL(6,2) NOT NULL PRIMARY KEY, v INT)");
        run("CREATE TABLE ck (id INT NOT NULL PRIMARY KEY, a INT, CHECK (id > 0), CHECK (a < id))");
        run("INSERT INTO kv VALUES ('abc', 1)");
        run("INSERT INTO kd VALUES (5, 1)");
        run("INSERT INTO ck VALUES (5, 1)");
        IdentitySession session = connection.unwrap(IdentitySession.class);
        record Refused(String table, String set, String key, Object value, String literal, int number) {}
        for (Refused each : List.of(
                new Refused("kc", "v = 9", "k", "toolong", "'toolong'", 2628),
                new Refused("kv", "v = 9", "k", "eightcha", "'eightcha'", 2628),
                new Refused("kd", "v = 9", "d", new BigDecimal("1.004"), "1.004", 8115),
                new Refused("kd", "v = 9", "d", new BigDecimal("12345"), "12345", 8115),
                new Refused("ck", "a = -9", "id", -5, "-5", 547),
                new Refused("ck", "a = null", "id", -5, "-5", 547),
                new Refused("ck", "a = 7", "id", 5, "5", 547))) {
            String update = "UPDATE " + each.table + " SET " + each.set + " WHERE " + each.key + " = ";
            String named = update.replace("UPDATE ", "UPDATE column_rules_it.");
            assertNumber(assertThatThrownBy(() -> run(update + "?", each.value)), each.number);
            assertNumber(assertThatThrownBy(() -> run(update + each.literal)), each.number);
            var prepared = session.prepare(named + "?");
            for (com.datastax.oss.driver.api.core.cql.Statement<?> statement : List.of(
                    prepared.bind(each.value),
                    session.prepare(named + each.literal).bind(),
                    session.prepare(named.substring(0, named.length() - 2) + "IN ?")
                            .bind(List.of(each.value)),
                    SimpleStatement.newInstance(named + "?", each.value),
                    SimpleStatement.newInstance(named + ":key", Map.of("key", each.value)),
                    SimpleStatement.newInstance(named + each.literal),
                    SimpleStatement.newInstance(
                            named.substring(0, named.length() - 2) + "IN (" + each.literal + ", " + each.literal + ")"),
                    BatchStatement.newInstance(DefaultBatchType.LOGGED, prepared.bind(each.value)))) {
                assertThatThrownBy(() -> session.execute(statement))
                        .as(named + each.literal)
                        .isInstanceOf(ColumnValueException.class)
                        .extracting(e -> ((ColumnValueException) e).reason().number())
                        .isEqualTo(each.number);
            }
        }
        assertThatThrownBy(() -> run("UPDATE kc SET v = 9 WHERE k = 'toolong'"))
                .hasMessageContaining("No row with such a key can exist, and Cassandra's UPDATE would create one");
        assertThatThrownBy(() -> run("UPDATE ck SET a = -9 WHERE id = -5"))
                .hasMessageContaining("CHECK constraint")
                .hasMessageContaining("No row with such a key can exist");
        assertThat(row("SELECT k FROM kc")).isEmpty();
        assertThat(row("SELECT k, v FROM kv")).containsExactly("abc", 1);
        assertThat(row("SELECT d, v FROM kd")).containsExactly(new BigDecimal("5.00"), 1);
        assertThat(row("SELECT id, a FROM ck")).containsExactly(5, 1);

        assertThat(session.execute("UPDATE column_rules_it.kc SET v = 9 WHERE k = 'toolong' IF EXISTS")
                        .wasApplied())
                .isFalse();
        assertThat(row("SELECT v FROM kc WHERE k = 'toolong'")).isEmpty();
        run("DELETE FROM kc WHERE k = 'toolong'");
        run("DELETE FROM kd WHERE d = 1.004");
        run("UPDATE kv SET v = 2 WHERE k = ?", "abc  ");
        run("UPDATE kd SET v = 2 WHERE d = 5.000");
        run("UPDATE ck SET a = 2 WHERE id = 5");
        assertThat(row("SELECT v FROM kd")).containsExactly(2);
        assertThat(row("SELECT a FROM ck")).containsExactly(2);
    }

    /** In CQL, a DELETE of columns sets them to NULL. */
    @Test
    void shouldRefuseToDeleteAColumnThatIsNotNull() throws SQLException {
        run("CREATE TABLE emptied (id INT NOT NULL PRIMARY KEY, name NVARCHAR(5) NOT NULL, a INT)");
        run("INSERT INTO emptied VALUES (1, 'x', 1)");
        IdentitySession session = connection.unwrap(IdentitySession.class);
        var prepared = session.prepare("DELETE a, name FROM column_rules_it.emptied WHERE id = ?");
        for (com.datastax.oss.driver.api.core.cql.Statement<?> each : List.of(
                SimpleStatement.newInstance("DELETE name FROM column_rules_it.emptied WHERE id = 1"),
                SimpleStatement.newInstance("DELETE \"name\" FROM column_rules_it.emptied WHERE id = ?", 1),
                SimpleStatement.newInstance("DELETE name FROM column_rules_it.emptied WHERE id = 1 IF EXISTS"),
                prepared.bind(1),
                BatchStatement.newInstance(DefaultBatchType.LOGGED, prepared.bind(1)))) {
            assertThatThrownBy(() -> session.execute(each))
                    .isInstanceOf(ColumnValueException.class)
                    .hasMessageContaining("column 'name', table 'column_rules_it.emptied'");
        }
        assertNumber(assertThatThrownBy(() -> run("DELETE name FROM emptied WHERE id = 1")), 515);
        assertNumber(assertThatThrownBy(() -> run("DELETE a, name FROM emptied WHERE id = ?", 1)), 515);
        try (Statement statement = connection.createStatement()) {
            assertNumber(
                    assertThatThrownBy(() -> statement.executeUpdate("DELETE name FROM emptied WHERE id = 1")), 515);
            statement.addBatch("DELETE name FROM emptied WHERE id = 1");
            assertThatThrownBy(statement::executeBatch).isInstanceOf(BatchUpdateException.class);
        }
        assertThat(row("SELECT name, a FROM emptied")).containsExactly("x", 1);

        session.execute("DELETE a FROM column_rules_it.emptied WHERE id = 1");
        assertThat(row("SELECT name, a FROM emptied")).containsExactly("x", null);
        assertThat(run("DELETE FROM emptied WHERE id = 1")).isEqualTo(1);
    }

    /** Code on java-driver finds what its INSERT has filled up, as JDBC does. */
    @Test
    void shouldCompareInTheColumnsFormForJavaDriverCode() throws SQLException {
        run("CREATE TABLE keyed (code CHAR(5) NOT NULL, price DECIMAL(10,2) NOT NULL, raw BINARY(3), v INT,"
                + " PRIMARY KEY (code, price))");
        IdentitySession session = connection.unwrap(IdentitySession.class);
        session.execute("INSERT INTO column_rules_it.keyed (code, price, raw, v) VALUES ('ab', 5, 0x01, 1)");
        BigDecimal five = new BigDecimal("5.000");
        var byKey = session.prepare("SELECT v FROM column_rules_it.keyed WHERE code = ? AND price = ?");
        var byList = session.prepare("SELECT v FROM column_rules_it.keyed WHERE code IN ? AND price IN (?, 6)");
        var byLiteral = session.prepare("SELECT v FROM column_rules_it.keyed WHERE code = 'ab' AND price = 5 LIMIT ?");
        var byTuple = session.prepare("SELECT v FROM column_rules_it.keyed WHERE code = 'ab' AND (price) >= (?)");
        List<com.datastax.oss.driver.api.core.cql.Statement<?>> selects = List.of(
                byKey.bind("ab", five),
                byList.bind(List.of("x", "ab "), five),
                byLiteral.bind(1),
                byTuple.bind(five),
                SimpleStatement.newInstance("SELECT v FROM column_rules_it.keyed WHERE code = 'ab' AND price = 5"),
                SimpleStatement.newInstance(
                        "SELECT v FROM column_rules_it.keyed WHERE code IN ('x', 'ab') AND price = ? AND raw = 0x01"
                                + " ALLOW FILTERING",
                        five),
                SimpleStatement.newInstance(
                        "SELECT v FROM column_rules_it.keyed WHERE code = :code AND price = :price",
                        Map.of("code", "ab", "price", five)));
        for (var select : selects) {
            assertThat(session.execute(select).all()).hasSize(1);
            assertThat(session.executeAsync(select).toCompletableFuture().join().one())
                    .isNotNull();
        }

        var update = session.prepare("UPDATE column_rules_it.keyed SET v = ? WHERE code = ? AND price = ?");
        session.execute(update.bind(2, "ab", five));
        session.execute("UPDATE column_rules_it.keyed SET v = 3 WHERE code = 'ab ' AND price = 5.0 IF raw = 0x01");
        session.execute(BatchStatement.newInstance(
                DefaultBatchType.LOGGED,
                update.bind(4, "ab", five),
                SimpleStatement.newInstance(
                        "UPDATE column_rules_it.keyed SET raw = 0x02 WHERE code = 'ab' AND price = 5")));
        assertThat(row("SELECT code, price, v FROM keyed")).containsExactly("ab   ", new BigDecimal("5.00"), 4);
        assertThat((byte[]) row("SELECT raw FROM keyed").get(0)).containsExactly(2, 0, 0);
        session.execute(SimpleStatement.newInstance(
                "DELETE FROM column_rules_it.keyed WHERE code = ? AND price = ?", "ab", five));
        assertThat(row("SELECT code FROM keyed")).isEmpty();
    }

    /** A statement that names its keyspace may be prepared in any. */
    @Test
    void shouldCompareLiteralsInOtherKeyspaces() throws SQLException {
        TestCluster.fresh("column_rules_other_it");
        run("CREATE TABLE column_rules_other_it.keyed (code CHAR(5) NOT NULL PRIMARY KEY, s CHAR(2), v INT)");
        IdentitySession session = connection.unwrap(IdentitySession.class);
        session.execute(session.prepare("INSERT INTO column_rules_other_it.keyed (code, s, v) VALUES ('ab', 'x', ?)")
                .bind(1));
        var select = session.prepare("SELECT s FROM column_rules_other_it.keyed WHERE code = 'ab' LIMIT ?");
        assertThat(session.execute(select.bind(1)).one().getString(0)).isEqualTo("x ");
    }

    @Test
    void shouldRefuseToUpdateAnIdentityForJavaDriverCode() throws SQLException {
        run("CREATE TABLE renumbered (code CHAR(3) NOT NULL PRIMARY KEY, id INT IDENTITY, n INT)");
        run("INSERT INTO renumbered (code, n) VALUES ('abc', 1)");
        IdentitySession session = connection.unwrap(IdentitySession.class);
        var update = session.prepare("UPDATE column_rules_it.renumbered SET n = 2, id = ? WHERE code = 'abc'");
        for (com.datastax.oss.driver.api.core.cql.Statement<?> each : List.of(
                update.bind(77),
                SimpleStatement.newInstance("UPDATE column_rules_it.renumbered SET id = 77 WHERE code = 'abc'"),
                SimpleStatement.newInstance(
                        "UPDATE column_rules_it.renumbered SET id += 77 WHERE code = 'abc' IF EXISTS"),
                SimpleStatement.newInstance(
                        "BEGIN BATCH UPDATE column_rules_it.renumbered SET n = 2 WHERE code = 'abc';"
                                + " UPDATE column_rules_it.renumbered SET id = 77 WHERE code = 'abc'; APPLY BATCH"),
                BatchStatement.newInstance(DefaultBatchType.LOGGED, update.bind(77)))) {
            assertThatThrownBy(() -> session.execute(each))
                    .isInstanceOf(ColumnValueException.class)
                    .hasMessageContaining("Cannot update identity column 'id'")
                    .extracting(e -> ((ColumnValueException) e).reason())
                    .isEqualTo(ColumnValueException.Reason.IDENTITY);
        }
        assertThat(row("SELECT id, n FROM renumbered")).containsExactly(1, 1);
        // What copies rows of another database numbers them.
        session.withExplicitIds(ExplicitIds.PASS).execute(update.bind(77));
        assertThat(row("SELECT id, n FROM renumbered")).containsExactly(77, 2);
    }

    /** A table that CQL made is written as Cassandra writes. */
    @Test
    void shouldAskNothingOfOtherTables() throws SQLException {
        assertThat(run("INSERT INTO plain (id, name) VALUES (1, ?)", (Object) null))
                .isEqualTo(1);
        run("CREATE TABLE again (id INT NOT NULL PRIMARY KEY, name VARCHAR(1) NOT NULL)");
        assertNumber(assertThatThrownBy(() -> run("INSERT INTO again (id, name) VALUES (1, ?)", "long")), 2628);
        cluster.cql("DROP TABLE $.again", "CREATE TABLE $.again (id int PRIMARY KEY, name text)");
        UUID then = id("again");
        await().atMost(Duration.ofMinutes(1)).until(() -> connection
                .unwrap(CqlSession.class)
                .getMetadata()
                .getKeyspace(KEYSPACE)
                .flatMap(keyspace -> keyspace.getTable("again"))
                .flatMap(RelationMetadata::getId)
                .filter(then::equals)
                .isPresent());
        assertThat(run("INSERT INTO again (id, name) VALUES (1, ?)", "long")).isEqualTo(1);
    }

    private UUID id(String table) throws SQLException {
        return connection
                .unwrap(CqlSession.class)
                .execute(
                        "SELECT id FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?",
                        KEYSPACE,
                        table)
                .one()
                .getUuid(0);
    }

    @Test
    void shouldRefuseToUpdateAnIdentityOutsideOfTheKey() throws SQLException {
        run("CREATE TABLE numbered (code CHAR(3) NOT NULL PRIMARY KEY, Id INT IDENTITY, n INT)");
        run("INSERT INTO numbered (code, n) VALUES ('abc', 1)");
        List<Object> before = row("SELECT id, n FROM numbered WHERE code = 'abc'");

        for (String sql : List.of(
                "UPDATE numbered SET id = 77 WHERE code = 'abc'",
                "UPDATE numbered SET n = 2, ID = NULL WHERE code = 'abc'",
                "UPDATE x SET [id] = 77 FROM numbered x WHERE code = 'none'",
                "BEGIN BATCH UPDATE numbered SET n = 2, id = 77 WHERE code = 'abc'; APPLY BATCH",
                "UPDATE " + KEYSPACE + ".numbered SET n = (1), id = 77 WHERE code = 'abc' IF n = 1")) {
            assertNumber(assertThatThrownBy(() -> run(sql)), 8102)
                    .hasMessageContaining("Cannot update identity column 'id'")
                    .hasFieldOrPropertyWithValue("SQLState", "42000");
        }
        try (PreparedStatement batch = connection.prepareStatement("UPDATE numbered SET id = ? WHERE code = 'abc'")) {
            batch.setInt(1, 77);
            batch.addBatch();
            assertThatThrownBy(batch::executeBatch)
                    .isInstanceOf(BatchUpdateException.class)
                    .hasFieldOrPropertyWithValue("errorCode", 8102);
        }
        connection.setAutoCommit(false);
        try {
            assertNumber(assertThatThrownBy(() -> run("UPDATE numbered SET id = 7 WHERE code = 'abc'")), 8102);
        } finally {
            connection.setAutoCommit(true);
        }

        assertThat(row("SELECT id, n FROM numbered WHERE code = 'abc'")).isEqualTo(before);
        assertThat(run("UPDATE numbered SET n = 5 WHERE code = 'abc'")).isEqualTo(1);
    }

    /** An error behind the row would say that there is none. */
    @ParameterizedTest
    @ValueSource(strings = {"'ab'", "('ab')", "(('ab'))", "{'ab'}", "5"})
    void shouldShowWhatItWritesOrWriteNothing(String value) throws SQLException {
        run("CREATE TABLE IF NOT EXISTS shown (code VARCHAR(3) NOT NULL PRIMARY KEY, s VARCHAR(9))");
        run("TRUNCATE TABLE shown");
        boolean written = true;
        try (PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO shown (code, s) OUTPUT INSERTED.s VALUES ('p', " + value + ")");
                ResultSet rows = insert.executeQuery()) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.getString(1)).isEqualTo("ab");
        } catch (SQLException e) {
            written = false;
        }

        assertThat(row("SELECT code FROM shown")).hasSize(written ? 1 : 0);
    }

    @Test
    void shouldFollowAlterTable() throws SQLException {
        run("CREATE TABLE altered (id INT NOT NULL PRIMARY KEY, a VARCHAR(9))");
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO altered (id, a) VALUES (1, 'x')")) {
            run("ALTER TABLE altered ADD b VARCHAR(2) NOT NULL");
            assertNumber(assertThatThrownBy(insert::executeUpdate), 515).hasMessageContaining("column 'b'");
        }
        assertNumber(assertThatThrownBy(() -> run("INSERT INTO altered (id, b) VALUES (2, 'abc')")), 2628);
        run("ALTER TABLE altered DROP COLUMN b");
        assertThat(run("INSERT INTO altered (id, a) VALUES (1, 'x')")).isEqualTo(1);
    }
}
