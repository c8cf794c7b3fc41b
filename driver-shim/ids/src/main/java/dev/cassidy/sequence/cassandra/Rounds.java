package dev.cassidy.sequence.cassandra;

import dev.cassidy.async.Timer;
import dev.cassidy.cluster.ClusterState;
import dev.cassidy.sequence.protocol.Acknowledgements;
import dev.cassidy.sequence.protocol.BlockAllocator;
import dev.cassidy.sequence.protocol.Watcher;
import dev.cassidy.sequence.store.ChangeLog;
import dev.cassidy.sequence.store.SequenceCatalog;
import dev.cassidy.sequence.store.SequenceGlimpse;
import dev.cassidy.table.Contracts;
import dev.cassidy.toggle.Assistance;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one instance does without a caller: once in a watch interval it looks whether anything was changed, two reads in
 * all, however many sequences are open. Now and then it looks at everything, in case an announcement was lost. Each
 * instance has its own times, since thousands may have been started at once.
 */
final class Rounds implements Watcher.Listener {

    private static final Logger LOG = LoggerFactory.getLogger(Rounds.class);

    private static final Duration EVERYTHING = Duration.ofHours(6);
    private static final Duration EVERYTHING_FIRST = Duration.ofMinutes(10);

    /** Within this time, one of many processes acknowledges for the datacenter, or copies to it. */
    private static final Duration SPREAD = Duration.ofMinutes(1);

    /** The sequences that the instance has open. */
    interface Opened {

        Collection<BlockAllocator> allocators();

        /** Also of allocators that were closed: the store may not have answered them then. */
        void removeLeftovers();

        /** The sequence may have changed: nothing that is remembered of it can be relied on. */
        void changed(String name);

        void reseeded(String name, int incarnation);

        /** What this datacenter has of a sequence. */
        void seen(SequenceGlimpse copy);
    }

    private final Duration watchInterval;
    private final Timer timer;
    private final RandomGenerator random;
    private final LongSupplier nanoTime;
    private final ClusterState state;
    private final SequenceCatalog catalog;
    private final Acknowledgements acknowledgements;
    private final Contracts contracts;
    private final Assistance assistance;
    private final Opened opened;
    private final Watcher watcher;

    /** Sequences that were looked at once since they were opened. */
    private final Set<BlockAllocator> greeted = ConcurrentHashMap.newKeySet();

    private final Set<String> again = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean copying = new AtomicBoolean();

    private volatile long everythingAt;

    Rounds(
            Duration watchInterval,
            Timer timer,
            RandomGenerator random,
            LongSupplier nanoTime,
            InstantSource clock,
            ClusterState state,
            ChangeLog changes,
            SequenceCatalog catalog,
            Acknowledgements acknowledgements,
            Contracts contracts,
            Assistance assistance,
            Opened opened) {
        this.watchInterval = watchInterval;
        this.timer = timer;
        this.random = random;
        this.nanoTime = nanoTime;
        this.state = state;
        this.catalog = catalog;
        this.acknowledgements = acknowledgements;
        this.contracts = contracts;
        this.assistance = assistance;
        this.opened = opened;
        this.watcher = new Watcher(changes, this, clock);
    }

    /** The stage ends when every change from now on will be noticed. It never fails. */
    CompletionStage<Void> begin() {
        everythingAt = nanoTime.getAsLong() + within(EVERYTHING_FIRST);
        timer.schedule(this::round, interval());
        contracts.completed().thenRun(this::copySoon);
        return watcher.begin();
    }

    /**
     * For a process that stood still for an unknown time. The stage ends when the changes meanwhile are noticed. It
     * never fails.
     */
    CompletionStage<Void> lookAgain() {
        everythingAt = nanoTime.getAsLong();
        return watcher.look();
    }

    private long within(Duration most) {
        return random.nextLong(Math.max(1, most.toNanos()));
    }

    /** At most as long as configured, and never at the same time as others. */
    private Duration interval() {
        long nanos = watchInterval.toNanos();
        return Duration.ofNanos(nanos - random.nextLong(Math.max(1, nanos / 4)));
    }

    private void round() {
        try {
            state.look();
            opened.removeLeftovers();
            opened.allocators().forEach(BlockAllocator::giveBackIdle);
            watcher.look();
            greet();
            if (nanoTime.getAsLong() - everythingAt >= 0) {
                everythingAt = nanoTime.getAsLong() + EVERYTHING.toNanos() * 3 / 4 + within(EVERYTHING.dividedBy(2));
                lookAtEverything(SPREAD);
            }
            contracts.loadAgain();
            assistance.loadAgain();
        } finally {
            timer.schedule(this::round, interval());
        }
    }

    /** What was opened since the last round may have been raised before, without this datacenter's knowledge. */
    private void greet() {
        Set<BlockAllocator> now = new HashSet<>(opened.allocators());
        greeted.retainAll(now);
        now.stream()
                .filter(greeted::add)
                .forEach(allocator -> look(allocator.spec().name()));
    }

    private void lookAtEverything(Duration within) {
        opened.allocators().forEach(allocator -> look(allocator.spec().name()));
        acknowledgements.lookAtAll(within).whenComplete((done, failure) -> {
            if (failure != null) {
                LOG.debug("raises of other datacenters could not be looked for now", failure);
            }
        });
        timer.schedule(contracts::loadAndCopy, Duration.ofNanos(within(within)));
        timer.schedule(assistance::loadAnew, Duration.ofNanos(within(within)));
    }

    @Override
    public void changed(ChangeLog.Change change) {
        switch (change.kind()) {
            case SEQUENCE -> look(change.name());
            case TABLE -> {
                contracts.changed(change.name()).whenComplete((done, failure) -> {
                    if (failure != null) {
                        LOG.debug("the contract of {} could not be read now", change.name(), failure);
                        again("table " + change.name(), () -> changed(change));
                    }
                });
                copySoon();
            }
            case ASSISTANCE -> assistance.loadAnew();
        }
    }

    @Override
    public void changedSomewhere() {
        // At once: a change of a table's mode waits for three intervals, and no longer.
        CompletionStage<Void> unused = contracts.loadAnew().thenCombine(assistance.loadAnew(), (one, other) -> null);
        lookAtEverything(SPREAD);
    }

    /** One copy for all registrations of about the same time. */
    private void copySoon() {
        if (copying.compareAndSet(false, true)) {
            timer.schedule(
                    () -> {
                        copying.set(false);
                        CompletionStage<Void> unused = contracts.copyFromGlobal();
                    },
                    Duration.ofNanos(within(SPREAD)));
        }
    }

    /** After a look without an answer; once for each thing, however often it is looked at meanwhile. */
    private void again(String what, Runnable look) {
        if (again.add(what)) {
            timer.schedule(
                    () -> {
                        again.remove(what);
                        look.run();
                    },
                    interval());
        }
    }

    /** Looks whether a sequence was raised or dropped; if so, its old ids are dropped here, and it is acknowledged. */
    private void look(String name) {
        opened.changed(name);
        boolean open = opened.allocators().stream()
                .anyMatch(allocator ->
                        !allocator.isClosed() && allocator.spec().name().equals(name));
        if (!open) {
            acknowledgements.noticed(name, SPREAD);
            return;
        }
        catalog.outlook(name).whenComplete((seen, failure) -> {
            if (failure != null) {
                LOG.debug("sequence {}: whether it was reseeded is not known now", name, failure);
                again("sequence " + name, () -> look(name));
                return;
            }
            seen.ifPresent(outlook -> {
                opened.reseeded(name, outlook.everywhere().incarnation());
                outlook.here().ifPresent(opened::seen);
            });
            // Also if this process gave up its ids long ago: another process of the datacenter may have delayed it.
            acknowledgements.noticed(name, watchInterval);
        });
    }
}
