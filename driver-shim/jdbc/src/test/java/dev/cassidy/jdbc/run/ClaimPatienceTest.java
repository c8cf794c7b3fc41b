package dev.cassidy.jdbc.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.transaction.LockMark;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ClaimPatienceTest {

    private static final long TIME = ClaimPatience.OF_CLAIM.toNanos();
    private static final ByteBuffer ONE = LockMark.claim(new UUID(5, 1));
    private static final ByteBuffer OTHER = LockMark.claim(new UUID(5, 2));

    private final ClaimPatience patience = new ClaimPatience();

    @Test
    void shouldGiveEachClaimItsOwnTime() {
        assertThat(patience.isLeftAlone(List.of(), 0, false, 0)).isFalse();
        assertThat(patience.isLeftAlone(List.of(ONE), 0, false, 0)).isTrue();
        assertThat(patience.isLeftAlone(List.of(ONE, OTHER), TIME - 1, false, 0))
                .isTrue();
        assertThat(patience.isLeftAlone(List.of(ONE), TIME, false, 0)).isFalse();
        assertThat(patience.isLeftAlone(List.of(ONE, OTHER), TIME, false, 0)).isTrue();
        assertThat(patience.isLeftAlone(List.of(ONE, OTHER), 2 * TIME - 1, false, 0))
                .isFalse();
    }

    /** Of two that wait for each other, one takes the other's row first. */
    @Test
    void shouldWaitLongerWhoseNumberIsSmaller() {
        patience.isLeftAlone(List.of(ONE), 0, true, 4);
        assertThat(patience.isLeftAlone(List.of(ONE), TIME, true, 6)).isFalse();
        assertThat(patience.isLeftAlone(List.of(ONE), 2 * TIME - 1, true, 4)).isTrue();
        assertThat(patience.isLeftAlone(List.of(ONE), 2 * TIME, true, 4)).isFalse();
        assertThat(patience.isLeftAlone(List.of(ONE), TIME, false, 4)).isFalse();
    }
}
