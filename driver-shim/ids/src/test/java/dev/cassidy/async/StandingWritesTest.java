package dev.cassidy.async;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class StandingWritesTest {

    private static final Duration PERIOD = Duration.ofSeconds(11);

    private final AtomicLong now = new AtomicLong(5_000);
    private final List<String> steps = new ArrayList<>();
    private final StandingWrites writes = new StandingWrites(
            () -> PERIOD,
            (task, delay) -> {
                steps.add("wait " + delay.toSeconds());
                now.addAndGet(delay.toNanos());
                task.run();
            },
            now::get);

    /** Each read takes a second. */
    private Supplier<CompletionStage<String>> read(String how, String found) {
        return () -> {
            steps.add(how);
            now.addAndGet(Duration.ofSeconds(1).toNanos());
            return CompletableFuture.completedFuture(found);
        };
    }

    private Duration untilKnown(String write) {
        return writes.untilKnown("row", write, read("agree", write))
                .toCompletableFuture()
                .join();
    }

    private boolean stands(String write, String agreed, String inOrder) {
        return writes.stands("row", write, read("agree", agreed), read("in order", inOrder), write::equals)
                .toCompletableFuture()
                .join();
    }

    /** What was found may be on one disk alone, and be forgotten when that node is killed. */
    @Test
    void shouldMakeAMajorityAgreeBeforeTheTimeBegins() {
        assertThat(stands("w", "w", "w")).isTrue();

        assertThat(steps).containsExactly("agree", "wait 11", "agree", "in order");
    }

    @Test
    void shouldWaitOnceForWhatIsKnownAlready() {
        assertThat(untilKnown("w")).isEqualTo(PERIOD);
        now.addAndGet(Duration.ofSeconds(4).toNanos());
        assertThat(untilKnown("w")).isEqualTo(Duration.ofSeconds(7));
        assertThat(stands("w", "w", "w")).isTrue();
        assertThat(stands("w", "-", "-"))
                .as("it stands, and is not looked at again")
                .isTrue();

        assertThat(steps).containsExactly("agree", "wait 7", "agree", "in order");
        assertThat(untilKnown("w")).isZero();
        assertThat(untilKnown("another")).isEqualTo(PERIOD);
    }

    /** The node that had it may have been killed between two others. */
    @Test
    void shouldBeginAnewWhereTheReadsComeTooLate() {
        assertThat(untilKnown("w")).isEqualTo(PERIOD);
        now.addAndGet(PERIOD.multipliedBy(2).toNanos() + 1);
        assertThat(untilKnown("w")).isEqualTo(PERIOD);
        now.addAndGet(PERIOD.multipliedBy(2).minusSeconds(1).toNanos());
        assertThat(stands("w", "w", "w")).isTrue();

        assertThat(steps)
                .containsExactly("agree", "agree", "agree", "in order", "agree", "wait 11", "agree", "in order");
    }

    /** As when a sequence is created, and raised right after that. */
    @Test
    void shouldTellOfTwoWritesToARowAtOnce() {
        List<Runnable> waiting = new ArrayList<>();
        StandingWrites both = new StandingWrites(() -> PERIOD, (task, delay) -> waiting.add(task), now::get);
        Function<String, CompletableFuture<Boolean>> look =
                write -> both.stands("row", write, read("agree", write), read("in order", write), write::equals)
                        .toCompletableFuture();

        CompletableFuture<Boolean> first = look.apply("first");
        CompletableFuture<Boolean> second = look.apply("second");
        now.addAndGet(PERIOD.toNanos());
        List.copyOf(waiting).forEach(Runnable::run);

        assertThat(first).isCompletedWithValue(true);
        assertThat(second).isCompletedWithValue(true);
        assertThat(waiting).as("waits").hasSize(2);
    }

    @Test
    void shouldNotStandUnlessBothReadsFindIt() {
        assertThat(stands("w", "-", "w")).isFalse();
        assertThat(stands("w", "w", "-")).isFalse();

        assertThat(steps).containsExactly("agree", "wait 11", "agree", "agree", "wait 11", "agree", "in order");
    }

    @Test
    void shouldReadNothingWhereNothingIsForgotten() {
        StandingWrites safe = new StandingWrites(() -> Duration.ZERO, (task, delay) -> task.run(), now::get);

        assertThat(safe.untilKnown("row", "w", read("agree", "w"))
                        .toCompletableFuture()
                        .join())
                .isZero();
        assertThat(safe.stands("row", "w", read("agree", "-"), read("in order", "-"), "w"::equals)
                        .toCompletableFuture()
                        .join())
                .isTrue();

        assertThat(steps).isEmpty();
    }
}
