package dev.cassidy.jdbc.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.data.CqlDuration;
import com.datastax.oss.driver.api.core.data.CqlVector;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.TupleType;
import com.datastax.oss.driver.internal.core.type.UserDefinedTypeBuilder;
import dev.cassidy.definition.SqlType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.Clob;
import java.sql.DataTruncation;
import java.sql.Date;
import java.sql.NClob;
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
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ConversionsTest {

    private static final ZoneId ZURICH = ZoneId.of("Europe/Zurich");
    private static final UUID RANDOM = UUID.fromString("123e4567-e89b-42d3-a456-426614174000");
    private static final UUID TIME_BASED = UUID.fromString("123e4567-e89b-12d3-a456-426614174000");

    private static final ResultSets NO_RESULT_SETS = (columns, rows) -> {
        throw new AssertionError("no array is read here");
    };

    private final List<SQLWarning> warnings = new ArrayList<>();

    private Object toCql(Object value, DataType type) throws SQLException {
        try {
            return new ToCql(ZURICH, warnings::add).convert(value, type);
        } catch (ConversionException e) {
            throw e.in("parameter 1 (x)");
        }
    }

    private static <T> T fromCql(Object value, Class<T> type) throws SQLException {
        try {
            return FromCql.convert(value, DataTypes.TEXT, null, type, ZURICH, NO_RESULT_SETS);
        } catch (ConversionException e) {
            throw e.in("column x");
        }
    }

    static Stream<Arguments> stored() {
        return Stream.of(
                Arguments.of(5, DataTypes.BIGINT, 5L),
                Arguments.of(5L, DataTypes.INT, 5),
                Arguments.of(new BigDecimal("5.00"), DataTypes.INT, 5),
                Arguments.of("5", DataTypes.INT, 5),
                Arguments.of(true, DataTypes.TINYINT, (byte) 1),
                Arguments.of(-128, DataTypes.TINYINT, (byte) -128),
                Arguments.of(32767, DataTypes.SMALLINT, (short) 32767),
                Arguments.of(7.0, DataTypes.BIGINT, 7L),
                Arguments.of(Long.MAX_VALUE, DataTypes.VARINT, BigInteger.valueOf(Long.MAX_VALUE)),
                Arguments.of(7.5, DataTypes.DECIMAL, new BigDecimal("7.5")),
                Arguments.of(0.1f, DataTypes.DECIMAL, new BigDecimal("0.1")),
                Arguments.of("12.50", DataTypes.DECIMAL, new BigDecimal("12.50")),
                Arguments.of(3, DataTypes.DECIMAL, new BigDecimal("3")),
                Arguments.of(new BigDecimal("0.1"), DataTypes.DOUBLE, 0.1),
                Arguments.of(1L << 53, DataTypes.DOUBLE, 9007199254740992.0),
                Arguments.of("9007199254740994", DataTypes.DOUBLE, 9007199254740994.0),
                Arguments.of("9007199254740993.5", DataTypes.DOUBLE, 9007199254740994.0),
                Arguments.of(Double.toString(1e23), DataTypes.DOUBLE, 1e23),
                Arguments.of(0.1, DataTypes.FLOAT, 0.1f),
                Arguments.of(1, DataTypes.BOOLEAN, true),
                Arguments.of("false", DataTypes.BOOLEAN, false),
                Arguments.of("x", DataTypes.TEXT, "x"),
                Arguments.of(12, DataTypes.TEXT, "12"),
                Arguments.of(true, DataTypes.TEXT, "1"),
                Arguments.of(false, DataTypes.TEXT, "0"),
                Arguments.of(RANDOM, DataTypes.TEXT, "123E4567-E89B-42D3-A456-426614174000"),
                Arguments.of(LocalDateTime.of(2024, 7, 1, 12, 0), DataTypes.TEXT, "2024-07-01 12:00:00.0000000"),
                Arguments.of(
                        LocalDateTime.of(2024, 7, 1, 12, 0, 0, 123_456_789),
                        DataTypes.TEXT,
                        "2024-07-01 12:00:00.123456789"),
                Arguments.of(
                        OffsetDateTime.parse("2024-07-01T12:00:00.5-05:30"),
                        DataTypes.TEXT,
                        "2024-07-01 12:00:00.5000000 -05:30"),
                Arguments.of(
                        OffsetDateTime.parse("2024-07-01T12:00:00Z"),
                        DataTypes.TEXT,
                        "2024-07-01 12:00:00.0000000 +00:00"),
                Arguments.of(new BigDecimal("1E+3"), DataTypes.TEXT, "1000"),
                Arguments.of(new StringReader("read"), DataTypes.TEXT, "read"),
                Arguments.of("x", DataTypes.ASCII, "x"),
                Arguments.of(new byte[] {1, 2}, DataTypes.BLOB, ByteBuffer.wrap(new byte[] {1, 2})),
                Arguments.of(new ByteArrayInputStream(new byte[] {3}), DataTypes.BLOB, ByteBuffer.wrap(new byte[] {3})),
                Arguments.of(RANDOM.toString(), DataTypes.UUID, RANDOM),
                Arguments.of(TIME_BASED, DataTypes.TIMEUUID, TIME_BASED),
                Arguments.of(Instant.ofEpochMilli(5), DataTypes.TIMESTAMP, Instant.ofEpochMilli(5)),
                Arguments.of(new Timestamp(5), DataTypes.TIMESTAMP, Instant.ofEpochMilli(5)),
                Arguments.of(
                        LocalDateTime.of(2024, 7, 1, 12, 0),
                        DataTypes.TIMESTAMP,
                        Instant.parse("2024-07-01T10:00:00Z")),
                Arguments.of("2024-07-01 12:00:00", DataTypes.TIMESTAMP, Instant.parse("2024-07-01T10:00:00Z")),
                Arguments.of("2024-07-01T12:00:00.5Z", DataTypes.TIMESTAMP, Instant.parse("2024-07-01T12:00:00.500Z")),
                Arguments.of(
                        OffsetDateTime.of(2024, 7, 1, 12, 0, 0, 0, ZoneOffset.ofHours(1)),
                        DataTypes.TIMESTAMP,
                        Instant.parse("2024-07-01T11:00:00Z")),
                Arguments.of(LocalDate.of(2024, 7, 1), DataTypes.DATE, LocalDate.of(2024, 7, 1)),
                Arguments.of(LocalDateTime.of(2024, 7, 1, 0, 0), DataTypes.DATE, LocalDate.of(2024, 7, 1)),
                Arguments.of("2024-07-01", DataTypes.DATE, LocalDate.of(2024, 7, 1)),
                Arguments.of("20240701", DataTypes.DATE, LocalDate.of(2024, 7, 1)),
                Arguments.of("20240701", DataTypes.TIMESTAMP, Instant.parse("2024-06-30T22:00:00Z")),
                Arguments.of("20240701 12:00:00", DataTypes.TIMESTAMP, Instant.parse("2024-07-01T10:00:00Z")),
                Arguments.of(LocalTime.of(1, 2, 3, 4), DataTypes.TIME, LocalTime.of(1, 2, 3, 4)),
                Arguments.of("01:02:03", DataTypes.TIME, LocalTime.of(1, 2, 3)),
                Arguments.of(Duration.ofSeconds(2), DataTypes.DURATION, CqlDuration.newInstance(0, 0, 2_000_000_000L)),
                Arguments.of(Period.of(1, 2, 3), DataTypes.DURATION, CqlDuration.newInstance(14, 3, 0)),
                Arguments.of("1mo2d", DataTypes.DURATION, CqlDuration.newInstance(1, 2, 0)),
                Arguments.of(" ['a]', 'it''s'] ", DataTypes.listOf(DataTypes.TEXT), List.of("a]", "it's")),
                Arguments.of(
                        "{'}': [1]}",
                        DataTypes.mapOf(DataTypes.TEXT, DataTypes.listOf(DataTypes.INT)),
                        Map.of("}", List.of(1))),
                Arguments.of(Double.NEGATIVE_INFINITY, DataTypes.FLOAT, Float.NEGATIVE_INFINITY),
                Arguments.of(" True ", DataTypes.BOOLEAN, true),
                Arguments.of(Map.of("5", 6), DataTypes.mapOf(DataTypes.INT, DataTypes.TEXT), Map.of(5, "6")),
                Arguments.of(List.of(7, "8"), DataTypes.vectorOf(DataTypes.FLOAT, 2), CqlVector.newInstance(7f, 8f)),
                Arguments.of(new int[] {1, 2}, DataTypes.listOf(DataTypes.BIGINT), List.of(1L, 2L)),
                Arguments.of(List.of("1", 2), DataTypes.setOf(DataTypes.INT), Set.of(1, 2)),
                Arguments.of(
                        Map.of("k", 1),
                        DataTypes.mapOf(DataTypes.TEXT, DataTypes.DECIMAL),
                        Map.of("k", BigDecimal.ONE)));
    }

    @ParameterizedTest
    @MethodSource("stored")
    void shouldStoreTheExactValue(Object value, DataType type, Object stored) throws SQLException {
        assertThat(toCql(value, type)).isEqualTo(stored);
        assertThat(warnings).isEmpty();
    }

    private static DataType mapOfInts() {
        return DataTypes.mapOf(DataTypes.TEXT, DataTypes.INT);
    }

    private static DataType user() {
        return new UserDefinedTypeBuilder(CqlIdentifier.fromInternal("shop"), CqlIdentifier.fromInternal("person"))
                .withField(CqlIdentifier.fromInternal("name"), DataTypes.TEXT)
                .withField(CqlIdentifier.fromInternal("age"), DataTypes.INT)
                .build();
    }

    private static DataType pair() {
        return DataTypes.tupleOf(DataTypes.INT, DataTypes.TEXT);
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                Arguments.of(5_000_000_000L, DataTypes.INT, "22003", "does not fit int"),
                Arguments.of(128, DataTypes.TINYINT, "22003", "-128 to 127): 128"),
                Arguments.of(7.5, DataTypes.INT, "22003", "a whole number from -2147483648"),
                Arguments.of(Double.NaN, DataTypes.DECIMAL, "22003", "a finite number"),
                Arguments.of(new BigDecimal("1E+999999999"), DataTypes.VARINT, "22003", "at most 1000 digits"),
                Arguments.of(new BigDecimal("1E+400"), DataTypes.DOUBLE, "22003", "its largest value is smaller"),
                Arguments.of((1L << 53) + 1, DataTypes.DOUBLE, "22003", "holds no integer of so many digits"),
                Arguments.of("9007199254740993", DataTypes.DOUBLE, "22003", "holds no integer of so many digits"),
                Arguments.of(new BigDecimal("9007199254740993.0"), DataTypes.DOUBLE, "22003", "no integer of so many"),
                Arguments.of(BigInteger.TWO.pow(53).add(BigInteger.ONE), DataTypes.DOUBLE, "22003", "no integer of"),
                Arguments.of("16777217", DataTypes.FLOAT, "22003", "holds no integer of so many digits"),
                Arguments.of(1e300, DataTypes.FLOAT, "22003", "its largest value is smaller"),
                Arguments.of("five", DataTypes.INT, "22018", "is not int (a number such as -12.5): 'five'"),
                Arguments.of(Instant.EPOCH, DataTypes.INT, "07006", "from java.time.Instant to int"),
                Arguments.of(2, DataTypes.BOOLEAN, "22003", "does not fit boolean"),
                Arguments.of("yes", DataTypes.BOOLEAN, "22018", "true, false, 1 or 0"),
                Arguments.of("é", DataTypes.ASCII, "22018", "characters up to 127"),
                Arguments.of("\u0080", DataTypes.ASCII, "22018", "characters up to 127"),
                // The JVM would take it for an address, and another name for one to ask the resolver for.
                Arguments.of("[::1]", DataTypes.INET, "22018", "a numeric IPv4 or IPv6 address"),
                Arguments.of(new byte[] {1}, DataTypes.listOf(DataTypes.INT), "07006", "from byte[] to list"),
                Arguments.of(Map.of("name", "a", "size", 1), user(), "22000", "has no field 'size'"),
                Arguments.of(List.of("a"), user(), "22000", "must have 2 parts"),
                Arguments.of(List.of(1), pair(), "22000", "must have 2 parts"),
                Arguments.of(List.of(1f), DataTypes.vectorOf(DataTypes.FLOAT, 2), "22000", "must have 2 elements"),
                Arguments.of(List.of(1, "1"), DataTypes.setOf(DataTypes.INT), "22000", "holds 1 twice"),
                Arguments.of(
                        Map.of(1, 2, "1", 2),
                        DataTypes.mapOf(DataTypes.INT, DataTypes.INT),
                        "22000",
                        "has key 1 twice"),
                Arguments.of(LocalDate.MAX, DataTypes.DATE, "22003", "-5877641-06-23 to 5881580-07-11"),
                Arguments.of("x", DataTypes.BLOB, "07006", "to blob"),
                Arguments.of("1-1-1-1-1", DataTypes.UUID, "22018", "is not uuid"),
                Arguments.of(RANDOM, DataTypes.TIMEUUID, "22018", "not version 4"),
                Arguments.of(5L, DataTypes.TIMESTAMP, "07006", "from java.lang.Long to timestamp"),
                Arguments.of("tomorrow", DataTypes.TIMESTAMP, "22007", "is not timestamp"),
                Arguments.of("2023-02-29", DataTypes.DATE, "22007", "is not date"),
                Arguments.of("1706659200000", DataTypes.TIMESTAMP, "22007", "or 20240131): '1706659200000'"),
                Arguments.of("2024", DataTypes.DATE, "22007", "or 20240131): '2024'"),
                Arguments.of("123456", DataTypes.TIME, "22007", "string such as 12:34:56"),
                // The hour that Zurich's clocks skip.
                Arguments.of(LocalDateTime.of(2024, 3, 31, 2, 30), DataTypes.TIMESTAMP, "22007", "skip it"),
                Arguments.of(Instant.MAX, DataTypes.TIMESTAMP, "22003", "64-bit milliseconds"),
                Arguments.of("2024-07-01 01:00:00", DataTypes.DATE, "22008", "it has a time of day"),
                Arguments.of(Date.valueOf("2024-07-01"), DataTypes.TIME, "07006", "to time"),
                Arguments.of("localhost", DataTypes.INET, "22018", "a numeric IPv4 or IPv6 address"),
                Arguments.of(3, DataTypes.DURATION, "07006", "to duration"),
                Arguments.of(3, DataTypes.listOf(DataTypes.INT), "07006", "to list"),
                Arguments.of("[1, 2] x", DataTypes.listOf(DataTypes.INT), "22018", "java.util.List): '[1, 2] x'"),
                Arguments.of("[1][2]", DataTypes.listOf(DataTypes.INT), "22018", "one literal of it as CQL writes it"),
                Arguments.of("[1, 2", DataTypes.listOf(DataTypes.INT), "22018", "such as ['a', 'b']"),
                Arguments.of("", DataTypes.listOf(DataTypes.INT), "22018", "is not list<int>"),
                Arguments.of("[", DataTypes.listOf(DataTypes.INT), "22018", "is not list<int>"),
                Arguments.of("]", DataTypes.listOf(DataTypes.INT), "22018", "is not list<int>"),
                Arguments.of("NULL", DataTypes.listOf(DataTypes.INT), "22018", "is not list<int>"),
                Arguments.of("[NULL]", DataTypes.listOf(DataTypes.INT), "22000", "holds a null"),
                Arguments.of("['2024-02-30']", DataTypes.listOf(DataTypes.DATE), "22007", "no calendar has this day"),
                Arguments.of("{'a': 5000000000}", mapOfInts(), "22003", "does not fit int"),
                Arguments.of(new BigDecimal("1E+999999999"), DataTypes.DECIMAL, "22003", "at most 1000 digits"),
                Arguments.of("1e-1001", DataTypes.DECIMAL, "22003", "at most 1000 digits"),
                Arguments.of("1e99999999999", DataTypes.DECIMAL, "22003", "its exponent has too many digits"),
                Arguments.of("[1,]", DataTypes.listOf(DataTypes.INT), "22018", "is not list<int>"),
                Arguments.of("{'a', 'b'} 'c'", DataTypes.setOf(DataTypes.TEXT), "22018", "such as {'a', 'b'}"),
                Arguments.of("{'a}", DataTypes.setOf(DataTypes.TEXT), "22018", "is not set<text>"),
                Arguments.of("{'a': 1}, {'b': 2}", mapOfInts(), "22018", "such as {'a': 1}; or give a java.util.Map)"),
                Arguments.of("{'a': }", mapOfInts(), "22018", "is not map<text, int>"),
                Arguments.of("{'a'", mapOfInts(), "22018", "is not map<text, int>"),
                Arguments.of("(1, 'a') b", pair(), "22018", "such as (1, 'a')"),
                Arguments.of("(1, 'a'", pair(), "22018", "is not tuple<int, text>"),
                Arguments.of(Arrays.asList(1, null), DataTypes.listOf(DataTypes.INT), "22000", "holds a null"),
                Arguments.of(List.of(5_000_000_000L), DataTypes.listOf(DataTypes.INT), "22003", "does not fit int"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void shouldRefuseAValueThatWouldBeStoredDifferently(Object value, DataType type, String state, String message) {
        assertThatThrownBy(() -> toCql(value, type))
                .isInstanceOf(SQLException.class)
                .hasMessageStartingWith("parameter 1 (x) ")
                .hasMessageContaining(message)
                .hasFieldOrPropertyWithValue("SQLState", state);
    }

    /** Of a text, SQL Server says that it is no number of that type; of a fraction, it cuts it off. */
    @Test
    void shouldGiveSqlServersNumberOfANumberThatIsTooLarge() {
        for (Object large : List.of(5_000_000_000L, new BigDecimal("5E+9"), 5e9)) {
            assertThatThrownBy(() -> toCql(large, DataTypes.INT)).hasFieldOrPropertyWithValue("errorCode", 8115);
        }
        assertThatThrownBy(() -> toCql(300, DataTypes.TINYINT)).hasFieldOrPropertyWithValue("errorCode", 220);
        for (Object other : List.of("5000000000", 7.5)) {
            assertThatThrownBy(() -> toCql(other, DataTypes.INT)).hasFieldOrPropertyWithValue("errorCode", 0);
        }
    }

    @Test
    void shouldNameTheClassOfAValueAsProgramsWriteIt() {
        assertThat(ConversionException.type(new byte[] {1}, "int"))
                .hasMessage("cannot be converted from byte[] to int: 1 bytes");
        assertThat(ConversionException.type(new int[][] {{1}}, "int"))
                .hasMessage("cannot be converted from int[][] to int");
        assertThat(ConversionException.type(new Object(), "int"))
                .hasMessage("cannot be converted from java.lang.Object to int");
        assertThat(ConversionException.type(true, "date"))
                .hasMessage("cannot be converted from java.lang.Boolean to date: 'true'");
    }

    @Test
    void shouldWriteATimeAsTextInTheGivenZoneInsteadOfTheJvms() throws SQLException {
        TimeZone before = TimeZone.getDefault();
        // Zurich's clocks skip the hour from two o'clock on; Kolkata's do not.
        TimeZone.setDefault(TimeZone.getTimeZone(ZURICH));
        try {
            ZoneId kolkata = ZoneId.of("Asia/Kolkata");
            Timestamp value = Timestamp.from(LocalDateTime.of(2024, 3, 31, 2, 30, 0, 120_000_000)
                    .atZone(kolkata)
                    .toInstant());
            assertThat(new ToCql(kolkata, warnings::add).convert(value, DataTypes.TEXT))
                    .isEqualTo("2024-03-31 02:30:00.1200000");
            assertThat(new ToCql(kolkata, warnings::add).convert(Timestamp.from(Instant.EPOCH), DataTypes.TEXT))
                    .isEqualTo("1970-01-01 05:30:00.0000000");
        } catch (ConversionException e) {
            throw e.in("x");
        } finally {
            TimeZone.setDefault(before);
        }
    }

    @Test
    void shouldStoreTheDayOfAMomentWithAWarning() throws Exception {
        for (Object moment : List.of(
                LocalDateTime.of(2024, 7, 1, 23, 30),
                Timestamp.from(Instant.parse("2024-07-01T21:30:00Z")),
                Instant.parse("2024-07-01T21:30:00Z"),
                OffsetDateTime.parse("2024-07-01T23:30:00-05:00"))) {
            warnings.clear();
            assertThat(toCql(moment, DataTypes.DATE)).isEqualTo(LocalDate.of(2024, 7, 1));
            assertThat(warnings).singleElement().satisfies(warning -> {
                assertThat(warning.getSQLState()).isEqualTo("01S07");
                assertThat(warning.getMessage()).contains("stored as 2024-07-01");
            });
        }
    }

    @Test
    void shouldStoreTheTimeOfDayOfAMomentWithAWarningUnlessItsDaySaysNothing() throws Exception {
        LocalTime time = LocalTime.of(23, 30);
        for (Object moment : List.of(
                LocalDateTime.of(2024, 7, 1, 23, 30),
                Timestamp.from(Instant.parse("2024-07-01T21:30:00Z")),
                Instant.parse("2024-07-01T21:30:00Z"),
                OffsetDateTime.parse("2024-07-01T23:30:00-05:00"))) {
            warnings.clear();
            assertThat(toCql(moment, DataTypes.TIME)).isEqualTo(time);
            assertThat(warnings).singleElement().satisfies(warning -> {
                assertThat(warning.getSQLState()).isEqualTo("01S07");
                assertThat(warning.getMessage()).startsWith("time holds no date; cut off: ");
            });
        }
        warnings.clear();
        for (String day : List.of("1970-01-01", "1900-01-01")) {
            assertThat(toCql(LocalDate.parse(day).atTime(time), DataTypes.TIME)).isEqualTo(time);
        }
        assertThat(warnings).isEmpty();
    }

    @Test
    void shouldGiveATimeOfDayTheDayThatSqlServersDriverGivesIt() throws SQLException {
        LocalTime time = LocalTime.of(12, 34, 56);
        Instant stored = Instant.parse("1970-01-01T11:34:56Z");
        for (Object each : List.of(time, OffsetTime.parse("14:34:56+03:00"))) {
            assertThat(toCql(each, DataTypes.TIMESTAMP)).isEqualTo(stored);
        }
        assertThat(fromCql(time, LocalDateTime.class)).isEqualTo("1900-01-01T12:34:56");
        assertThat(fromCql("2024-01-31 12:34:56", LocalDate.class)).isEqualTo("2024-01-31");
        assertThat(fromCql("2024-01-31 12:34:56", LocalTime.class)).isEqualTo(time);
    }

    @Test
    void shouldReadAndWriteTheBytesOfAUniqueidentifierInSqlServersOrder() throws Exception {
        byte[] bytes = HexFormat.of().parseHex("67453e129be8d342a456426614174000");
        assertThat(FromCql.convert(
                        RANDOM,
                        DataTypes.UUID,
                        SqlType.parse("uniqueidentifier").orElseThrow(),
                        byte[].class,
                        ZURICH,
                        NO_RESULT_SETS))
                .isEqualTo(bytes);
        assertThat(Uuids.ofBytes(bytes)).isEqualTo(RANDOM);
        assertThat(Uuids.ofBytes(Uuids.bytes(new UUID(-2, -3)))).isEqualTo(new UUID(-2, -3));
        assertThat(Uuids.ofBytes(new byte[15])).isInstanceOf(byte[].class);
    }

    @Test
    void shouldRefuseCharactersThatAnAsciiStreamWouldLose() throws Exception {
        ClobValue clob = new ClobValue("");
        var stream = clob.setAsciiStream(1);
        stream.write("Zo".getBytes(StandardCharsets.US_ASCII));
        stream.flush();
        stream.write(0xeb);
        assertThatThrownBy(stream::flush)
                .isInstanceOf(IOException.class)
                .hasMessage("must be ASCII, up to 127: byte 3 is 235; write it to setCharacterStream");
        assertThatThrownBy(stream::close).isInstanceOf(IOException.class);
        assertThat(clob.getSubString(1, 10)).isEqualTo("Zo");
    }

    @Test
    void shouldWarnIfATimestampLosesDigits() throws SQLException {
        assertThat(toCql(Instant.parse("2024-07-01T00:00:00.123456Z"), DataTypes.TIMESTAMP))
                .isEqualTo(Instant.parse("2024-07-01T00:00:00.123Z"));
        assertThat(warnings).singleElement().satisfies(warning -> {
            assertThat(warning.getSQLState()).isEqualTo("01S07");
            assertThat(warning.getMessage()).contains("2024-07-01T00:00:00.123456Z");
        });
    }

    @Test
    void shouldKeepTheValuesOfAnArrayThatTheCallerOverwrites() throws SQLException {
        byte[] bytes = {1};
        Object stored = toCql(bytes, DataTypes.BLOB);
        bytes[0] = 2;

        assertThat(stored).isEqualTo(ByteBuffer.wrap(new byte[] {1}));

        ByteBuffer given = ByteBuffer.wrap(new byte[] {3});
        ((ByteBuffer) toCql(given, DataTypes.BLOB)).get();
        assertThat(given.remaining()).isEqualTo(1);
    }

    @Test
    void shouldReadWhatIsMissingWithinAValueAsNull() throws Exception {
        TupleType type = DataTypes.tupleOf(DataTypes.listOf(DataTypes.INT), DataTypes.INT);
        Object tuple = type.newValue().setToNull(0).setInt(1, 5);

        assertThat(FromCql.convert(tuple, type, null, Struct.class, ZURICH, NO_RESULT_SETS)
                        .getAttributes())
                .containsExactly(null, 5);
    }

    @Test
    void shouldRefuseDigitsOfATimeThatNoWarningCouldTellOf() {
        List<LocalTime> times = List.of(LocalTime.of(1, 2, 3, 4));

        assertThatThrownBy(() -> FromCql.convert(
                        times, DataTypes.listOf(DataTypes.TIME), null, Array.class, ZURICH, NO_RESULT_SETS))
                .isInstanceOf(ConversionException.class)
                .hasMessageContaining("it holds milliseconds");
    }

    @Test
    void shouldAskForTheDeclarationWhereATextDependsOnIt() {
        for (Class<?> text : List.of(String.class, Clob.class, NClob.class)) {
            assertThat(FromCql.mayDependOnDeclaration(Instant.EPOCH, text)).isTrue();
        }
        assertThat(FromCql.mayDependOnDeclaration(Instant.EPOCH, Timestamp.class))
                .isFalse();
        assertThat(FromCql.mayDependOnDeclaration(5, String.class)).isFalse();
    }

    static Stream<Arguments> read() throws Exception {
        Instant noon = Instant.parse("2024-07-01T10:00:00Z");
        return Stream.of(
                Arguments.of(5, Long.class, 5L),
                Arguments.of(5L, Integer.class, 5),
                Arguments.of((byte) 5, Object.class, (short) 5),
                Arguments.of(5L, Object.class, 5L),
                Arguments.of(5L, BigDecimal.class, new BigDecimal("5")),
                Arguments.of(5, BigInteger.class, BigInteger.valueOf(5)),
                Arguments.of(5L, String.class, "5"),
                // As SQL Server's driver reads it: every number but 0.
                Arguments.of(5, Boolean.class, true),
                Arguments.of(-1L, Boolean.class, true),
                Arguments.of(0.5, Boolean.class, true),
                Arguments.of(new BigDecimal("0.00"), Boolean.class, false),
                Arguments.of(1, Boolean.class, true),
                Arguments.of("12", Integer.class, 12),
                Arguments.of(new BigDecimal("7.5"), Double.class, 7.5),
                Arguments.of(new BigDecimal("1E+2"), String.class, "100"),
                Arguments.of(new BigDecimal("1E+999999999"), String.class, "1E+999999999"),
                Arguments.of(0.1, Float.class, 0.1f),
                Arguments.of(0.1f, Double.class, (double) 0.1f),
                Arguments.of(noon, Timestamp.class, Timestamp.from(noon)),
                Arguments.of(noon, Instant.class, noon),
                Arguments.of(noon, LocalDateTime.class, LocalDateTime.of(2024, 7, 1, 12, 0)),
                Arguments.of(noon, LocalDate.class, LocalDate.of(2024, 7, 1)),
                Arguments.of(noon, LocalTime.class, LocalTime.NOON),
                Arguments.of(noon, OffsetDateTime.class, noon.atOffset(ZoneOffset.UTC)),
                Arguments.of(noon, Object.class, Timestamp.from(noon)),
                Arguments.of(LocalDate.of(2024, 7, 1), Object.class, Date.valueOf("2024-07-01")),
                Arguments.of(LocalTime.of(1, 2, 3), Object.class, Time.valueOf("01:02:03")),
                Arguments.of(true, String.class, "1"),
                Arguments.of(false, String.class, "0"),
                Arguments.of(ByteBuffer.wrap(new byte[] {1, (byte) 0xAB}), String.class, "01AB"),
                Arguments.of(RANDOM, UUID.class, RANDOM),
                Arguments.of(RANDOM.toString(), UUID.class, RANDOM),
                Arguments.of(InetAddress.getByName("127.0.0.1"), String.class, "127.0.0.1"),
                Arguments.of(CqlDuration.newInstance(0, 0, 5), Duration.class, Duration.ofNanos(5)),
                Arguments.of(CqlDuration.newInstance(14, 3, 0), Period.class, Period.of(0, 14, 3)),
                Arguments.of(List.of(1), List.class, List.of(1)),
                Arguments.of("2024-07-01T10:00:00Z", Timestamp.class, Timestamp.from(noon)));
    }

    @ParameterizedTest
    @MethodSource("read")
    void shouldReadTheExactStoredValue(Object stored, Class<?> type, Object value) throws SQLException {
        if (value == null) {
            assertThatThrownBy(() -> fromCql(stored, type)).hasFieldOrPropertyWithValue("SQLState", "22003");
        } else {
            assertThat((Object) fromCql(stored, type)).isEqualTo(value);
        }
    }

    static Stream<Arguments> unreadable() {
        return Stream.of(
                Arguments.of(5_000_000_000L, Integer.class, "22003", "does not fit int"),
                Arguments.of(7.5, Long.class, "22003", "a whole number"),
                Arguments.of((1L << 53) + 1, Double.class, "22003", "holds no integer of so many digits"),
                Arguments.of("x", Integer.class, "22018", "is not int"),
                Arguments.of(5, Timestamp.class, "07006", "to java.sql.Timestamp"),
                Arguments.of("01:02:03.000000004", Time.class, "22008", "read it as a java.time.LocalTime"),
                Arguments.of("x", byte[].class, "07006", "to byte[]"),
                Arguments.of(CqlDuration.newInstance(1, 0, 0), Duration.class, "07006", "no days or months"),
                Arguments.of(CqlDuration.newInstance(1, 2, 3), Period.class, "07006", "no time of day"),
                Arguments.of(5, List.class, "07006", "to java.util.List"));
    }

    @ParameterizedTest
    @MethodSource("unreadable")
    void shouldRefuseToReadAValueOtherThanTheStoredOne(Object stored, Class<?> type, String state, String message) {
        assertThatThrownBy(() -> fromCql(stored, type))
                .isInstanceOf(SQLException.class)
                .hasMessageStartingWith("column x ")
                .hasMessageContaining(message)
                .hasFieldOrPropertyWithValue("SQLState", state);
    }

    @Test
    void shouldKeepMillisecondsOfATimeInBothDirections() throws SQLException {
        Time time = new Time(LocalTime.of(1, 2, 3, 4_000_000)
                .atDate(LocalDate.EPOCH)
                .atZone(ZURICH)
                .toInstant()
                .toEpochMilli());

        Object stored = toCql(time, DataTypes.TIME);

        assertThat(stored).isEqualTo(LocalTime.of(1, 2, 3, 4_000_000));
        assertThat(fromCql(stored, Time.class)).isEqualTo(time);
    }

    @Test
    void shouldReadATimeToTheMillisecondWithAWarning() throws Exception {
        LocalTime stored = LocalTime.of(1, 2, 3, 4_005_006);

        for (Class<?> type : List.of(Time.class, Object.class)) {
            Object read = fromCql(stored, type);
            // getObject without a type takes no Calendar.
            ZoneId zone = type == Time.class ? ZURICH : ZoneId.systemDefault();
            assertThat(new ToCql(zone, warnings::add).convert(read, DataTypes.TIME))
                    .isEqualTo(LocalTime.of(1, 2, 3, 4_000_000));
            DataTruncation warning = FromCql.truncation(stored, read, 7);
            assertThat((Throwable) warning)
                    .isNotNull()
                    .hasFieldOrPropertyWithValue("SQLState", "01004")
                    .hasMessage("java.sql.Time holds milliseconds; cut off: 01:02:03.004005006 in column 7 was read as"
                            + " 01:02:03.004; getObject(7, LocalTime.class) reads all of it");
            assertThat(List.of(warning.getRead(), warning.getParameter(), warning.getIndex()))
                    .isEqualTo(List.of(true, false, 7));
        }
        LocalTime whole = LocalTime.of(1, 2, 3, 4_000_000);
        assertThat((Throwable) FromCql.truncation(whole, fromCql(whole, Time.class), 7))
                .isNull();
        assertThat((Object) fromCql(stored, LocalTime.class)).isEqualTo(stored);
    }

    @Test
    void shouldNotShiftALocalDateTimeInEitherDirectionAroundAChangeOfClocks() throws SQLException {
        // The hour that occurs twice.
        LocalDateTime local = LocalDateTime.of(2024, 10, 27, 2, 30);

        assertThat(fromCql(toCql(local, DataTypes.TIMESTAMP), LocalDateTime.class))
                .isEqualTo(local);
    }
}
