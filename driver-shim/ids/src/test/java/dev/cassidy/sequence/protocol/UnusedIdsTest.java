package dev.cassidy.sequence.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.sequence.IdCheck;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.store.Span;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class UnusedIdsTest {

    private static final SequenceSpec DOWN = SequenceSpec.of("down", IdentityType.INT, -1, -5);

    @Test
    void shouldLeaveOutEveryUsedId() {
        // Ordinals 10 to 16 are -51, -56, -61, -66, -71, -76.
        assertThat(UnusedIds.of(DOWN, new Span(10, 16), ids -> List.of(-76L, -56L, -61L)))
                .containsExactly(new Span(10, 11), new Span(13, 15));
    }

    @Test
    void shouldFindNothingIfAllAreUsed() {
        assertThat(UnusedIds.of(
                        DOWN, new Span(3, 20), ids -> ids.stream().boxed().toList()))
                .isEmpty();
    }

    @Test
    void shouldAskAboutEveryIdOnceAndJoinTheAnswers() {
        List<Long> asked = new ArrayList<>();
        SequenceSpec up = SequenceSpec.of("up");

        List<Span> unused = UnusedIds.of(up, new Span(500, 3_000), ids -> {
            assertThat(ids.count()).isLessThanOrEqualTo(IdCheck.MAX_IDS);
            ids.forEach(asked::add);
            return List.of();
        });

        assertThat(unused).containsExactly(new Span(500, 3_000));
        assertThat(asked)
                .hasSize(2_500)
                .doesNotHaveDuplicates()
                .startsWith(501L)
                .endsWith(3_000L);
    }

    @Test
    void shouldRefuseAnIdThatWasNotAskedFor() {
        assertThatThrownBy(() -> UnusedIds.of(DOWN, new Span(10, 16), ids -> List.of(-55L)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-55");
        assertThatThrownBy(() -> UnusedIds.of(DOWN, new Span(10, 16), ids -> List.of(-81L)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-81");
    }
}
