package dev.cassidy.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class IncrementGroupTest {

    private final IncrementGroup group = new IncrementGroup(CounterKind.LINEARIZABLE, "IBM");

    @Test
    void shouldTellEachCallerThatItsIncrementCounts() {
        CompletionStage<Void> first = group.add(5, 100);
        CompletionStage<Void> second = group.add(-2, 100);

        assertThat(group.send(10)).isEqualTo(13);
        assertThat(first.toCompletableFuture()).isNotDone();
        group.counts();

        assertThat(first.toCompletableFuture()).isCompleted();
        assertThat(second.toCompletableFuture()).isCompleted();
        assertThat(group.isEmpty()).isTrue();
    }

    @Test
    void shouldLeaveOutWhatDoesNotFit() {
        CompletionStage<Void> fits = group.add(Long.MAX_VALUE, 100);
        CompletionStage<Void> overflows = group.add(1, 100);
        CompletionStage<Void> fitsAgain = group.add(-10, 100);

        assertThat(group.fits(0)).isFalse();
        assertThat(group.send(0)).isEqualTo(Long.MAX_VALUE - 10);
        group.counts();

        assertThat(fits.toCompletableFuture()).isCompleted();
        assertThat(fitsAgain.toCompletableFuture()).isCompleted();
        assertFails(overflows, CounterException.Overflow.class, "delta=1 total=0");
    }

    @Test
    void shouldLeaveOutWhatDoesNotFitBelow() {
        CompletionStage<Void> overflows = group.add(-1, 100);

        assertThat(group.fits(Long.MIN_VALUE)).isFalse();
        assertThat(group.send(Long.MIN_VALUE)).isEqualTo(Long.MIN_VALUE);

        assertFails(overflows, CounterException.Overflow.class, "delta=-1");
        assertThat(group.isEmpty()).isTrue();
    }

    @Test
    void shouldTellLateCallersThatNothingWasSent() {
        CompletionStage<Void> late = group.add(5, 100);
        CompletionStage<Void> inTime = group.add(7, 101);

        group.expire(100);

        assertFails(late, CounterException.NotSent.class, "IBM");
        assertThat(inTime.toCompletableFuture()).isNotDone();
        assertThat(group.send(0)).isEqualTo(7);
    }

    @Test
    void shouldTellLateCallersThatTheOutcomeIsUnknownOnceItIsSent() {
        CompletionStage<Void> late = group.add(5, 100);
        group.send(0);
        group.because("the nodes do not answer", null);

        group.expire(100);

        assertFails(late, CounterException.OutcomeUnknown.class, "the nodes do not answer");
        group.counts();
        assertFails(late, CounterException.OutcomeUnknown.class, "LINEARIZABLE");
    }

    /** What a caller was told may not count is not sent again. */
    @Test
    void shouldSendTheRestAgainIfNothingOfItCounts() {
        CompletionStage<Void> late = group.add(5, 100);
        group.add(7, 200);
        assertThat(group.send(0)).isEqualTo(12);
        group.expire(100);
        group.doesNotCount();

        assertThat(group.send(0)).isEqualTo(7);
        assertFails(late, CounterException.OutcomeUnknown.class, "IBM");
    }

    @Test
    void shouldNotBeSentAnewWhileItMayCount() {
        group.add(5, 100);
        group.send(0);
        assertThatThrownBy(() -> group.send(0)).isInstanceOf(IllegalStateException.class);
    }

    private static void assertFails(
            CompletionStage<Void> stage, Class<? extends CounterException> type, String message) {
        assertThatThrownBy(() -> stage.toCompletableFuture().join())
                .cause()
                .isInstanceOf(type)
                .hasMessageContaining(message);
    }
}
