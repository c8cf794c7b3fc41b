package dev.cassidy.sequence.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.sequence.SequenceException;
import org.junit.jupiter.api.Test;

class IncarnationsTest {

    @Test
    void shouldStayWithinTheGenerationWhenRaised() {
        assertThat(Incarnations.next("s", Incarnations.FIRST)).isEqualTo(2);
        int nextGeneration = Incarnations.firstOfNextGeneration("s", 2);
        assertThat(nextGeneration).isGreaterThan(2);
        assertThat(Incarnations.sameGeneration(nextGeneration, 2)).isFalse();
        assertThat(Incarnations.sameGeneration(nextGeneration, Incarnations.next("s", nextGeneration)))
                .isTrue();
    }

    @Test
    void shouldRefuseARaiseThatWouldLookLikeAnotherGeneration() {
        int last = Incarnations.firstOfNextGeneration("s", 1) - 1;

        assertThat(Incarnations.sameGeneration(last, 1)).isTrue();
        assertThatThrownBy(() -> Incarnations.next("s", last))
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("incarnation=" + last);
    }

    @Test
    void shouldRefuseAGenerationThatCannotBeCounted() {
        assertThatThrownBy(() -> Incarnations.firstOfNextGeneration("s", Integer.MAX_VALUE))
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("another name");
    }
}
