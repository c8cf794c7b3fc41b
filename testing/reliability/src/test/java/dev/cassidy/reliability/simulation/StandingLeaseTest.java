package dev.cassidy.reliability.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.protocol.FreshClaims;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.SnowflakeState;
import dev.cassidy.snowflake.protocol.LeasedSequencer;
import dev.cassidy.snowflake.store.NodeRow;
import dev.cassidy.snowflake.store.NodeStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Node numbers and limits where nodes forget what they acknowledged within the last 10 s. */
class StandingLeaseTest {

    private static final Duration STANDING = Duration.ofSeconds(11);

    private final OneSnowflake there = new OneSnowflake(128);
    private final List<DefectiveNodeStore.Step> steps = new ArrayList<>();

    /** Whether reads of rows get no answer. */
    private boolean mute;

    /** What nodes have of a number again and again; null if they do not forget. */
    private @Nullable NodeRow forgotten;

    private LeasedSequencer sequencer(FreshClaims freshClaims) {
        there.forget(STANDING, freshClaims);
        return there.sequencer(Recorded::new);
    }

    private final class Recorded extends DefectiveNodeStore {

        Recorded(NodeStore store) {
            super(store);
        }

        @Override
        <T> CompletionStage<T> read(Step step, Supplier<CompletionStage<T>> send) {
            steps.add(step);
            return mute && (step == Step.AGREED || step == Step.NODE) ? noAnswer() : send.get();
        }
    }

    private void pass(Duration duration) {
        there.await(there.after(duration));
    }

    /** Nodes forget all that was written since a number's row was this. */
    private void forget(NodeRow row) {
        if (there.row(row.number()).isSameLease(row)) {
            there.here.rows.put(row.number(), row);
        }
    }

    private static NodeRow successor(NodeRow row) {
        return new NodeRow(row.number(), row.epoch(), row.tsHigh() + 1, new UUID(7, 7), false);
    }

    private NodeRow takenRow() {
        return there.here.rows.values().stream()
                .filter(row -> !row.isFresh())
                .findFirst()
                .orElseThrow();
    }

    private NodeRow stepUntilTaken() {
        while (there.here.rows.values().stream().allMatch(NodeRow::isFresh)) {
            there.time.step();
        }
        return takenRow();
    }

    @Test
    void shouldUseANumberOnlyOnceItHasStoodAndWasReadTwice() {
        LeasedSequencer sequencer = sequencer(FreshClaims.WAIT);
        CompletionStage<Void> attaching = sequencer.attachAsync();
        stepUntilTaken();
        pass(STANDING.minusSeconds(1));

        assertThat(attaching.toCompletableFuture()).isNotDone();
        assertThat(steps).doesNotContain(DefectiveNodeStore.Step.AGREED);
        assertThatThrownBy(sequencer::nextLong)
                .isInstanceOf(SequenceException.Detached.class)
                .hasMessageContaining("after 11 s (durability=wait)");
        pass(Duration.ofMillis(1_200));

        assertThat(attaching.toCompletableFuture()).isCompleted();
        assertThat(sequencer.nextLong()).isPositive();
        assertThat(steps).containsSubsequence(DefectiveNodeStore.Step.AGREED, DefectiveNodeStore.Step.NODE);
    }

    @ParameterizedTest
    @EnumSource(FreshClaims.class)
    void shouldNeverWaitForALimitInTheSteadyState(FreshClaims freshClaims) {
        LeasedSequencer sequencer = sequencer(freshClaims);
        there.await(sequencer.attachAsync());
        for (int tenth = 0; tenth < 1_200; tenth++) {
            pass(Duration.ofMillis(100));
            assertThat(sequencer.nextLongAsync().toCompletableFuture())
                    .as("after %d ms", tenth * 100)
                    .isCompleted();
        }
    }

    @Test
    void shouldLookForAnotherNumberIfTheOneThatItTookWasForgotten() {
        LeasedSequencer sequencer = sequencer(FreshClaims.WAIT);
        CompletionStage<Void> attaching = sequencer.attachAsync();
        NodeRow first = stepUntilTaken();
        NodeRow others = successor(first);
        there.here.rows.put(first.number(), others);
        there.await(attaching);

        assertThat(sequencer.node().orElseThrow()).isNotEqualTo(first.number());
        assertThat(there.row(first.number())).as("not given back").isEqualTo(others);
    }

    @Test
    void shouldUseANumberAtOnceIfItMayAndStopWhenItWasForgotten() {
        LeasedSequencer sequencer = sequencer(FreshClaims.SERVE);
        there.await(sequencer.attachAsync());
        assertThat(sequencer.nextLong()).isPositive();
        NodeRow first = takenRow();
        there.here.rows.put(first.number(), successor(first));
        pass(Duration.ofSeconds(4));

        assertThat(sequencer.state()).isEqualTo(SnowflakeState.ATTACHED);
        assertThat(sequencer.node().orElseThrow()).isNotEqualTo(first.number());
    }

    @Test
    void shouldIssueNothingBeyondALimitThatWasNotReadBack() {
        LeasedSequencer sequencer = sequencer(FreshClaims.SERVE);
        there.await(sequencer.attachAsync());
        NodeRow first = takenRow();
        mute = true;

        assertThat(lastMilliUnder(first.number(), sequencer)).isEqualTo(first.tsHigh());
    }

    @Test
    void shouldNotRelyOnALimitThatWasForgotten() {
        LeasedSequencer sequencer = sequencer(FreshClaims.SERVE);
        there.await(sequencer.attachAsync());
        NodeRow first = takenRow();
        pass(STANDING.plusSeconds(6));
        long written = there.row(first.number()).tsHigh();
        long readBack =
                there.now() - STANDING.toMillis() + Duration.ofSeconds(24).toMillis();
        forget(first);
        forgotten = first;

        assertThat(lastMilliUnder(first.number(), sequencer))
                .isLessThanOrEqualTo(readBack)
                .isLessThan(written);
    }

    /** Returns the last millisecond of which an id is issued until the sequencer loses this number. */
    private long lastMilliUnder(int number, LeasedSequencer sequencer) {
        long last = 0;
        while (sequencer.node().orElse(-1) == number) {
            CompletableFuture<Long> id = sequencer.nextLongAsync().toCompletableFuture();
            if (id.isDone()
                    && !id.isCompletedExceptionally()
                    && sequencer.node().orElse(-1) == number) {
                last = id.join() >> SnowflakeSpec.LOW_BITS;
            }
            pass(Duration.ofMillis(1));
            if (forgotten != null) {
                forget(forgotten);
            }
        }
        return last;
    }

    @Test
    void shouldGiveBackANumberOnTrialWhenItIsDetached() {
        LeasedSequencer sequencer = sequencer(FreshClaims.WAIT);
        CompletionStage<Void> attaching = sequencer.attachAsync();
        NodeRow first = stepUntilTaken();
        pass(Duration.ofSeconds(1));
        there.await(sequencer.detachAsync());

        assertThat(there.row(first.number()).free()).isTrue();
        there.end(attaching);
        assertThatThrownBy(() -> attaching.toCompletableFuture().join())
                .hasCauseInstanceOf(SequenceException.Detached.class);
        there.await(sequencer.attachAsync());
        assertThat(sequencer.nextLong()).isPositive();
    }

    @Test
    void shouldGiveBackANumberOnTrialWhenItIsClosed() {
        LeasedSequencer sequencer = sequencer(FreshClaims.WAIT);
        CompletionStage<Void> attaching = sequencer.attachAsync();
        NodeRow first = stepUntilTaken();
        pass(Duration.ofSeconds(1));
        there.await(sequencer.closeAsync());

        assertThat(attaching.toCompletableFuture()).isCompletedExceptionally();
        assertThat(there.row(first.number()).free()).isTrue();
    }

    @Test
    void shouldFailIfTheNumberCannotBeReadBack() {
        LeasedSequencer sequencer = sequencer(FreshClaims.WAIT);
        mute = true;
        CompletionStage<Void> attaching = there.end(sequencer.attachAsync());

        assertThatThrownBy(() -> attaching.toCompletableFuture().join())
                .hasCauseInstanceOf(SequenceException.Unavailable.class)
                .hasMessageContaining("durability=wait");
        pass(Duration.ofSeconds(1));
        assertThat(takenRow().free()).isTrue();
    }
}
