package dev.cassidy.tsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.insert.UnsupportedSqlException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The types and values of arithmetic, against what Microsoft documents of SQL Server and what it is known to give. */
class SqlNumberTest {

    private static NumberType type(String written) {
        return switch (written) {
            case "tinyint" -> NumberType.TINYINT;
            case "smallint" -> NumberType.SMALLINT;
            case "int" -> NumberType.INT;
            case "bigint" -> NumberType.BIGINT;
            case "real" -> NumberType.REAL;
            case "float" -> NumberType.FLOAT;
            case "open" -> NumberType.OPEN_DECIMAL;
            default -> {
                String[] digits = written.split("[ ()]+", -1);
                yield NumberType.decimal(Integer.parseInt(digits[1]), Integer.parseInt(digits[2]));
            }
        };
    }

    private static NumberType.Operator operator(String sign) {
        return switch (sign) {
            case "+" -> NumberType.Operator.PLUS;
            case "-" -> NumberType.Operator.MINUS;
            case "*" -> NumberType.Operator.TIMES;
            case "/" -> NumberType.Operator.DIVIDE;
            default -> NumberType.Operator.MODULO;
        };
    }

    @ParameterizedTest
    @CsvSource({
        // "Data type precedence", and the table of "Precision, scale, and length".
        "int,      +, int,      int",
        "smallint, +, smallint, smallint",
        "tinyint,  +, tinyint,  tinyint",
        "smallint, *, int,      int",
        "int,      /, bigint,   bigint",
        "int,      +, real,     real",
        "d(10 2),  *, real,     real",
        "real,     *, float,    float",
        "bigint,   -, float,    float",
        "d(10 2),  +, d(10 2),  d(11 2)",
        "d(10 2),  -, d(5 4),   d(13 4)",
        "d(10 2),  *, d(10 2),  d(21 4)",
        "d(10 2),  /, d(10 2),  d(23 13)",
        "d(10 2),  %, d(5 3),   d(5 3)",
        "d(3 2),   /, d(3 2),   d(9 6)",
        "int,      +, d(5 2),   d(13 2)",
        "int,      *, d(2 1),   d(13 1)",
        "bigint,   *, d(2 1),   d(22 1)",
        "int,      /, d(2 1),   d(17 6)",
        "d(2 1),   /, int,      d(13 12)",
        "smallint, +, d(4 2),   d(8 2)",
        // Results beyond 38 digits.
        "d(30 20), *, d(30 20), d(38 17)",
        "d(30 10), *, d(30 10), d(38 6)",
        "d(38 0),  *, d(38 0),  d(38 0)",
        "d(38 2),  *, d(38 2),  d(38 4)",
        "d(38 10), +, d(38 0),  d(38 0)",
        "d(38 20), +, d(38 10), d(38 10)",
        "d(38 4),  +, d(38 4),  d(38 4)",
        "d(38 20), /, d(38 20), d(38 6)",
        "d(20 10), /, d(20 10), d(38 18)",
        "open,     +, int,      open",
        "d(5 2),   *, open,     open",
        "open,     *, float,    float",
    })
    void shouldGiveTheTypeOfSqlServer(String left, String sign, String right, String expected) {
        assertThat(NumberType.of(operator(sign), type(left), type(right))).isEqualTo(type(expected));
    }

    @ParameterizedTest
    @CsvSource({
        "tinyint,  int,       int",
        "smallint, int,       int",
        "int,      int,       int",
        "bigint,   bigint,    bigint",
        "d(10 2),  d(38 2),   d(38 6)",
        "d(20 8),  d(38 8),   d(38 8)",
        "real,     float,     float",
        "float,    float,     float",
        "open,     open,      open",
    })
    void shouldGiveTheTypesOfAggregates(String of, String sum, String average) {
        assertThat(type(of).ofSum()).isEqualTo(type(sum));
        assertThat(type(of).ofAverage()).isEqualTo(type(average));
    }

    private static SqlNumber number(String type, String value) {
        return SqlNumber.of(type(type), new BigDecimal(value));
    }

    @ParameterizedTest
    @CsvSource({
        // The two examples of "Precision, scale, and length".
        "d(30 20), 0.0000009000, *, d(30 20), 1.0000000000, 0.00000090000000000",
        "d(30 10), 0.0000009000, *, d(30 10), 1.0000000000, 0.000001",
        "int, 7, /, int, 2, 3",
        "int, -7, /, int, 2, -3",
        "int, 7, /, int, -2, -3",
        "int, -7, %, int, 2, -1",
        "int, 7, %, int, -2, 1",
        "int, -2147483648, %, int, -1, 0",
        "bigint, 9223372036854775806, +, int, 1, 9223372036854775807",
        "d(2 1), 7.5, %, d(1 0), 2, 1.5",
        "d(2 1), -7.5, %, d(1 0), 2, -1.5",
        "d(2 1), 2.0, /, d(2 1), 3.0, 0.666666",
        "d(2 1), -2.0, /, d(2 1), 3.0, -0.666666",
        "open, 10.00, /, int, 3, 3.3333333333333",
        "open, 0.1, +, open, 0.02, 0.12",
        "open, 1.5, *, open, 1.50, 2.250",
        "open, 99999999999999999999999999999999999999, *, open, 0.1, 9999999999999999999999999999999999999.9",
        "float, 0.1, +, float, 0.2, 0.30000000000000004",
        "real, 0.1, +, real, 0.2, 0.3",
        "real, 16777216, +, int, 1, 1.6777216E7",
    })
    void shouldCalculate(String left, String a, String sign, String right, String b, String expected) {
        assertThat(number(left, a).with(operator(sign), number(right, b))).hasToString(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "int, 2147483647, +, int, 1",
        "int, -2147483648, -, int, 1",
        "int, 65536, *, int, 65536",
        "int, -2147483648, /, int, -1",
        "smallint, 32767, +, smallint, 1",
        "tinyint, 255, +, tinyint, 1",
        "tinyint, 0, -, tinyint, 1",
        "bigint, 9223372036854775807, +, int, 1",
        "bigint, 9223372036854775807, *, bigint, 2",
        "d(38 0), 99999999999999999999999999999999999999, +, d(38 0), 1",
        "d(38 0), 99999999999999999999999999999999999999, *, d(1 0), 2",
        "open, 99999999999999999999999999999999999999, +, open, 1",
        "open, 99999999999999999999999999999999999999, +, open, 0.4",
        "open, 99999999999999999999999999999999999999, *, open, 2",
        "float, 1e308, *, float, 10",
        "real, 3e38, +, real, 3e38",
    })
    void shouldRefuseWhatDoesNotFit(String left, String a, String sign, String right, String b) {
        assertThatThrownBy(() -> number(left, a).with(operator(sign), number(right, b)))
                .isInstanceOfSatisfying(UnsupportedSqlException.class, e -> assertThat(e.number())
                        .isEqualTo(8115))
                .hasMessageStartingWith("Arithmetic overflow error converting expression to data type ");
    }

    @ParameterizedTest
    @CsvSource({"int, 0, /", "int, 0, %", "d(2 1), 0, /", "open, 0.00, %", "float, 0, /", "real, 0, /"})
    void shouldRefuseADivisionByZero(String type, String zero, String sign) {
        assertThatThrownBy(() -> number(type, "1").with(operator(sign), number(type, zero)))
                .isInstanceOfSatisfying(UnsupportedSqlException.class, e -> assertThat(e.number())
                        .isEqualTo(8134))
                .hasMessageStartingWith("Divide by zero error encountered");
    }

    @Test
    void shouldRefuseAModuloOfFloats() {
        assertThatThrownBy(() -> NumberType.of(NumberType.Operator.MODULO, NumberType.FLOAT, NumberType.INT))
                .isInstanceOfSatisfying(UnsupportedSqlException.class, e -> assertThat(e.number())
                        .isEqualTo(402));
    }

    @ParameterizedTest
    @CsvSource({
        "1,                                      int",
        "2147483647,                             int",
        "2147483648,                             d(10 0)",
        "99999999999999999999999999999999999999, d(38 0)",
        "1.5,                                    d(2 1)",
        "1.50,                                   d(3 2)",
        "0.05,                                   d(2 2)",
        "0.0,                                    d(1 1)",
        "1e3,                                    float",
        "1.5E-2,                                 float",
    })
    void shouldGiveLiteralsTheirType(String literal, String expected) {
        assertThat(SqlNumber.literal(literal).type().widest()).isEqualTo(type(expected));
    }

    @ParameterizedTest
    @CsvSource({
        "d(4 2),  10.60,       int,      10",
        "d(4 2),  -10.60,      int,      -10",
        "float,   1.9,         bigint,   1",
        "int,     7,           d(10 2),  7.00",
        "d(4 3),  1.235,       d(10 2),  1.24",
        "d(4 3),  -1.235,      d(10 2),  -1.24",
        "float,   0.125,       d(10 2),  0.13",
        "int,     16777217,    real,     1.6777216E7",
        "bigint,  3000000000,  float,    3.0E9",
        "open,    12.345,      smallint, 12",
    })
    void shouldCast(String from, String value, String to, String expected) {
        assertThat(number(from, value).as(type(to))).hasToString(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "bigint, 2147483648, int",
        "int, 32768, smallint",
        "int, 256, tinyint",
        "int, -1, tinyint",
        "int, 100, d(4 2)",
        "float, 1e39, real",
        "float, 1e19, bigint"
    })
    void shouldRefuseCastsThatDoNotFit(String from, String value, String to) {
        assertThatThrownBy(() -> number(from, value).as(type(to)))
                .isInstanceOfSatisfying(UnsupportedSqlException.class, e -> assertThat(e.number())
                        .isEqualTo(8115));
    }

    @ParameterizedTest
    @CsvSource({
        "int, 7, 2, 3",
        "int, -7, 2, -3",
        "bigint, 9000000000, 4, 2250000000",
        "d(38 6), 2, 3, 0.666666",
        "open, 2.00, 3, 0.666666",
        "open, 1.00000000, 3, 0.33333333",
        "float, 1, 4, 0.25",
        "float, 2E+40, 2, 1.0E40"
    })
    void shouldAverage(String average, String sum, long values, String expected) {
        assertThat(SqlNumber.average(type(average), new BigDecimal(sum), values))
                .hasToString(expected);
    }

    @Test
    void shouldRefuseAnAverageWhoseSumDoesNotFit() {
        assertThatThrownBy(() -> SqlNumber.average(NumberType.INT, new BigDecimal("3000000000"), 3))
                .isInstanceOfSatisfying(UnsupportedSqlException.class, e -> assertThat(e.number())
                        .isEqualTo(8115));
    }

    /** Calculating with it would take gigabytes. */
    @ParameterizedTest
    @CsvSource({"1E+1000000000", "1E-1000000000", "1E+39", "-1E+2147483647"})
    void shouldRefuseADecimalThatSqlServerDoesNotHave(String value) {
        assertThatThrownBy(() -> SqlNumber.of(NumberType.OPEN_DECIMAL, new BigDecimal(value)))
                .isInstanceOfSatisfying(UnsupportedSqlException.class, e -> assertThat(e.number())
                        .isEqualTo(8115));
    }

    @Test
    void shouldNegate() {
        assertThat(number("int", "5").negated()).hasToString("-5");
        assertThat(number("d(3 2)", "1.50").negated()).hasToString("-1.50");
        assertThat(number("tinyint", "255").negated()).isEqualTo(number("smallint", "-255"));
        assertThatThrownBy(() -> number("int", "-2147483648").negated()).hasMessageContaining("data type int");
    }

    /** Whole numbers and open decimals beside Java's own arithmetic, which is exact. */
    @Test
    void shouldAgreeWithExactArithmetic() {
        Random random = new Random(12);
        for (int i = 0; i < 20_000; i++) {
            NumberType.Operator operator = NumberType.Operator.values()[random.nextInt(5)];
            NumberType type =
                    new NumberType[] {NumberType.SMALLINT, NumberType.INT, NumberType.BIGINT}[random.nextInt(3)];
            long a = some(random, type);
            long b = some(random, type);
            BigInteger expected = exact(operator, BigInteger.valueOf(a), BigInteger.valueOf(b));
            boolean fits = expected != null
                    && expected.bitLength() <= 63
                    && expected.longValue() >= type.lowest()
                    && expected.longValue() <= type.highest();
            SqlNumber left = SqlNumber.of(type, a);
            SqlNumber right = SqlNumber.of(type, b);
            if (fits) {
                assertThat(left.with(operator, right).value()).isEqualTo(expected.longValue());
            } else {
                assertThatThrownBy(() -> left.with(operator, right)).isInstanceOf(UnsupportedSqlException.class);
            }
        }
    }

    private static long some(Random random, NumberType type) {
        return switch (random.nextInt(5)) {
            case 0 -> type.highest() - random.nextInt(3);
            case 1 -> type.lowest() + random.nextInt(3);
            case 2 -> random.nextInt(7) - 3;
            default -> random.nextLong() >> random.nextInt(64) >> (64 - Long.bitCount(type.highest()) - 1);
        };
    }

    private static BigInteger exact(NumberType.Operator operator, BigInteger a, BigInteger b) {
        if (b.signum() == 0 && (operator == NumberType.Operator.DIVIDE || operator == NumberType.Operator.MODULO)) {
            return null;
        }
        return switch (operator) {
            case PLUS -> a.add(b);
            case MINUS -> a.subtract(b);
            case TIMES -> a.multiply(b);
            case DIVIDE -> a.divide(b);
            case MODULO -> a.remainder(b);
        };
    }

    /** Within 38 digits nothing is rounded but quotients, which are cut off. */
    @Test
    void shouldKeepEveryDigitOfDecimals() {
        Random random = new Random(13);
        for (int i = 0; i < 20_000; i++) {
            BigDecimal a = new BigDecimal(new BigInteger(50, random), random.nextInt(8)).negate();
            BigDecimal b = new BigDecimal(new BigInteger(40, random).add(BigInteger.ONE), random.nextInt(8));
            SqlNumber left = SqlNumber.of(NumberType.OPEN_DECIMAL, a);
            SqlNumber right = SqlNumber.of(NumberType.OPEN_DECIMAL, b);
            assertThat(left.with(NumberType.Operator.PLUS, right).value()).isEqualTo(a.add(b));
            assertThat(left.with(NumberType.Operator.MINUS, right).value()).isEqualTo(a.subtract(b));
            assertThat(left.with(NumberType.Operator.TIMES, right).value()).isEqualTo(a.multiply(b));
            BigDecimal quotient = left.with(NumberType.Operator.DIVIDE, right).exact();
            assertThat(quotient.scale()).isGreaterThanOrEqualTo(6);
            assertThat(quotient).isEqualTo(a.divide(b, quotient.scale(), RoundingMode.DOWN));
        }
    }
}
