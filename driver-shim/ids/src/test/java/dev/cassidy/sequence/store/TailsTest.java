package dev.cassidy.sequence.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class TailsTest {

    private static Tails tails(long... bounds) {
        Tails tails = Tails.NONE;
        for (int i = 0; i < bounds.length; i += 2) {
            tails = tails.plus(List.of(new Span(bounds[i], bounds[i + 1])));
        }
        return tails;
    }

    @Test
    void shouldJoinAdjacentTails() {
        assertThat(tails(20, 30, 5, 10, 10, 20).spans()).containsExactly(new Span(5, 30));
        assertThat(tails(20, 30, 5, 10).spans()).containsExactly(new Span(5, 10), new Span(20, 30));
    }

    @Test
    void shouldRefuseOverlappingTails() {
        Tails tails = tails(5, 10);
        assertThatThrownBy(() -> tails.plus(List.of(new Span(9, 12))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("overlap");
    }

    @Test
    void shouldGiveUpTheSmallestIfThereAreTooMany() {
        Tails tails = Tails.NONE.plus(LongStream.rangeClosed(1, Tails.MAX_TAILS)
                .mapToObj(i -> new Span(i * 100, i * 100 + 10))
                .toList());
        assertThat(tails.plus(List.of(new Span(1, 2)))).isEqualTo(tails);
        assertThat(tails.plus(List.of(new Span(1, 99))).spans())
                .hasSize(Tails.MAX_TAILS)
                .contains(new Span(1, 99));
    }

    @Test
    void shouldTakeOnlyTheFrontOfATail() {
        assertThat(tails(5, 10).minus(new Span(5, 7))).isEqualTo(tails(7, 10));
        assertThat(tails(5, 10, 20, 30).minus(new Span(5, 10))).isEqualTo(tails(20, 30));
        assertThatThrownBy(() -> tails(5, 10).minus(new Span(6, 7))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> tails(5, 10).minus(new Span(5, 11))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldChooseTheLowestThatIsLargeEnoughElseTheLargest() {
        Tails tails = tails(5, 7, 20, 30, 40, 60);
        assertThat(tails.choose(8, 0)).contains(new Span(20, 28));
        assertThat(tails.choose(100, 0)).contains(new Span(40, 60));
    }

    @Test
    void shouldNeverChooseBelowServedIds() {
        Tails tails = tails(5, 7, 20, 30);
        assertThat(tails.choose(1, 8)).contains(new Span(20, 21));
        assertThat(tails.choose(1, 21)).isEmpty();
    }

    @Test
    void shouldCountTheirIds() {
        assertThat(Tails.NONE.isEmpty()).isTrue();
        assertThat(tails(5, 10, 20, 30).isEmpty()).isFalse();
        assertThat(tails(5, 10, 20, 30).size()).isEqualTo(15);
    }

    @Test
    void shouldRequireSeparateAscendingSpans() {
        assertThatThrownBy(() -> new Tails(List.of(new Span(5, 10), new Span(10, 20))))
                .as("touching ones are one")
                .hasMessageContaining("must be ascending");
        assertThatThrownBy(() -> new Tails(List.of(new Span(20, 30), new Span(5, 10))))
                .hasMessageContaining("must be ascending");
        assertThatThrownBy(() -> new Tails(List.of(new Span(5, 5)))).hasMessageContaining("must be ascending");
    }

    @Test
    void shouldChooseATailThatBeginsAtTheLimitAndIsJustLargeEnough() {
        assertThat(tails(5, 10, 20, 30).choose(5, 5)).contains(new Span(5, 10));
        assertThat(tails(5, 10, 20, 30).choose(5, 6)).contains(new Span(20, 25));
    }
}
