package dev.cassidy.reliability.simulation;

import dev.cassidy.async.Stages;
import dev.cassidy.async.Waiting;
import dev.cassidy.reliability.checker.IssueHistory;
import dev.cassidy.reliability.simulation.ReplicatedCatalog.CopyRow;
import dev.cassidy.reliability.simulation.ReplicatedCatalog.GlobalRow;
import dev.cassidy.reliability.simulation.SimulatedCluster.Datacenter;
import dev.cassidy.reliability.simulation.SimulatedCluster.Partition;
import dev.cassidy.reliability.simulation.SimulatedLink.Faults;
import dev.cassidy.reliability.simulation.SimulatedLink.SimulatedFault;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.protocol.Acknowledgements;
import dev.cassidy.sequence.protocol.AllocatorContext;
import dev.cassidy.sequence.protocol.BlockAllocator;
import dev.cassidy.sequence.protocol.FreshClaims;
import dev.cassidy.sequence.protocol.HeldClaims;
import dev.cassidy.sequence.protocol.Raises;
import dev.cassidy.sequence.protocol.Safety;
import dev.cassidy.sequence.protocol.SequenceRegistry;
import dev.cassidy.sequence.store.ChangeLog;
import dev.cassidy.sequence.store.HeldClaim;
import dev.cassidy.sequence.store.Incarnations;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.SequenceCatalog;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.SequenceGlimpse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One schedule of nodes that forget, as {@link DurabilitySimulation} has them, while an operator seeds, advances, drops and
 * creates a sequence again that processes draw from. What the operator was told must hold from then on, whatever is
 * forgotten. In half of the schedules the operator is in another datacenter, whose nodes are never killed; processes
 * draw there, too.
 */
public final class RaiseDurabilitySimulation {

    static final Duration STANDING = ForgetfulNodes.STANDING;
    private static final Duration END = Duration.ofMinutes(20);
    private static final String NAME = "raised";
    private static final int NODES = 3;

    private final SplittableRandom random;
    private final VirtualTime time = new VirtualTime();
    private final SimulatedCluster cluster = new SimulatedCluster();
    private final IssueHistory history = new IssueHistory(1, 1, 1_000_000_000_000L);
    private final SimulatedLink.Weather weather;
    private final Replicas<GlobalRow> global;
    private final Site here;
    private final Site elsewhere;
    private final Defects defects;
    private final Duration watchInterval;
    private final long leastReserve;
    private final ForgetfulNodes nodes;
    private final List<Drawing> processes = new ArrayList<>();
    private final Set<String> dead = new HashSet<>();
    private final List<String> broken = new ArrayList<>();
    private final Promise promise = new Promise();
    private SequenceSpec createdAs;
    private boolean gone;
    private int started;
    private long done;
    private long failed;
    private long highest = 1;

    /**
     * The outcome of a schedule.
     *
     * @param violations what was issued twice or against a promise, and what was gone that an operator was told of
     * @param ids how many different ids were issued
     * @param done how many commands have succeeded
     * @param failed how many have failed, which an operator repeats
     * @param kills how many kills there were
     * @param grants how many grants there are in the end
     */
    public record Result(List<String> violations, long ids, long done, long failed, long kills, long grants) {}

    /**
     * What is wrong.
     *
     * @param ofOperator how long the operator lets changes stand
     * @param ofProcesses how long processes let the moves of reserves stand before they acknowledge
     * @param drawn wraps the store from which processes draw
     * @param whole whether grants write the whole global row
     */
    record Defects(
            Duration ofOperator,
            Duration ofProcesses,
            UnaryOperator<SequenceCatalog> catalog,
            UnaryOperator<RangeStore> store,
            UnaryOperator<RangeStore> drawn,
            boolean whole) {
        static final Defects NONE = new Defects(
                STANDING, STANDING, UnaryOperator.identity(), UnaryOperator.identity(), UnaryOperator.identity(), true);

        static Defects times(Duration ofOperator, Duration ofProcesses) {
            return new Defects(ofOperator, ofProcesses, NONE.catalog, NONE.store, NONE.drawn, true);
        }

        static Defects of(UnaryOperator<SequenceCatalog> catalog, UnaryOperator<RangeStore> store) {
            return new Defects(STANDING, STANDING, catalog, store, NONE.drawn, true);
        }

        static Defects drawn(UnaryOperator<RangeStore> drawn) {
            return new Defects(STANDING, STANDING, NONE.catalog, NONE.store, drawn, true);
        }

        static Defects ofParts() {
            return new Defects(STANDING, STANDING, NONE.catalog, NONE.store, NONE.drawn, false);
        }
    }

    /** A datacenter's replicas. */
    private final class Site {
        final Datacenter datacenter;
        final Replicas<Partition> reserve;
        final Replicas<CopyRow> copies;

        Site(String name, SequenceEntry entry, double halfDone) {
            this.datacenter = new Datacenter(name);
            this.reserve = new Replicas<>(
                    NODES, ReserveFormat.INSTANCE, new Partition(entry.incarnation(), 0), random, halfDone, true);
            this.copies = new Replicas<>(NODES, ReplicatedCatalog.COPY, new CopyRow(entry), random, halfDone, true);
        }
    }

    /** What the operator was told, in ids. */
    private static final class Promise {
        long origin = 1;
        long floor = 1;
        int dropped;
        /** The last incarnation of which it was told that nobody issues older ids. */
        int complete;
    }

    public RaiseDurabilitySimulation(long seed) {
        this(seed, Defects.NONE);
    }

    RaiseDurabilitySimulation(long seed, Defects defects) {
        this.random = new SplittableRandom(seed);
        this.defects = defects;
        this.leastReserve = random.nextBoolean() ? 1 << 4 : 1 << 10;
        this.watchInterval = Duration.ofSeconds(new int[] {2, 5, 20}[random.nextInt(3)]);
        this.weather = new SimulatedLink.Weather(
                new Faults(random.nextDouble(0.01), random.nextDouble(0.05), random.nextDouble(), 0), Set.of());
        double halfDone = random.nextDouble(0.1);
        this.createdAs = spec(1);
        SequenceEntry entry = SequenceEntry.fresh(createdAs, 1, true);
        this.global = new Replicas<>(
                NODES, ReplicatedCatalog.GLOBAL, new GlobalRow(entry), random, halfDone, defects.whole());
        this.here = new Site("dc1", entry, halfDone);
        this.elsewhere = new Site("dc2", entry, 0);
        this.nodes = new ForgetfulNodes(List.of(global, here.reserve, here.copies), NODES, time, random);
    }

    private SequenceSpec spec(long start) {
        return new SequenceSpec(NAME, IdentityType.BIGINT, start, 1, 1, 1_000_000_000_000L)
                .withBlock(4, 64)
                .withReserve(leastReserve, 1L << 14);
    }

    public Result run() {
        nodes.begin();
        int population = random.nextInt(1, 4);
        for (int i = 0; i < population; i++) {
            processes.add(new Drawing(here));
        }
        processes.add(new Drawing(elsewhere));
        Member operator =
                new Member("operator", random.nextBoolean() ? here : elsewhere, defects.ofOperator(), always());
        later(() -> operate(operator), 1_000, 40_000);
        for (Site site : List.of(here, elsewhere)) {
            Member janitor = new Member("janitor", site, STANDING, always());
            later(() -> release(janitor), 1_000, 10_000);
        }
        lookOften();
        while (time.nanoTime() < END.toNanos() && time.step()) {
            // Events make further events.
        }
        nodes.allUp();
        List<String> violations = new ArrayList<>(broken);
        violations.addAll(history.violations());
        return new Result(violations, history.distinct(), done, failed, nodes.kills(), grants());
    }

    private long grants() {
        return global.witness(row -> (long) row.grants.size());
    }

    private static AtomicBoolean always() {
        return new AtomicBoolean(true);
    }

    private void later(Runnable task, long leastMillis, long mostMillis) {
        time.schedule(task, Duration.ofMillis(random.nextLong(leastMillis, mostMillis)));
    }

    // ---- the operator

    private void lookOften() {
        try {
            look();
        } catch (SimulatedFault unavailable) {
            // Nobody sees anything now.
        }
        later(this::lookOften, 0, 1_000);
    }

    /** Whether what the operator was told is still there, as some majority now has it. */
    private void look() {
        int reserve = here.reserve.witness(row -> row.incarnation);
        // A datacenter that was granted nothing of what was raised has nothing to acknowledge.
        boolean acknowledged = global.witness(row -> row.acknowledgements.stream()
                .anyMatch(made ->
                        made.datacenter().equals(here.datacenter.name) && made.incarnation() >= promise.complete));
        if (acknowledged && reserve < promise.complete) {
            broken.add("was told that nobody issues ids from before incarnation " + promise.complete
                    + ", and the reserve is back in " + reserve);
        }
        SequenceEntry now =
                global.witness(row -> Optional.ofNullable(row.entry)).orElse(null);
        if (now == null) {
            broken.add("the sequence is gone");
            return;
        }
        long start = now.spec().start();
        if (start + now.origin() < promise.origin) {
            broken.add("was told that it begins at " + promise.origin + ", and it is " + now);
        }
        if (start + now.floor() < promise.floor) {
            broken.add("was told of the floor " + promise.floor + ", and it is " + now);
        }
        if (promise.dropped > 0 && !now.dropped() && Incarnations.sameGeneration(now.incarnation(), promise.dropped)) {
            broken.add("was told that it is dropped as of " + promise.dropped + ", and it is " + now);
        }
    }

    private void operate(Member operator) {
        long id = Math.max(1, highest + random.nextLong(-200, 2_000));
        CompletionStage<?> command =
                switch (gone ? 3 : random.nextInt(4)) {
                    case 0 -> operator.seed(id);
                    case 1, 2 -> operator.advancePast(id);
                    default -> operator.dropAndCreate();
                };
        command.whenComplete((ok, thrown) -> {
            if (thrown == null) {
                done++;
            } else {
                failed++;
                gone = Stages.cause(thrown) instanceof SequenceException.Dropped;
            }
            later(() -> operate(operator), 10, 40_000);
        });
    }

    /** Releases what processes held that have crashed. */
    private void release(Member janitor) {
        CompletionStage<Void> all = janitor.registry
                .requireKnown(NAME)
                .thenCompose(entry -> janitor.claims.claimsBefore(entry).thenCompose(held -> {
                    CompletionStage<Void> each = CompletableFuture.completedFuture(null);
                    for (String holder : held.stream()
                            .map(HeldClaim::holder)
                            .distinct()
                            .filter(dead::contains)
                            .toList()) {
                        each = each.thenCompose(before -> janitor.claims.release(entry, holder));
                    }
                    return each;
                }));
        all.whenComplete((ok, thrown) -> later(() -> release(janitor), 1_000, 10_000));
    }

    // ---- processes

    /** Announcements are hints, and none arrives. */
    private static final ChangeLog NOTHING_ANNOUNCED = new ChangeLog() {
        @Override
        public CompletionStage<@Nullable UUID> mark(Level level) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<List<Entry>> since(Level level, Instant from) {
            return CompletableFuture.completedFuture(List.of());
        }

        @Override
        public CompletionStage<Void> announce(Level level, Change change) {
            return CompletableFuture.completedFuture(null);
        }
    };

    private static Safety forgetting(Duration standing) {
        return new Safety() {
            @Override
            public Duration standing() {
                return standing;
            }

            @Override
            public FreshClaims freshClaims() {
                return FreshClaims.WAIT;
            }

            @Override
            public Optional<SequenceException> refusal() {
                return Optional.empty();
            }
        };
    }

    /** What a process of any kind has of the product. */
    private class Member {
        final String name;
        final AtomicBoolean alive;
        final RangeStore store;
        final SequenceCatalog catalog;
        final SequenceRegistry registry;
        final HeldClaims claims;
        final Raises raises;
        final AllocatorContext records;

        Member(String name, Site site, Duration standing, AtomicBoolean alive) {
            this.name = name;
            this.alive = alive;
            SimulatedLink link = new SimulatedLink(site.datacenter, time, random, weather, alive::get);
            this.store = new GrantedStore(cluster, site.datacenter, name, link, site.reserve, global);
            this.catalog = defects.catalog()
                    .apply(new ReplicatedCatalog(site.datacenter.name, global, site.copies, site.reserve, link));
            this.records = context(standing);
            RangeStore steps = defects.store().apply(store);
            this.registry = new SequenceRegistry(catalog, steps, NOTHING_ANNOUNCED, records);
            this.claims = new HeldClaims(catalog, steps, records);
            this.raises = new Raises(catalog, NOTHING_ANNOUNCED, registry, claims, records);
        }

        final AllocatorContext context(Duration standing) {
            return new AllocatorContext(
                    Duration.ofSeconds(20),
                    0.5,
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
                    forgetting(standing),
                    Waiting.ANYWHERE);
        }

        private CompletionStage<SequenceEntry> settled(Supplier<CompletionStage<SequenceEntry>> change) {
            return raises.carryOut(change, made -> {}, watchInterval.multipliedBy(4), Duration.ofSeconds(1))
                    .thenApply(carried -> {
                        if (!carried.behind().isNobody()) {
                            throw new SequenceException.NotAcknowledged(String.valueOf(carried.behind()));
                        }
                        promise.complete =
                                Math.max(promise.complete, carried.entry().incarnation());
                        return carried.entry();
                    });
        }

        CompletionStage<?> seed(long id) {
            return settled(() -> raises.seed(NAME, id)).thenAccept(entry -> promised(id));
        }

        CompletionStage<?> advancePast(long id) {
            return settled(() -> raises.recallPast(NAME, id))
                    .thenCompose(raises::raiseFloor)
                    .thenAccept(entry -> {
                        promised(id + 1);
                        promise.floor = Math.max(promise.floor, id + 1);
                    });
        }

        CompletionStage<?> dropAndCreate() {
            return settled(() -> registry.drop(NAME))
                    .thenCompose(dropped -> {
                        promised(dropped.spec().start() + dropped.next());
                        // A creation that was forgotten may be made otherwise; if that is refused, as it was.
                        if (promise.dropped != dropped.incarnation() || random.nextBoolean()) {
                            createdAs = spec(dropped.spec().start() + dropped.next() + random.nextLong(100));
                        }
                        promise.dropped = dropped.incarnation();
                        // Without a wait; by then the next command may have begun.
                        return registry.create(createdAs, true);
                    })
                    .thenAccept(created -> {
                        gone = false;
                        registry.keep(created).exceptionally(failure -> created);
                    });
        }

        private void promised(long id) {
            promise.origin = Math.max(promise.origin, id);
            history.reseeded(promise.origin);
        }
    }

    private final class Drawing extends Member {
        private final Acknowledgements acknowledgements;
        private final AllocatorContext draws = context(STANDING);
        private final List<BlockAllocator> replaced = new ArrayList<>();
        private final int pace = new int[] {50, 500, 3_000}[random.nextInt(3)];
        private @Nullable BlockAllocator allocator;
        private int opened;
        private boolean opening;
        private int waiting;

        private final Site site;

        Drawing(Site site) {
            super("1@process" + started++ + "/0", site, defects.ofProcesses(), new AtomicBoolean(true));
            this.site = site;
            this.acknowledgements = new Acknowledgements(catalog, registry, raises, records, Duration.ofSeconds(2));
            act();
            watch();
        }

        /** As {@code Rounds} does. */
        private void watch() {
            if (!alive.get()) {
                return;
            }
            catalog.outlook(NAME).whenComplete((seen, thrown) -> {
                if (thrown == null && seen.isPresent()) {
                    reseeded(seen.get().everywhere().incarnation());
                    seen.get().here().ifPresent(this::copied);
                    acknowledgements.noticed(NAME, watchInterval);
                }
            });
            replaced.forEach(BlockAllocator::removeLeftovers);
            if (allocator != null) {
                allocator.removeLeftovers();
            }
            later(this::watch, watchInterval.toMillis() / 2, watchInterval.toMillis());
        }

        private void reseeded(int incarnation) {
            BlockAllocator own = allocator;
            if (own != null && incarnation > own.incarnation() && !own.reseeded(incarnation)) {
                replace(own);
            }
        }

        private void copied(SequenceGlimpse copy) {
            BlockAllocator own = allocator;
            if (own != null && own.isReplacedBy(copy)) {
                replace(own);
            }
        }

        private void replace(BlockAllocator own) {
            replaced.add(own);
            allocator = null;
        }

        private void open() {
            if (opening) {
                return;
            }
            opening = true;
            registry.newestEntry(NAME).whenComplete((entry, thrown) -> {
                opening = false;
                if (thrown == null && entry.ready() && allocator == null) {
                    opened++;
                    allocator = new BlockAllocator(
                            entry.spec(),
                            0,
                            entry.incarnation(),
                            defects.drawn().apply(store),
                            draws);
                }
            });
        }

        private void act() {
            if (!alive.get()) {
                return;
            }
            BlockAllocator own = allocator;
            int what = random.nextInt(600);
            if (what == 0) {
                dead.add(name);
                alive.set(false);
                startAnother();
                return;
            }
            if (own == null) {
                open();
            } else if (what == 1) {
                replace(own);
                own.close();
            } else {
                draw(own);
            }
            later(this::act, 0, pace);
        }

        private void startAnother() {
            processes.remove(this);
            processes.add(new Drawing(site));
        }

        private void draw(BlockAllocator own) {
            if (waiting > 3) {
                return;
            }
            waiting++;
            String line = name + " " + opened;
            own.nextRangeAsync(random.nextInt(1, 5)).whenComplete((range, thrown) -> {
                waiting--;
                if (range != null && alive.get()) {
                    history.issued(line, range.first(), range.increment(), range.count());
                    highest = Math.max(highest, range.last());
                } else if (own.isClosed() && own == allocator) {
                    replace(own);
                }
            });
        }
    }
}
