package dev.cassidy.counter.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.async.Stages;
import dev.cassidy.counter.store.NodeClocks.NodeTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CheckedClockTest {

    private static final Instant BEGIN = Instant.parse("2026-11-29T10:00:00Z");
    private static final Duration YEARS = Duration.ofDays(730);

    private Instant day = BEGIN;
    private long nanos = -5_000_000_000L;
    private final List<CompletableFuture<NodeTime>> asked = new ArrayList<>();
    private int nodes = 1;
    private final CheckedClock clock = new CheckedClock(() -> day, () -> nanos, this::ask);

    private List<CompletionStage<NodeTime>> ask() {
        List<CompletableFuture<NodeTime>> now =
                Stream.generate(CompletableFuture<NodeTime>::new).limit(nodes).toList();
        asked.addAll(now);
        return List.copyOf(now);
    }

    private void pass(Duration time) {
        day = day.plus(time);
        nanos += time.toNanos();
    }

    /** The node's clock says what that of the process says, or so much later. */
    private void answer(int number, Duration later) {
        asked.get(number).complete(new NodeTime("10.0.0." + (number + 1), day.plus(later)));
    }

    private void fail(int number) {
        asked.get(number).completeExceptionally(new IllegalStateException("no answer of " + number));
    }

    private static Throwable failure(CompletionStage<?> stage) {
        assertThat(stage.toCompletableFuture()).isCompletedExceptionally();
        return Stages.cause(
                stage.handle((done, failure) -> failure).toCompletableFuture().join());
    }

    private static CheckedClock.Now told(CompletionStage<CheckedClock.Now> stage) {
        assertThat(stage.toCompletableFuture()).isCompleted();
        return stage.toCompletableFuture().join();
    }

    private CheckedClock.Now agreed() {
        CompletionStage<CheckedClock.Now> now = clock.now();
        answer(asked.size() - 1, Duration.ZERO);
        return told(now);
    }

    @ParameterizedTest
    @CsvSource({
        "PT0S, true",
        "PT10S, true",
        "-PT10S, true",
        "PT10.001S, false",
        "-PT10.001S, false",
        "PT17520H, false",
        "-PT17520H, false"
    })
    void shouldAgreeWithinTheBound(Duration later, boolean agrees) {
        CompletionStage<CheckedClock.Now> now = clock.now();
        answer(0, later);
        assertThat(now.toCompletableFuture().isCompletedExceptionally()).isNotEqualTo(agrees);
    }

    /** While the question is under way, time passes. */
    @ParameterizedTest
    @CsvSource({"PT13S, true", "PT13.001S, false", "-PT10S, true", "-PT10.001S, false"})
    void shouldNotKnowWhenTheNodeLookedAtItsClock(Duration sinceAsked, boolean agrees) {
        CompletionStage<CheckedClock.Now> now = clock.now();
        Instant begun = day;
        pass(Duration.ofSeconds(3));
        asked.get(0).complete(new NodeTime("10.0.0.1", begun.plus(sinceAsked)));
        assertThat(now.toCompletableFuture().isCompletedExceptionally()).isNotEqualTo(agrees);
    }

    @Test
    void shouldNameTheClocksTheBoundAndTheRemedy() {
        CompletionStage<CheckedClock.Now> now = clock.now();
        answer(0, YEARS);
        assertThat(failure(now))
                .isInstanceOf(CounterFailure.WrongClock.class)
                .hasMessageContainingAll(
                        "this process says 2026-11-29T10:00:00Z",
                        "10.0.0.1 says 2028-11-28T10:00:00Z",
                        "more than PT10S",
                        "NTP");
    }

    @ParameterizedTest
    @CsvSource({
        // One node whose clock is wrong does not decide, whether it is with the process or against it.
        "PT0S,     PT0S,     PT17520H, true",
        "PT0S,     PT17520H, PT0S,     true",
        "PT17520H, PT0S,     PT0S,     true",
        "PT0S,     PT17520H, PT17520H, false",
        "PT17520H, PT0S,     PT17520H, false",
        "PT17520H, -PT1H,    PT0S,     false",
        // One that does not answer does not, either.
        "PT0S,     ,         ,         true",
        "PT17520H, ,         ,         false",
        "PT0S,     PT17520H, ,         true",
        ",         PT17520H, PT0S,     true",
        ",         PT17520H, PT17520H, false",
    })
    void shouldBelieveHalfOfTheNodesThatAnswer(Duration one, Duration another, Duration third, boolean agrees) {
        nodes = 3;
        CompletionStage<CheckedClock.Now> now = clock.now();
        int number = 0;
        for (Duration later : new Duration[] {one, another, third}) {
            if (later == null) {
                fail(number++);
            } else {
                answer(number++, later);
            }
        }
        assertThat(now.toCompletableFuture().isCompletedExceptionally()).isNotEqualTo(agrees);
    }

    @Test
    void shouldNotWaitForANodeThatCannotDecide() {
        nodes = 3;
        CompletionStage<CheckedClock.Now> right = clock.now();
        answer(0, Duration.ZERO);
        assertThat(right.toCompletableFuture()).isNotDone();
        answer(1, Duration.ZERO);
        assertThat(right.toCompletableFuture()).isCompleted();
        answer(2, YEARS);

        pass(CheckedClock.EVERY);
        CompletionStage<CheckedClock.Now> wrong = clock.now();
        answer(3, YEARS);
        assertThat(wrong.toCompletableFuture()).isNotDone();
        answer(4, YEARS);
        assertThat(failure(wrong)).isInstanceOf(CounterFailure.WrongClock.class);
    }

    @Test
    void shouldSayThatNoNodeAnswers() {
        nodes = 2;
        CompletionStage<CheckedClock.Now> now = clock.now();
        fail(0);
        fail(1);
        assertThat(failure(now)).hasMessage("no answer of 1");
    }

    /** After so long it would agree with anything. */
    @Test
    void shouldNotBelieveALateAnswer() {
        CompletionStage<CheckedClock.Now> now = clock.now();
        pass(Duration.ofSeconds(11));
        answer(0, Duration.ZERO);
        assertThat(failure(now)).hasMessageContaining("PT11S");
    }

    @Test
    void shouldTellTheTimesOfTheAgreeingClocks() {
        nodes = 3;
        CompletionStage<CheckedClock.Now> now = clock.now();
        answer(0, Duration.ofSeconds(-4));
        answer(2, YEARS);
        answer(1, Duration.ofSeconds(5));
        assertThat(told(now)).isEqualTo(new CheckedClock.Now(BEGIN.minusSeconds(4), BEGIN.plusSeconds(5)));

        pass(Duration.ofSeconds(9));

        assertThat(told(clock.now())).isEqualTo(new CheckedClock.Now(BEGIN.plusSeconds(5), BEGIN.plusSeconds(14)));
        assertThat(asked).as("asked once").hasSize(3);
    }

    @Test
    void shouldAskAgainAfterAWhile() {
        agreed();
        pass(CheckedClock.EVERY.minusNanos(1));
        told(clock.now());
        assertThat(asked).hasSize(1);
        pass(Duration.ofNanos(1));
        CompletionStage<CheckedClock.Now> now = clock.now();
        assertThat(clock.now()).as("callers share the question").isSameAs(now);
        assertThat(asked).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({"PT1.001S", "-PT1.001S", "PT17520H", "-PT17520H"})
    void shouldAskAtOnceWhenTheClockIsSet(Duration by) {
        agreed();
        day = day.plus(by);
        CompletionStage<CheckedClock.Now> now = clock.now();
        assertThat(asked).hasSize(2);
        asked.get(1).complete(new NodeTime("10.0.0.1", BEGIN));
        assertThat(now.toCompletableFuture().isCompletedExceptionally())
                .isEqualTo(by.abs().compareTo(CheckedClock.BOUND) > 0);
    }

    /** The monotonic clock of a machine stands still with it. */
    @Test
    void shouldAskAtOnceWhenTheMachineStoodStill() {
        agreed();
        day = day.plus(Duration.ofMinutes(5));
        CompletionStage<CheckedClock.Now> now = clock.now();
        answer(1, Duration.ZERO);
        assertThat(told(now).latest()).isEqualTo(BEGIN.plus(Duration.ofMinutes(5)));
    }

    @Test
    void shouldAskOnceMoreIfTheClockWasSetMeanwhile() {
        CompletionStage<CheckedClock.Now> now = clock.now();
        day = day.plus(YEARS);
        asked.get(0).complete(new NodeTime("10.0.0.1", day));
        assertThat(now.toCompletableFuture()).isNotDone();
        answer(1, Duration.ZERO);
        assertThat(told(now).earliest()).isEqualTo(BEGIN.plus(YEARS));
    }

    @Test
    void shouldGoOnByItselfOnceTheClockIsRight() {
        CompletionStage<CheckedClock.Now> wrong = clock.now();
        answer(0, YEARS);
        Throwable why = failure(wrong);
        assertThat(failure(clock.now()))
                .as("the nodes are not asked by each caller")
                .isSameAs(why);
        assertThat(asked).hasSize(1);

        day = day.plus(YEARS);
        pass(Duration.ofSeconds(1));
        assertThat(agreed().latest()).isEqualTo(BEGIN.plus(YEARS).plusSeconds(1));
    }

    @Test
    void shouldAskAgainIfNoNodeAnswered() {
        CompletionStage<CheckedClock.Now> unanswered = clock.now();
        fail(0);
        failure(unanswered);
        assertThat(agreed().latest()).isEqualTo(BEGIN);
    }
}
