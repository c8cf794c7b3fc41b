package dev.cassidy.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.data.CqlDuration;
import com.datastax.oss.driver.api.core.data.CqlVector;
import com.datastax.oss.driver.api.core.data.TupleValue;
import com.datastax.oss.driver.api.core.data.UdtValue;
import dev.cassidy.jdbc.value.BlobValue;
import dev.cassidy.jdbc.value.ClobValue;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Struct;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every CQL type in every Java type that JDBC and java.time know, in both directions, on the server. A value that was
 * read is written back, and must then be the same as before. If a type cannot be read, a sample of it is written, and
 * must be refused.
 *
 * <pre>
 * =  the same value, read and written back
 * p  JDBC defines that a part is read (the date of a timestamp); writing it back is refused or writes that part
 * w  cannot be read, but can be written
 * .  is refused by 07006: no conversion between the two
 * t  is refused by 22018, d by 22007: the text is not of the type
 * n  is refused by 22003: out of range, or would lose digits
 * l  is refused by 22008: would lose a part of a date or time
 * x  is refused by 22000: it has different parts
 * </pre>
 */
class TypeMatrixIT {

    private static final Class<?>[] CLASSES = {
        Boolean.class,
        Byte.class,
        Short.class,
        Integer.class,
        Long.class,
        Float.class,
        Double.class,
        BigDecimal.class,
        BigInteger.class,
        String.class,
        Clob.class,
        byte[].class,
        Blob.class,
        Date.class,
        Time.class,
        Timestamp.class,
        LocalDate.class,
        LocalTime.class,
        LocalDateTime.class,
        OffsetDateTime.class,
        OffsetTime.class,
        ZonedDateTime.class,
        Instant.class,
        java.util.Date.class,
        Calendar.class,
        UUID.class,
        InetAddress.class,
        Duration.class,
        Period.class,
        CqlDuration.class,
        List.class,
        Set.class,
        Map.class,
        Array.class,
        Struct.class,
        float[].class,
        TupleValue.class,
        UdtValue.class,
        CqlVector.class
    };

    /**
     * One line per column, in the order of the classes above: numbers, text, blob, java.sql, java.time, java.util and
     * so on.
     */
    private static final String MATRIX = """
            #            numbers    tx  bl  sql  java.ti  ut  id  dur  parts   drv
            c_boolean    =========  ==  ..  ...  .......  ..  ..  ...  ......  ...
            c_tinyint    =========  ==  ..  ...  .......  ..  ..  ...  ......  ...
            c_smallint   pw=======  ==  ..  ...  .......  ..  ..  ...  ......  ...
            c_int        pww======  ==  ..  ...  .......  ..  ..  ...  ......  ...
            c_bigint     pwww=====  ==  ..  ...  .......  ..  ..  ...  ......  ...
            c_varint     pwwwwnn==  ==  ..  ...  .......  ..  ..  ...  ......  ...
            c_decimal    pwwwwpp=w  ==  ..  ...  .......  ..  ..  ...  ......  ...
            c_double     pwwww===w  ==  ..  ...  .......  ..  ..  ...  ......  ...
            c_float      pwwww===w  ==  ..  ...  .......  ..  ..  ...  ......  ...
            c_ascii      wwwwwwwww  ==  ..  www  wwwwwww  ww  wt  ...  ......  ...
            c_text       wwwwwwwww  ==  ..  www  wwwwwww  ww  wt  ...  ......  ...
            c_blob       .........  pp  ==  ...  .......  ..  ..  ...  ......  ...
            c_timestamp  .........  ==  ..  pp=  pp==p==  ==  ..  ...  ......  ...
            c_date       .........  ==  ..  =.=  =.==.==  ==  ..  ...  ......  ...
            c_time       .........  ==  ..  .==  .==wlww  ww  ..  ...  ......  ...
            c_duration   .........  ==  ..  ...  .......  ..  ..  ww=  ......  ...
            c_uuid       .........  ==  ..  ...  .......  ..  =.  ...  ......  ...
            c_timeuuid   .........  ==  ..  ...  .......  ..  =.  ...  ......  ...
            c_inet       .........  ==  ..  ...  .......  ..  .=  ...  ......  ...
            c_list       .........  ==  ..  ...  .......  ..  ..  ...  =..=..  ...
            c_set        .........  ==  ..  ...  .......  ..  ..  ...  w=.=.w  ...
            c_map        .........  ==  ..  ...  .......  ..  ..  ...  ..=...  ...
            c_tuple      .........  ==  ..  ...  .......  ..  ..  ...  xx.x=x  =..
            c_udt        .........  ==  ..  ...  .......  ..  ..  ...  xx=x=x  .=.
            c_vector     .........  ==  ..  ...  .......  ..  ..  ...  xx.=.=  ..=
            """;

    private static final Map<String, String> STORED = new LinkedHashMap<>();

    static {
        STORED.put("boolean", "true");
        STORED.put("tinyint", "1");
        STORED.put("smallint", "300");
        STORED.put("int", "70000");
        STORED.put("bigint", "5000000000");
        STORED.put("varint", "99999999999999999999");
        STORED.put("decimal", "7.50");
        STORED.put("double", "7.5");
        STORED.put("float", "0.1");
        STORED.put("ascii", "'Kettle'");
        STORED.put("text", "'Zoë'");
        STORED.put("blob", "0x00ff");
        STORED.put("timestamp", "'2024-01-31T12:34:56.789Z'");
        STORED.put("date", "'2024-01-31'");
        STORED.put("time", "'12:34:56.789'");
        STORED.put("duration", "1mo2d3h");
        STORED.put("uuid", "00000000-0000-0001-0000-000000000002");
        STORED.put("timeuuid", "123e4567-e89b-12d3-a456-426614174000");
        STORED.put("inet", "'::1'");
        STORED.put("list<timestamp>", "['2024-01-31T12:34:56.789Z']");
        STORED.put("set<text>", "{'a', 'b'}");
        STORED.put("map<text, frozen<list<int>>>", "{'a': [1, 2]}");
        STORED.put("tuple<int, text, blob>", "(1, null, 0xff)");
        STORED.put("frozen<address>", "{street: 'Main', numbers: {1, 2}}");
        STORED.put("vector<float, 3>", "[0.1, 2, 3]");
    }

    private static TestCluster cluster;
    private static Connection connection;

    private static TimeZone zone;

    @BeforeAll
    static void prepare() throws SQLException {
        // The default time zone is fixed, so that the results for values without a zone are the same on every machine.
        zone = TimeZone.getDefault();
        TimeZone.setDefault(TimeZone.getTimeZone("Europe/Zurich"));
        cluster = TestCluster.fresh("type_matrix_it");
        cluster.cql("CREATE TYPE $.address (street text, numbers set<int>)");
        StringBuilder columns = new StringBuilder();
        STORED.keySet()
                .forEach(type ->
                        columns.append(", ").append(column(type)).append(' ').append(type));
        cluster.cql(
                "CREATE TABLE $.v (k int PRIMARY KEY" + columns.toString().replace("<address>", "<$.address>") + ")");
        STORED.forEach((type, literal) -> cluster.cql(
                "INSERT INTO $.v (k, " + column(type) + ") VALUES (1, " + literal + ")",
                "INSERT INTO $.v (k, " + column(type) + ") VALUES (2, " + literal + ")"));
        connection = cluster.connect();
    }

    @AfterAll
    static void close() throws SQLException {
        TimeZone.setDefault(zone);
        connection.close();
    }

    private static String column(String type) {
        return "c_" + type.split("[< ,]")[0].replace("frozen", "udt");
    }

    static Stream<String> types() {
        return STORED.keySet().stream();
    }

    @ParameterizedTest
    @MethodSource("types")
    void shouldRoundTripOrRefuseByName(String type) throws Exception {
        String column = column(type);
        Object natural = read(2, column, Object.class);
        StringBuilder cells = new StringBuilder();
        for (Class<?> target : CLASSES) {
            cells.append(cell(column, target, natural));
        }
        String expected = MATRIX.lines()
                .map(String::strip)
                .filter(line -> line.startsWith(column + " "))
                .map(line -> line.substring(column.length()).replace(" ", ""))
                .findFirst()
                .orElse("");
        assertThat(cells.toString())
                .as(type + " as " + Arrays.toString(CLASSES))
                .isEqualTo(expected);
    }

    private static char cell(String column, Class<?> target, Object natural) throws Exception {
        Object value;
        try {
            value = read(2, column, target);
        } catch (SQLException e) {
            char refusal = refusal(e, column);
            try {
                write(column, sample(target));
            } catch (SQLException again) {
                // The state of the write says more: it reports the value, where the read only reports the missing type.
                return refusal == '.' ? refusal(again, column) : refusal;
            }
            return 'w';
        }
        assertThat(value).isInstanceOf(target);
        SQLWarning warning;
        try {
            warning = write(column, value);
        } catch (SQLException e) {
            refusal(e, column);
            return 'p';
        }
        assertThat((Object) warning).isNull();
        return new Same(read(1, column, Object.class)).equals(new Same(natural)) ? '=' : 'p';
    }

    private record Same(Object value) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Same same && Arrays.deepEquals(new Object[] {value}, new Object[] {same.value});
        }

        @Override
        public int hashCode() {
            return 0;
        }
    }

    private static char refusal(SQLException e, String column) {
        // The message must name the column.
        assertThat(e.getMessage()).contains(column);
        return switch (e.getSQLState()) {
            case "07006" -> '.';
            case "22018" -> 't';
            case "22007" -> 'd';
            case "22003" -> 'n';
            case "22008" -> 'l';
            case "22000" -> 'x';
            default -> throw new AssertionError(e.getSQLState() + " of " + column, e);
        };
    }

    private static <T> T read(int key, String column, Class<T> target) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT " + column + " FROM v WHERE k = ?")) {
            select.setInt(1, key);
            try (ResultSet rows = select.executeQuery()) {
                assertThat(rows.next()).isTrue();
                T value = rows.getObject(1, target);
                assertThat(rows.wasNull()).isFalse();
                return value;
            }
        }
    }

    /** Returns the warning that a part of the value was left out. */
    private static SQLWarning write(String column, Object value) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO v (k, " + column + ") VALUES (1, ?)")) {
            insert.setObject(1, value);
            insert.executeUpdate();
            return insert.getWarnings();
        }
    }

    private static Object sample(Class<?> target) throws Exception {
        Instant instant = Instant.parse("2024-01-31T12:34:56.789Z");
        Map<Class<?>, Object> samples = Map.ofEntries(
                Map.entry(Boolean.class, true),
                Map.entry(Byte.class, (byte) 1),
                Map.entry(Short.class, (short) 1),
                Map.entry(Integer.class, 1),
                Map.entry(Long.class, 1L),
                Map.entry(Float.class, 1.5f),
                Map.entry(Double.class, 1.5),
                Map.entry(BigDecimal.class, new BigDecimal("1.5")),
                Map.entry(BigInteger.class, BigInteger.ONE),
                Map.entry(byte[].class, new byte[] {1}),
                Map.entry(Blob.class, new BlobValue(new byte[] {1})),
                Map.entry(Clob.class, new ClobValue("text")),
                Map.entry(String.class, "text"),
                Map.entry(Date.class, Date.valueOf("2024-01-31")),
                Map.entry(Time.class, Time.valueOf("12:34:56")),
                Map.entry(Timestamp.class, Timestamp.from(instant)),
                Map.entry(LocalDate.class, LocalDate.of(2024, 1, 31)),
                Map.entry(LocalTime.class, LocalTime.NOON),
                Map.entry(LocalDateTime.class, LocalDateTime.of(2024, 1, 31, 12, 34)),
                Map.entry(OffsetDateTime.class, OffsetDateTime.parse("2024-01-31T12:34:56Z")),
                Map.entry(OffsetTime.class, OffsetTime.parse("12:34:56Z")),
                Map.entry(ZonedDateTime.class, ZonedDateTime.parse("2024-01-31T12:34:56Z")),
                Map.entry(Instant.class, instant),
                Map.entry(java.util.Date.class, java.util.Date.from(instant)),
                Map.entry(Calendar.class, new GregorianCalendar(2024, Calendar.JANUARY, 31, 1, 2, 3)),
                Map.entry(UUID.class, new UUID(1, 2)),
                Map.entry(InetAddress.class, InetAddress.getByName("::1")),
                Map.entry(Duration.class, Duration.ofHours(1)),
                Map.entry(Period.class, Period.ofDays(1)),
                Map.entry(CqlDuration.class, CqlDuration.from("1mo")),
                Map.entry(List.class, List.of(new UUID(1, 2))),
                Map.entry(Set.class, Set.of(new UUID(1, 2))),
                Map.entry(Map.class, Map.of(new UUID(1, 2), 1)),
                Map.entry(Array.class, connection.createArrayOf("uuid", new Object[] {new UUID(1, 2)})),
                Map.entry(Struct.class, connection.createStruct("s", new Object[] {new UUID(1, 2)})),
                Map.entry(float[].class, new float[] {1}),
                Map.entry(TupleValue.class, read(2, "c_tuple", TupleValue.class)),
                Map.entry(UdtValue.class, read(2, "c_udt", UdtValue.class)),
                Map.entry(CqlVector.class, read(2, "c_vector", Object.class)));
        return samples.get(target);
    }

    @Test
    void shouldBuildComposedValuesFromPlainJava() throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO v (k, c_list, c_tuple, c_udt, c_vector) VALUES (10, ?, ?, ?, ?)");
                PreparedStatement select =
                        connection.prepareStatement("SELECT c_list, c_tuple, c_udt, c_vector FROM v WHERE k = 10")) {
            insert.setArray(1, connection.createArrayOf("timestamp", new Object[] {"2024-01-31 12:00:00"}));
            insert.setObject(2, connection.createStruct("t", new Object[] {7, "x", null}));
            insert.setObject(3, Map.of("street", "Main", "numbers", List.of(3, 4L)));
            insert.setObject(4, new double[] {1, 2, 3});
            insert.executeUpdate();
            try (ResultSet rows = select.executeQuery()) {
                rows.next();
                assertThat((Object[]) rows.getArray(1).getArray())
                        .containsExactly(Timestamp.valueOf("2024-01-31 12:00:00"));
                assertThat(rows.getArray(1).getBaseTypeName()).isEqualTo("timestamp");
                try (ResultSet elements = rows.getArray(1).getResultSet()) {
                    assertThat(elements.next()).isTrue();
                    assertThat(elements.getInt(1)).isEqualTo(1);
                    assertThat(elements.getObject(2)).isEqualTo(Timestamp.valueOf("2024-01-31 12:00:00"));
                }
                assertThat(rows.getObject(2, Struct.class).getAttributes()).containsExactly(7, "x", null);
                assertThat(rows.getString(2)).isEqualTo("(7,'x',NULL)");
                assertThat(rows.getObject(2)).isInstanceOf(Struct.class).hasToString("(7,'x',NULL)");
                assertThat(rows.getObject(3)).isInstanceOf(Struct.class).hasToString("{street:'Main',numbers:{3,4}}");
                assertThat(((Struct) rows.getObject(3)).getAttributes()).containsExactly("Main", Set.of(3, 4));
                assertThat(rows.getObject(3, Map.class)).isEqualTo(Map.of("street", "Main", "numbers", Set.of(3, 4)));
                assertThat(rows.getObject(4, float[].class)).containsExactly(1, 2, 3);
            }
        }
    }

    @Test
    void shouldRefuseToLoseAPartOfAComposedValue() throws SQLException {
        List<List<Object>> refused = List.of(
                List.of("c_set", List.of("a", "a"), "holds a twice"),
                List.of("c_map", Map.of(1, List.of(), "1", List.of()), "has key 1 twice"),
                List.of("c_list", Arrays.asList((Object) null), "holds a null"),
                List.of("c_tuple", List.of(1, "x"), "must have 3 parts"),
                List.of("c_tuple", List.of(1, "x", "y"), "java.lang.String to blob"),
                List.of("c_udt", Map.of("town", "x"), "has no field 'town'"),
                List.of("c_vector", List.of(1, 2), "must have 3 elements"),
                List.of("c_vector", List.of(1, 2, "x"), "is not float"),
                List.of("c_text", "half \uD800", "no unpaired surrogate"),
                List.of("c_date", LocalDate.MAX, "does not fit date"),
                List.of("c_time", OffsetTime.parse("12:00:00+01:00"), "it holds no offset"));
        for (List<Object> each : refused) {
            assertThatThrownBy(() -> write((String) each.get(0), each.get(1)))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("parameter 1 (" + each.get(0))
                    .hasMessageContaining((String) each.get(2));
        }
    }

    @Test
    void shouldServeLargeObjectsThatAreWrittenAndRead() throws Exception {
        Blob blob = connection.createBlob();
        blob.setBytes(1, new byte[] {1, 2, 3});
        blob.setBinaryStream(4).write(new byte[] {4});
        try (var out = blob.setBinaryStream(4)) {
            out.write(5);
        }
        Clob clob = connection.createClob();
        clob.setString(1, "Kettle");
        try (var out = clob.setCharacterStream(7)) {
            out.write("s, Zoë");
        }
        try (PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO v (k, c_blob, c_text) VALUES (11, ?, ?)");
                PreparedStatement select = connection.prepareStatement("SELECT c_blob, c_text FROM v WHERE k = 11")) {
            insert.setBlob(1, blob);
            insert.setClob(2, clob);
            insert.executeUpdate();
            try (ResultSet rows = select.executeQuery()) {
                rows.next();
                assertThat(rows.getBlob(1).getBytes(2, 10)).containsExactly(2, 3, 5);
                assertThat(rows.getBlob(1).position(new byte[] {3, 5}, 1)).isEqualTo(3);
                assertThat(rows.getBinaryStream(1).readAllBytes()).containsExactly(1, 2, 3, 5);
                assertThat(rows.getNClob(2).getSubString(1, 100)).isEqualTo("Kettles, Zoë");
                assertThat(rows.getClob(2).position("Zoë", 1)).isEqualTo(10);
                assertThat(rows.getCharacterStream(2).read()).isEqualTo('K');
                assertThatThrownBy(() -> rows.getAsciiStream(2))
                        .hasMessageContaining("character beyond ASCII")
                        .hasFieldOrPropertyWithValue("SQLState", "22018");
            }
            assertThatThrownBy(
                            () -> insert.setAsciiStream(2, new java.io.ByteArrayInputStream(new byte[] {(byte) 0xeb})))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("could not be read");
        }
    }

    /** Getters and setters with a type in their name must give the same as getObject and setObject with that type. */
    @Test
    void shouldReturnTheSameFromGettersAndSettersOfEveryName() throws Exception {
        Map<String, List<String>> methods = Map.of(
                "c_int", List.of("Byte", "Short", "Int", "Long", "Float", "Double", "BigDecimal", "String", "NString"),
                "c_boolean", List.of("Boolean", "Int", "String"),
                "c_text",
                        List.of(
                                "String",
                                "NString",
                                "Clob",
                                "NClob",
                                "CharacterStream",
                                "NCharacterStream",
                                "AsciiStream"),
                "c_blob", List.of("Bytes", "Blob", "BinaryStream"),
                "c_timestamp", List.of("Timestamp"),
                "c_date", List.of("Date"),
                "c_time", List.of("Time"),
                "c_list", List.of("Array"));
        cluster.cql("INSERT INTO $.v (k, c_int, c_boolean, c_text, c_blob, c_timestamp, c_date, c_time, c_list) VALUES"
                + " (20, 1, true, 'Kettle', 0x01, '2024-01-31T12:34:56.789Z', '2024-01-31', '12:34:56.789',"
                + " ['2024-01-31T12:34:56.789Z'])");
        List<String> failed = new ArrayList<>();
        for (String column : methods.keySet()) {
            try (PreparedStatement select = connection.prepareStatement("SELECT " + column + " FROM v WHERE k = ?");
                    PreparedStatement insert =
                            connection.prepareStatement("INSERT INTO v (k, " + column + ") VALUES (21, ?)")) {
                for (String name : methods.get(column)) {
                    select.setInt(1, 20);
                    ResultSet rows = select.executeQuery();
                    rows.next();
                    var getter = ResultSet.class.getMethod("get" + name, int.class);
                    Object before = rows.getObject(1);
                    Object value = getter.invoke(rows, 1);
                    assertThat(ResultSet.class
                                    .getMethod("get" + name, String.class)
                                    .getReturnType())
                            .isEqualTo(getter.getReturnType());
                    PreparedStatement.class
                            .getMethod("set" + name, int.class, getter.getReturnType())
                            .invoke(insert, 1, value);
                    insert.executeUpdate();
                    select.setInt(1, 21);
                    rows = select.executeQuery();
                    rows.next();
                    if (!new Same(before).equals(new Same(rows.getObject(1)))) {
                        failed.add(column + " by " + name);
                    }
                }
            }
        }
        assertThat(failed).isEmpty();
    }
}
