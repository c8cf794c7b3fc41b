package dev.cassidy.counter.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.List;
import org.junit.jupiter.api.Test;

class ActorRowsTest {

    private static final String ACTOR = "dc1/0";
    private static final int EPOCH = 7;
    private static final long FIRST = Versions.of(EPOCH, 1);
    private static final long SECOND = Versions.of(EPOCH, 2);

    @Test
    void shouldRecogniseItsOwnRows() {
        CounterRow base = row(Versions.base(EPOCH), 5L, FIRST, FIRST);
        CounterRow bookend = new CounterRow(ACTOR, Versions.bookend(EPOCH), null, FIRST, FIRST, false);

        ActorRows rows = new ActorRows(ACTOR, List.of(base, row(SECOND, 3L, null, SECOND), bookend));

        assertThat(rows.foreign()).isEmpty();
        assertThat(rows.epochs()).containsExactly(new ActorRows.EpochSum(EPOCH, 1, BigInteger.valueOf(8), 2, 0));
    }

    @Test
    void shouldNameARowWithAWallClocksTimestamp() {
        assertThat(new ActorRows(ACTOR, List.of(row(FIRST, 1L, null, 1_700_000_000_000_000L))).foreign())
                .hasValueSatisfying(
                        found -> assertThat(found).contains(ACTOR, Long.toString(FIRST), "1700000000000000"));
    }

    @Test
    void shouldNameAnIncrementThatOthersMadeABase() {
        ActorRows rows = new ActorRows(ACTOR, List.of(row(FIRST, 1L, null, FIRST), row(SECOND, 2L, SECOND, SECOND)));

        assertThat(rows.foreign())
                .hasValueSatisfying(found -> assertThat(found).contains(Long.toString(SECOND), "upto"));
    }

    private static CounterRow row(long version, long increment, Long upto, long timestamp) {
        return new CounterRow(ACTOR, version, BigInteger.valueOf(increment), upto, timestamp, false);
    }
}
