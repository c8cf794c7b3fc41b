package dev.cassidy.reliability.simulation;

import dev.cassidy.async.Waiting;
import dev.cassidy.reliability.checker.IssueHistory;
import dev.cassidy.reliability.simulation.SimulatedNodeStore.Bug;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.protocol.Safety;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.SnowflakeState;
import dev.cassidy.snowflake.protocol.LeasedSequencer;
import dev.cassidy.snowflake.protocol.SnowflakeContext;
import dev.cassidy.snowflake.store.NodeGrant;
import dev.cassidy.snowflake.store.NodeLedger;
import dev.cassidy.snowflake.store.NodeRow;
import dev.cassidy.snowflake.store.NodeShare;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One schedule of time-ordered ids. Processes of several datacenters draw from the real sequencer. Meanwhile their
 * clocks jump in both directions; processes are paused, suspended, cut off and crash; steps fail, have unknown
 * outcomes, land late or twice; datacenters are cut off or lose their tables; sequencers are detached and attached; and
 * the sequence is destroyed. There are fewer node numbers than processes need, so numbers change hands all the time.
 *
 * <p>No id may be issued twice, and none by a process that was told, or could long have learned, that the sequence was
 * destroyed. When the faults end, no process may wait for a number while one is idle or ungranted, and a destroyed
 * sequence issues nothing. In every case, each granted number is in its datacenter's copy, was skipped because its
 * grantee did not come for it, or was lost with the tables; and no process takes any of this for a restored backup. The
 * seed decides everything.
 */
public final class SnowflakeSimulation {

    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long STORM_MILLIS = 120_000;

    /** Longer than a number must stand still plus the longest attempt to get one, after the last late statement. */
    private static final long CALM_MILLIS = 90_000;

    /** The longest time for which a process that can learn of it does not know that the sequence was destroyed. */
    private static final long UNNOTICED_NANOS = 15_000 * NANOS_PER_MILLI;

    private static final Instant EPOCH = Instant.parse("2025-01-01T00:00:00Z");
    private static final long BEGIN_MILLIS =
            EPOCH.toEpochMilli() + Duration.ofDays(30).toMillis();
    private static final SnowflakeSpec SPEC = new SnowflakeSpec("simulated", EPOCH, 128);

    private final SplittableRandom random;
    private final VirtualTime time = new VirtualTime();
    private final SimulatedNodeStore.Global global = new SimulatedNodeStore.Global();
    private final List<SimulatedNodeStore.Local> datacenters = new ArrayList<>();
    private final List<Client> clients = new ArrayList<>();
    private final SimulatedNodeStore.Weather weather;
    private final @Nullable Bug bug;
    private final IssueHistory history = new IssueHistory(0, 1, Long.MAX_VALUE);
    private final List<String> violations = new ArrayList<>();
    private final long tickMillis;
    private final long widestSkew;
    private final boolean losesTables;
    private final boolean calmsDown;
    private int attached;
    private int started;
    private int crashes;

    /**
     * The outcome of a schedule.
     *
     * @param violations what is wrong; empty if nothing is
     * @param ids how many different ids were issued
     * @param faults how many faults were injected
     * @param attached how often a sequencer got a node number
     * @param losses how often tables were lost
     * @param destroyed whether the sequence was destroyed: 0 or 1
     */
    public record Result(List<String> violations, long ids, long faults, int attached, int losses, int destroyed) {}

    /** Of the real protocol. */
    public SnowflakeSimulation(long seed) {
        this(seed, null);
    }

    /** @param bug a planted bug, to see it found; null for the real protocol */
    SnowflakeSimulation(long seed, @Nullable Bug bug) {
        this.random = new SplittableRandom(seed);
        this.bug = bug;
        this.losesTables = random.nextInt(5) < 2;
        this.weather = new SimulatedNodeStore.Weather(
                new SimulatedLink.Faults(
                        random.nextDouble(0, 0.03),
                        random.nextInt(3) == 0 ? random.nextDouble(0.3, 0.6) : random.nextDouble(0, 0.2),
                        random.nextDouble(0, 1),
                        0),
                new double[] {0, 0.1, 0.4}[random.nextInt(3)],
                random.nextDouble(0, 0.1),
                losesTables);
        // Coarse clocks, as some machines have, make processes meet in one millisecond.
        this.tickMillis = new long[] {1, 500, 500, 500}[random.nextInt(4)];
        this.widestSkew = new long[] {500, 4_000, 12_000, 12_000, 20_000, 3_600_000}[random.nextInt(6)];
        this.calmsDown = random.nextInt(4) == 0;
        int count = random.nextInt(4) == 0 ? 2 : 1;
        for (int i = 0; i < count; i++) {
            datacenters.add(new SimulatedNodeStore.Local("dc" + i));
        }
        // As if all but a few had been granted to other datacenters.
        int left = losesTables ? random.nextInt(2, 40) : count == 2 ? random.nextInt(2, 13) : random.nextInt(1, 4);
        global.ledger = new NodeLedger(SPEC, false, SPEC.nodes() - left);
    }

    public Result run() {
        int population = random.nextInt(3, 6);
        for (int i = 0; i < population; i++) {
            start();
        }
        happen();
        if (losesTables) {
            time.schedule(this::loseTables, millis(random.nextLong(100, 20_000)));
        }
        if (random.nextInt(6) == 0) {
            time.schedule(this::destroy, millis(random.nextLong(STORM_MILLIS)));
        }
        runUntil(STORM_MILLIS);
        if (calmsDown) {
            clearUp();
            runUntil(STORM_MILLIS + CALM_MILLIS);
            judge();
        }
        datacenters.forEach(datacenter -> datacenter
                .forgotten(global)
                .forEach(grant -> violations.add(datacenter.datacenter + " has forgotten " + grant)));
        violations.addAll(0, history.violations());
        return new Result(
                violations,
                history.distinct(),
                weather.fired() + crashes,
                attached,
                datacenters.stream().mapToInt(SimulatedNodeStore.Local::losses).sum(),
                isDestroyed() ? 1 : 0);
    }

    private void runUntil(long endMillis) {
        while (time.nanoTime() < endMillis * NANOS_PER_MILLI && time.step()) {
            // Events make further events.
        }
    }

    private static Duration millis(long millis) {
        return Duration.ofNanos(millis * NANOS_PER_MILLI);
    }

    private boolean isStormy() {
        return time.nanoTime() < STORM_MILLIS * NANOS_PER_MILLI;
    }

    private boolean isDestroyed() {
        return global.ledger != null && global.ledger.destroyed();
    }

    private void start() {
        Client client = new Client(started++, datacenters.get(random.nextInt(datacenters.size())));
        clients.add(client);
        client.attach();
        client.draw();
    }

    /** Causes one random event in the cluster. */
    private void happen() {
        if (!isStormy()) {
            return;
        }
        Client victim = clients.get(random.nextInt(clients.size()));
        switch (random.nextInt(11)) {
            case 0 -> {
                victim.alive = false;
                replace(victim);
            }
            case 1 -> {
                victim.sequencer.close();
                replace(victim);
            }
            case 2, 3 -> victim.pause(random.nextLong(25_000, 50_000) * NANOS_PER_MILLI);
            case 4 -> victim.suspend(random.nextLong(60_000) * NANOS_PER_MILLI);
            case 5, 6 -> victim.skewMillis = skew();
            case 7 -> victim.cutOffUntil = time.nanoTime() + random.nextLong(90_000) * NANOS_PER_MILLI;
            case 8, 9 -> victim.detach();
            default -> {
                SimulatedNodeStore.Local datacenter = anywhere();
                datacenter.cutOff = !datacenter.cutOff;
            }
        }
        time.schedule(this::happen, millis(random.nextLong(100, 10_000)));
    }

    private SimulatedNodeStore.Local anywhere() {
        return datacenters.get(random.nextInt(datacenters.size()));
    }

    private void replace(Client victim) {
        clients.remove(victim);
        crashes++;
        start();
    }

    private long skew() {
        return random.nextLong(-widestSkew, widestSkew + 1) / tickMillis * tickMillis;
    }

    /** A truncation of both tables, one after the other, or of one. */
    private void loseTables() {
        if (!isStormy()) {
            return;
        }
        SimulatedNodeStore.Local datacenter = anywhere();
        long apart = random.nextInt(2) == 0 ? 0 : random.nextLong(5_000);
        switch (random.nextInt(6)) {
            case 0 -> datacenter.lose(true, false, time, random);
            case 1 -> datacenter.lose(false, true, time, random);
            case 2 -> {
                datacenter.lose(false, true, time, random);
                time.schedule(() -> datacenter.lose(true, false, time, random), millis(apart));
            }
            default -> {
                datacenter.lose(true, false, time, random);
                time.schedule(() -> datacenter.lose(false, true, time, random), millis(apart));
            }
        }
        time.schedule(this::loseTables, millis(random.nextLong(3_000, 30_000)));
    }

    private void destroy() {
        Client operator = clients.get(random.nextInt(clients.size()));
        operator.sequencer.destroyAsync().whenComplete((done, failure) -> {
            if (failure == null) {
                operator.hasDestroyed = true;
            }
        });
        // The operator tries again, until it is done.
        time.schedule(
                () -> {
                    if (!operator.hasDestroyed) {
                        destroy();
                    }
                },
                millis(30_000));
    }

    private void clearUp() {
        weather.clearUp();
        datacenters.forEach(datacenter -> datacenter.cutOff = false);
        clients.forEach(client -> client.cutOffUntil = 0);
    }

    /** After the calm, which was long enough for every process to get what there is. */
    private void judge() {
        for (Client client : clients) {
            boolean issues = client.sequencer.state() == SnowflakeState.ATTACHED;
            if (isDestroyed() && issues) {
                violations.add(client.name + " is attached to what was destroyed");
            }
            if (!isDestroyed() && !issues && !client.refused) {
                idle(client);
            }
        }
    }

    private void idle(Client waiting) {
        if (global.ledger != null && global.ledger.next() < SPEC.nodes()) {
            violations.add(waiting.name + " waits, and numbers from " + global.ledger.next() + " on are ungranted");
        }
        NodeShare share = waiting.datacenter.share;
        if (share == null) {
            violations.add(waiting.name + " waits, and its datacenter has no copy");
            return;
        }
        for (NodeGrant grant : share.grants()) {
            for (int number = grant.lo(); number < grant.hi(); number++) {
                NodeRow row = waiting.datacenter.rows.get(number);
                if (row != null && waiting.reaches(row) && !isHeld(number)) {
                    violations.add(waiting.name + " waits, and number " + number + " is idle");
                }
            }
        }
    }

    private boolean isHeld(int number) {
        return clients.stream().anyMatch(client -> client.sequencer.node().orElse(-1) == number);
    }

    private final class Client {
        final String name;
        final SimulatedNodeStore.Local datacenter;
        final SimulatedNodeStore store;
        final LeasedSequencer sequencer;
        boolean alive = true;
        boolean hasDestroyed;
        boolean refused;
        long pausedUntil;
        long suspended;
        long cutOffUntil;
        long skewMillis = skew();
        long detachedAt;

        Client(int number, SimulatedNodeStore.Local datacenter) {
            this.name = "process" + number;
            this.datacenter = datacenter;
            this.store = new SimulatedNodeStore(
                    global,
                    datacenter,
                    time,
                    random,
                    weather,
                    this::later,
                    () -> time.nanoTime() < cutOffUntil,
                    violations,
                    bug);
            this.sequencer = new LeasedSequencer(
                    SPEC,
                    store,
                    new SnowflakeContext(
                            Duration.ofSeconds(random.nextInt(1, 20)),
                            this::later,
                            () -> Instant.ofEpochMilli(ofDay()),
                            () -> ticks() * NANOS_PER_MILLI - suspended,
                            random,
                            tokens(number),
                            Safety.SOUND,
                            Waiting.ANYWHERE));
        }

        private Supplier<UUID> tokens(int number) {
            // Two processes at a time share one name, as two containers' first processes do.
            UUID ofTheName = new UUID(1, number / 2);
            UUID everybodys = new UUID(2, 2);
            AtomicBoolean named = new AtomicBoolean();
            return () -> {
                if (bug == Bug.TOKENS_ARE_NAMES) {
                    return ofTheName;
                }
                // The first token is the sequencer's name as a grantee.
                return bug == Bug.GRANTS_ARE_EVERYBODYS && named.compareAndSet(false, true)
                        ? everybodys
                        : new UUID(random.nextLong(), random.nextLong());
            };
        }

        void pause(long nanos) {
            long calm = STORM_MILLIS * NANOS_PER_MILLI;
            pausedUntil = Math.max(pausedUntil, Math.min(calm, time.nanoTime() + nanos));
        }

        /** A suspended machine: its monotonic clock stands still. */
        void suspend(long nanos) {
            long until = Math.max(pausedUntil, time.nanoTime());
            pause(nanos);
            long tick = tickMillis * NANOS_PER_MILLI;
            suspended += Math.max(0, pausedUntil - until) / tick * tick;
        }

        private long ticks() {
            return time.nanoTime() / NANOS_PER_MILLI / tickMillis * tickMillis;
        }

        private long ofDay() {
            return BEGIN_MILLIS + ticks() + skewMillis;
        }

        /** Whether this process's clock is not too far behind that of the number's last owner. */
        boolean reaches(NodeRow row) {
            return row.tsHigh() <= ofDay() - EPOCH.toEpochMilli();
        }

        /** Runs a process's tasks: those of a dead process are dropped, those of a paused one run later. */
        private void later(Runnable task, Duration delay) {
            time.schedule(
                    () -> {
                        if (!alive) {
                            return;
                        }
                        long rest = pausedUntil - time.nanoTime();
                        if (rest > 0) {
                            later(task, Duration.ofNanos(rest));
                        } else {
                            task.run();
                        }
                    },
                    delay);
        }

        void attach() {
            sequencer.attachAsync().whenComplete((done, failure) -> {
                if (failure == null) {
                    attached++;
                } else if (alive && sequencer.state() != SnowflakeState.DESTROYED) {
                    refused = unwrapped(failure) instanceof SequenceException.Conflict;
                    if (refused && !datacenter.joinedLate()) {
                        violations.add(
                                name + " cried wolf: " + unwrapped(failure).getMessage());
                    }
                    later(this::attach, millis(random.nextLong(1, 5_000)));
                }
            });
        }

        private Throwable unwrapped(Throwable failure) {
            return failure instanceof CompletionException wrapped && wrapped.getCause() != null
                    ? wrapped.getCause()
                    : failure;
        }

        void detach() {
            sequencer
                    .detachAsync()
                    .whenComplete((done, failure) -> later(this::attach, millis(random.nextLong(1, 5_000))));
        }

        void draw() {
            sequencer.nextRangeAsync(random.nextInt(1, 4)).whenComplete((range, failure) -> {
                if (range != null) {
                    history.issued(name, range.first(), range.increment(), range.count());
                    requireMayIssue();
                }
                if (alive) {
                    boolean idle = sequencer.state() != SnowflakeState.ATTACHED;
                    detachedAt = idle ? time.nanoTime() : detachedAt;
                    int most = !isStormy() ? 10_000 : idle ? 5_000 : 400;
                    later(this::draw, millis(random.nextLong(0, most)));
                }
            });
        }

        private void requireMayIssue() {
            if (!isDestroyed()) {
                return;
            }
            if (hasDestroyed || store.toldDestroyed()) {
                violations.add(name + " issues of what it knows to be destroyed");
            }
            long could = Math.max(Math.max(store.unnoticeableUntil(), detachedAt), pausedUntil);
            if (time.nanoTime() - could > UNNOTICED_NANOS) {
                violations.add(name + " has not noticed for long that it was destroyed");
            }
        }
    }
}
