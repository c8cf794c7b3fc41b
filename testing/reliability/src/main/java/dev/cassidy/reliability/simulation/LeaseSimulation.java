package dev.cassidy.reliability.simulation;

import dev.cassidy.async.Waiting;
import dev.cassidy.reliability.checker.IssueHistory;
import dev.cassidy.reliability.simulation.ReplicatedNodeStore.Numbered;
import dev.cassidy.reliability.simulation.SimulatedCluster.Datacenter;
import dev.cassidy.reliability.simulation.SimulatedLink.Faults;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.protocol.FreshClaims;
import dev.cassidy.sequence.protocol.Safety;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.SnowflakeState;
import dev.cassidy.snowflake.protocol.LeasedSequencer;
import dev.cassidy.snowflake.protocol.SnowflakeContext;
import dev.cassidy.snowflake.store.NodeRow;
import dev.cassidy.snowflake.store.NodeStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One schedule of node numbers on replicas that forget, when they are killed, what they acknowledged within their last sync
 * period. Processes draw from real sequencers. They attach and detach, close and crash; they are cut off, often as a node is
 * killed; and the clocks of some are wrong. There are about as many numbers as processes, so numbers change hands. {@link
 * ForgetfulNodes} says when nodes are killed.
 */
public final class LeaseSimulation {

    private static final Duration END = Duration.ofMinutes(10);
    private static final Instant EPOCH = Instant.parse("2025-01-01T00:00:00Z");
    private static final long BEGIN_MILLIS =
            EPOCH.toEpochMilli() + Duration.ofDays(30).toMillis();
    private static final SnowflakeSpec SPEC = new SnowflakeSpec("forgotten", EPOCH, 128);

    /** Coarse clocks, as some machines have, make processes meet in one millisecond. */
    private static final long TICK_NANOS = 500_000_000;

    private final SplittableRandom random;
    private final VirtualTime time = new VirtualTime();
    private final Datacenter datacenter = new Datacenter("dc1");
    private final IssueHistory history = new IssueHistory(0, 1, Long.MAX_VALUE);
    private final List<Replicas<Numbered>> numbers = new ArrayList<>();
    private final List<Client> clients = new ArrayList<>();
    private final SimulatedLink.Weather weather;
    private final int replicas;
    private final Safety safety;
    private int started;
    private long attached;

    /**
     * The outcome of a schedule.
     *
     * @param violations what was issued twice; empty if nothing was
     * @param ids how many different ids were issued
     * @param attached how often a sequencer got a node number
     * @param kills how many kills there were
     * @param forgotten how often a replica has forgotten anything of a number's row
     */
    public record Result(List<String> violations, long ids, long attached, long kills, long forgotten) {}

    /** Of {@code durability=wait}; with one replica if the seed is odd, and else with three. */
    public LeaseSimulation(long seed) {
        this(seed, FreshClaims.WAIT, ForgetfulNodes.STANDING);
    }

    /** @param standing how long what is written has to stand; zero means as if nothing were ever forgotten */
    LeaseSimulation(long seed, FreshClaims freshClaims, Duration standing) {
        this.random = new SplittableRandom(seed);
        this.replicas = seed % 2 == 0 ? 3 : 1;
        this.weather = new SimulatedLink.Weather(
                new Faults(random.nextDouble(0.02), random.nextDouble(0.1), random.nextDouble(), 0), Set.of());
        double halfDone = random.nextDouble(0.1);
        int count = random.nextInt(2, 5);
        for (int number = 0; number < count; number++) {
            numbers.add(new Replicas<>(
                    replicas,
                    new ReplicatedNodeStore.Columns(number),
                    new Numbered(number, NodeRow.fresh(number)),
                    random,
                    halfDone,
                    true));
        }
        this.safety = new Safety() {
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

    public Result run() {
        ForgetfulNodes kills = new ForgetfulNodes(numbers, replicas, time, random, this::cutOff);
        kills.begin();
        int population = numbers.size() + random.nextInt(-1, 2);
        for (int i = 0; i < population; i++) {
            clients.add(new Client());
        }
        while (time.nanoTime() < END.toNanos() && time.step()) {
            // Events make further events.
        }
        return new Result(history.violations(), history.distinct(), attached, kills.kills(), kills.forgotten());
    }

    private void cutOff() {
        clients.stream()
                .filter(client -> random.nextInt(3) == 0)
                .forEach(client -> client.cutOffUntil = time.nanoTime()
                        + Duration.ofMillis(random.nextLong(20_000, 60_000)).toNanos());
    }

    private final class Client {
        private final String name = "process" + started++;
        private final AtomicBoolean alive = new AtomicBoolean(true);
        private final long skewMillis = new long[] {0, 0, 5_000, 20_000}[random.nextInt(4)];
        private final int pace = new int[] {100, 500}[random.nextInt(2)];
        private final LeasedSequencer sequencer;
        private long cutOffUntil;

        Client() {
            NodeStore store = new ReplicatedNodeStore(
                    SPEC,
                    numbers,
                    new SimulatedLink(datacenter, time, random, weather, alive::get),
                    () -> time.nanoTime() < cutOffUntil);
            this.sequencer = new LeasedSequencer(
                    SPEC,
                    store,
                    new SnowflakeContext(
                            Duration.ofSeconds(5),
                            this::later,
                            () -> Instant.ofEpochMilli(BEGIN_MILLIS + ticks() / 1_000_000 + skewMillis),
                            this::ticks,
                            random,
                            () -> new UUID(random.nextLong(), random.nextLong()),
                            safety,
                            Waiting.ANYWHERE));
            attach();
            act();
        }

        private long ticks() {
            return time.nanoTime() / TICK_NANOS * TICK_NANOS;
        }

        private void later(Runnable task, Duration delay) {
            time.schedule(
                    () -> {
                        if (alive.get()) {
                            task.run();
                        }
                    },
                    delay);
        }

        private void soon(Runnable task, long mostMillis) {
            later(task, Duration.ofMillis(random.nextLong(mostMillis)));
        }

        private void attach() {
            sequencer.attachAsync().whenComplete((done, failure) -> {
                if (failure == null) {
                    attached++;
                } else if (!sequencer.isClosed()) {
                    soon(this::attach, 5_000);
                }
            });
        }

        private void act() {
            switch (random.nextInt(300)) {
                case 0 -> {
                    alive.set(false);
                    replace();
                    return;
                }
                case 1 -> {
                    sequencer.close();
                    replace();
                    return;
                }
                case 2, 3, 4 -> sequencer.detachAsync().whenComplete((done, failure) -> soon(this::attach, 3_000));
                default -> draw();
            }
            soon(this::act, pace);
        }

        private void replace() {
            clients.remove(this);
            clients.add(new Client());
        }

        private void draw() {
            if (sequencer.state() != SnowflakeState.ATTACHED) {
                return;
            }
            sequencer.nextRangeAsync(random.nextInt(1, 4)).whenComplete((range, failure) -> {
                if (range != null && alive.get()) {
                    history.issued(name, range.first(), range.increment(), range.count());
                }
            });
        }
    }
}
