package dev.cassidy.functions;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CrdtSumTest {

    private static final BigInteger FIVE = BigInteger.valueOf(5);

    @Test
    void shouldSkipNulls() {
        assertThat(CrdtSum.add(FIVE, (Integer) null)).isEqualTo(FIVE);
        assertThat(CrdtSum.add(FIVE, (Long) null)).isEqualTo(FIVE);
        assertThat(CrdtSum.add(FIVE, (BigInteger) null)).isEqualTo(FIVE);
    }

    @Test
    void shouldLeaveTheRangeOfALongInBothDirections() {
        assertThat(CrdtSum.add(BigInteger.valueOf(Long.MAX_VALUE), 1)).isEqualTo("9223372036854775808");
        assertThat(CrdtSum.add(BigInteger.valueOf(Long.MIN_VALUE), Long.MIN_VALUE))
                .isEqualTo("-18446744073709551616");
        assertThat(CrdtSum.add(BigInteger.ONE.shiftLeft(64), BigInteger.ONE.shiftLeft(64)))
                .isEqualTo("36893488147419103232");
    }

    @Test
    void shouldAgreeWithArithmeticOfAnySizeOnRandomIncrements() {
        Random random = new Random(20150521);
        for (int round = 0; round < 100; round++) {
            BigInteger state = BigInteger.ZERO;
            BigInteger expected = BigInteger.ZERO;
            for (int i = 0; i < 1_000; i++) {
                switch (random.nextInt(4)) {
                    case 0 -> {
                        int value = random.nextInt();
                        state = CrdtSum.add(state, value);
                        expected = expected.add(new BigInteger(Integer.toString(value)));
                    }
                    case 1 -> {
                        long value = random.nextLong();
                        state = CrdtSum.add(state, value);
                        expected = expected.add(new BigInteger(Long.toString(value)));
                    }
                    case 2 -> {
                        BigInteger value = new BigInteger(random.nextInt(200), random).negate();
                        state = CrdtSum.add(state, value);
                        expected = expected.add(value);
                    }
                    default -> state = CrdtSum.add(state, (Long) null);
                }
            }
            assertThat(state).isEqualTo(expected);
        }
    }
}
