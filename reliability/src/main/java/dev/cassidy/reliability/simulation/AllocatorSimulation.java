package dev.cassidy.reliability.simulation;

import dev.cassidy.async.Stages;
import dev.cassidy.reliability.checker.IssueHistory;
import dev.cassidy.reliability.simulation.Scenario.Disaster;
import dev.cassidy.reliability.simulation.SimulatedCluster.Datacenter;
import dev.cassidy.reliability.simulation.SimulatedCluster.Held;
import dev.cassidy.reliability.simulation.SimulatedCluster.Partition;
import dev.cassidy.reliability.simulation.SimulatedLink.Faults;
import dev.cassidy.sequence.IdCursor;
import dev.cassidy.sequence.IdRange;
import dev.cassidy.sequence.Order;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.protocol.AllocatorContext;
import dev.cassidy.sequence.protocol.BlockAllocator;
import dev.cassidy.sequence.protocol.HolderName;
import dev.cassidy.sequence.protocol.ThreadOrderAllocator;
import dev.cassidy.sequence.protocol.Watcher;
import dev.cassidy.sequence.store.ChangeLog;
import dev.cassidy.sequence.store.Incarnations;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.sequence.store.Stripe;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One schedule: processes of several datacenters create the sequence, join it and draw ids through the real registry and the
 * real allocators, while steps fail, end unknown, land late, processes crash, close and start anew, datacenters are cut
 * off, rows are deleted or set back, and operators raise, drop and create the sequence anew, release and reclaim. Then the
 * faults end: everybody must get an id in time, every raise must be acknowledged, and at last every position that was ever
 * granted is accounted for. The seed decides everything, so a schedule that failed can be run again.
 */
public final class AllocatorSimulation {

    /** What a process may hold, however slow; and the longest part of a block that one cursor may leave unused. */
    private static final long KEPT = 64;

    /** So many looks at what was changed, and then at everything: a change may not have been told. */
    private static final int LOOKS_AT_EVERYTHING = 32;

    private static final String OPERATOR = "operator";
    private static final Duration LOOK = Duration.ofSeconds(61);
    /** So many events after the end of the faults mean that somebody tries for ever. */
    private static final int RESTLESS = 200_000;

    /** More than everything that was under way when a raise took effect may last. */
    private static final Duration STRAGGLERS = Duration.ofMinutes(2);

    private final SplittableRandom random;
    private final VirtualTime time;
    private final Scenario scenario;
    private final Mishaps befalling;
    private final Defect defect;
    private final SimulatedCluster cluster;
    private final SimulatedLink.Weather weather;
    /** Those that are not lost for good. */
    private final List<Datacenter> datacenters = new ArrayList<>();

    private List<Datacenter> all = List.of();
    /** Replicas that a coordinator asks which mixes the serial levels up; empty if none does. */
    private final Map<Datacenter, Datacenter> elsewhere = new HashMap<>();

    private final List<Client> clients = new ArrayList<>();
    private final List<SimulatedProcess> processes = new ArrayList<>();
    /** Those of operators. */
    private final List<SimulatedProcess> operators = new ArrayList<>();

    /** Names without a uuid; those of older clients. */
    private final Set<String> plainNames = new HashSet<>();

    private final IssueHistory history;
    private final Promises promises;
    private final List<String> violations = new ArrayList<>();
    private final Occurrences occurrences = new Occurrences();
    private final Doubts doubts = new Doubts(occurrences);
    private final Set<UUID> reclaimed = new HashSet<>();
    private long mishaps;
    private int started;
    private long cursorsEnded;
    /** Where a reserve was deleted, and who may hold ids whose rows went with it. */
    private @Nullable Datacenter bereft;

    /** Of which stripe. */
    private @Nullable Stripe deleted;

    private List<SimulatedProcess> witnesses = List.of();
    private int newest;
    private long newestSince;
    private boolean over;
    private @Nullable Runnable backup;

    /**
     * The outcome of a schedule.
     *
     * @param violations what is wrong; empty if nothing is
     * @param ids how many different ids were issued
     * @param faults how many faults were injected
     * @param occurrences how often what came about
     */
    public record Result(List<String> violations, long ids, long faults, Map<Occurrence, Long> occurrences) {}

    /** Of the real protocol. */
    public AllocatorSimulation(long seed) {
        this(seed, Defect.NONE);
    }

    AllocatorSimulation(long seed, Defect defect) {
        this(new SplittableRandom(seed), defect);
    }

    private AllocatorSimulation(SplittableRandom random, Defect defect) {
        this(random, new VirtualTime(), Scenario.draw(random), defect, new SimulatedCluster());
    }

    /**
     * @param random may be shared with simulations of other sequences, as may be the time
     * @param cluster where the sequence will be created
     */
    AllocatorSimulation(
            SplittableRandom random, VirtualTime time, Scenario scenario, Defect defect, SimulatedCluster cluster) {
        this.random = random;
        this.time = time;
        this.cluster = cluster;
        this.defect = defect;
        this.scenario = scenario;
        this.befalling = new Mishaps(this, scenario, cluster, time, random);
        SequenceSpec spec = scenario.spec();
        this.weather = new SimulatedLink.Weather(scenario.faults(), defect.omitted());
        this.history = new IssueHistory(spec.start(), spec.increment(), spec.idAt(spec.count() - 1));
        this.promises = new Promises(history, cluster, spec);
        for (int i = 0; i < scenario.datacenters(); i++) {
            datacenters.add(new Datacenter("dc" + i));
        }
        this.all = List.copyOf(datacenters);
    }

    public Result run() {
        begin();
        for (int step = 0; step < scenario.steps() && time.step(); step++) {}
        calm();
        settle();
        return result();
    }

    Promises promises() {
        return promises;
    }

    Result result() {
        List<String> found = new ArrayList<>(history.violations());
        found.addAll(violations);
        return new Result(found, history.distinct(), weather.fired + mishaps, occurrences.counts());
    }

    void begin() {
        for (Datacenter datacenter : datacenters) {
            if (defect.mixedSerialLevels()) {
                Datacenter other = new Datacenter(datacenter.name);
                elsewhere.put(datacenter, other);
                exchange(datacenter, other);
            }
        }
        if (scenario.disaster() != Disaster.NONE) {
            prepare();
        }
        for (int i = 0; i < scenario.population(); i++) {
            time.schedule(this::start, Duration.ofMillis(random.nextBoolean() ? 0 : random.nextInt(2_000)));
        }
        happen();
        later(befalling::silenceOne, 2_000);
    }

    /**
     * Creates the sequence everywhere. Disasters befall what was created long ago: a step of its creation that landed after
     * the rows were lost would not know of what was granted in between.
     */
    private void prepare() {
        SequenceEntry entry = SequenceEntry.fresh(scenario.spec(), 1, true);
        cluster.write(entry);
        for (Datacenter datacenter : datacenters) {
            for (int stripe = 0; stripe < scenario.spec().stripes(); stripe++) {
                datacenter.partitions.put(new Stripe(entry.name(), stripe), new Partition(1, 0));
            }
            datacenter.copy(entry);
        }
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

    /** Few names for many processes, as in containers. One of each is a client's that wrote no uuid. */
    private String holder() {
        String process = random.nextInt(1, 4) + "@web";
        boolean plain = defect.sharedNames() || (random.nextInt(4) == 0 && plainNames.add(process));
        Optional<UUID> instance =
                plain ? Optional.empty() : Optional.of(new UUID(random.nextLong(), random.nextLong()));
        return new HolderName(process, instance).toString();
    }

    private SimulatedProcess process(String name, Datacenter datacenter) {
        AtomicBoolean alive = new AtomicBoolean(true);
        SimulatedLink link = new SimulatedLink(datacenter, time, random, weather, alive::get);
        Datacenter replicas = started % 2 == 0 ? datacenter : elsewhere.getOrDefault(datacenter, datacenter);
        long hourOff = random.nextInt(4) == 0 ? random.nextInt(-30, 31) : 0;
        LongSupplier hour = () -> 500_000 + hourOff + time.nanoTime() / 3_600_000_000_000L;
        SimulatedStore store = name.equals(OPERATOR)
                ? new OperatorStore(
                        cluster, datacenter, replicas.partitions, all.size(), name, link, hour, occurrences, reclaimed)
                : new ObservedStore(cluster, datacenter, replicas.partitions, all.size(), holder(), link, hour, doubts);
        UUID shared = new UUID(0, datacenters.indexOf(datacenter));
        AllocatorContext context = new AllocatorContext(
                Duration.ofSeconds(random.nextInt(5, 21)),
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
                () -> defect.sharedTokens() ? shared : new UUID(random.nextLong(), random.nextLong()));
        return new SimulatedProcess(
                name,
                datacenter,
                defect.steps().apply(store),
                defect.catalog().apply(new SimulatedCatalog(cluster, datacenter, replicas.partitions, link)),
                new SimulatedChangeLog(cluster, datacenter, link, () -> new UUID(random.nextLong(), random.nextLong())),
                context,
                (task, delay) -> time.scheduleInBackground(
                        () -> {
                            if (alive.get()) {
                                task.run();
                            }
                        },
                        delay),
                scenario.watchInterval(),
                defect,
                alive);
    }

    /** Whether the faults have ended. */
    boolean isOver() {
        return over;
    }

    /** Returns those that are not lost for good. */
    List<Datacenter> datacenters() {
        return datacenters;
    }

    Datacenter anywhere() {
        return datacenters.get(random.nextInt(datacenters.size()));
    }

    private void start() {
        startIn(anywhere());
    }

    private void startIn(Datacenter datacenter) {
        SimulatedProcess process = process("process" + started++, datacenter);
        processes.add(process);
        open(process);
    }

    /** Opens an allocator as an application does, that creates the sequence if it is the first. */
    private void open(SimulatedProcess process) {
        String name = scenario.spec().name();
        process.registry.newestEntry(name).whenComplete((entry, thrown) -> {
            if (entry != null && entry.ready()) {
                Client client = new Client(process, entry);
                clients.add(client);
                client.act();
                client.beginWatching();
            } else if (entry != null) {
                again(process, process.raises.seed(name, entry.spec().idAt(random.nextInt(10))));
            } else if (thrown != null && Stages.cause(thrown) instanceof SequenceException.NotFound) {
                again(process, process.registry.create(scenario.spec(), !scenario.awaitsSeed()));
            } else {
                again(process, CompletableFuture.completedFuture(null));
            }
        });
    }

    private void again(SimulatedProcess process, CompletionStage<?> first) {
        first.whenComplete((done, thrown) -> {
            if (!over || done != null) {
                process.context.timer().schedule(() -> open(process), Duration.ofMillis(random.nextInt(300)));
            }
        });
    }

    Operator operator(Datacenter datacenter) {
        SimulatedProcess process = process(OPERATOR, datacenter);
        operators.add(process);
        if (!over && scenario.crashes() && random.nextInt(6) == 0) {
            later(process::kill, 2_000);
        }
        return new Operator(
                scenario.spec().name(),
                process,
                promises,
                violations,
                scenario.watchInterval(),
                holder -> isGone(holder, datacenter),
                this::called,
                occurrences);
    }

    /** What an operator calls a holder: by its process alone where that seems to do. */
    private String called(HolderName holder) {
        return over || random.nextBoolean() ? Operator.whole(holder) : holder.process();
    }

    private boolean isGone(String holder, Datacenter datacenter) {
        if (holder.equals(SimulatedStore.UNKNOWN_HOLDER)) {
            return datacenter == bereft && witnesses.stream().noneMatch(SimulatedProcess::isAlive);
        }
        // All who claim under one name, unless the operator does not know that there may be several.
        List<SimulatedProcess> bearers = processes.stream()
                .filter(process -> process.store.holder().equals(holder))
                .toList();
        return !bearers.isEmpty()
                && (defect.sharedNames()
                        ? bearers.stream().anyMatch(process -> !process.isAlive())
                        : bearers.stream().noneMatch(SimulatedProcess::isAlive));
    }

    /** Something befalls the cluster, now and then. */
    private void happen() {
        if (over) {
            return;
        }
        SequenceEntry entry = cluster.entry();
        if (entry != null && entry.incarnation() != newest) {
            newest = entry.incarnation();
            newestSince = time.nanoTime();
        }
        switch (random.nextInt(10)) {
            // A process must outlive a silence and the raise after it, for its claims in doubt to matter.
            case 0 -> unlessSilent(this::crash);
            case 1 -> cutOrHeal();
            case 2, 3 -> raiseSomehow();
            case 4, 5 -> unlessSilent(this::closeOne);
            case 6 -> restOrPauseOne();
            case 7 -> disaster();
            case 8 -> tidyUp();
            default -> {
                if (isDeletionDue()) {
                    disaster();
                } else if (scenario.losesDatacenter() && datacenters.size() == all.size()) {
                    Datacenter lost = anywhere();
                    befalling.loseDatacenter(lost, operators);
                    befalling.loseDatacenter(lost, processes).forEach(ended -> start());
                }
            }
        }
        int most = scenario.slow() ? 60_000 : scenario.silences() ? 6_000 : scenario.raises() ? 500 : 1_200;
        time.schedule(this::happen, Duration.ofMillis(random.nextInt(10, most)));
    }

    private void unlessSilent(Runnable task) {
        if (!scenario.silences() || random.nextInt(5) == 0) {
            task.run();
        }
    }

    private void crash() {
        if (scenario.crashes() && !clients.isEmpty()) {
            crash(anyone().process);
        }
    }

    /** One is killed, and another begins. */
    void crash(SimulatedProcess process) {
        kill(process);
        mishaps++;
        start();
    }

    private void raiseSomehow() {
        if (!scenario.reclaims()) {
            raise();
            return;
        }
        clients.stream()
                .filter(client -> client.allocator.isLive() && !befalling.raisesSoon())
                .findFirst()
                .ifPresent(client -> befalling.reclaimBesideARaise(client.process));
    }

    private Client anyone() {
        return clients.get(random.nextInt(clients.size()));
    }

    void kill(SimulatedProcess process) {
        process.kill();
        clients.removeIf(client -> client.process == process);
    }

    private void cutOrHeal() {
        if (!scenario.faults().equals(Faults.NONE)) {
            Datacenter datacenter = anywhere();
            datacenter.cutOff = !datacenter.cutOff;
        }
    }

    private void closeOne() {
        if (scenario.disaster() != Disaster.RESERVE_SET_BACK && !clients.isEmpty()) {
            Client leaving = anyone();
            clients.remove(leaving);
            leaving.close();
            if (scenario.crashes() && random.nextInt(4) == 0) {
                later(() -> kill(leaving.process), 200);
            }
            start();
        }
    }

    private void restOrPauseOne() {
        if (!clients.isEmpty() && random.nextBoolean()) {
            anyone().rest();
        } else if (!clients.isEmpty() && !scenario.isQuiet()) {
            anyone().pause();
        }
    }

    private void raise() {
        SequenceEntry entry = cluster.entry();
        if (over || befalling.raisesSoon() || !scenario.raises() || entry == null || isDeletionDue()) {
            return;
        }
        if (random.nextBoolean()) {
            closeOne();
        }
        Operator operator = operator(anywhere());
        SequenceSpec spec = entry.spec();
        if (entry.dropped()) {
            createAnew(operator, entry, -2);
            return;
        }
        long most = Math.min(spec.count() - 1, entry.next() + 10);
        long id = spec.idAt(random.nextLong(Math.min(entry.origin(), most), most + 1));
        switch (random.nextInt(8)) {
            case 0 -> operator.seed(id);
            case 1, 2 -> operator.restart(id);
            case 3 -> {
                if (scenario.drops()) {
                    operator.drop();
                }
            }
            default -> operator.advancePast(id);
        }
    }

    /** @param least where it begins at the least, counted from the first ordinal that is free; below 0 it must be refused */
    private void createAnew(Operator operator, SequenceEntry dropped, int least) {
        SequenceSpec old = dropped.spec();
        long start = Math.max(0, dropped.next() + random.nextLong(least, 10));
        if (start < old.count()) {
            SequenceSpec spec = new SequenceSpec(
                    old.name(), old.type(), old.idAt(start), old.increment(), old.minimum(), old.maximum());
            operator.create(spec.withOrder(random.nextBoolean() ? Order.THREAD : Order.PROCESS)
                    .withStripes(random.nextInt(1, 4))
                    .withBlock(old.block().smallest(), old.block().largest())
                    .withReserve(old.reserve().smallest(), old.reserve().largest()));
        }
    }

    private void tidyUp() {
        Datacenter datacenter = anywhere();
        befalling.releaseLost(all);
        if (random.nextBoolean()) {
            operator(datacenter).release();
        } else {
            befalling.reclaimTwice(datacenter);
        }
    }

    private void disaster() {
        switch (scenario.disaster()) {
            case RESERVE_DELETED -> delete(anywhere());
            case GLOBAL_ROW_GONE -> cluster.gone = !cluster.gone;
            case RESERVE_SET_BACK ->
                setBack(() -> {
                    Datacenter datacenter = datacenters.get(0);
                    Stripe stripe = new Stripe(scenario.spec().name(), 0);
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

    /** Whether a raise would be in the way of a deletion that comes soon. */
    private boolean isDeletionDue() {
        return scenario.disaster() == Disaster.RESERVE_DELETED && bereft == null && !scenario.slow();
    }

    /** Once for each schedule, and while no join from before is under way: both are documented. */
    private void delete(Datacenter datacenter) {
        boolean settled = newest == 1 || time.nanoTime() - newestSince > STRAGGLERS.toNanos();
        List<Stripe> stripes = List.copyOf(datacenter.partitions.keySet());
        if (bereft == null && settled) {
            bereft = datacenter;
            mishaps++;
            Stripe lost = stripes.get(random.nextInt(stripes.size()));
            datacenter.partitions.remove(lost);
            deleted = lost;
            witnesses = processes.stream()
                    .filter(process -> process.datacenter == datacenter && process.isAlive())
                    .toList();
            // What is lost with the rows shows when one who had rows there stands still while the sequence is raised.
            clients.stream()
                    .filter(client -> client.process.datacenter == datacenter && client.stripe.equals(lost))
                    .findFirst()
                    .ifPresent(Client::pause);
            later(() -> operator(datacenter).join(), 3_000);
            later(this::raise, 2_000);
            later(
                    () -> {
                        if (!over) {
                            restart();
                        }
                    },
                    20_000);
        }
    }

    /** Those whose claims' rows were lost end, so that somebody may release what is held by nobody knows whom. */
    private void restart() {
        for (SimulatedProcess witness : witnesses) {
            if (witness.isAlive()) {
                kill(witness);
                if (!over) {
                    start();
                }
            }
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
    void calm() {
        over = true;
        weather.faults = Faults.NONE;
        cluster.gone = false;
        all.forEach(datacenter -> {
            datacenter.cutOff = false;
            datacenter.silent = false;
        });
    }

    /** Everybody is served, lets go, and is accounted for. */
    void settle() {
        boolean settled =
                rest() && (scenario.isSetBack() || letGo()) && everywhere(Operator::join) && serve() && giveBackIdle();
        if (settled && scenario.isQuiet()) {
            clients.forEach(Client::requireFrugal);
        }
        if (settled) {
            clients.forEach(Client::close);
        }
        if (settled && rest() && !scenario.isSetBack() && elsewhere.isEmpty()) {
            violations.addAll(new Accounting(cluster, all, datacenters, promises, history, doubts, this::isGone)
                    .violations(scenario.isQuiet(), cursorsEnded, bereft, deleted));
        }
    }

    /** Does something in each datacenter; false if it does not end. */
    private boolean everywhere(Consumer<Operator> task) {
        datacenters.forEach(datacenter -> task.accept(operator(datacenter)));
        return rest();
    }

    private boolean everybody(Consumer<Client> task) {
        List.copyOf(clients).forEach(task);
        return rest();
    }

    /** Those who are gone are released, the others let go by themselves, and every datacenter acknowledges. */
    private boolean letGo() {
        List<SimulatedProcess> running =
                clients.stream().map(client -> client.process).toList();
        processes.stream().filter(process -> !running.contains(process)).forEach(SimulatedProcess::kill);
        boolean awake = clients.stream().noneMatch(client -> client.paused);
        if (!awake || bereft != null) {
            if (!look()) {
                return false;
            }
            // Those who stood still meanwhile go on as if nothing had happened.
            clients.stream().filter(client -> client.paused).forEach(Client::goOn);
            restart();
        }
        boolean quiet = rest() && look();
        SequenceEntry entry = cluster.entry();
        if (!quiet || entry == null) {
            return quiet;
        }
        requireAcknowledged(entry);
        if (entry.dropped() && entry.next() + 10 < entry.spec().count()) {
            createAnew(operator(datacenters.get(0)), entry, 0);
        } else if (!entry.dropped() && !entry.ready()) {
            operator(datacenters.get(0)).seed(entry.spec().start());
        }
        return rest() && everybody(Client::look) && everywhere(Operator::reclaim);
    }

    /** A process lets go of its blocks, then of rows that it left behind, and then finds that all others have. */
    private boolean look() {
        SequenceEntry entry = cluster.entry();
        if (entry == null || !Incarnations.isRaised(entry.incarnation())) {
            return true;
        }
        befalling.releaseLost(all);
        boolean quiet = acknowledgeWhereNobodyRuns();
        for (int look = 0; quiet && look < 3; look++) {
            quiet = everywhere(Operator::release) && everybody(Client::look);
        }
        return quiet && acknowledgeWhereNobodyRuns();
    }

    private boolean acknowledgeWhereNobodyRuns() {
        for (Datacenter datacenter : datacenters) {
            if (clients.stream().noneMatch(client -> client.process.datacenter == datacenter && !client.paused)) {
                operator(datacenter).acknowledge();
            }
        }
        return rest();
    }

    private void requireAcknowledged(SequenceEntry entry) {
        SimulatedProcess process = process(OPERATOR, datacenters.get(0));
        process.raises.datacentersBehind(entry).whenComplete((behind, thrown) -> {
            if (behind == null || !behind.isEmpty()) {
                violations.add("nothing fails any more, but " + behind + " do not acknowledge " + entry);
            } else if (all.stream().anyMatch(each -> !datacenters.contains(each) && cluster.held(each, entry))) {
                occurrences.count(Occurrence.COMPLETE_WITHOUT_A_LOST_DATACENTER);
            }
        });
    }

    private boolean serve() {
        int before = clients.size();
        // Only the one process that claimed since then can tell that its reserve was set back.
        if (scenario.disaster() != Disaster.RESERVE_SET_BACK) {
            datacenters.forEach(this::startIn);
            before += datacenters.size();
        }
        if (!rest()) {
            return false;
        }
        SequenceEntry entry = Objects.requireNonNull(cluster.entry());
        if (!entry.dropped() && clients.size() < before) {
            violations.add("nothing fails any more, but a process can not open the sequence: " + entry);
        }
        if (!everybody(Client::probe)) {
            return false;
        }
        clients.forEach(Client::requireProbed);
        return true;
    }

    private boolean giveBackIdle() {
        for (int look = 0; look < 2; look++) {
            clients.forEach(client -> time.schedule(client.allocator::giveBackIdle, LOOK));
            if (!rest()) {
                return false;
            }
        }
        return true;
    }

    private boolean rest() {
        for (int step = 0; step < RESTLESS; step++) {
            if (time.isQuiet()) {
                return true;
            }
            time.step();
        }
        violations.add("somebody tries for ever");
        return false;
    }

    /** One process's allocator: it is drawn from in every way there is. */
    private final class Client implements Watcher.Listener {
        final SimulatedProcess process;
        final BlockAllocator allocator;
        private final String name;
        private final Stripe stripe;
        private final @Nullable ThreadOrderAllocator threads;
        private final boolean oneShot = random.nextInt(5) == 0 && scenario.population() > 1;
        private final boolean usesCursors = random.nextInt(scenario.raises() ? 2 : 4) == 0;
        private @Nullable IdCursor cursor;
        private int cursors;
        private int waiting;
        private int looks;
        private final Watcher watcher;
        /** Some notice late. */
        private final Duration watchInterval = scenario.watchInterval().multipliedBy(random.nextInt(4) == 0 ? 20 : 1);

        /** Whether the sequence was created anew, so that this allocator can not go on. */
        private boolean outdated;

        private int drawnInVain;
        private boolean resting;
        private boolean paused;
        private boolean served;
        private @Nullable Throwable failure;

        Client(SimulatedProcess process, SequenceEntry entry) {
            SequenceSpec spec = entry.spec();
            this.process = process;
            this.name = process.name;
            this.stripe = new Stripe(spec.name(), random.nextInt(spec.stripes()));
            Duration skew = Duration.ofMinutes(random.nextInt(-30, 31));
            this.watcher = new Watcher(process.changes, this, () -> Instant.EPOCH
                    .plusNanos(time.nanoTime())
                    .plus(skew));
            this.allocator =
                    new BlockAllocator(spec, stripe.number(), entry.incarnation(), process.store, process.context);
            this.threads = spec.order() == Order.THREAD ? new ThreadOrderAllocator(allocator) : null;
            if (threads != null) {
                cursorsEnded++;
            }
        }

        private void later(Runnable task, Duration delay) {
            process.context.timer().schedule(task, delay);
        }

        /** As {@code Sequences} does: first the marks, and what is open is looked at after that. */
        void beginWatching() {
            watcher.begin();
            later(this::look, watchInterval);
            later(this::watch, watchInterval);
        }

        /** As {@code Sequences} does, every watch interval. */
        void watch() {
            if (over || paused || outdated || allocator.isClosed()) {
                return;
            }
            allocator.giveBackIdle();
            allocator.removeLeftovers();
            watcher.look();
            if (++looks % LOOKS_AT_EVERYTHING == 0) {
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
            cursorsEnded += 2;
            if (!allocator.reseeded(incarnation) && !outdated && !allocator.isClosed()) {
                outdated = true;
                clients.remove(this);
                open(process);
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
            if (over || resting || paused || drawnInVain > 3) {
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
                if (!process.isAlive()) {
                    throw new IllegalStateException("the dead draw nothing");
                }
                promises.issued(name, range.first(), range.increment(), range.count());
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

        /** Stands still, and does not know it: it goes on drawing before it looks for anything new. */
        void pause() {
            if (!paused) {
                paused = true;
                later(
                        () -> {
                            if (!over) {
                                goOn();
                            }
                        },
                        Duration.ofMillis(random.nextInt(scenario.slow() ? 600_000 : 6_000)));
            }
        }

        void goOn() {
            paused = false;
            draw(1);
            act();
            watch();
        }

        /** The blocking methods, up to where they would block: nobody may wait here but in simulated time. */
        private void drawBlocking(String line, LongSupplier next) {
            int burst = random.nextInt(1, random.nextBoolean() ? 5 : 300);
            try {
                for (int i = 0; i < burst; i++) {
                    Thread.currentThread().interrupt();
                    promises.issued(line, next.getAsLong());
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

        /** When nothing fails any more, everybody gets an id within the claim time-out, unless refusing is right. */
        void requireProbed() {
            boolean mayFail = (failure instanceof SequenceException.Exhausted && isUsedUp())
                    || (failure instanceof SequenceException.Conflict && scenario.isSetBack());
            if (!served && !mayFail) {
                violations.add(name + " gets no id although nothing fails any more: " + failure);
            }
        }

        private boolean isUsedUp() {
            return Objects.requireNonNull(cluster.entry()).next() == cluster.max();
        }

        /** An idle process holds few ids, once it has looked. */
        void requireFrugal() {
            long held = 0;
            for (Held row : process.datacenter.row(stripe).claims.values()) {
                if (row.holder().equals(process.store.holder())) {
                    Span span = row.claim().span();
                    held += span.size() - history.issuedWithin(span.lo(), span.hi());
                }
            }
            SequenceSpec spec = allocator.spec();
            if (!usesCursors && threads == null && held > KEPT && spec.block().smallest() <= KEPT / 2) {
                violations.add(name + " is idle and holds " + held + " ids");
            }
        }
    }
}
