package dev.cassidy.transaction.cassandra;

import dev.cassidy.async.Timer;
import dev.cassidy.transaction.CommitResult;
import dev.cassidy.transaction.CommitResult.Committed;
import dev.cassidy.transaction.LockResolver;
import dev.cassidy.transaction.TransactionRecord;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends transactions whose process has stopped and whose locks nobody meets: about once a minute it looks at some of the records, at random
 * places, so that all processes share the work. Nothing but space depends on it: whoever meets a lock ends its transaction. Safe for use
 * by many threads; nothing blocks.
 */
final class Sweeper {

    private static final Logger LOG = LoggerFactory.getLogger(Sweeper.class);

    private static final int SLICES_OF_SWEEP = 16;
    private static final long SHORTEST_PAUSE_MILLIS = 45_000;
    private static final long LONGEST_PAUSE_MILLIS = 75_000;

    /** Its own process writes the rows within this time, as a rule. */
    private static final Duration COMMITTED_FOR = Duration.ofMinutes(1);

    /** Before that, and the time that its rows take, its own process may well be alive. */
    private static final Duration PENDING_FOR = Duration.ofMinutes(10);

    private static final int TRIES = 10;
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    private final CassandraRecordStore records;
    private final LockResolver resolver;
    private final Timer timer;
    private final RandomGenerator random;
    private final InstantSource clock;
    private final BooleanSupplier isOver;
    private final Set<String> homes = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean begun = new AtomicBoolean();

    /** @param isOver whether nothing can be sent any more */
    Sweeper(
            CassandraRecordStore records,
            LockResolver resolver,
            Timer timer,
            RandomGenerator random,
            InstantSource clock,
            BooleanSupplier isOver) {
        this.records = records;
        this.resolver = resolver;
        this.timer = timer;
        this.random = random;
        this.clock = clock;
        this.isOver = isOver;
    }

    /** Sweeps the records of this datacenter from now on; empty for those of all. */
    void begin(String home) {
        homes.add(home);
        if (begun.compareAndSet(false, true)) {
            sweepLater();
        }
    }

    private void sweepLater() {
        timer.schedule(this::sweep, Duration.ofMillis(random.nextLong(SHORTEST_PAUSE_MILLIS, LONGEST_PAUSE_MILLIS)));
    }

    private void sweep() {
        if (isOver.getAsBoolean()) {
            return;
        }
        CompletionStage<?> all = CompletableFuture.completedFuture(null);
        for (String home : homes) {
            List<Integer> slices = random.ints(0, CassandraRecordStore.SLICES)
                    .distinct()
                    .limit(SLICES_OF_SWEEP)
                    .boxed()
                    .toList();
            all = all.thenCompose(done -> sweep(home, slices));
        }
        var unused = all.whenComplete((done, failure) -> sweepLater());
    }

    /**
     * Ends what is old enough in some slices, one after the other.
     *
     * @return a stage that does not fail: what cannot be ended now is left to a later sweep
     */
    CompletionStage<?> sweep(String home, List<Integer> slices) {
        CompletionStage<?> all = CompletableFuture.completedFuture(null);
        for (int slice : slices) {
            all = all.thenCompose(done -> records.slice(home, slice))
                    .thenCompose(found -> endAll(home, found))
                    .handle((done, failure) -> logged(failure, "slice " + slice));
        }
        return all;
    }

    private CompletionStage<?> endAll(String home, List<TransactionSummary> found) {
        CompletionStage<?> all = CompletableFuture.completedFuture(null);
        for (TransactionSummary each : found) {
            if (isOld(each)) {
                all = all.thenCompose(done -> end(home, each))
                        .handle((done, failure) -> logged(failure, "transaction " + each.id()));
            }
        }
        return all;
    }

    private static @Nullable Object logged(@Nullable Throwable failure, String what) {
        if (failure != null) {
            LOG.debug("{} is left to a later sweep", what, failure);
        }
        return null;
    }

    /**
     * By both clocks: that of its process, and those of the nodes, either of which may be wrong. Of a pending one, only its process has looked
     * at a clock: one that is behind may see its transaction aborted.
     */
    private boolean isOld(TransactionSummary transaction) {
        Instant created = Optional.ofNullable(transaction.created()).orElse(Instant.EPOCH);
        Instant changed = transaction.changed();
        Duration age = Duration.between(created.isAfter(changed) ? created : changed, clock.instant());
        return age.compareTo(
                        switch (transaction.state()) {
                            case COMMITTED -> COMMITTED_FOR;
                            case PENDING -> PENDING_FOR.plus(LockResolver.patience(transaction.rows()));
                            case ABORTED -> TransactionRecord.KEPT;
                        })
                > 0;
    }

    private CompletionStage<?> end(String home, TransactionSummary transaction) {
        LOG.info(
                "Ends transaction {} of {}, which is {} since {}",
                transaction.id(),
                transaction.holder(),
                transaction.state(),
                transaction.changed());
        return transaction.state() == TransactionRecord.State.ABORTED
                ? resolver.forget(home, transaction.id())
                : resolver.resolve(home, transaction.id());
    }

    /** Writes the rows of a transaction of this process that could not all be written, some time later, and a few times. */
    void completeLater(String home, CommitResult result) {
        if (result instanceof Committed committed && !committed.complete() && committed.id() != null) {
            completeLater(home, committed.id(), FIRST_PAUSE, TRIES);
        }
    }

    private void completeLater(String home, UUID id, Duration pause, int tries) {
        if (tries > 0 && !isOver.getAsBoolean()) {
            timer.schedule(
                    () -> {
                        var unused = resolver.resolve(home, id).whenComplete((done, failure) -> {
                            if (failure != null) {
                                Duration longer = pause.multipliedBy(2);
                                completeLater(
                                        home,
                                        id,
                                        longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE,
                                        tries - 1);
                            }
                        });
                    },
                    pause);
        }
    }
}
