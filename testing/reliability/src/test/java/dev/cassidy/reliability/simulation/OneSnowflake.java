package dev.cassidy.reliability.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.async.Waiting;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.protocol.FreshClaims;
import dev.cassidy.sequence.protocol.Safety;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.protocol.LeasedSequencer;
import dev.cassidy.snowflake.protocol.SnowflakeContext;
import dev.cassidy.snowflake.store.NodeGrant;
import dev.cassidy.snowflake.store.NodeRow;
import dev.cassidy.snowflake.store.NodeStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** One time-ordered sequence in one simulated datacenter without faults, for tests that write their own schedule. */
final class OneSnowflake {

    /** How long a caller waits. */
    static final Duration TIMEOUT = Duration.ofSeconds(15);

    /** How far ahead of the clock limits are written. */
    static final long LEAD_MILLIS = 10_000;

    /** How many milliseconds a sequence lasts. */
    static final long LIFE_MILLIS = 1L << 40;

    private static final Instant EPOCH = Instant.parse("2025-01-01T00:00:00Z");
    private static final Duration MONTH = Duration.ofDays(30);
    private static final Duration RENEW_EVERY = Duration.ofSeconds(3);

    final SnowflakeSpec spec;
    final VirtualTime time = new VirtualTime();
    final SimulatedNodeStore.Global global = new SimulatedNodeStore.Global();
    final SimulatedNodeStore.Local here = new SimulatedNodeStore.Local("dc1");

    /** Violations of the store's rules by its callers. */
    final List<String> violations = new ArrayList<>();

    private final SplittableRandom random = new SplittableRandom(1);
    private long ofDay = MONTH.toMillis();
    private Waiting waiting = Waiting.ANYWHERE;
    private Safety safety = Safety.SOUND;

    OneSnowflake(int nodes) {
        this.spec = new SnowflakeSpec("numbered", EPOCH, nodes);
    }

    /** Processes from now on have the thread that must not wait. */
    void onDeliveringThread() {
        waiting = () -> {
            throw new IllegalStateException("delivers the answers");
        };
    }

    /** The nodes forget what they acknowledged within this time. */
    void forget(Duration standing, FreshClaims freshClaims) {
        safety = new Safety() {
            @Override
            public Duration standing() {
                return standing;
            }

            @Override
            public FreshClaims freshClaims() {
                return freshClaims;
            }

            @Override
            public Optional<SequenceException> refusal() {
                return Optional.empty();
            }
        };
    }

    /** Sets the time of day for all processes, in milliseconds since the sequence's epoch. */
    void setTimeOfDay(long millis) {
        ofDay = millis - Duration.ofNanos(time.nanoTime()).toMillis();
    }

    /** Returns the time of day, in milliseconds since the sequence's epoch. */
    long now() {
        return ofDay + Duration.ofNanos(time.nanoTime()).toMillis();
    }

    NodeStore store() {
        return new SimulatedNodeStore(
                global,
                here,
                time,
                random,
                new SimulatedNodeStore.Weather(SimulatedLink.Faults.NONE, 0, 0, false),
                time,
                () -> false,
                violations,
                null);
    }

    SnowflakeContext context() {
        return context(() -> new UUID(random.nextLong(), random.nextLong()));
    }

    private SnowflakeContext context(Supplier<UUID> tokens) {
        return new SnowflakeContext(
                TIMEOUT, time, () -> spec.epoch().plusMillis(now()), time::nanoTime, random, tokens, safety, waiting);
    }

    LeasedSequencer sequencer() {
        return sequencer(UnaryOperator.identity());
    }

    /** @param around wraps the store */
    LeasedSequencer sequencer(UnaryOperator<NodeStore> around) {
        return new LeasedSequencer(spec, around.apply(store()), context());
    }

    LeasedSequencer sequencer(UnaryOperator<NodeStore> around, Supplier<UUID> tokens) {
        return new LeasedSequencer(spec, around.apply(store()), context(tokens));
    }

    private void join() {
        if (here.share == null) {
            await(store().create(spec));
            await(store().join(spec, 0));
        }
    }

    /** Grants numbers to another process of this datacenter, which has not absorbed them yet. */
    NodeGrant promise(int lo, int hi) {
        join();
        NodeGrant grant = new NodeGrant(await(store().highestGrant(spec.name())) + 1, lo, hi);
        ClaimOutcome outcome = await(
                store().grant(await(store().ledger(spec.name())).orElseThrow(), grant, new UUID(0, grant.number())));
        assertThat(outcome).isInstanceOf(ClaimOutcome.Claimed.class);
        return grant;
    }

    /** Absorbs the grant as the other process. */
    void absorb(NodeGrant grant) {
        for (int number = grant.lo(); number < grant.hi(); number++) {
            await(store().prepare(spec.name(), number));
        }
        await(store().absorb(spec.name(), grant));
    }

    /** Grants numbers to another process, which absorbs them. The numbers have had no owner yet. */
    void grant(int lo, int hi) {
        absorb(promise(lo, hi));
    }

    /** Like {@link #grant}; then each number is taken by a process that does nothing more. */
    void grantToTheDead(int lo, int hi) {
        grant(lo, hi);
        for (int number = lo; number < hi; number++) {
            hold(number, now());
        }
    }

    /** Like {@link #grant}; then each number is taken by a process that renews it forever. */
    void grantToTheLiving(int lo, int hi) {
        grant(lo, hi);
        for (int number = lo; number < hi; number++) {
            renew(number, 0);
        }
    }

    /** Gives the number an owner that does nothing more. */
    void hold(int number, long tsHigh) {
        here.rows.put(number, new NodeRow(number, 1, tsHigh, new UUID(1, number), false));
    }

    /** Gives the number an owner that has already released it. */
    void release(int number, long tsHigh) {
        here.rows.put(number, new NodeRow(number, 1, tsHigh, new UUID(1, number), true));
    }

    /** Gives the number an owner that renews it forever, by a clock that is behind. */
    void renew(int number, long behindMillis) {
        hold(number, now() + LEAD_MILLIS - behindMillis);
        time.schedule(() -> renew(number, behindMillis), RENEW_EVERY);
    }

    NodeRow row(int number) {
        return Objects.requireNonNull(here.rows.get(number));
    }

    /** Returns the grants that this datacenter has absorbed. */
    List<NodeGrant> grants() {
        return Objects.requireNonNull(here.share).grants();
    }

    /** Returns the first number that no datacenter has been granted. */
    int ungranted() {
        return Objects.requireNonNull(global.ledger).next();
    }

    /** Returns a stage that ends after this time. */
    CompletionStage<Void> after(Duration duration) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        time.schedule(() -> over.complete(null), duration);
        return over;
    }

    /** Lets time pass until the stage has ended, successfully or not. */
    <T> CompletableFuture<T> end(CompletionStage<T> stage) {
        while (!stage.toCompletableFuture().isDone() && time.step()) {}
        assertThat(stage.toCompletableFuture()).as("nothing happens any more").isDone();
        return stage.toCompletableFuture();
    }

    <T> T await(CompletionStage<T> stage) {
        return end(stage).join();
    }

    /** Returns how long it takes until the stage has ended, successfully or not. */
    Duration duration(CompletionStage<?> stage) {
        long begin = time.nanoTime();
        end(stage);
        return Duration.ofNanos(time.nanoTime() - begin);
    }
}
