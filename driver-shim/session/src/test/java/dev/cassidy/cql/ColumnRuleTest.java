package dev.cassidy.cql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.type.codec.TypeCodecs;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.SqlType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What SQL Server does with the same values. */
class ColumnRuleTest {

    private static final ProtocolVersion VERSION = ProtocolVersion.DEFAULT;

    private static ColumnRule rule(String type) {
        return new ColumnRule(
                "shop.item", new ColumnDefinition("c", "C", SqlType.parse(type).orElseThrow(), true, ""));
    }

    private static void assertRefused(String type, Object value, ColumnValueException.Reason reason, String message) {
        assertThatExceptionOfType(ColumnValueException.class)
                .isThrownBy(() -> rule(type).stored(value))
                .withMessageContaining(message)
                .withMessageContaining("'C'")
                .satisfies(e -> assertThat(e.reason()).isEqualTo(reason));
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "varchar(3), abc, abc",
                "varchar(3), \"ab \", \"ab \"",
                "varchar(3), \"abc   \", abc",
                "nvarchar(max), abcdef, abcdef",
                "char(5), ab, \"ab   \"",
                "nchar(2), \"ab  \", ab",
                "char(3), \"\", \"   \""
            })
    void shouldStoreTexts(String type, String value, String stored) {
        assertThat(rule(type).stored(value)).isEqualTo(stored);
    }

    @Test
    void shouldRefuseTextsThatAreTooLong() {
        assertRefused(
                "varchar(3)", "abcd", ColumnValueException.Reason.TRUNCATION, "the value has 4 characters: 'abcd'");
        assertRefused("nchar(3)", "ab d", ColumnValueException.Reason.TRUNCATION, "nchar(3)");
        assertRefused("varbinary(2)", ByteBuffer.allocate(3), ColumnValueException.Reason.TRUNCATION, "has 3 bytes");
        // A character beyond the first 65,536 has two units, as in NVARCHAR.
        assertThat(rule("nvarchar(2)").stored("\uD83D\uDE00")).isEqualTo("\uD83D\uDE00");
        assertRefused("nvarchar(1)", "\uD83D\uDE00", ColumnValueException.Reason.TRUNCATION, "2 characters");
    }

    @Test
    void shouldFillBinariesUp() {
        assertThat(rule("binary(3)").stored(ByteBuffer.wrap(new byte[] {1})))
                .isEqualTo(ByteBuffer.wrap(new byte[] {1, 0, 0}));
        assertThat(rule("varbinary(3)").stored(ByteBuffer.wrap(new byte[] {1})))
                .isEqualTo(ByteBuffer.wrap(new byte[] {1}));
    }

    @ParameterizedTest
    @CsvSource({
        "'decimal(10,2)', 1, 1.00",
        "'decimal(10,2)', 1.005, 1.01",
        "'decimal(10,2)', -1.005, -1.01",
        "'decimal(10,2)', 1E+3, 1000.00",
        "'decimal(2,2)', 0.994, 0.99",
        "'decimal(4,1)', 999.94, 999.9",
        "'decimal(3,0)', 0E+90, 0",
        "'decimal(5,2)', 0.0000001, 0.00",
        "'decimal(5,2)', -1E-2000000000, 0.00",
        "'decimal(5,2)', 0.005, 0.01",
        "'decimal(5,2)', 0.0049, 0.00",
        "money, 1.00005, 1.0001",
        "money, 922337203685477.5807, 922337203685477.5807",
        "smallmoney, -214748.3648, -214748.3648"
    })
    void shouldRoundDecimals(String type, BigDecimal value, BigDecimal stored) {
        assertThat(rule(type).stored(value)).isEqualTo(stored);
    }

    @ParameterizedTest
    @CsvSource({
        "'decimal(4,2)', 100",
        "'decimal(4,2)', 99.995",
        "'decimal(2,2)', 0.995",
        "'decimal(3,0)', 999.5",
        "money, 922337203685477.5808",
        "smallmoney, 214748.3648"
    })
    void shouldRefuseDecimalsThatAreTooLarge(String type, BigDecimal value) {
        assertRefused(type, value, ColumnValueException.Reason.OVERFLOW, "value=" + value.toPlainString());
    }

    /** All its digits are not written out. */
    @Test
    @Timeout(60)
    void shouldRefuseANumberOfManyDigitsAtOnce() {
        assertRefused(
                "decimal(38,0)",
                new BigDecimal("1E+2000000000"),
                ColumnValueException.Reason.OVERFLOW,
                "1E+2000000000");
    }

    @Test
    void shouldKnowTheRangeOfTinyint() {
        assertThat(rule("tinyint").stored((short) 255)).isEqualTo((short) 255);
        assertRefused("tinyint", (short) 256, ColumnValueException.Reason.TINYINT, "value = 256");
        assertRefused("tinyint", (short) -1, ColumnValueException.Reason.TINYINT, "value = -1");
    }

    @Test
    void shouldTakeShortTextsWithoutReadingThem() {
        assertThat(rule("nvarchar(5)").takesEncoded(ByteBuffer.allocate(5))).isTrue();
        assertThat(rule("nvarchar(5)").takesEncoded(ByteBuffer.allocate(6))).isFalse();
        assertThat(rule("nchar(5)").takesEncoded(ByteBuffer.allocate(5))).isFalse();
        assertThat(rule("decimal(5,2)").takesEncoded(encoded("1.50"))).isTrue();
        assertThat(rule("decimal(5,2)").takesEncoded(encoded("1.5"))).isFalse();
    }

    private static ByteBuffer encoded(String decimal) {
        return TypeCodecs.DECIMAL.encode(new BigDecimal(decimal), ProtocolVersion.DEFAULT);
    }

    /** Decoding is left out only where the rule takes the value as it is, also at the ends of its range. */
    @Test
    void shouldTakeWithoutDecodingOnlyWhatItTakesUnchanged() {
        int taken = 0;
        for (String type :
                List.of("money", "smallmoney", "decimal(1,0)", "decimal(38,5)", "decimal(10,2)", "decimal(3,3)")) {
            int scale = SqlType.parse(type).orElseThrow().scale();
            for (int bits = 0; bits <= 160; bits++) {
                for (int offset = -1; offset <= 1; offset++) {
                    BigInteger power = BigInteger.ONE.shiftLeft(bits).add(BigInteger.valueOf(offset));
                    for (BigInteger digits : List.of(power, power.negate())) {
                        BigDecimal value = new BigDecimal(digits, scale);
                        if (rule(type).takesEncoded(encoded(value.toString()))) {
                            assertThat(rule(type).stored(value)).isEqualTo(value);
                            taken++;
                        }
                    }
                }
            }
        }
        assertThat(taken).isGreaterThan(1_000);
    }

    @ParameterizedTest
    @CsvSource({
        "'decimal(10,2)', 5, 5.00",
        "'decimal(10,2)', 5.0000, 5.00",
        "'decimal(10,2)', 5.001, 5.001",
        "'numeric(18,0)', 1E+1, 10",
        "'decimal(5,2)', 1E+2000000000, 1E+2000000000",
        "'decimal(5,2)', 1E-2000000000, 1E-2000000000"
    })
    void shouldCompareDecimalsAsNumbers(String type, BigDecimal value, BigDecimal compared) {
        assertThat(rule(type).compared(value)).isEqualTo(compared);
    }

    @Test
    void shouldCompareTextsWithoutBlanksAtTheirEnd() {
        assertThat(rule("char(3)").compared("a")).isEqualTo("a  ");
        assertThat(rule("char(3)").compared("abc   ")).isEqualTo("abc");
        assertThat(rule("char(3)").compared("abcd")).isEqualTo("abcd");
        assertThat(rule("binary(2)").compared(ByteBuffer.wrap(new byte[] {1})))
                .isEqualTo(ByteBuffer.wrap(new byte[] {1, 0}));
        assertThat(rule("tinyint").compared((short) 300)).isEqualTo((short) 300);
    }

    /** SQL Server's values have no zone: the first and the last day are taken in every one. */
    @ParameterizedTest
    @CsvSource({
        "datetime, 1752-12-31T06:00:00Z, 9999-12-31T23:59:59.997Z",
        "datetime2(3), 0000-12-31T06:00:00Z, +10000-01-01T17:59:59.999Z",
        "datetimeoffset(7), 0001-01-01T00:00:00Z, 9999-12-31T23:59:59.999Z",
        "smalldatetime, 1900-01-01T00:00:00Z, 2079-06-07T17:59:00Z",
    })
    void shouldTakeTheDaysOfTheTypeInEveryZone(String type, Instant first, Instant last) {
        for (Instant each : List.of(first, last)) {
            assertThat(rule(type).stored(each)).isEqualTo(each);
            assertThat(rule(type).takesEncoded(TypeCodecs.TIMESTAMP.encode(each, VERSION)))
                    .isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "datetime, 1752-12-31T05:59:59.999Z, 1753-01-01 to 9999-12-31",
        "datetime, +10000-01-01T18:00:00Z, 1753-01-01 to 9999-12-31",
        "datetime2(3), 0000-12-31T05:59:59.999Z, 0001-01-01 to 9999-12-31",
        "datetimeoffset(0), +1000000000-12-31T23:59:59.999999999Z, 0001-01-01 to 9999-12-31",
        "smalldatetime, 1899-12-31T05:59:00Z, 1900-01-01 to 2079-06-06",
        "smalldatetime, 2079-06-07T18:00:00Z, 1900-01-01 to 2079-06-06",
    })
    void shouldRefuseTimesOfDaysThatTheTypeDoesNotHave(String type, Instant value, String range) {
        assertRefused(type, value, ColumnValueException.Reason.DATE_RANGE, range);
        if (value.getEpochSecond() < Integer.MAX_VALUE * 1_000L) {
            assertThat(rule(type).takesEncoded(TypeCodecs.TIMESTAMP.encode(value, VERSION)))
                    .isFalse();
        }
    }

    @Test
    void shouldKnowTheRangeOfDate() {
        for (String taken : List.of("0001-01-01", "9999-12-31")) {
            assertThat(rule("date").stored(LocalDate.parse(taken))).isEqualTo(LocalDate.parse(taken));
        }
        assertRefused("date", LocalDate.of(0, 12, 31), ColumnValueException.Reason.DATE_RANGE, "value='0000-12-31'");
        assertRefused("date", LocalDate.of(10_000, 1, 1), ColumnValueException.Reason.DATE_RANGE, "+10000-01-01");
    }

    @ParameterizedTest
    @CsvSource({
        "datetime2(0), 2026-01-31T23:59:59.500Z, 2026-02-01T00:00:00Z",
        "datetime2(0), 2026-01-31T23:59:59.499Z, 2026-01-31T23:59:59Z",
        "datetime2(1), 1969-12-31T23:59:58.950Z, 1969-12-31T23:59:59Z",
        "datetimeoffset(2), 2026-01-31T12:00:00.125Z, 2026-01-31T12:00:00.130Z",
        "datetime2(3), 2026-01-31T12:00:00.125Z, 2026-01-31T12:00:00.125Z",
        "smalldatetime, 2026-01-31T12:00:29.998Z, 2026-01-31T12:00:00Z",
        "smalldatetime, 2026-01-31T12:00:29.999Z, 2026-01-31T12:01:00Z",
        "datetime, 2026-01-31T12:00:00.001Z, 2026-01-31T12:00:00.001Z",
    })
    void shouldRoundFractionsOfASecond(String type, Instant value, Instant stored) {
        assertThat(rule(type).stored(value)).isEqualTo(stored);
        assertThat(rule(type).restricts() && !rule(type).takesEncoded(TypeCodecs.TIMESTAMP.encode(value, VERSION)))
                .isEqualTo(!value.equals(stored));
    }

    @ParameterizedTest
    @CsvSource({
        "time(0), 12:00:00.500, 12:00:01",
        "time(3), 12:00:00.0004999, 12:00:00",
        "time(7), 12:00:00.123456750, 12:00:00.123456800",
        "time(0), 23:59:59.900, 00:00:00",
    })
    void shouldRoundFractionsOfATime(String type, LocalTime value, LocalTime stored) {
        assertThat(rule(type).stored(value)).isEqualTo(stored);
        assertThat(rule(type).takesEncoded(TypeCodecs.TIME.encode(value, VERSION)))
                .isFalse();
        assertThat(rule(type).takesEncoded(TypeCodecs.TIME.encode(stored, VERSION)))
                .isTrue();
    }

    @Test
    void shouldRefuseWhatIsRoundedToADayBeyondTheLast() {
        assertRefused(
                "datetime2(0)",
                Instant.parse("9999-12-31T23:59:59.500Z"),
                ColumnValueException.Reason.DATE_RANGE,
                "0001-01-01 to 9999-12-31");
        assertRefused(
                "smalldatetime",
                Instant.parse("2079-06-06T23:59:30Z"),
                ColumnValueException.Reason.DATE_RANGE,
                "1900-01-01 to 2079-06-06");
        assertThat(rule("datetime2(0)").stored(Instant.parse("9999-12-31T23:59:59.499Z")))
                .isEqualTo(Instant.parse("9999-12-31T23:59:59Z"));
    }
}
