package dev.cassidy.reliability.simulation;

import dev.cassidy.reliability.checker.IssueHistory;
import dev.cassidy.snowflake.NodeLedger;
import dev.cassidy.snowflake.SnowflakeContext;
import dev.cassidy.snowflake.SnowflakeSequencer;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.SnowflakeState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One schedule of time-ordered ids: processes of several datacenters draw from the real sequencer while their clocks leap
 * in both directions, processes are paused, suspended, cut off and crash, steps fail, end unknown or land late,
 * datacenters are cut off or lose their tables, and sequencers are detached and attached. There are fewer node numbers
 * than processes need, so numbers change hands all the time. The seed decides everything.
 */
public final class SnowflakeSimulation {

    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long END_MILLIS = 180_000;
    private static final Instant EPOCH = Instant.parse("2025-01-01T00:00:00Z");
    private static final long BEGIN_MILLIS =
            EPOCH.toEpochMilli() + Duration.ofDays(30).toMillis();
    private static final SnowflakeSpec SPEC = new SnowflakeSpec("simulated", EPOCH, 128);

    private final SplittableRandom random;
    private final VirtualTime time = new VirtualTime();
    private final SimulatedNodeStore.Global global = new SimulatedNodeStore.Global();
    private final List<SimulatedNodeStore.Local> datacenters = new ArrayList<>();
    private final List<Client> clients = new ArrayList<>();
    private final SimulatedLink.Faults faults;
    private final SimulatedNodeStore.@Nullable Bug bug;
    private final IssueHistory history = new IssueHistory(0, 1, Long.MAX_VALUE);
    private final double slow;
    private final long tickMillis;
    private final long widestSkew;
    private long faultsFired;
    private int attached;
    private int started;

    /**
     * The outcome of a schedule.
     *
     * @param violations what is wrong; empty if nothing is
     * @param ids how many different ids were issued
     * @param faults how many faults were injected
     * @param attached how often a sequencer got a node number
     */
    public record Result(List<String> violations, long ids, long faults, int attached) {}

    /** @param bug a planted bug, to see it found; null for the real protocol */
    SnowflakeSimulation(long seed, SimulatedNodeStore.@Nullable Bug bug) {
        this.random = new SplittableRandom(seed);
        this.bug = bug;
        this.faults = new SimulatedLink.Faults(
                random.nextDouble(0, 0.03),
                random.nextInt(3) == 0 ? random.nextDouble(0.3, 0.6) : random.nextDouble(0, 0.2),
                random.nextDouble(0, 1),
                0);
        this.slow = new double[] {0, 0.1, 0.4}[random.nextInt(3)];
        // Coarse clocks, as some machines have, make processes meet in one millisecond.
        this.tickMillis = new long[] {1, 500, 500, 500}[random.nextInt(4)];
        this.widestSkew = new long[] {500, 4_000, 12_000, 12_000, 20_000, 3_600_000}[random.nextInt(6)];
        int count = random.nextInt(4) == 0 ? 2 : 1;
        for (int i = 0; i < count; i++) {
            datacenters.add(new SimulatedNodeStore.Local("dc" + i));
        }
        // As if other datacenters had been granted all but a few.
        global.ledger =
                new NodeLedger(SPEC, false, SPEC.nodes() - (count == 2 ? random.nextInt(2, 13) : random.nextInt(1, 4)));
    }

    public Result run() {
        int population = random.nextInt(3, 6);
        for (int i = 0; i < population; i++) {
            start();
        }
        happen();
        while (time.nanoTime() < END_MILLIS * NANOS_PER_MILLI && time.step()) {
            // Events make further events.
        }
        clients.forEach(client -> faultsFired += client.store.faultsFired());
        return new Result(history.violations(), history.distinct(), faultsFired, attached);
    }

    private void start() {
        Client client = new Client("process" + started++, datacenters.get(random.nextInt(datacenters.size())));
        clients.add(client);
        client.attach();
        client.draw();
    }

    /** Something befalls the cluster, now and then. */
    private void happen() {
        Client victim = clients.get(random.nextInt(clients.size()));
        switch (random.nextInt(12)) {
            case 0 -> {
                victim.alive = false;
                remove(victim);
            }
            case 1 -> {
                victim.sequencer.close();
                remove(victim);
            }
            case 2, 3 -> victim.pause(random.nextLong(25_000, 50_000) * NANOS_PER_MILLI);
            case 4 -> {
                // A suspended machine: its monotonic clock stands still.
                long nanos = random.nextLong(60_000) / tickMillis * tickMillis * NANOS_PER_MILLI;
                victim.pause(nanos);
                victim.suspended += nanos;
            }
            case 5, 6 -> victim.skewMillis = skew();
            case 7 -> victim.cutOffUntil = time.nanoTime() + random.nextLong(90_000) * NANOS_PER_MILLI;
            case 8, 9 -> victim.detach();
            case 10 -> {
                SimulatedNodeStore.Local datacenter = datacenters.get(random.nextInt(datacenters.size()));
                datacenter.cutOff = !datacenter.cutOff;
            }
            default -> {
                if (random.nextInt(10) == 0) {
                    datacenters.get(random.nextInt(datacenters.size())).lose();
                }
            }
        }
        time.schedule(this::happen, Duration.ofMillis(random.nextLong(100, 10_000)));
    }

    private void remove(Client victim) {
        clients.remove(victim);
        faultsFired += victim.store.faultsFired() + 1;
        start();
    }

    private long skew() {
        return random.nextLong(-widestSkew, widestSkew + 1) / tickMillis * tickMillis;
    }

    private final class Client {
        final String name;
        final SimulatedNodeStore store;
        final SnowflakeSequencer sequencer;
        boolean alive = true;
        long pausedUntil;
        long suspended;
        long cutOffUntil;
        long skewMillis = skew();

        Client(String name, SimulatedNodeStore.Local datacenter) {
            this.name = name;
            this.store = new SimulatedNodeStore(
                    global,
                    datacenter,
                    time,
                    random,
                    faults,
                    slow,
                    this::later,
                    () -> time.nanoTime() < cutOffUntil,
                    bug);
            this.sequencer = new SnowflakeSequencer(
                    SPEC,
                    store,
                    new SnowflakeContext(
                            Duration.ofSeconds(random.nextInt(1, 20)),
                            this::later,
                            () -> Instant.ofEpochMilli(BEGIN_MILLIS + millis() + skewMillis),
                            () -> millis() * NANOS_PER_MILLI - suspended,
                            random,
                            () -> new UUID(random.nextLong(), random.nextLong())));
        }

        void pause(long nanos) {
            pausedUntil = Math.max(pausedUntil, time.nanoTime() + nanos);
        }

        private long millis() {
            return time.nanoTime() / NANOS_PER_MILLI / tickMillis * tickMillis;
        }

        /** What a process does: the dead do nothing, the paused do it when they go on. */
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
                } else if (alive) {
                    later(this::attach, Duration.ofMillis(random.nextLong(1, 5_000)));
                }
            });
        }

        void detach() {
            sequencer
                    .detachAsync()
                    .whenComplete((done, failure) -> later(this::attach, Duration.ofMillis(random.nextLong(1, 5_000))));
        }

        void draw() {
            sequencer.nextRangeAsync(random.nextInt(1, 4)).whenComplete((range, failure) -> {
                if (range != null) {
                    history.issued(name, range.first(), range.increment(), range.count());
                }
                if (alive) {
                    boolean idle = sequencer.state() != SnowflakeState.ATTACHED;
                    later(this::draw, Duration.ofMillis(random.nextLong(0, idle ? 2_000 : 400)));
                }
            });
        }
    }
}
