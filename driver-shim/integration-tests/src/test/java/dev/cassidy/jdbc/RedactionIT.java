package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.AllLogs;
import dev.cassidy.sequence.IdentityType;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.sql.Array;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code redactValues=true}: values are neither in what the application gets nor in any log, however much is logged. */
class RedactionIT {

    private static final String CANARY = "c4nary";
    private static final String NUMBER = "918273645";

    private static TestCluster cluster;

    @BeforeAll
    static void prepare() throws SQLException {
        cluster = TestCluster.fresh("redaction_it");
        cluster.cql(
                "CREATE TABLE $.t (id int PRIMARY KEY, v text, d date, u uuid)",
                "INSERT INTO $.t (id, v) VALUES (1, '" + CANARY + " of the server')",
                "INSERT INTO $.t (id, v) VALUES (2, '" + NUMBER + "')",
                "INSERT INTO $.t (id, v) VALUES (3, 'O''Brien " + CANARY + "')",
                "CREATE TYPE $.name (given text)",
                "CREATE TABLE $.parts (id int PRIMARY KEY, l list<text>, m map<text, text>, u frozen<name>, b boolean)",
                "INSERT INTO $.parts (id, l, m, u, b) VALUES (1, ['O''Brien', '" + CANARY + "'], {'" + CANARY
                        + "': 'x'}, {given: '" + CANARY + "'}, true)",
                "CREATE FUNCTION $.failing (v text) CALLED ON NULL INPUT RETURNS text LANGUAGE java AS"
                        + " 'throw new RuntimeException(\"of a row: \" + v);'");
        cluster.cql("CREATE TABLE $.installs_cassidy (id int PRIMARY KEY)");
        cluster.identity("installs_cassidy", "id", IdentityType.INT, 1);
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE checked (id INT PRIMARY KEY CHECK (id < 9), v CHAR(200) CHECK (v = 'x'), n"
                    + " DECIMAL(12,2) CONSTRAINT few CHECK (n < 5), b BIT, CHECK (n > 4 OR b = 0))");
        }
    }

    private static String shown(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text));
        if (thrown instanceof SQLException sql) {
            for (SQLException next = sql.getNextException(); next != null; next = next.getNextException()) {
                next.printStackTrace(new PrintWriter(text));
            }
        }
        return text.toString();
    }

    private static void assertHidden(String text) {
        assertThat(text.toLowerCase(Locale.ROOT)).doesNotContain(CANARY, NUMBER);
    }

    private static <E extends SQLException> E fails(ThrowingCallable call, Class<E> type) {
        E thrown = catchThrowableOfType(type, call);
        assertThat((Throwable) thrown).isNotNull();
        assertHidden(shown(thrown));
        return thrown;
    }

    private static String without(Connection plain, String sql) throws SQLException {
        try (Statement statement = plain.createStatement()) {
            return shown(catchThrowableOfType(SQLException.class, () -> statement.execute(sql)));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO t (id, v) VALUES ('c4nary', 'x')",
                "INSERT INTO t (id, v) VALUES (1.918273645, 'x')",
                "SELECT * FROM t WHERE id = 'c4nary'",
                "SELECT * FROM t WHERE v = 'c4nary' AND AND id = 918273645",
                "INSERT INTO t (id, d) VALUES (1, 'c4nary')",
                "INSERT INTO t (id, u) VALUES (1, 'c4nary')",
                "UPDATE t SET v = 'c4nary' WHERE v = 'c4nary'",
                "SELECT * FROM t WHERE id = 918273645 FOR XML c4nary",
                "MERGE INTO t USING (VALUES ('c4nary', 918273645)) AS s (a, b) ON t.id = s.b",
                "INSERT INTO t (id, v) VALUES (1, 'c4nary",
            })
    void shouldHideTheValuesOfAText(String sql) throws Exception {
        try (Connection plain = cluster.connect();
                Connection connection = cluster.open("redactValues=true");
                Statement statement = connection.createStatement()) {
            SQLException thrown = fails(() -> statement.execute(sql), SQLException.class);
            SQLException before = catchThrowableOfType(
                    SQLException.class, () -> plain.createStatement().execute(sql));

            assertThat(thrown.getSQLState()).isEqualTo(before.getSQLState());
            assertThat(thrown.getErrorCode()).isEqualTo(before.getErrorCode());
            assertThat((Throwable) thrown).isExactlyInstanceOf(before.getClass());
            fails(() -> connection.prepareStatement(sql).execute(), SQLException.class);
        }
    }

    @Test
    void shouldHideParametersAndResults() throws Exception {
        try (Connection connection = cluster.open("redactValues=true");
                PreparedStatement insert = connection.prepareStatement("INSERT INTO t (id, v) VALUES (?, ?)");
                Statement statement = connection.createStatement()) {
            insert.setString(2, "x");
            fails(
                    () -> {
                        insert.setString(1, CANARY);
                        insert.execute();
                    },
                    SQLException.class);
            fails(
                    () -> {
                        insert.setString(1, CANARY + " " + "longer than what is shown ".repeat(5));
                        insert.execute();
                    },
                    SQLException.class);
            insert.setInt(1, 5);
            insert.addBatch();
            BatchUpdateException batch = fails(
                    () -> {
                        insert.setObject(1, CANARY);
                        insert.addBatch();
                        insert.executeBatch();
                    },
                    BatchUpdateException.class);
            assertThat(batch.getUpdateCounts()).hasSize(2);

            assertHidden(shown(batch.getCause()));
            for (int id = 1; id <= 3; id++) {
                try (ResultSet rows = statement.executeQuery("SELECT v FROM t WHERE id = " + id)) {
                    assertThat(rows.next()).isTrue();
                    fails(() -> rows.getDate(1), SQLException.class);
                    fails(() -> rows.getByte("v"), SQLException.class);
                    assertThat(fails(() -> rows.getString("nothing"), SQLException.class)
                                    .getMessage())
                            .isNotBlank();
                    assertThat(rows.getStatement()).isSameAs(statement);
                    assertThat(rows.getString("v")).isNotBlank();
                }
            }
            assertThat(statement.getConnection()).isSameAs(connection).isEqualTo(connection);
            assertThat(connection.unwrap(Connection.class)).isSameAs(connection);
            assertThat(insert.unwrap(Statement.class)).isSameAs(insert);
            assertThat(connection.unwrap(CqlSession.class)).isNotNull();
            assertThat(connection.getMetaData().getConnection()).isSameAs(connection);
            fails(() -> connection.prepareCall(CANARY), SQLFeatureNotSupportedException.class);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "v | c4nary   | v=***",
                "v | x c4nary and more, and more, and more, and more, and more, and more, and more, and more c4nary | v=***",
                "n | 918273645.001 | n=***",
                "b | 1 | b=***, n=***"
            })
    void shouldHideTheRowThatBreaksACheck(String column, String value, String shown) throws Exception {
        String insert = "INSERT INTO checked (id, n, " + (column.equals("n") ? "b" : column) + ") VALUES (1, ";
        try (Connection connection = cluster.open("redactValues=true");
                Statement statement = connection.createStatement();
                PreparedStatement prepared = connection.prepareStatement(insert + "?, ?)")) {
            String n = column.equals("n") ? value : "3";
            SQLException ofText = fails(
                    () -> statement.execute(insert + n + ", " + (column.equals("n") ? "0" : "'" + value + "'") + ")"),
                    SQLException.class);
            SQLException ofParameters = fails(
                    () -> {
                        prepared.setBigDecimal(1, new BigDecimal(n));
                        prepared.setString(2, column.equals("n") ? "0" : value);
                        prepared.executeUpdate();
                    },
                    SQLException.class);
            for (SQLException each : List.of(ofText, ofParameters)) {
                assertThat(each.getErrorCode()).isEqualTo(547);
                assertThat(each.getMessage().replace("'", ""))
                        .contains(" and the row has " + shown)
                        .doesNotContain("and more");
            }
        }
    }

    @Test
    void shouldHideThePartsOfResults() throws Exception {
        try (Connection connection = cluster.open("redactValues=true");
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT l, m, u, b FROM parts WHERE id = 1")) {
            assertThat(rows.next()).isTrue();
            for (int column = 1; column <= 3; column++) {
                int wrong = column;
                fails(() -> rows.getDate(wrong), SQLException.class);
                if (column > 1) {
                    fails(() -> rows.getURL(wrong), SQLException.class);
                }
            }
            assertThat(fails(() -> rows.getDate(4), SQLException.class).getMessage())
                    .doesNotContain("true");
            Array list = rows.getArray(1);
            assertThat((Object[]) list.getArray()).containsExactly("O'Brien", CANARY);
            assertThat(rows.getObject(1)).isNotNull();
            try (ResultSet elements = list.getResultSet()) {
                assertThat(elements.next() && elements.next()).isTrue();
                fails(() -> elements.getDate(2), SQLException.class);
            }
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO parts (id, l) VALUES (2, ?)")) {
                insert.setArray(1, list);
                insert.execute();
            }
        }
    }

    @Test
    void shouldHideWhatAFunctionSaysOfARow() throws Exception {
        String query = "SELECT failing(v) FROM t WHERE id = 1";
        try (Connection plain = cluster.connect();
                Connection connection = cluster.open("redactValues=true");
                Statement statement = connection.createStatement()) {
            assertThat(without(plain, query)).contains(CANARY);

            SQLException thrown = fails(() -> statement.executeQuery(query), SQLException.class);
            assertThat(thrown.getSQLState()).isEqualTo("38000");
        }
    }

    @Test
    void shouldHideTheContentOfStreams() throws Exception {
        try (Connection connection = cluster.open("redactValues=true");
                PreparedStatement insert = connection.prepareStatement("INSERT INTO t (id, v) VALUES (?, 'x')")) {
            fails(
                    () -> {
                        insert.setCharacterStream(1, new StringReader(CANARY));
                        insert.execute();
                    },
                    SQLException.class);
            fails(
                    () -> insert.setBinaryStream(1, new InputStream() {
                        @Override
                        public int read() throws IOException {
                            throw new IOException("after " + CANARY);
                        }
                    }),
                    SQLException.class);
            Throwable unchecked = catchThrowable(() -> insert.setBinaryStream(1, new InputStream() {
                @Override
                public int read() {
                    throw new IllegalStateException("after " + CANARY);
                }
            }));
            assertThat(unchecked).isExactlyInstanceOf(IllegalStateException.class);
            assertHidden(shown(unchecked));
        }
    }

    @Test
    void shouldHideTheValuesOfACommit() throws Exception {
        String insert = "INSERT INTO t (id, v) VALUES (8, failing(?))";
        try (Connection plain = cluster.connect();
                Connection connection = cluster.open("redactValues=true")) {
            for (Connection each : new Connection[] {plain, connection}) {
                each.setAutoCommit(false);
                try (PreparedStatement statement = each.prepareStatement(insert)) {
                    statement.setString(1, CANARY);
                    statement.executeUpdate();
                }
                SQLException thrown = catchThrowableOfType(SQLException.class, each::commit);
                assertThat(thrown.getSQLState()).isEqualTo("38000");
                if (each == plain) {
                    assertThat(shown(thrown)).contains(CANARY);
                } else {
                    assertHidden(shown(thrown));
                }
                each.rollback();
            }
        }
    }

    /** The row is another connection's: what the error shows of it is known of this one. */
    @Test
    void shouldHideTheKeyOfACommit() throws Exception {
        try (Connection plain = cluster.connect();
                Connection connection = cluster.open("redactValues=true");
                Statement create = plain.createStatement()) {
            create.execute("CREATE TABLE once (k NVARCHAR(40), n INT, at DATETIME2, PRIMARY KEY (k, n, at))");
            for (Connection each : new Connection[] {plain, connection}) {
                String key = CANARY + (each == plain ? " 1" : " 2");
                String insert =
                        "INSERT INTO once (k, n, at) VALUES ('" + key + "', " + NUMBER + ", '2019-08-07T06:05')";
                each.setAutoCommit(false);
                try (Statement statement = each.createStatement()) {
                    statement.executeUpdate(insert);
                }
                try (Connection other = cluster.connect();
                        Statement statement = other.createStatement()) {
                    statement.executeUpdate(insert);
                }
                SQLException thrown = catchThrowableOfType(SQLException.class, each::commit);
                assertThat(thrown.getErrorCode()).isEqualTo(2627);
                if (each == plain) {
                    assertThat(shown(thrown)).contains(CANARY).contains(NUMBER).contains("2019-08-07");
                } else {
                    assertHidden(shown(thrown));
                    assertThat(shown(thrown)).doesNotContain("2019");
                }
            }
        }
    }

    @Test
    void shouldKnowTheValuesOfEachStatementOfAConnection() throws Exception {
        try (Connection connection = cluster.open("redactValues=true");
                Statement one = connection.createStatement();
                Statement other = connection.createStatement()) {
            one.addBatch("INSERT INTO t (id, v) VALUES (9, failing('" + CANARY + "'))");
            other.addBatch("INSERT INTO t (id, v) VALUES (9, 'x')");
            other.executeBatch();
            other.execute("SELECT * FROM t WHERE id = 9");

            fails(one::executeBatch, BatchUpdateException.class);
        }
    }

    @Test
    void shouldKeepTheErrorsOfAClosedConnection() throws Exception {
        Connection connection = cluster.open("redactValues=true");
        connection.close();

        SQLException thrown = fails(() -> connection.setClientInfo("ApplicationName", CANARY), SQLException.class);
        assertThat((Throwable) thrown).isExactlyInstanceOf(SQLClientInfoException.class);
        assertThat(thrown.getSQLState()).isEqualTo("08003");
        fails(() -> connection.prepareStatement("SELECT '" + CANARY + "'"), SQLException.class);
    }

    /** Without the option values are shown, because that finds errors sooner: otherwise the tests above show nothing. */
    @Test
    void shouldShowValuesByDefault() throws Exception {
        try (Connection plain = cluster.connect()) {
            assertThat(without(plain, "INSERT INTO t (id, d) VALUES (1, 'c4nary')"))
                    .contains(CANARY);
        }
    }

    @Test
    void shouldHideTheValuesOfWarnings() throws Exception {
        try (Connection connection = cluster.open("redactValues=true");
                Statement statement = connection.createStatement()) {
            String value = CANARY.repeat(900);
            statement.execute("BEGIN BATCH INSERT INTO t (id, v) VALUES (1, '" + value
                    + "'); INSERT INTO t (id, v) VALUES (" + NUMBER + ", '" + value + "'); APPLY BATCH");

            SQLWarning warning = statement.getWarnings();
            assertThat((Throwable) warning).isNotNull();
            assertHidden(warning.getMessage());
        }
    }

    @Test
    void shouldLogNoValueAndNoPassword() throws Exception {
        try (AllLogs log = new AllLogs()) {
            String password = "p4ssw0rd";
            try (Connection connection =
                            cluster.open("redactValues=true", "user=somebody", "password=" + password, "fanOut=warn");
                    Statement statement = connection.createStatement()) {
                statement.execute("INSERT INTO t (id, v) VALUES (7, '" + CANARY + "')");
                statement.execute("UPDATE t SET v = N'" + CANARY + "' WHERE id = " + NUMBER);
                try (PreparedStatement insert = connection.prepareStatement("INSERT INTO t (id, v) VALUES (?, ?)")) {
                    insert.setInt(1, Integer.parseInt(NUMBER));
                    insert.setString(2, CANARY);
                    insert.addBatch();
                    insert.executeBatch();
                    connection.setAutoCommit(false);
                    insert.executeUpdate();
                    connection.commit();
                    connection.setAutoCommit(true);
                }
                try (ResultSet rows =
                        statement.executeQuery("SELECT * FROM t WHERE v = '" + CANARY + "' ALLOW FILTERING")) {
                    assertThat(rows.next()).isTrue();
                }
                for (String wrong : List.of(
                        "INSERT INTO t (id, d) VALUES (1, 'c4nary')",
                        "SELECT * FROM t WHERE id = 918273645 AND AND v = 'c4nary'",
                        "BEGIN BATCH INSERT INTO t (id, v) VALUES (1, '" + CANARY.repeat(900)
                                + "'); INSERT INTO t (id, v) VALUES (2, '" + CANARY.repeat(900) + "'); APPLY BATCH",
                        "SELECT * FROM t WHERE token(id) > 'c4nary'")) {
                    catchThrowableOfType(SQLException.class, () -> statement.execute(wrong));
                }
            }
            assertThat(log.texts)
                    .hasSizeGreaterThan(100)
                    .noneMatch(text -> text.contains(CANARY) || text.contains(NUMBER) || text.contains(password));
        }
    }

    @Test
    void shouldKeepMessagesInOneLine() throws Exception {
        try (Connection plain = cluster.connect();
                Statement statement = plain.createStatement()) {
            for (String wrong : List.of(
                    "INSERT INTO t (id, d) VALUES (1, 'a\r\n12:00:00 INFO forged')",
                    "SELECT * FROM t WHERE id = 'a\n12:00:00 INFO forged'",
                    "SELECT *\nFROM t WHERE\n12:00:00 INFO forged",
                    "SELECT * FROM \"a\n12:00:00 INFO forged\"")) {
                SQLException thrown = catchThrowableOfType(SQLException.class, () -> statement.execute(wrong));
                assertThat(thrown.getMessage()).as(wrong).doesNotContain("\n", "\r");
            }
            try (PreparedStatement insert = plain.prepareStatement("INSERT INTO t (id, v) VALUES (?, 'x')")) {
                SQLException thrown = catchThrowableOfType(SQLException.class, () -> {
                    insert.setString(1, "a\n12:00:00 INFO forged");
                    insert.execute();
                });
                assertThat(thrown.getMessage()).contains("\\n").doesNotContain("\n");
            }
        }
    }
}
