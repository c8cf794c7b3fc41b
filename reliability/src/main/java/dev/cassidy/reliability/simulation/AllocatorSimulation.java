package dev.cassidy.reliability.simulation;

import dev.cassidy.reliability.checker.IssueHistory;
import dev.cassidy.sequence.AllocatorContext;
import dev.cassidy.sequence.BlockAllocator;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.RangeStore;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One schedule: clients of several datacenters draw ids from the real allocator while steps fail, end unknown, land
 * late, clients crash and start anew, datacenters are cut off, and the sequence is reseeded. The seed decides
 * everything, so a schedule that failed can be run again.
 */
public final class AllocatorSimulation {

    private static final long STEPS = 4_000;

    private final SplittableRandom random;
    private final VirtualTime time = new VirtualTime();
    private final SequenceSpec spec;
    private final SimulatedStore.Global global;
    private final List<SimulatedStore.Local> datacenters = new ArrayList<>();
    private final List<Client> clients = new ArrayList<>();
    private final SimulatedStore.Faults faults;
    private final UnaryOperator<RangeStore> defect;
    private final IssueHistory history;
    private long faultsFired;
    private int started;
    private @Nullable Reseed reseed;

    /**
     * The outcome of a schedule.
     *
     * @param violations what is wrong; empty if nothing is
     * @param ids how many different ids were issued
     * @param faults how many faults were injected
     */
    public record Result(List<String> violations, int ids, long faults) {}

    private record Reseed(int incarnation, long next) {}

    /** @param defect wraps each process's store; the identity for the real protocol, a planted bug to see it found */
    public AllocatorSimulation(long seed, UnaryOperator<RangeStore> defect) {
        this.random = new SplittableRandom(seed);
        this.defect = defect;
        long increment = random.nextBoolean() ? 1 : random.nextInt(-3, 0);
        long space = random.nextInt(4) == 0 ? random.nextLong(50, 3_000) : 1_000_000;
        long start = random.nextLong(-1_000, 1_000);
        long last = start + increment * (space - 1);
        this.spec = new SequenceSpec(
                "simulated", IdentityType.INT, start, increment, Math.min(start, last), Math.max(start, last));
        this.global = new SimulatedStore.Global(spec.count());
        this.history = new IssueHistory(start, increment, last);
        this.faults = new SimulatedStore.Faults(
                random.nextDouble(0, 0.1), random.nextDouble(0, 0.4), random.nextDouble(0, 1));
        int count = random.nextInt(1, 4);
        for (int i = 0; i < count; i++) {
            datacenters.add(new SimulatedStore.Local("dc" + i));
        }
    }

    public Result run() {
        int population = random.nextInt(2, 6);
        for (int i = 0; i < population; i++) {
            start();
        }
        happen();
        for (long step = 0; step < STEPS && time.step(); step++) {
            settleReseed();
        }
        return new Result(history.violations(), history.distinct(), faultsFired);
    }

    private void start() {
        SimulatedStore.Local datacenter = datacenters.get(random.nextInt(datacenters.size()));
        Client process = new Client("process" + started++, datacenter);
        clients.add(process);
        process.draw();
    }

    /** Something befalls the cluster, now and then. */
    private void happen() {
        switch (random.nextInt(6)) {
            case 0 -> crash();
            case 1 -> {
                SimulatedStore.Local datacenter = datacenters.get(random.nextInt(datacenters.size()));
                datacenter.cutOff = !datacenter.cutOff;
            }
            case 2 -> startReseed();
            case 3 -> closeOne();
            default -> {}
        }
        time.schedule(this::happen, Duration.ofMillis(random.nextLong(10, 2_000)));
    }

    private void crash() {
        Client victim = clients.remove(random.nextInt(clients.size()));
        victim.alive = false;
        faultsFired += victim.store.faultsFired() + 1;
        start();
    }

    private void closeOne() {
        Client victim = clients.get(random.nextInt(clients.size()));
        victim.allocator.close();
        clients.remove(victim);
        faultsFired += victim.store.faultsFired();
        start();
    }

    /** As the registry does it: the incarnation moves with the position, in one compare-and-set. */
    private void startReseed() {
        if (reseed != null || global.next == 0 || global.next + 10 >= global.max) {
            return;
        }
        global.incarnation++;
        global.next += random.nextLong(1, 10);
        reseed = new Reseed(global.incarnation, global.next);
        int incarnation = global.incarnation;
        datacenters.forEach(datacenter ->
                time.schedule(() -> datacenter.join(incarnation), Duration.ofMillis(random.nextLong(0, 9_000))));
        clients.forEach(process -> time.schedule(() -> process.notice(), Duration.ofMillis(random.nextLong(0, 5_000))));
    }

    /** The reseed is acknowledged when no live process holds ids from before it; then nothing older may be issued. */
    private void settleReseed() {
        Reseed pending = reseed;
        if (pending == null) {
            return;
        }
        boolean acknowledged =
                datacenters.stream().allMatch(datacenter -> datacenter.reserve.incarnation() >= pending.incarnation())
                        && clients.stream().allMatch(client -> client.allocator.incarnation() >= pending.incarnation());
        if (acknowledged) {
            history.reseeded(spec.idAt(pending.next()));
            reseed = null;
        }
    }

    private final class Client {
        final String name;
        final SimulatedStore store;
        final BlockAllocator allocator;
        boolean alive = true;

        Client(String name, SimulatedStore.Local datacenter) {
            this.name = name;
            this.store = new SimulatedStore(global, datacenter, time, random, faults, () -> alive);
            AllocatorContext context = new AllocatorContext(
                    Duration.ofSeconds(random.nextInt(1, 20)),
                    random.nextDouble(0.1, 1),
                    Duration.ofHours(24),
                    0.5,
                    this::later,
                    time::nanoTime,
                    random,
                    () -> new UUID(random.nextLong(), random.nextLong()));
            this.allocator = new BlockAllocator(spec, datacenter.reserve.incarnation(), defect.apply(store), context);
        }

        private void later(Runnable task, Duration delay) {
            time.schedule(
                    () -> {
                        if (alive) {
                            task.run();
                        }
                    },
                    delay);
        }

        void notice() {
            if (alive) {
                allocator.reseeded(global.incarnation);
            }
        }

        void draw() {
            allocator.nextRangeAsync(random.nextInt(1, 8)).whenComplete((range, failure) -> {
                if (range != null) {
                    range.forEach(id -> history.issued(name, id));
                }
                if (alive && !closed(failure)) {
                    later(this::draw, Duration.ofMillis(random.nextLong(0, failure == null ? 20 : 3_000)));
                }
            });
        }

        private boolean closed(@Nullable Throwable failure) {
            return failure != null && !(rootOf(failure) instanceof SequenceException);
        }

        private Throwable rootOf(Throwable failure) {
            return failure.getCause() == null || failure instanceof SequenceException ? failure : failure.getCause();
        }
    }
}
