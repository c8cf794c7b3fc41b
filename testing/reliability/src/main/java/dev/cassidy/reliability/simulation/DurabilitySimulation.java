package dev.cassidy.reliability.simulation;

import dev.cassidy.async.Waiting;
import dev.cassidy.reliability.checker.IssueHistory;
import dev.cassidy.reliability.simulation.SimulatedCluster.Datacenter;
import dev.cassidy.reliability.simulation.SimulatedLink.Faults;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.protocol.AllocatorContext;
import dev.cassidy.sequence.protocol.BlockAllocator;
import dev.cassidy.sequence.protocol.FreshClaims;
import dev.cassidy.sequence.protocol.Safety;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.SequenceEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;

/**
 * One schedule of replicas that forget, when they are killed, what they acknowledged within their last sync period.
 * Processes draw through real allocators, and close and crash meanwhile. {@link ForgetfulNodes} says when they are killed.
 */
public final class DurabilitySimulation {

    static final Duration PERIOD = Duration.ofSeconds(10);
    private static final Duration END = Duration.ofMinutes(10);

    private final SplittableRandom random;
    private final VirtualTime time = new VirtualTime();
    private final SimulatedCluster cluster = new SimulatedCluster();
    private final Datacenter datacenter = new Datacenter("dc1");
    private final IssueHistory history;
    private final SequenceSpec spec;
    private final Replicas<SimulatedCluster.Partition> replicas;
    private final ForgetfulNodes nodes;
    private final SimulatedLink.Weather weather;
    private final Safety safety;
    private final UnaryOperator<RangeStore> around;
    private final List<Drawer> processes = new ArrayList<>();
    private final List<String> refusals = new ArrayList<>();
    private int started;
    private long fresh;
    private long lost;

    /**
     * The outcome of a schedule.
     *
     * @param violations what was issued twice, or out of order; empty if nothing was
     * @param refusals the errors of callers whose ids were claimed a second time; this never happens to an id that had
     *     stood
     * @param ids how many different ids were issued
     * @param fresh how many blocks were served before they had stood
     * @param lost how many blocks were given up because a replica had forgotten them
     * @param kills how many kills there were
     */
    public record Result(List<String> violations, List<String> refusals, long ids, long fresh, long lost, long kills) {}

    public DurabilitySimulation(long seed, int replicas, FreshClaims freshClaims) {
        this(seed, replicas, freshClaims, ForgetfulNodes.STANDING, UnaryOperator.identity(), true);
    }

    /**
     * @param standing how long claims have to stand; zero means as if nothing were ever forgotten
     * @param around wraps each process's store
     * @param wholeReserve as for {@link Replicas}
     */
    DurabilitySimulation(
            long seed,
            int replicas,
            FreshClaims freshClaims,
            Duration standing,
            UnaryOperator<RangeStore> around,
            boolean wholeReserve) {
        this.random = new SplittableRandom(seed);
        this.around = around;
        long smallest = 1L << random.nextInt(0, 6);
        this.spec = new SequenceSpec("forgotten", IdentityType.BIGINT, 1, 1, 1, 1_000_000_000L)
                .withBlock(smallest, smallest << random.nextInt(0, 6))
                .withReserve(1L << random.nextInt(8, 14), 1L << 14);
        this.history = new IssueHistory(spec.start(), spec.increment(), spec.idAt(spec.count() - 1));
        this.weather = new SimulatedLink.Weather(
                new Faults(random.nextDouble(0.02), random.nextDouble(0.1), random.nextDouble(), 0), Set.of());
        this.replicas = new Replicas<>(
                replicas,
                ReserveFormat.INSTANCE,
                new SimulatedCluster.Partition(1, 0),
                random,
                random.nextDouble(0.1),
                wholeReserve);
        this.nodes = new ForgetfulNodes(List.of(this.replicas), replicas, time, random);
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
        cluster.write(SequenceEntry.fresh(spec, 1, true));
    }

    public Result run() {
        nodes.begin();
        int population = random.nextInt(2, 6);
        for (int i = 0; i < population; i++) {
            start();
        }
        while (time.nanoTime() < END.toNanos() && time.step()) {
            // Events make further events.
        }
        processes.forEach(this::count);
        return new Result(history.violations(), refusals, history.distinct(), fresh, lost, nodes.kills());
    }

    private void later(Runnable task, long leastMillis, long mostMillis) {
        time.schedule(task, Duration.ofMillis(random.nextLong(leastMillis, mostMillis)));
    }

    private void start() {
        processes.add(new Drawer());
    }

    private void count(Drawer process) {
        fresh += process.allocator.figures().fresh();
        lost += process.allocator.figures().lost();
    }

    private final class Drawer {
        private final String name = "process" + started++;
        private final AtomicBoolean alive = new AtomicBoolean(true);
        private final BlockAllocator allocator;
        private final int pace = new int[] {20, 500, 5_000}[random.nextInt(3)];
        private int waiting;

        Drawer() {
            SimulatedLink link = new SimulatedLink(datacenter, time, random, weather, alive::get);
            RangeStore store = around.apply(new ReplicatedStore(cluster, datacenter, name, link, replicas));
            AllocatorContext context = new AllocatorContext(
                    Duration.ofSeconds(20),
                    random.nextDouble(0.1, 1),
                    Duration.ofHours(24),
                    0.5,
                    (task, delay) -> time.schedule(
                            () -> {
                                if (alive.get()) {
                                    task.run();
                                }
                            },
                            delay),
                    time::nanoTime,
                    random,
                    () -> new UUID(random.nextLong(), random.nextLong()),
                    safety,
                    Waiting.ANYWHERE);
            allocator = new BlockAllocator(spec, 1, store, context);
            act();
        }

        private void act() {
            if (!alive.get()) {
                return;
            }
            switch (random.nextInt(400)) {
                case 0 -> {
                    end();
                    alive.set(false);
                    return;
                }
                case 1 -> {
                    end();
                    allocator.close();
                    return;
                }
                case 2 -> allocator.giveBackIdle();
                default -> draw();
            }
            later(this::act, 0, pace);
        }

        private void end() {
            count(this);
            processes.remove(this);
            start();
        }

        private void draw() {
            if (waiting > 3) {
                return;
            }
            waiting++;
            allocator.nextRangeAsync(random.nextInt(1, 5)).whenComplete((range, thrown) -> {
                waiting--;
                if (thrown != null && thrown.toString().contains("claimed a second time")) {
                    refusals.add(name + ": " + thrown);
                }
                if (range != null && alive.get()) {
                    history.issued(name, range.first(), range.increment(), range.count());
                }
            });
        }
    }
}
