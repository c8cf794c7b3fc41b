package dev.cassidy.reliability.simulation;

import dev.cassidy.async.Stages;
import dev.cassidy.reliability.checker.IssueHistory;
import dev.cassidy.reliability.simulation.SimulatedCluster.Held;
import dev.cassidy.sequence.IdCursor;
import dev.cassidy.sequence.IdRange;
import dev.cassidy.sequence.Order;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.protocol.BlockAllocator;
import dev.cassidy.sequence.protocol.ThreadOrderAllocator;
import dev.cassidy.sequence.protocol.Watcher;
import dev.cassidy.sequence.store.ChangeLog;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.sequence.store.Stripe;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A simulated application: it draws ids from the allocator of one process, in every way that there is. */
final class SimulatedClient implements Watcher.Listener {

    /** Longer than the minute over which {@link BlockAllocator#giveBackIdle} measures how many ids are used. */
    static final Duration IDLE = Duration.ofSeconds(61);

    /** The most ids that an idle process may hold; also the longest part of a block that a cursor may leave unused. */
    private static final long KEPT = 64;

    /** A client looks at everything after so many looks at the announced changes: an announcement may be missing. */
    private static final int LOOKS_BEFORE_EVERYTHING = 32;

    final SimulatedProcess process;
    final BlockAllocator allocator;
    final Stripe stripe;
    private final World world;
    private final SplittableRandom random;
    private final Scenario scenario;
    private final Schedule schedule;
    private final String name;
    private final @Nullable ThreadOrderAllocator threads;
    private final boolean oneShot;
    private final boolean usesCursors;
    private final Watcher watcher;

    /** Some clients notice changes late. */
    private final Duration watchInterval;

    private @Nullable IdCursor cursor;
    private int cursors;
    private int waiting;
    private int looks;

    /** Whether the sequence was created again, so that this allocator cannot continue. */
    private boolean outdated;

    private int drawnInVain;
    private boolean resting;
    private boolean paused;
    private boolean served;
    private @Nullable Throwable failure;

    /**
     * What all clients of a schedule share.
     *
     * @param violations where to add what is wrong
     */
    record World(
            SplittableRandom random,
            VirtualTime time,
            Scenario scenario,
            SimulatedCluster cluster,
            IssueHistory history,
            Promises promises,
            List<String> violations,
            Schedule schedule) {}

    /** What a client needs from the schedule that it belongs to. */
    interface Schedule {

        /** Returns whether the faults have ended. */
        boolean isOver();

        /** Starts another process. */
        void start();

        /** Opens the sequence in a process whose allocator is outdated; a new client draws from it. */
        void open(SimulatedProcess process);

        /** Removes a client that closes or is outdated. */
        void remove(SimulatedClient client);

        /** Adds to the number of cursors and threads that may each have left a gap. */
        void addGaps(int cursors);
    }

    /** The order in which this draws from {@code random} decides what a seed means. */
    SimulatedClient(World world, SimulatedProcess process, SequenceEntry entry) {
        SequenceSpec spec = entry.spec();
        this.world = world;
        this.random = world.random();
        this.scenario = world.scenario();
        this.schedule = world.schedule();
        this.process = process;
        this.name = process.name;
        this.oneShot = random.nextInt(5) == 0 && scenario.population() > 1;
        this.usesCursors = random.nextInt(scenario.raises() ? 2 : 4) == 0;
        this.watchInterval = scenario.watchInterval().multipliedBy(random.nextInt(4) == 0 ? 20 : 1);
        this.stripe = new Stripe(spec.name(), random.nextInt(spec.stripes()));
        Duration skew = Duration.ofMinutes(random.nextInt(-30, 31));
        this.watcher = new Watcher(process.changes, this, () -> Instant.EPOCH
                .plusNanos(world.time().nanoTime())
                .plus(skew));
        this.allocator = new BlockAllocator(spec, stripe.number(), entry.incarnation(), process.store, process.context);
        this.threads = spec.order() == Order.THREAD ? new ThreadOrderAllocator(allocator) : null;
        if (threads != null) {
            schedule.addGaps(1);
        }
    }

    private void later(Runnable task, Duration delay) {
        process.context.timer().schedule(task, delay);
    }

    /** Begins to watch, as {@code Sequences} does: it reads the marks first, and looks at what is open after that. */
    void beginWatching() {
        watcher.begin();
        later(this::look, watchInterval);
        later(this::watch, watchInterval);
    }

    /** Does what {@code Sequences} does every watch interval. */
    void watch() {
        if (schedule.isOver() || paused || outdated || allocator.isClosed()) {
            return;
        }
        allocator.giveBackIdle();
        allocator.removeLeftovers();
        watcher.look();
        if (++looks % LOOKS_BEFORE_EVERYTHING == 0) {
            changedSomewhere();
        }
        later(this::watch, watchInterval);
    }

    @Override
    public void changed(ChangeLog.Change change) {
        look();
    }

    @Override
    public void changedSomewhere() {
        look();
        process.acknowledgements.lookAtAll(scenario.watchInterval());
    }

    void look() {
        if (paused) {
            return;
        }
        allocator.sequenceChanged();
        allocator.giveBackIdle();
        allocator.removeLeftovers();
        process.catalog.outlook(allocator.spec().name()).whenComplete((seen, thrown) -> {
            if (thrown != null) {
                later(this::look, watchInterval);
                return;
            }
            seen.map(outlook -> outlook.everywhere().incarnation())
                    .filter(newest -> newest > allocator.incarnation())
                    .ifPresent(this::notice);
            process.acknowledgements.noticed(allocator.spec().name(), scenario.watchInterval());
        });
    }

    private void notice(int incarnation) {
        schedule.addGaps(2);
        if (!allocator.reseeded(incarnation) && !outdated && !allocator.isClosed()) {
            outdated = true;
            schedule.remove(this);
            schedule.open(process);
        }
    }

    void close() {
        if (cursor != null && random.nextBoolean()) {
            cursor.close();
        }
        schedule.addGaps(2);
        allocator.closeAsync().whenComplete((done, thrown) -> {
            if (thrown != null) {
                world.violations().add(name + " could not be closed: " + thrown);
            }
        });
        // A caller that does not know of the close continues to draw.
        act();
    }

    void act() {
        if (schedule.isOver() || resting || paused || drawnInVain > 3) {
            return;
        }
        if (outdated || allocator.isClosed()) {
            drawnInVain++;
        }
        int pause = scenario.slow() ? 120_000 : scenario.silences() ? 1_000 : 40;
        if (process.datacenter.silent) {
            pause = 3_000;
            drawSomehow();
        } else if (waiting > 0) {
            pause = 300;
        } else if (oneShot) {
            draw(1);
        } else {
            drawSomehow();
        }
        later(this::act, Duration.ofMillis(random.nextInt(pause)));
    }

    private void drawSomehow() {
        switch (random.nextInt(usesCursors ? 6 : 3)) {
            case 0 -> draw(1);
            case 1 -> draw(random.nextInt(1, 8));
            case 2 -> {
                if (threads != null) {
                    drawBlocking(name + "/thread", threads::nextLong);
                } else {
                    drawBlocking(name, allocator::nextLong);
                }
                draw(1L << random.nextInt(1, 21));
            }
            default -> {
                if (cursor == null || random.nextInt(10) == 0) {
                    if (cursor != null) {
                        cursor.close();
                    }
                    schedule.addGaps(1);
                    cursors++;
                    cursor = allocator.cursor();
                }
                drawBlocking(name + "/cursor" + cursors, cursor::nextLong);
            }
        }
    }

    private void draw(long most) {
        waiting++;
        allocator.nextRangeAsync(most).whenComplete((range, thrown) -> {
            waiting--;
            issued(range);
            if (range != null && oneShot && !allocator.isClosed()) {
                schedule.remove(this);
                close();
                if (!schedule.isOver()) {
                    schedule.start();
                }
            }
        });
    }

    private void issued(@Nullable IdRange range) {
        if (range != null) {
            if (!process.isAlive()) {
                throw new IllegalStateException("a killed process draws nothing");
            }
            world.promises().issued(name, range.first(), range.increment(), range.count());
        }
    }

    /** Idles until it has returned what it holds, and continues immediately after that. */
    void rest() {
        if (!resting) {
            resting = true;
            later(allocator::giveBackIdle, IDLE);
            later(
                    () -> {
                        allocator.giveBackIdle();
                        resting = false;
                        later(this::act, Duration.ofMillis(random.nextInt(100)));
                    },
                    IDLE.multipliedBy(2));
        }
    }

    /** Pauses without noticing it: afterwards it draws before it looks for anything new. */
    void pause() {
        if (!paused) {
            paused = true;
            later(
                    () -> {
                        if (!schedule.isOver()) {
                            resume();
                        }
                    },
                    Duration.ofMillis(random.nextInt(scenario.slow() ? 600_000 : 6_000)));
        }
    }

    boolean isPaused() {
        return paused;
    }

    void resume() {
        paused = false;
        draw(1);
        act();
        watch();
    }

    /** Calls a blocking method up to where it would block: a real wait would stop the simulated time. */
    private void drawBlocking(String line, LongSupplier next) {
        int burst = random.nextInt(1, random.nextBoolean() ? 5 : 300);
        try {
            for (int i = 0; i < burst; i++) {
                Thread.currentThread().interrupt();
                world.promises().issued(line, next.getAsLong());
            }
        } catch (SequenceException | IllegalStateException wouldBlockOrIsClosed) {
            // It draws again later.
        } finally {
            Thread.interrupted();
        }
    }

    void probe() {
        allocator.nextRangeAsync(1).whenComplete((range, thrown) -> {
            served = range != null;
            failure = thrown == null ? null : Stages.cause(thrown);
            issued(range);
        });
    }

    /** Once nothing fails any more, every client gets an id within the claim time-out, unless a refusal is right. */
    void requireProbed() {
        boolean mayFail = (failure instanceof SequenceException.Exhausted && isUsedUp())
                || (failure instanceof SequenceException.Dropped && isDroppedAtItsEnd())
                || (failure instanceof SequenceException.Conflict && scenario.isSetBack());
        if (!served && !mayFail) {
            world.violations().add(name + " gets no id although nothing fails any more: " + failure);
        }
    }

    private boolean isUsedUp() {
        return Objects.requireNonNull(world.cluster().entry()).next()
                == world.cluster().max();
    }

    /** Whether it was dropped with so little left that nobody creates it again. */
    private boolean isDroppedAtItsEnd() {
        SequenceEntry entry = Objects.requireNonNull(world.cluster().entry());
        return entry.dropped() && !AllocatorSimulation.hasRoom(entry);
    }

    /** Requires that an idle process holds few ids, once it has looked. */
    void requireFrugal() {
        long held = 0;
        for (Held row : process.datacenter.row(stripe).claims.values()) {
            if (row.holder().equals(process.store.holder())) {
                Span span = row.claim().span();
                held += span.size() - world.history().issuedWithin(span.lo(), span.hi());
            }
        }
        SequenceSpec spec = allocator.spec();
        if (!usesCursors && threads == null && held > KEPT && spec.block().smallest() <= KEPT / 2) {
            world.violations().add(name + " is idle and holds " + held + " ids");
        }
    }
}
