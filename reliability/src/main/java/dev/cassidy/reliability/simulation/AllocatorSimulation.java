package dev.cassidy.reliability.simulation;

import dev.cassidy.reliability.checker.Account;
import dev.cassidy.reliability.checker.IssueHistory;
import dev.cassidy.reliability.simulation.Scenario.Disaster;
import dev.cassidy.reliability.simulation.SimulatedCluster.Datacenter;
import dev.cassidy.reliability.simulation.SimulatedCluster.Partition;
import dev.cassidy.reliability.simulation.SimulatedStore.Faults;
import dev.cassidy.sequence.AllocatorContext;
import dev.cassidy.sequence.BlockAllocator;
import dev.cassidy.sequence.Claim;
import dev.cassidy.sequence.Grant;
import dev.cassidy.sequence.IdCursor;
import dev.cassidy.sequence.IdRange;
import dev.cassidy.sequence.Order;
import dev.cassidy.sequence.RangeStore;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.Span;
import dev.cassidy.sequence.Stripe;
import dev.cassidy.sequence.ThreadOrderAllocator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One schedule: processes of several datacenters draw ids from the real allocators while steps fail, end unknown, land
 * late, processes crash, close and start anew, datacenters join late and are cut off, rows are deleted or set back, and the
 * sequence is reseeded. Then the faults end: everybody must get an id in time, and at last every position that was ever
 * granted is accounted for. The seed decides everything, so a schedule that failed can be run again.
 */
public final class AllocatorSimulation {

    /** What a process may hold, however slow; and the longest part of a block that one cursor may leave unused. */
    private static final long KEPT = 64;

    private static final long LARGEST_GAP = 255;
    private static final Duration LOOK = Duration.ofSeconds(61);
    /** So many events after the end of the faults mean that somebody tries for ever. */
    private static final int RESTLESS = 200_000;

    private final SplittableRandom random;
    private final VirtualTime time = new VirtualTime();
    private final Scenario scenario;
    private final SequenceSpec spec;
    private final Defect defect;
    private final SimulatedCluster cluster;
    private final SimulatedStore.Weather weather;
    private final List<Stripe> stripes;
    private final List<Datacenter> datacenters = new ArrayList<>();
    /** Replicas that a coordinator asks which mixes the serial levels up; empty if none does. */
    private final Map<Datacenter, Datacenter> elsewhere = new HashMap<>();

    private final Map<Datacenter, SimulatedRegistry> joined = new LinkedHashMap<>();
    private final List<Client> clients = new ArrayList<>();
    private final Map<UUID, Client> claimants = new HashMap<>();
    private final IssueHistory history;
    private final List<String> violations = new ArrayList<>();
    private long mishaps;
    private int started;
    private long cursorsEnded;
    private boolean deleted;
    private boolean over;
    private @Nullable Runnable backup;

    /**
     * The outcome of a schedule.
     *
     * @param violations what is wrong; empty if nothing is
     * @param ids how many different ids were issued
     * @param faults how many faults were injected
     */
    public record Result(List<String> violations, long ids, long faults) {}

    /** Of the real protocol. */
    public AllocatorSimulation(long seed) {
        this(seed, Defect.NONE);
    }

    AllocatorSimulation(long seed, Defect defect) {
        this.random = new SplittableRandom(seed);
        this.defect = defect;
        this.scenario = Scenario.draw(random);
        this.spec = scenario.spec();
        this.cluster = new SimulatedCluster(spec.name(), spec.count());
        this.weather = new SimulatedStore.Weather(scenario.faults(), defect.omitted());
        this.history = new IssueHistory(spec.start(), spec.increment(), spec.idAt(spec.count() - 1));
        this.stripes = IntStream.range(0, spec.stripes())
                .mapToObj(number -> new Stripe(spec.name(), number))
                .toList();
        for (int i = 0; i < scenario.datacenters(); i++) {
            datacenters.add(new Datacenter("dc" + i));
        }
    }

    public Result run() {
        for (Datacenter datacenter : datacenters) {
            if (defect.mixedSerialLevels()) {
                elsewhere.put(datacenter, new Datacenter(datacenter.name));
            }
            if (scenario.disaster() == Disaster.RESERVE_DELETED) {
                // A step of the join that lands after the deletion would not know of what was granted in between.
                stripes.forEach(stripe -> datacenter.partitions.put(stripe, new Partition(1, 0)));
            }
            time.schedule(() -> join(datacenter), Duration.ofMillis(random.nextBoolean() ? 0 : random.nextInt(5_000)));
        }
        for (int i = 0; i < scenario.population(); i++) {
            start();
        }
        happen();
        for (int step = 0; step < scenario.steps() && time.step(); step++) {}
        settle();
        violations.addAll(0, history.violations());
        return new Result(violations, history.distinct(), weather.fired + mishaps);
    }

    private void join(Datacenter datacenter) {
        RangeStore steps = defect.steps().apply(store(datacenter, datacenter, 0, new boolean[] {true}));
        SimulatedRegistry registry = new SimulatedRegistry(cluster, datacenter, stripes, steps, time);
        registry.join().thenRun(() -> {
            joined.putIfAbsent(datacenter, registry);
            Datacenter other = elsewhere.get(datacenter);
            if (other != null) {
                exchange(datacenter, other);
            }
        });
    }

    /** Replicas exchange their rows all the time; what was written last stays. */
    private void exchange(Datacenter from, Datacenter to) {
        from.partitions.forEach((stripe, row) -> {
            Partition theirs = to.partitions.get(stripe);
            if (theirs == null || theirs.next <= row.next) {
                to.partitions.put(stripe, row.copy());
            }
        });
        if (!over) {
            time.schedule(() -> exchange(to, from), Duration.ofMillis(random.nextInt(1, 200)));
        }
    }

    private SimulatedStore store(Datacenter datacenter, Datacenter replicas, long hourOff, boolean[] alive) {
        return new SimulatedStore(
                cluster,
                datacenter,
                replicas.partitions,
                datacenters.size(),
                time,
                random,
                weather,
                () -> alive[0],
                () -> 500_000 + hourOff + time.nanoTime() / 3_600_000_000_000L);
    }

    private void start() {
        Client client = new Client("process" + started++, datacenters.get(random.nextInt(datacenters.size())));
        clients.add(client);
        client.act();
    }

    private Client anyone() {
        return clients.get(random.nextInt(clients.size()));
    }

    /** Something befalls the cluster, now and then. */
    private void happen() {
        if (over) {
            return;
        }
        switch (random.nextInt(8)) {
            case 0 -> crash();
            case 1 -> cutOrHeal();
            case 2 -> reseed();
            case 3, 4 -> closeOne();
            case 5 -> anyone().rest();
            case 6 -> disaster();
            default -> {}
        }
        time.schedule(this::happen, Duration.ofMillis(random.nextInt(10, scenario.slow() ? 60_000 : 1_200)));
    }

    private void crash() {
        if (scenario.crashes()) {
            Client victim = anyone();
            clients.remove(victim);
            victim.alive[0] = false;
            mishaps++;
            start();
        }
    }

    private void cutOrHeal() {
        if (!scenario.faults().equals(Faults.NONE)) {
            Datacenter datacenter = datacenters.get(random.nextInt(datacenters.size()));
            datacenter.cutOff = !datacenter.cutOff;
        }
    }

    private void closeOne() {
        if (scenario.disaster() != Disaster.RESERVE_SET_BACK) {
            Client leaving = anyone();
            clients.remove(leaving);
            leaving.close();
            if (scenario.crashes() && random.nextInt(4) == 0) {
                later(() -> leaving.alive[0] = false, 200);
            }
            start();
        }
    }

    private void reseed() {
        if (!scenario.reseeds() || cluster.next == 0 || cluster.next + 10 >= cluster.max) {
            return;
        }
        if (random.nextBoolean()) {
            closeOne();
        }
        cluster.raise(cluster.next + random.nextLong(1, 10));
        int incarnation = cluster.incarnation;
        long origin = cluster.next;
        int spread = random.nextBoolean() ? 200 : 5_000;
        joined.values().forEach(registry -> later(registry::join, spread));
        clients.forEach(client -> later(() -> client.notice(incarnation), spread));
        watch(incarnation, origin);
    }

    /** Once nobody holds ids from before the reseed, none of them may be issued any more. */
    private void watch(int incarnation, long origin) {
        // Whoever deletes claims deletes what says that they are held.
        if (deleted || over || cluster.incarnation != incarnation) {
            return;
        }
        boolean acknowledged = joined.size() == datacenters.size()
                && joined.values().stream().allMatch(each -> each.hasAcknowledged(incarnation, this::isOfTheDead));
        if (acknowledged) {
            history.reseeded(spec.idAt(origin));
        } else {
            later(() -> watch(incarnation, origin), 400);
        }
    }

    private boolean isOfTheDead(Claim claim) {
        Client claimant = claimants.get(claim.token());
        return claimant != null && !claimant.alive[0];
    }

    private void disaster() {
        if (joined.isEmpty()) {
            return;
        }
        Datacenter datacenter = joined.keySet().iterator().next();
        Stripe stripe = stripes.get(random.nextInt(stripes.size()));
        switch (scenario.disaster()) {
            case RESERVE_DELETED -> delete(datacenter, stripe);
            case GLOBAL_ROW_GONE -> cluster.gone = !cluster.gone;
            case RESERVE_SET_BACK ->
                setBack(() -> {
                    Partition kept = datacenter.row(stripe).copy();
                    return () -> datacenter.partitions.put(stripe, kept);
                });
            case GLOBAL_ROW_SET_BACK ->
                setBack(() -> {
                    SimulatedCluster kept = cluster.copy();
                    return () -> cluster.restore(kept);
                });
            case NONE -> {}
        }
    }

    /** Once for each schedule, for the same reason. */
    private void delete(Datacenter datacenter, Stripe stripe) {
        if (!deleted && joined.size() == datacenters.size()) {
            deleted = true;
            mishaps++;
            datacenter.partitions.remove(stripe);
            later(() -> join(datacenter), 5_000);
        }
    }

    /** A backup is made the first time, and restored the second. */
    private void setBack(Supplier<Runnable> copy) {
        if (backup == null) {
            backup = copy.get();
        } else {
            mishaps++;
            backup.run();
            backup = () -> {};
        }
    }

    private void later(Runnable task, int mostMillis) {
        time.schedule(task, Duration.ofMillis(random.nextInt(mostMillis)));
    }

    /** The faults end. */
    private void settle() {
        over = true;
        weather.faults = Faults.NONE;
        cluster.gone = false;
        datacenters.forEach(datacenter -> datacenter.cutOff = false);
        if (!rest()) {
            return;
        }
        joined.values().forEach(SimulatedRegistry::join);
        if (!rest()) {
            return;
        }
        clients.forEach(Client::probe);
        if (!rest()) {
            return;
        }
        clients.forEach(Client::requireProbed);
        for (int look = 0; look < 2; look++) {
            clients.forEach(client -> time.schedule(client.allocator::giveBackIdle, LOOK));
            if (!rest()) {
                return;
            }
        }
        if (scenario.isQuiet()) {
            clients.forEach(Client::requireFrugal);
        }
        clients.forEach(Client::close);
        if (rest() && !scenario.isSetBack() && elsewhere.isEmpty()) {
            account();
        }
    }

    private boolean rest() {
        for (int step = 0; step < RESTLESS; step++) {
            if (!time.step()) {
                return true;
            }
        }
        violations.add("somebody tries for ever");
        return false;
    }

    private void account() {
        Account account = new Account(history);
        cluster.grants().forEach((key, grant) -> {
            account.granted(key.toString(), grant.span().lo(), grant.span().hi());
        });
        for (Datacenter datacenter : datacenters) {
            datacenter.partitions.forEach((stripe, row) -> {
                String where = datacenter.name + "/" + stripe.number();
                account.available(where, row.next, row.hi);
                if (row.hasUpcoming()) {
                    account.available(where + " upcoming", row.nlo, row.nhi);
                }
                for (Span tail : row.tails.spans()) {
                    account.available(where + " tail", tail.lo(), tail.hi());
                    if (cluster.grants().values().stream()
                            .noneMatch(grant -> grant.incarnation() == row.incarnation && contains(grant, tail))) {
                        violations.add("a tail from before a reseed is to be had again: " + where + " " + tail);
                    }
                }
                cluster.grants().forEach((key, grant) -> {
                    if (key.datacenter().equals(datacenter.name)
                            && key.stripe() == stripe.number()
                            && key.incarnation() == row.incarnation
                            && key.number() > row.grantNumber) {
                        account.available(
                                where + " not absorbed",
                                grant.span().lo(),
                                grant.span().hi());
                    }
                });
                row.claims
                        .values()
                        .forEach(claim -> account.held(
                                where + " " + claim,
                                claim.span().lo(),
                                claim.span().hi()));
            });
        }
        violations.addAll(account.violations());
        if (scenario.isQuiet() && account.leaked() + account.held() > cursorsEnded * LARGEST_GAP) {
            violations.add("nothing went wrong, but " + account.leaked() + " ids leaked and nobody holds "
                    + account.held() + " more; cursors and threads: " + cursorsEnded);
        }
    }

    private static boolean contains(Grant grant, Span tail) {
        return grant.span().lo() <= tail.lo() && tail.lo() < grant.span().hi();
    }

    /** One process: it draws in every way there is. */
    private final class Client {
        final String name;
        final boolean[] alive = {true};
        final BlockAllocator allocator;
        private final Duration timeout = Duration.ofSeconds(random.nextInt(5, 21));
        private final @Nullable ThreadOrderAllocator threads;
        private final boolean oneShot = random.nextInt(5) == 0 && scenario.population() > 1;
        private final boolean usesCursors = random.nextInt(scenario.reseeds() ? 2 : 4) == 0;
        private final Datacenter home;
        private final Stripe stripe;
        private @Nullable IdCursor cursor;
        private int cursors;
        private int waiting;
        private int closedFor;
        private boolean resting;
        private boolean served;
        private @Nullable Throwable failure;

        Client(String name, Datacenter datacenter) {
            this.name = name;
            this.home = datacenter;
            this.stripe = stripes.get(random.nextInt(stripes.size()));
            Datacenter replicas = started % 2 == 0 ? datacenter : elsewhere.getOrDefault(datacenter, datacenter);
            long hourOff = random.nextInt(4) == 0 ? random.nextInt(-30, 31) : 0;
            RangeStore steps = defect.steps().apply(store(datacenter, replicas, hourOff, alive));
            UUID shared = new UUID(0, datacenters.indexOf(datacenter));
            AllocatorContext context = new AllocatorContext(
                    timeout,
                    random.nextDouble(0.1, 1),
                    Duration.ofHours(24),
                    0.5,
                    this::later,
                    time::nanoTime,
                    random,
                    () -> {
                        UUID token = defect.sharedTokens() ? shared : new UUID(random.nextLong(), random.nextLong());
                        claimants.put(token, this);
                        return token;
                    });
            Partition row = datacenter.partitions.get(stripe);
            this.allocator =
                    new BlockAllocator(spec, stripe.number(), row == null ? 0 : row.incarnation, steps, context);
            this.threads = spec.order() == Order.THREAD ? new ThreadOrderAllocator(allocator) : null;
            if (threads != null) {
                cursorsEnded++;
            }
        }

        private void later(Runnable task, Duration delay) {
            time.schedule(
                    () -> {
                        if (alive[0]) {
                            task.run();
                        }
                    },
                    delay);
        }

        void notice(int incarnation) {
            if (alive[0]) {
                cursorsEnded += 2;
                allocator.reseeded(incarnation);
            }
        }

        void close() {
            if (cursor != null && random.nextBoolean()) {
                cursor.close();
            }
            cursorsEnded += 2;
            allocator.closeAsync().whenComplete((done, thrown) -> {
                if (thrown != null) {
                    violations.add(name + " could not be closed: " + thrown);
                }
            });
            // Whoever does not know of it goes on drawing.
            act();
        }

        void act() {
            if (over || resting || closedFor > 3) {
                return;
            }
            if (allocator.isClosed()) {
                closedFor++;
            }
            int pause = scenario.slow() ? 120_000 : 40;
            if (waiting > 0) {
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
                        cursorsEnded++;
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
                    clients.remove(this);
                    close();
                    if (!over) {
                        start();
                    }
                }
            });
        }

        private void issued(@Nullable IdRange range) {
            if (range != null) {
                if (!alive[0]) {
                    throw new IllegalStateException("the dead draw nothing");
                }
                history.issued(name, range.first(), range.increment(), range.count());
            }
        }

        /** Idles until what it holds is given back, and goes on at once. */
        void rest() {
            if (!resting) {
                resting = true;
                later(allocator::giveBackIdle, LOOK);
                later(
                        () -> {
                            allocator.giveBackIdle();
                            resting = false;
                            later(this::act, Duration.ofMillis(random.nextInt(100)));
                        },
                        LOOK.multipliedBy(2));
            }
        }

        /** The blocking methods, up to where they would block: nobody may wait here but in simulated time. */
        private void drawBlocking(String line, LongSupplier next) {
            int burst = random.nextInt(1, random.nextBoolean() ? 5 : 300);
            try {
                for (int i = 0; i < burst; i++) {
                    Thread.currentThread().interrupt();
                    history.issued(line, next.getAsLong());
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
                failure = thrown instanceof CompletionException ? thrown.getCause() : thrown;
                issued(range);
            });
        }

        /** When nothing fails any more, everybody gets an id within the claim time-out, unless refusing is right. */
        void requireProbed() {
            boolean mayFail = (failure instanceof SequenceException.Exhausted && cluster.next == cluster.max)
                    || (failure instanceof SequenceException.Conflict && scenario.isSetBack());
            if (!served && !mayFail) {
                violations.add(name + " gets no id although nothing fails any more: " + failure);
            }
        }

        /** An idle process holds few ids, once it has looked. */
        void requireFrugal() {
            long held = 0;
            Partition row = home.row(stripe);
            for (Claim claim : row.claims.values()) {
                if (claimants.get(claim.token()) == this) {
                    held += claim.span().size()
                            - history.issuedWithin(
                                    claim.span().lo(), claim.span().hi());
                }
            }
            if (!usesCursors && threads == null && held > KEPT && spec.block().smallest() <= KEPT / 2) {
                violations.add(name + " is idle and holds " + held + " ids");
            }
        }
    }
}
