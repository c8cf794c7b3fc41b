package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.data.CqlDuration;
import java.io.ByteArrayInputStream;
import java.io.StringReader;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.Date;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ValuesIT {

    private static Connection connection;

    @BeforeAll
    static void prepare() throws SQLException {
        TestCluster cluster = TestCluster.fresh("values_it");
        cluster.cql(
                "CREATE TABLE $.v (k int PRIMARY KEY, c_ascii ascii, c_bigint bigint, c_blob blob, c_boolean boolean,"
                        + " c_date date, c_decimal decimal, c_double double, c_duration duration, c_float float,"
                        + " c_inet inet, c_int int, c_smallint smallint, c_text text, c_time time,"
                        + " c_timestamp timestamp, c_timeuuid timeuuid, c_tinyint tinyint, c_uuid uuid,"
                        + " c_varint varint, c_list list<int>, c_set set<text>, c_map map<text, bigint>)",
                "CREATE TABLE $.hits (k text PRIMARY KEY, n counter)");
        connection = cluster.connect();
    }

    @Test
    void shouldKeepTheValueThatAParameterHadWhenItWasSet() throws SQLException {
        Timestamp time = new Timestamp(0);
        byte[] bytes = new byte[1];
        List<Integer> list = new ArrayList<>(List.of(0));
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO v (k, c_timestamp, c_blob, c_list) VALUES (?, ?, ?, ?)")) {
            for (int row = 1; row <= 3; row++) {
                time.setTime(row);
                bytes[0] = (byte) row;
                list.set(0, row);
                insert.setInt(1, 900 + row);
                insert.setTimestamp(2, time);
                insert.setObject(3, row == 2 ? ByteBuffer.wrap(bytes) : bytes);
                insert.setObject(4, list);
                insert.addBatch();
            }
            insert.executeBatch();
        }
        for (int row = 1; row <= 3; row++) {
            try (Statement select = connection.createStatement();
                    ResultSet rows =
                            select.executeQuery("SELECT c_timestamp, c_blob, c_list FROM v WHERE k = " + (900 + row))) {
                rows.next();
                assertThat(rows.getTimestamp(1)).isEqualTo(new Timestamp(row));
                assertThat(rows.getBytes(2)).containsExactly(row);
                assertThat(rows.getObject(3)).isEqualTo(List.of(row));
            }
        }
    }

    @Test
    void shouldStoreAStreamsContentInEveryExecution() throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO v (k, c_blob, c_text) VALUES (?, ?, ?)")) {
            insert.setBinaryStream(2, new ByteArrayInputStream(new byte[] {7}));
            insert.setCharacterStream(3, new StringReader("read"));
            for (int key : new int[] {911, 912}) {
                insert.setInt(1, key);
                insert.executeUpdate();
            }
        }
        try (Statement select = connection.createStatement();
                ResultSet rows = select.executeQuery("SELECT c_blob, c_text FROM v WHERE k IN (911, 912)")) {
            for (int row = 0; row < 2; row++) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getBytes(1)).containsExactly(7);
                assertThat(rows.getString(2)).isEqualTo("read");
            }
        }
    }

    @AfterAll
    static void close() throws SQLException {
        connection.close();
    }

    static Stream<Arguments> values() throws Exception {
        Instant instant = Instant.parse("2024-07-01T10:00:00.123Z");
        UUID timeUuid = UUID.fromString("123e4567-e89b-12d3-a456-426614174000");
        return Stream.of(
                Arguments.of("c_ascii", "x", "x", Types.VARCHAR),
                Arguments.of("c_bigint", 5, 5L, Types.BIGINT),
                Arguments.of("c_blob", new byte[] {1, 2}, new byte[] {1, 2}, Types.VARBINARY),
                Arguments.of("c_boolean", true, true, Types.BOOLEAN),
                Arguments.of("c_date", LocalDate.of(2024, 7, 1), Date.valueOf("2024-07-01"), Types.DATE),
                Arguments.of("c_decimal", 7.5, new BigDecimal("7.5"), Types.DECIMAL),
                Arguments.of("c_double", 7.5, 7.5, Types.DOUBLE),
                Arguments.of("c_duration", "1mo2d3h", CqlDuration.from("1mo2d3h"), Types.OTHER),
                Arguments.of("c_float", 7.5f, 7.5f, Types.REAL),
                Arguments.of("c_inet", "::1", InetAddress.getByName("::1"), Types.OTHER),
                Arguments.of("c_int", 5L, 5, Types.INTEGER),
                Arguments.of("c_smallint", 5, (short) 5, Types.SMALLINT),
                Arguments.of("c_text", "Zoë", "Zoë", Types.VARCHAR),
                Arguments.of("c_time", LocalTime.of(1, 2, 3), Time.valueOf("01:02:03"), Types.TIME),
                Arguments.of("c_timestamp", instant, Timestamp.from(instant), Types.TIMESTAMP),
                Arguments.of("c_timeuuid", timeUuid, timeUuid, Types.OTHER),
                Arguments.of("c_tinyint", 5, (short) 5, Types.TINYINT),
                Arguments.of("c_uuid", new UUID(1, 2), new UUID(1, 2), Types.OTHER),
                Arguments.of("c_varint", 5, BigInteger.valueOf(5), Types.NUMERIC),
                Arguments.of("c_list", List.of(3, 1), List.of(3, 1), Types.JAVA_OBJECT),
                Arguments.of("c_set", Set.of("b", "a"), Set.of("a", "b"), Types.JAVA_OBJECT),
                Arguments.of("c_map", Map.of("a", 1), Map.of("a", 1L), Types.JAVA_OBJECT));
    }

    @ParameterizedTest
    @MethodSource("values")
    void shouldKeepAValueOnTheServer(String column, Object given, Object natural, int sqlType) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO v (k, " + column + ") VALUES (1, ?)");
                PreparedStatement select = connection.prepareStatement("SELECT " + column + " FROM v WHERE k = 1")) {
            assertThat(insert.getParameterMetaData().getParameterType(1)).isEqualTo(sqlType);
            insert.setObject(1, given);
            insert.executeUpdate();
            ResultSetMetaData before = select.getMetaData();
            assertThat(before.getColumnType(1)).isEqualTo(sqlType);
            try (ResultSet rows = select.executeQuery()) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getObject(1)).isEqualTo(natural);
                assertThat(rows.wasNull()).isFalse();
                assertThat(rows.getMetaData().getColumnType(1)).isEqualTo(sqlType);
                assertThat(rows.getMetaData().getColumnClassName(1))
                        .satisfies(name -> assertThat(natural).isInstanceOf(Class.forName(name)));
                assertThat(rows.getMetaData().getTableName(1)).isEqualTo("v");
                assertThat(rows.getMetaData().getSchemaName(1)).isEqualTo("values_it");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("values")
    void shouldDistinguishNullFromAValue(String column) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO v (k) VALUES (2)");
            try (ResultSet rows = statement.executeQuery("SELECT " + column + " FROM v WHERE k = 2")) {
                rows.next();
                assertThat(rows.getObject(1)).isNull();
                assertThat(rows.wasNull()).isTrue();
                assertThat(rows.getString(1)).isNull();
                assertThat(rows.getLong(1)).isZero();
                assertThat(rows.wasNull()).isTrue();
            }
        }
    }

    @Test
    void shouldRefuseAValueThatDoesNotFitAndNameItsPlace() throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO v (k, c_int) VALUES (?, ?)")) {
            insert.setInt(1, 3);
            insert.setLong(2, 5_000_000_000L);

            assertThatThrownBy(insert::executeUpdate)
                    .hasMessage("parameter 2 (c_int int) does not fit int (-2147483648 to 2147483647): 5000000000")
                    .hasFieldOrPropertyWithValue("SQLState", "22003");
        }
        try (Statement statement = connection.createStatement()) {
            assertThat(statement.executeQuery("SELECT * FROM v WHERE k = 3").next())
                    .isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO v (c_text, k) VALUES (?, 4)",
                "INSERT INTO v (c_text, k) VALUES (?, 4), ('other', 5)",
                "UPDATE v SET c_text = ? WHERE k = 4"
            })
    void shouldDeleteTheValueThatANullParameterReplaces(String sql) throws SQLException {
        try (PreparedStatement write = connection.prepareStatement(sql);
                Statement statement = connection.createStatement()) {
            for (boolean batched : new boolean[] {false, true}) {
                statement.executeUpdate("INSERT INTO v (k, c_int, c_text) VALUES (4, 4, 'old')");
                write.setNull(1, Types.VARCHAR);
                if (batched) {
                    write.addBatch();
                    write.executeBatch();
                } else {
                    write.executeUpdate();
                }
                ResultSet rows = statement.executeQuery("SELECT c_text FROM v WHERE k = 4");
                rows.next();
                assertThat(rows.getString(1)).isNull();
            }
        }
    }

    @Test
    void shouldKeepStatementsWithTheSameTextIndependent() throws SQLException {
        String sql = "SELECT c_text FROM v WHERE k = ?";
        try (PreparedStatement one = connection.prepareStatement(sql);
                PreparedStatement two = connection.prepareStatement(sql)) {
            one.setInt(1, 10);
            assertThat(two).isNotSameAs(one);
            assertThatThrownBy(two::executeQuery)
                    .hasMessageContaining("Parameter 1 was never set")
                    .hasFieldOrPropertyWithValue("SQLState", "07001");
            one.close();
            assertThat(one.isClosed()).isTrue();
            assertThat(two.isClosed()).isFalse();
            assertThatThrownBy(one::executeQuery).hasMessageContaining("The statement is closed");
            two.setInt(1, 11);
            two.clearParameters();
            assertThatThrownBy(two::executeQuery).hasMessageContaining("Parameter 1 was never set");
        }
    }

    @Test
    void shouldReadPageAfterPageAndStopAtMaxRows() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (int k = 1000; k < 1050; k++) {
                statement.addBatch("INSERT INTO v (k, c_int) VALUES (" + k + ", " + k + ")");
            }
            assertThat(statement.executeBatch()).hasSize(50);
            statement.setFetchSize(7);
            int count = 0;
            try (ResultSet rows =
                    statement.executeQuery("SELECT k FROM v WHERE k >= 1000 AND k < 1050 ALLOW FILTERING")) {
                while (rows.next()) {
                    count++;
                    assertThat(rows.getRow()).isEqualTo(count);
                }
                assertThat(rows.isAfterLast()).isTrue();
                assertThatThrownBy(() -> rows.getInt(1)).hasFieldOrPropertyWithValue("SQLState", "24000");
            }
            assertThat(count).isEqualTo(50);
            statement.setMaxRows(9);
            count = 0;
            try (ResultSet rows = statement.executeQuery("SELECT k FROM v")) {
                while (rows.next()) {
                    count++;
                }
            }
            assertThat(count).isEqualTo(9);
            statement.setLargeMaxRows(5_000_000_000L);
            assertThat(statement.getLargeMaxRows()).isEqualTo(5_000_000_000L);
            assertThat(statement.getMaxRows()).isEqualTo(Integer.MAX_VALUE);
        }
    }

    @Test
    void shouldLetTheLaterOfTwoEntriesOfABatchWin() throws SQLException {
        try (Statement statement = connection.createStatement();
                Statement select = connection.createStatement()) {
            for (int k = 2000; k < 2050; k++) {
                statement.addBatch("INSERT INTO v (k, c_text) VALUES (" + k + ", 'z')");
                statement.addBatch("DELETE FROM v WHERE k = " + k);
                statement.addBatch("UPDATE v SET c_text = 'a' WHERE k = " + k);
            }
            statement.executeBatch();
            for (int k = 2000; k < 2050; k++) {
                ResultSet rows = select.executeQuery("SELECT c_text FROM v WHERE k = " + k);
                assertThat(rows.next()).isTrue();
                assertThat(rows.getString(1)).isEqualTo("a");
            }
        }
    }

    @Test
    void shouldAddToACounter() throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("UPDATE hits SET n = n + ? WHERE k = ?");
                Statement select = connection.createStatement()) {
            update.setInt(1, 3);
            update.setString(2, "home");
            assertThat(update.executeUpdate()).isEqualTo(1);
            ResultSet rows = select.executeQuery("SELECT n AS total FROM hits WHERE k = 'home'");
            rows.next();
            assertThat(rows.getInt("total")).isEqualTo(3);
        }
    }

    @Test
    void shouldNotShiftALocalDateTime() throws SQLException {
        LocalDateTime local = LocalDateTime.of(2024, 7, 1, 12, 0);
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO v (k, c_timestamp) VALUES (5, ?)");
                Statement select = connection.createStatement()) {
            insert.setObject(1, local);
            insert.executeUpdate();
            ResultSet rows = select.executeQuery("SELECT c_timestamp FROM v WHERE k = 5");
            rows.next();
            assertThat(rows.getObject(1, LocalDateTime.class)).isEqualTo(local);
            assertThat(rows.getTimestamp(1)).isEqualTo(Timestamp.valueOf(local));
        }
    }

    @Test
    void shouldWarnIfATimestampLosesDigits() throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO v (k, c_timestamp) VALUES (6, ?)")) {
            insert.setObject(1, Instant.parse("2024-07-01T10:00:00.123456Z"));
            insert.executeUpdate();

            assertThat(insert.getWarnings().getSQLState()).isEqualTo("01S07");
        }
    }

    @Test
    void shouldNameParametersByTheirColumns() throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement("SELECT k FROM v WHERE k = ? AND c_text = ? ALLOW FILTERING")) {
            ParameterMetaData parameters = select.getParameterMetaData();

            assertThat(parameters.getParameterCount()).isEqualTo(2);
            assertThat(parameters.getParameterTypeName(1)).isEqualTo("int");
            assertThat(parameters.getParameterClassName(2)).isEqualTo("java.lang.String");
            assertThat(parameters.getParameterMode(1)).isEqualTo(ParameterMetaData.parameterModeIn);
        }
    }

    @Test
    void shouldDistinguishQueriesFromUpdatesBeforeTheyRun() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.executeQuery("INSERT INTO v (k) VALUES (77)"))
                    .hasMessageContaining("gives no result set");
            assertThatThrownBy(() -> statement.executeUpdate("SELECT * FROM v"))
                    .hasMessageContaining("gives a result set");
            assertThatThrownBy(() -> statement.executeQuery("SELECT * FROM v WHERE k = ?"))
                    .hasMessageContaining("use prepareStatement");
            assertThat(statement.executeQuery("SELECT * FROM v WHERE k = 77").next())
                    .isFalse();
            assertThat(statement.executeUpdate("CREATE TABLE made (k int PRIMARY KEY)"))
                    .isZero();
        }
    }
}
