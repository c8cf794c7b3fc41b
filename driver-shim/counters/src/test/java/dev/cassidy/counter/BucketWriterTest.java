package dev.cassidy.counter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.async.Stages;
import dev.cassidy.counter.cassandra.BucketedTable;
import dev.cassidy.counter.protocol.CheckedClock;
import dev.cassidy.counter.store.NodeClocks.NodeTime;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BucketWriterTest {

    private static final Instant BEGIN = Instant.parse("2026-11-29T10:00:00Z");

    /** The clock of this process, and that of the node. */
    private Instant day = BEGIN;

    private Duration nodeIsLater = Duration.ZERO;
    private boolean nodeAnswers = true;
    private final List<Instant> times = new ArrayList<>();
    private final CompletableFuture<Void> written = new CompletableFuture<>();

    private final BucketedTable table = (BucketedTable) Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {BucketedTable.class}, (proxy, method, arguments) -> {
                assertThat(method.getName()).isEqualTo("write");
                times.add((Instant) arguments[1]);
                return written;
            });

    private final CheckedClock clock = new CheckedClock(
            () -> day,
            () -> 0,
            () -> List.of(
                    nodeAnswers
                            ? CompletableFuture.completedFuture(new NodeTime("node", day.plus(nodeIsLater)))
                            : CompletableFuture.failedFuture(new IllegalStateException("cut off"))));

    private final IncrementGroup group = new IncrementGroup(CounterKind.BUCKETED, "IBM");
    private final CompletionStage<Void> told = group.add(5, Long.MAX_VALUE);

    private CompletionStage<Void> write() {
        KindContext context = new KindContext(
                null,
                CountersConfig.of("shop.visits"),
                "",
                null,
                null,
                null,
                (task, delay) -> {},
                () -> 0,
                null,
                clock,
                new Random(1));
        return new BucketWriter(table, new Collector(table, clock, UUID::randomUUID), "IBM", "P1", () -> 1, context)
                .write(group);
    }

    /** The machine stands still, and the monotonic clock with it, before the answer arrives. */
    @ParameterizedTest
    @CsvSource({"PT0S, true", "PT30S, true", "PT30.001S, false", "PT10M, false"})
    void shouldNotAcknowledgeWhatMayHaveArrivedAfterItsTimeWasCollected(Duration stoodStill, boolean counts) {
        write();
        day = day.plus(stoodStill);
        written.complete(null);

        assertThat(told.toCompletableFuture().isCompletedExceptionally()).isNotEqualTo(counts);
        if (!counts) {
            told.whenComplete((done, failure) ->
                    assertThat(Stages.cause(failure)).isInstanceOf(CounterException.OutcomeUnknown.class));
        }
    }

    /** The clock of day departs from the monotonic one, so the node is asked again: it is down, or says something else. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldNotAcknowledgeWhatWasWrittenAtATimeThatIsNotKnown(boolean answers) {
        write();
        day = day.plusSeconds(5);
        nodeAnswers = answers;
        nodeIsLater = Duration.ofDays(-730);
        written.complete(null);

        assertThat(told.toCompletableFuture())
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(CounterException.OutcomeUnknown.class)
                .withMessageContaining("it is not known when");
    }

    /** If one of both clocks is slow, the other one keeps the increment from what is being collected. */
    @ParameterizedTest
    @CsvSource({"PT0S, PT0S", "PT9S, PT9S", "-PT9S, PT0S"})
    void shouldGiveAnIncrementTheLaterTime(Duration node, Duration expected) {
        nodeIsLater = node;
        write();
        assertThat(times).containsExactly(BEGIN.plus(expected));
    }

    @Test
    void shouldWriteNothingWithAWrongClock() {
        nodeIsLater = Duration.ofDays(-730);
        assertThat(write().toCompletableFuture()).isCompletedExceptionally();
        assertThat(times).isEmpty();
        group.giveUp("the lane does", null);
        told.whenComplete(
                (done, failure) -> assertThat(Stages.cause(failure)).isInstanceOf(CounterException.NotSent.class));
    }
}
