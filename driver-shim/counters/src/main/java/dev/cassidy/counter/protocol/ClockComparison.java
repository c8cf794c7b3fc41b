package dev.cassidy.counter.protocol;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.cassidy.async.Stages;
import dev.cassidy.counter.store.NodeClocks.NodeTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What some nodes answer when they are asked for their time, beside what the clock of this process says. A node's clock may
 * be wrong, too. So the clock of this process is right if half of the nodes that answer agree with it: with itself, those
 * are more than the others. The first answers that decide this do, so that a node which hangs delays nobody.
 *
 * <p>Safe for use by many threads.
 */
final class ClockComparison {

    sealed interface Verdict {

        /**
         * The clock of this process is right.
         *
         * @param behind how much earlier the clock of an agreeing node may be; not positive
         * @param ahead how much later; not negative
         */
        record Agrees(Duration behind, Duration ahead) implements Verdict {}

        /**
         * It is wrong.
         *
         * @param clocks what each clock says, for messages
         */
        record Disagrees(String clocks) implements Verdict {}

        record NoAnswer(Throwable cause) implements Verdict {}
    }

    private final Instant begun;
    private final Duration bound;

    @GuardedBy("this")
    private int pending;

    @GuardedBy("this")
    private boolean decided;

    @GuardedBy("this")
    private int agreeing;

    @GuardedBy("this")
    private final List<NodeTime> disagreeing = new ArrayList<>();

    @GuardedBy("this")
    private Duration behind = Duration.ZERO;

    @GuardedBy("this")
    private Duration ahead = Duration.ZERO;

    /**
     * @param begun when the nodes were asked, by the clock of this process
     * @param asked how many nodes
     * @param bound by so much the clocks may differ
     */
    ClockComparison(Instant begun, int asked, Duration bound) {
        this.begun = begun;
        this.pending = asked;
        this.bound = bound;
    }

    /**
     * Takes an answer, or the failure in its place.
     *
     * @param took how long it took
     * @return the verdict, once
     */
    synchronized Optional<Verdict> add(@Nullable NodeTime answer, @Nullable Throwable failure, Duration took) {
        pending--;
        Throwable missing = failure;
        if (answer != null && took.compareTo(bound) > 0) {
            missing = new TimeoutException(answer.node() + " answered after " + took + ", which tells too little");
        } else if (answer != null) {
            compare(answer, took);
        }
        Optional<Verdict> verdict = decided ? Optional.empty() : verdict(begun.plus(took), missing);
        decided |= verdict.isPresent();
        return verdict;
    }

    @GuardedBy("this")
    private void compare(NodeTime answer, Duration took) {
        // The node looked at its clock at some time in between.
        Duration sinceBegun = Duration.between(begun, answer.time());
        Duration sinceAnswered = sinceBegun.minus(took);
        if (sinceBegun.plus(bound).isNegative() || sinceAnswered.compareTo(bound) > 0) {
            disagreeing.add(answer);
            return;
        }
        agreeing++;
        ahead = sinceBegun.compareTo(ahead) > 0 ? sinceBegun : ahead;
        behind = sinceAnswered.compareTo(behind) < 0 ? sinceAnswered : behind;
    }

    @GuardedBy("this")
    private Optional<Verdict> verdict(Instant now, @Nullable Throwable missing) {
        if (agreeing > 0 && agreeing >= disagreeing.size() + pending) {
            return Optional.of(new Verdict.Agrees(behind, ahead));
        }
        if (disagreeing.size() > agreeing + pending) {
            return Optional.of(new Verdict.Disagrees("this process says " + now + ", "
                    + disagreeing.stream()
                            .map(node -> node.node() + " says " + node.time())
                            .collect(Collectors.joining(", "))));
        }
        return pending > 0
                ? Optional.empty()
                : Optional.of(new Verdict.NoAnswer(
                        missing == null ? new TimeoutException("no node was asked") : Stages.cause(missing)));
    }
}
