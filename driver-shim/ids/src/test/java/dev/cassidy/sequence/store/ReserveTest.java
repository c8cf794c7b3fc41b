package dev.cassidy.sequence.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ReserveTest {

    private static final Tails TAILS = new Tails(List.of(new Span(0, 5)));

    private static Reserve reserve(int incarnation, long lo, long hi, @Nullable Span upcoming, int grantNumber) {
        return new Reserve(
                incarnation, new Span(lo, hi), upcoming, grantNumber, Tails.NONE, Usage.NONE, Numbering.NONE);
    }

    private static void assertCombined(Reserve one, Reserve other, Reserve both) {
        assertThat(one.and(other)).isEqualTo(both);
        assertThat(other.and(one)).isEqualTo(both);
    }

    @Test
    void shouldKnowNothingOfAnOlderIncarnation() {
        Reserve newer = reserve(2, 0, 10, null, 1);

        assertCombined(newer, reserve(1, 90, 100, new Span(200, 300), 7), newer);
    }

    @Test
    void shouldCombineAGrantThatOneSawWithAClaimThatTheOtherSaw() {
        assertCombined(
                reserve(1, 10, 100, new Span(200, 300), 2),
                reserve(1, 20, 100, null, 1),
                reserve(1, 20, 100, new Span(200, 300), 2));
    }

    /** A range that was already claimed from is no longer upcoming. */
    @Test
    void shouldNotTreatARangeAsUpcomingAfterAClaimFromIt() {
        assertCombined(
                reserve(1, 100, 100, new Span(200, 300), 2),
                reserve(1, 210, 300, null, 2),
                reserve(1, 210, 300, null, 2));
        assertCombined(
                reserve(1, 100, 100, new Span(200, 300), 2),
                reserve(1, 200, 300, null, 2),
                reserve(1, 200, 300, null, 2));
        assertCombined(
                reserve(1, 100, 100, new Span(200, 300), 2),
                reserve(1, 210, 300, new Span(400, 500), 3),
                reserve(1, 210, 300, new Span(400, 500), 3));
    }

    @Test
    void shouldPreferItselfIfNothingMoved() {
        Reserve here = reserve(1, 10, 100, null, 1).with(TAILS);

        assertThat(here.and(reserve(1, 10, 100, null, 1))).isEqualTo(here);
        Reserve upcoming = reserve(1, 10, 100, new Span(200, 300), 1);
        assertThat(upcoming.and(reserve(1, 10, 100, null, 1))).isEqualTo(upcoming);
    }

    @Test
    void shouldAbsorbTheNextGrantIfThereIsRoom() {
        Grant second = new Grant(1, 2, new Span(200, 300));
        Reserve reserve = reserve(1, 10, 100, null, 1);

        assertThat(reserve.canAbsorb(second)).isTrue();
        assertThat(reserve.with(second, Numbering.NONE)).isEqualTo(reserve(1, 10, 100, new Span(200, 300), 2));
        assertThat(reserve.canAbsorb(new Grant(2, 2, new Span(200, 300)))).isFalse();
        assertThat(reserve.canAbsorb(new Grant(1, 3, new Span(200, 300)))).isFalse();
        assertThat(reserve.canAbsorb(new Grant(1, 1, new Span(200, 300)))).isFalse();
        assertThat(reserve(1, 10, 100, new Span(100, 110), 1).canAbsorb(second)).isFalse();
    }

    /** Otherwise a process would take ordinals of another creation for its own. */
    @Test
    void shouldBeNumberedAsWhatItHasAbsorbed() {
        Numbering from5 = new Numbering(5, 1);
        Reserve fresh = Reserve.empty(1, 0);
        assertThat(fresh.isNumberedAs(from5)).isTrue();
        assertThat(fresh.with(new Grant(1, 1, Span.EMPTY), from5))
                .as("a number that was given up means nothing")
                .isEqualTo(Reserve.empty(1, 1));

        Reserve filled = fresh.with(new Grant(1, 1, new Span(0, 10)), from5);
        List<Reserve> all = List.of(
                filled,
                filled.without(new Span(0, 3), 1),
                filled.without(new Span(0, 3)),
                filled.with(TAILS),
                filled.and(fresh),
                fresh.and(filled));
        assertThat(all).allSatisfy(each -> {
            assertThat(each.isNumberedAs(from5)).isTrue();
            assertThat(each.isNumberedAs(new Numbering(6, 1))).isFalse();
            assertThat(each.isNumberedAs(new Numbering(5, 2))).isFalse();
        });
    }

    @Test
    void shouldRollOverWhenItsRangeIsUsedUp() {
        Reserve usedUp = reserve(1, 100, 100, new Span(200, 300), 2);

        assertThat(usedUp.claimable()).isEqualTo(new Span(200, 300));
        assertThat(usedUp.remaining()).isEqualTo(100);
        assertThat(usedUp.highest()).isEqualTo(300);
        Reserve after = usedUp.without(new Span(200, 210), 1);
        assertThat(after.current()).isEqualTo(new Span(210, 300));
        assertThat(after.upcoming()).isNull();
        Reserve before = reserve(1, 90, 100, new Span(200, 300), 2).without(new Span(90, 100), 1);
        assertThat(before.current()).isEqualTo(new Span(100, 100));
        assertThat(before.upcoming()).isEqualTo(new Span(200, 300));
        assertThat(before.remaining()).isEqualTo(100);
        assertThat(reserve(1, 10, 100, null, 1).highest()).isEqualTo(100);
        assertThat(reserve(1, 10, 100, null, 1).remaining()).isEqualTo(90);
        assertThat(Reserve.empty(3, 4)).isEqualTo(reserve(3, 0, 0, null, 4));
    }
}
