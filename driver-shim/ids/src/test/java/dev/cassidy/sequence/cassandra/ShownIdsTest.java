package dev.cassidy.sequence.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShownIdsTest {

    private final ShownIds shown = new ShownIds();

    private static SequenceSpec spec(long start, long increment) {
        return SequenceSpec.of("shop.s", IdentityType.INT, start, increment);
    }

    @Test
    void shouldKnowEachShownIdOfASequence() {
        SequenceSpec spec = spec(100, 1);
        shown.add(spec, 100);
        shown.add(spec, 102);

        for (long id : new long[] {100, 102}) {
            assertThat(shown.of(spec, id)).hasValue(id);
        }
        for (long id : new long[] {Long.MIN_VALUE, 99, 101, 103, Long.MAX_VALUE}) {
            assertThat(shown.of(spec, id)).as("id %s", id).isEmpty();
        }
        assertThat(shown.of(spec(1, 1), 100)).as("another generation").isEmpty();
    }

    /** Of a shown 51, applications count up to 51 or from it on, depending on their setting. */
    @ParameterizedTest
    @CsvSource({"1,50,51, 2,100, 1,101", "-1,-50,-51, -2,-100, -1,-101"})
    void shouldTakeWhatLiesBetweenForItsNeighbours(
            long start, long increment, long id, long first, long last, long before, long after) {
        SequenceSpec spec = spec(start, increment);
        shown.add(spec, id);

        assertThat(shown.of(spec, first)).hasValue(id);
        assertThat(shown.of(spec, last)).hasValue(id);
        assertThat(shown.of(spec, before)).isEmpty();
        assertThat(shown.of(spec, after)).isEmpty();
    }

    @Test
    void shouldTakeNothingOfAnotherStream() {
        SequenceSpec stream = SequenceSpec.of("shop.s", IdentityType.INT, 1, 1).interleave(1, 2);
        shown.add(stream, 3);

        assertThat(shown.of(stream, 3)).isEqualTo(OptionalLong.of(3));
        assertThat(shown.of(stream, 2)).isEmpty();
        assertThat(shown.of(stream, 4)).isEmpty();
    }

    @Test
    void shouldTakeNothingPastTheLastId() {
        SequenceSpec spec = spec(1, 1).withBounds(1, 5);
        shown.add(spec, 5);

        assertThat(shown.of(spec, 6)).isEmpty();
    }
}
