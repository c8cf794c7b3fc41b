package dev.cassidy.functions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The aggregates whose state is a sum. */
class CrdtSumTest {

    private static final BigInteger FIVE = BigInteger.valueOf(5);

    @Test
    void shouldSkipNulls() {
        assertThat(CrdtSum.add(FIVE, (Integer) null)).isEqualTo(FIVE);
        assertThat(CrdtSum.add(FIVE, (BigInteger) null)).isEqualTo(FIVE);
        assertThat(CrdtSum.add(BigDecimal.TEN, null)).isEqualTo(BigDecimal.TEN);
        assertThat(CrdtSumLong.add(5L, (Integer) null)).isEqualTo(5);
        assertThat(CrdtSumOfDoubles.result(CrdtSumOfDoubles.add(new Tuple(), (Double) null)))
                .isZero();
        assertThat(CrdtPn.add(FIVE, 3, null)).isEqualTo("8");
        assertThat(CrdtPn.add(FIVE, null, 3)).isEqualTo("2");
        assertThat(CrdtPn.add(FIVE, (Long) null, null)).isEqualTo(FIVE);
    }

    @Test
    void shouldLeaveTheRangeOfALongInBothDirections() {
        assertThat(CrdtSum.add(BigInteger.valueOf(Long.MAX_VALUE), 1)).isEqualTo("9223372036854775808");
        assertThat(CrdtSum.add(BigInteger.valueOf(Long.MIN_VALUE), Long.MIN_VALUE))
                .isEqualTo("-18446744073709551616");
        assertThat(CrdtSum.add(BigInteger.ONE.shiftLeft(64), BigInteger.ONE.shiftLeft(64)))
                .isEqualTo("36893488147419103232");
        assertThat(CrdtPn.add(BigInteger.ZERO, 0L, Long.MIN_VALUE)).isEqualTo("9223372036854775808");
    }

    @Test
    void shouldAgreeWithArithmeticOfAnySizeInEveryOrder() {
        Seeds.each(200, random -> {
            List<Number> numbers = numbers(random);
            BigDecimal expected = numbers.stream()
                    .map(number -> new BigDecimal(number.toString()))
                    .reduce(BigDecimal.ZERO, BigDecimal::add);

            Collections.shuffle(numbers, random);
            assertThat(sum(numbers)).isEqualByComparingTo(expected.toBigIntegerExact());

            // Associative: the sum of sums is the sum.
            int cut = random.nextInt(numbers.size());
            assertThat(CrdtSum.add(sum(numbers.subList(0, cut)), sum(numbers.subList(cut, numbers.size()))))
                    .isEqualByComparingTo(expected.toBigIntegerExact());
        });
    }

    @Test
    void shouldTakeFromThePositiveSumTheNegativeOneInEveryOrder() {
        Seeds.each(200, random -> {
            List<Number> added = numbers(random);
            List<Number> taken = numbers(random);
            BigInteger expected = sum(added).subtract(sum(taken));

            BigInteger value = BigInteger.ZERO;
            while (!added.isEmpty() || !taken.isEmpty()) {
                boolean p = !added.isEmpty() && random.nextBoolean();
                boolean n = !taken.isEmpty() && random.nextBoolean();
                value = CrdtPn.add(
                        value,
                        p ? added.remove(random.nextInt(added.size())) : null,
                        n ? taken.remove(random.nextInt(taken.size())) : null);
            }
            assertThat(value).isEqualTo(expected);
        });
    }

    @Test
    void shouldAddDecimalsExactly() {
        Seeds.each(200, random -> {
            List<BigDecimal> numbers = new ArrayList<>();
            BigDecimal expected = BigDecimal.ZERO;
            for (int i = random.nextInt(50); i >= 0; i--) {
                BigDecimal number =
                        new BigDecimal(new BigInteger(random.nextInt(200), random), random.nextInt(60) - 30);
                numbers.add(random.nextBoolean() ? number : number.negate());
                expected = expected.add(numbers.get(numbers.size() - 1));
            }
            Collections.shuffle(numbers, random);
            BigDecimal sum = BigDecimal.ZERO;
            for (BigDecimal number : numbers) {
                sum = CrdtSum.add(sum, number);
            }
            assertThat(sum).isEqualByComparingTo(expected);
        });
    }

    @Test
    void shouldRefuseADecimalWhoseExactSumWouldNotFitIntoMemory() {
        assertThatThrownBy(() -> CrdtSum.add(BigDecimal.ONE, new BigDecimal("1E+999999999")))
                .isInstanceOf(ArithmeticException.class)
                .hasMessage("crdt_sum: the scale must be from -10000 to 10000, because the sum is exact:"
                        + " scale=-999999999 value=1E+999999999");
        assertThatThrownBy(() -> CrdtSum.add(BigDecimal.ONE, new BigDecimal("1E-10001")))
                .isInstanceOf(ArithmeticException.class);
        assertThat(CrdtSum.add(BigDecimal.ONE, new BigDecimal("1E-10000"))).isGreaterThan(BigDecimal.ONE);
    }

    @Test
    void shouldRefuseASumThatLeavesBigint() {
        assertThat(CrdtSumLong.add(Long.MAX_VALUE - 1, (byte) 1)).isEqualTo(Long.MAX_VALUE);
        assertThatThrownBy(() -> CrdtSumLong.add(Long.MAX_VALUE, (short) 1))
                .isInstanceOf(ArithmeticException.class)
                .hasMessage("crdt_sum_long: the sum leaves bigint, use crdt_sum: 9223372036854775807 + 1");
        assertThatThrownBy(() -> CrdtSumLong.add(Long.MIN_VALUE, -1L)).isInstanceOf(ArithmeticException.class);
    }

    @Test
    void shouldAddALongSumAsAVarintWhereItFits() {
        Seeds.each(200, random -> {
            long state = 0;
            BigInteger expected = BigInteger.ZERO;
            for (int i = 0; i < 100; i++) {
                int value = random.nextInt();
                state = CrdtSumLong.add(state, value);
                expected = expected.add(BigInteger.valueOf(value));
            }
            assertThat(BigInteger.valueOf(state)).isEqualTo(expected);
        });
    }

    @Test
    void shouldCompensateWhatDoublesRoundOff() {
        // Plain addition answers 0 and 0.9999999999999999.
        assertThat(sumOfDoubles(List.of(1.0, 1e100, 1.0, -1e100))).isEqualTo(2.0);
        assertThat(sumOfDoubles(Collections.nCopies(10, 0.1))).isEqualTo(1.0);
        assertThat(sumOfDoubles(List.of(0.1f, 0.2f))).isEqualTo((double) 0.1f + (double) 0.2f);
    }

    @Test
    void shouldStayWithinAFewRoundingsOfTheExactSumOfDoubles() {
        Seeds.each(200, random -> {
            List<Number> numbers = new ArrayList<>();
            BigDecimal exact = BigDecimal.ZERO;
            BigDecimal magnitude = BigDecimal.ZERO;
            for (int i = 0; i < 1000; i++) {
                double number = (random.nextDouble() - 0.5) * Math.pow(10, random.nextInt(20));
                numbers.add(number);
                exact = exact.add(new BigDecimal(number));
                magnitude = magnitude.add(new BigDecimal(number).abs());
            }
            Collections.shuffle(numbers, random);
            double unit = Math.ulp(1.0) / 2;
            assertThat(sumOfDoubles(numbers))
                    .isCloseTo(
                            exact.doubleValue(),
                            within(unit * Math.abs(exact.doubleValue())
                                    + numbers.size() * unit * numbers.size() * unit * magnitude.doubleValue()));
        });
    }

    @Test
    void shouldAnswerInfinityAndNotANumberAsAdditionDoes() {
        assertThat(sumOfDoubles(List.of(1.0, Double.POSITIVE_INFINITY, 1.0))).isEqualTo(Double.POSITIVE_INFINITY);
        assertThat(sumOfDoubles(List.of(Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY)))
                .isNaN();
        assertThat(sumOfDoubles(List.of(1.0, Double.NaN))).isNaN();
    }

    private static double sumOfDoubles(List<? extends Number> numbers) {
        Tuple state = new Tuple();
        for (Number number : numbers) {
            state = CrdtSumOfDoubles.add(state, number);
        }
        return CrdtSumOfDoubles.result(state);
    }

    private static BigInteger sum(List<Number> numbers) {
        BigInteger state = BigInteger.ZERO;
        for (Number number : numbers) {
            state = CrdtSum.add(state, number);
        }
        return state;
    }

    /** Whole numbers of every type and size. */
    private static List<Number> numbers(Random random) {
        List<Number> numbers = new ArrayList<>();
        for (int i = random.nextInt(100); i >= 0; i--) {
            numbers.add(
                    switch (random.nextInt(5)) {
                        case 0 -> (byte) random.nextInt();
                        case 1 -> (short) random.nextInt();
                        case 2 -> random.nextInt();
                        case 3 -> random.nextLong();
                        default -> new BigInteger(random.nextInt(200), random).negate();
                    });
        }
        return numbers;
    }
}
