package dev.cassidy.reliability.simulation;

import dev.cassidy.async.Stages;
import dev.cassidy.reliability.checker.IssueHistory;
import dev.cassidy.reliability.simulation.Scenario.Disaster;
import dev.cassidy.reliability.simulation.SimulatedCluster.Datacenter;
import dev.cassidy.reliability.simulation.SimulatedCluster.Partition;
import dev.cassidy.reliability.simulation.SimulatedLink.Faults;
import dev.cassidy.sequence.Order;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.protocol.HolderName;
import dev.cassidy.sequence.store.Incarnations;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.Stripe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One schedule. Processes of several datacenters create the sequence, join it and draw ids through the real registry
 * and the real allocators. Meanwhile steps fail, have unknown outcomes or take effect late. Processes crash, close and
 * start again, datacenters are cut off, and rows are deleted or set back. Operators raise, drop and create the sequence
 * again, release and reclaim. Then the faults end. Every process must get an id in time, every raise must be
 * acknowledged, and in the end every position that was ever granted is accounted for. The seed decides everything, so a
 * schedule that failed can be run again.
 */
public final class AllocatorSimulation {

    /** If there are so many events after the end of the faults, a process tries without end. */
    private static final int RESTLESS = 200_000;

    /** Longer than anything lasts that was under way when a raise took effect. */
    private static final Duration STRAGGLERS = Duration.ofMinutes(2);

    private final SplittableRandom random;
    private final VirtualTime time;
    private final Scenario scenario;
    private final Mishaps mishaps;
    private final Defect defect;

    /** Whether operators also repair the sequence, as if it had been raised too far. */
    private boolean repairs;

    private final SimulatedCluster cluster;
    private final SimulatedLink.Weather weather;

    /** The datacenters that are not lost for good. */
    private final List<Datacenter> datacenters = new ArrayList<>();

    private List<Datacenter> all = List.of();
    private final ProcessFactory factory;
    private final SimulatedClient.World world;
    private final List<SimulatedClient> clients = new ArrayList<>();

    /** The processes of applications. */
    private final List<SimulatedProcess> processes = new ArrayList<>();

    /** The processes of operators. */
    private final List<SimulatedProcess> operators = new ArrayList<>();

    private final IssueHistory history;
    private final Promises promises;
    private final List<String> violations = new ArrayList<>();
    private final Occurrences occurrences = new Occurrences();
    private final Doubts doubts = new Doubts(occurrences);
    private long mishapCount;

    /** How many cursors and threads may each have left a gap. */
    private long cursorsEnded;

    /** The datacenter of which a reserve was deleted. */
    private @Nullable Datacenter deletedIn;

    /** The stripe of the reserve that was deleted. */
    private @Nullable Stripe deletedStripe;

    /** The processes that may hold ids whose rows were deleted together with the reserve. */
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
     * @param occurrences how often each event occurred
     */
    public record Result(List<String> violations, long ids, long faults, Map<Occurrence, Long> occurrences) {}

    /** Makes a schedule of the real protocol. */
    public AllocatorSimulation(long seed) {
        this(seed, Defect.NONE);
    }

    AllocatorSimulation(long seed, Defect defect) {
        this(new SplittableRandom(seed), defect);
    }

    /** Makes a schedule in which operators repair the sequence too. */
    static AllocatorSimulation withRepairs(long seed, Defect defect) {
        AllocatorSimulation simulation = new AllocatorSimulation(seed, defect);
        simulation.repairs = true;
        return simulation;
    }

    private AllocatorSimulation(SplittableRandom random, Defect defect) {
        this(random, new VirtualTime(), Scenario.draw(random), defect, new SimulatedCluster());
    }

    /**
     * @param random may be shared with simulations of other sequences, and so may {@code time}
     * @param cluster the cluster in which the sequence will be created
     */
    AllocatorSimulation(
            SplittableRandom random, VirtualTime time, Scenario scenario, Defect defect, SimulatedCluster cluster) {
        this.random = random;
        this.time = time;
        this.cluster = cluster;
        this.defect = defect;
        this.scenario = scenario;
        this.mishaps = new Mishaps(this, scenario, cluster, time, random);
        SequenceSpec spec = scenario.spec();
        this.weather = new SimulatedLink.Weather(scenario.faults(), defect.omitted());
        this.history = new IssueHistory(spec.start(), spec.increment(), spec.idAt(spec.count() - 1));
        this.promises = new Promises(history, cluster, spec);
        for (int i = 0; i < scenario.datacenters(); i++) {
            datacenters.add(new Datacenter("dc" + i));
        }
        this.all = List.copyOf(datacenters);
        cluster.datacenters = datacenters;
        this.factory =
                new ProcessFactory(random, time, scenario, defect, cluster, datacenters, weather, doubts, occurrences);
        this.world = new SimulatedClient.World(
                random, time, scenario, cluster, history, promises, violations, new ClientSchedule());
    }

    /** What the clients need from this schedule. */
    private final class ClientSchedule implements SimulatedClient.Schedule {

        @Override
        public boolean isOver() {
            return over;
        }

        @Override
        public void start() {
            AllocatorSimulation.this.start();
        }

        @Override
        public void open(SimulatedProcess process) {
            AllocatorSimulation.this.open(process);
        }

        @Override
        public void remove(SimulatedClient client) {
            clients.remove(client);
        }

        @Override
        public void addGaps(int cursors) {
            cursorsEnded += cursors;
        }
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
        return new Result(found, history.distinct(), weather.fired + mishapCount, occurrences.counts());
    }

    void begin() {
        if (defect.mixedSerialLevels()) {
            datacenters.forEach(datacenter -> factory.divideReplicas(datacenter, this::isOver));
        }
        if (scenario.disaster() != Disaster.NONE) {
            prepare();
        }
        for (int i = 0; i < scenario.population(); i++) {
            time.schedule(this::start, Duration.ofMillis(random.nextBoolean() ? 0 : random.nextInt(2_000)));
        }
        causeEvent();
        later(mishaps::silenceOne, 2_000);
    }

    /**
     * Creates the sequence everywhere. Disasters happen only to sequences that were created long ago: a step of the
     * creation that took effect after the rows were lost would not know what was granted in between.
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

    /** Returns whether the faults have ended. */
    boolean isOver() {
        return over;
    }

    /** Returns the datacenters that are not lost for good; callers may change the list. */
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
        SimulatedProcess process = factory.application(datacenter);
        processes.add(process);
        open(process);
    }

    /** Opens an allocator as an application does. The first application creates the sequence. */
    private void open(SimulatedProcess process) {
        String name = scenario.spec().name();
        process.registry.newestEntry(name).whenComplete((entry, thrown) -> {
            if (entry != null && entry.ready()) {
                SimulatedClient client = new SimulatedClient(world, process, entry);
                clients.add(client);
                client.act();
                client.beginWatching();
            } else if (entry != null) {
                openAgain(process, process.raises.seed(name, entry.spec().idAt(random.nextInt(10))));
            } else if (thrown != null && Stages.cause(thrown) instanceof SequenceException.NotFound) {
                openAgain(process, process.registry.create(scenario.spec(), !scenario.awaitsSeed()));
            } else {
                openAgain(process, CompletableFuture.completedFuture(null));
            }
        });
    }

    private void openAgain(SimulatedProcess process, CompletionStage<?> first) {
        first.whenComplete((done, thrown) -> {
            if (!over || done != null) {
                process.context.timer().schedule(() -> open(process), Duration.ofMillis(random.nextInt(300)));
            }
        });
    }

    Operator operator(Datacenter datacenter) {
        SimulatedProcess process = factory.operator(datacenter);
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
                this::nameOf,
                occurrences);
    }

    /** Returns how an operator names a holder whose process seems to have no other: sometimes by the process alone. */
    private String nameOf(HolderName holder) {
        return over || random.nextBoolean() ? holder.toString() : holder.process();
    }

    private boolean isGone(String holder, Datacenter datacenter) {
        if (holder.equals(SimulatedStore.UNKNOWN_HOLDER)) {
            return datacenter == deletedIn && witnesses.stream().noneMatch(SimulatedProcess::isAlive);
        }
        // All processes of that name must be gone, unless the operator does not know that several may share it.
        List<SimulatedProcess> bearers = processes.stream()
                .filter(process -> process.store.holder().equals(holder))
                .toList();
        return !bearers.isEmpty()
                && (defect.sharedNames()
                        ? bearers.stream().anyMatch(process -> !process.isAlive())
                        : bearers.stream().noneMatch(SimulatedProcess::isAlive));
    }

    /** Causes one random event, and schedules the next one. */
    private void causeEvent() {
        if (over) {
            return;
        }
        SequenceEntry entry = cluster.entry();
        if (entry != null && entry.incarnation() != newest) {
            newest = entry.incarnation();
            newestSince = time.nanoTime();
        }
        switch (random.nextInt(10)) {
            // Claims in doubt matter only if their process survives a silence and the raise after it.
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
                    mishaps.loseDatacenter(lost, operators);
                    mishaps.loseDatacenter(lost, processes).forEach(ended -> start());
                }
            }
        }
        int most = scenario.slow() ? 60_000 : scenario.silences() ? 6_000 : scenario.raises() ? 500 : 1_200;
        time.schedule(this::causeEvent, Duration.ofMillis(random.nextInt(10, most)));
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

    /** Kills a process and starts another one. */
    void crash(SimulatedProcess process) {
        kill(process);
        mishapCount++;
        start();
    }

    private void raiseSomehow() {
        if (!scenario.reclaims()) {
            raise();
            return;
        }
        clients.stream()
                .filter(client -> client.allocator.isLive() && !mishaps.raisesSoon())
                .findFirst()
                .ifPresent(client -> mishaps.reclaimBesideARaise(client.process));
    }

    private SimulatedClient anyone() {
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
            SimulatedClient leaving = anyone();
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
        if (over || mishaps.raisesSoon() || !scenario.raises() || entry == null || isDeletionDue()) {
            return;
        }
        if (random.nextBoolean()) {
            closeOne();
        }
        Operator operator = operator(anywhere());
        SequenceSpec spec = entry.spec();
        // A dropped sequence is mostly created again.
        if (repairs && scenario.drops() && random.nextInt(entry.dropped() ? 2 : 3) == 0) {
            operator.repair(count -> random.nextLong(Math.min(count, 20)));
            return;
        }
        if (entry.dropped()) {
            createAgain(operator, entry, -2);
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

    /** @param least the lowest begin, counted from the first free ordinal; a begin below 0 must be refused */
    private void createAgain(Operator operator, SequenceEntry dropped, int least) {
        SequenceSpec old = dropped.spec();
        long start = Math.max(0, dropped.next() + random.nextLong(least, 10));
        if (start < old.count()) {
            // A repaired sequence ends before ids that were granted; a creation that would issue them is refused.
            SequenceSpec bounds = !over && repairs && random.nextBoolean() ? scenario.spec() : old;
            SequenceSpec spec = new SequenceSpec(
                    old.name(), old.type(), old.idAt(start), old.increment(), bounds.minimum(), bounds.maximum());
            operator.create(spec.withOrder(random.nextBoolean() ? Order.THREAD : Order.PROCESS)
                    .withStripes(random.nextInt(1, 4))
                    .withBlock(old.block().smallest(), old.block().largest())
                    .withReserve(old.reserve().smallest(), old.reserve().largest()));
        }
    }

    private void tidyUp() {
        Datacenter datacenter = anywhere();
        mishaps.releaseLost(all);
        if (random.nextBoolean()) {
            operator(datacenter).release();
        } else {
            mishaps.reclaimTwice(datacenter);
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

    /** Returns whether a reserve will be deleted soon; a raise would interfere with that. */
    private boolean isDeletionDue() {
        return scenario.disaster() == Disaster.RESERVE_DELETED && deletedIn == null && !scenario.slow();
    }

    /** Deletes a reserve: once in a schedule, and while no earlier join is under way. Both limits are documented. */
    private void delete(Datacenter datacenter) {
        boolean settled = newest == 1 || time.nanoTime() - newestSince > STRAGGLERS.toNanos();
        List<Stripe> stripes = List.copyOf(datacenter.partitions.keySet());
        if (deletedIn == null && settled) {
            deletedIn = datacenter;
            mishapCount++;
            Stripe lost = stripes.get(random.nextInt(stripes.size()));
            datacenter.partitions.remove(lost);
            deletedStripe = lost;
            witnesses = processes.stream()
                    .filter(process -> process.datacenter == datacenter && process.isAlive())
                    .toList();
            // The loss of the rows shows if a process that had rows there is paused while the sequence is raised.
            clients.stream()
                    .filter(client -> client.process.datacenter == datacenter && client.stripe.equals(lost))
                    .findFirst()
                    .ifPresent(SimulatedClient::pause);
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

    /** Kills the processes whose claim rows were lost, so that an operator may release what an unknown holder holds. */
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

    /** Makes a backup the first time, and restores it the second time. */
    private void setBack(Supplier<Runnable> copy) {
        if (backup == null) {
            backup = copy.get();
        } else {
            mishapCount++;
            backup.run();
            backup = () -> {};
        }
    }

    private void later(Runnable task, int mostMillis) {
        time.schedule(task, Duration.ofMillis(random.nextInt(mostMillis)));
    }

    /** Ends the faults. */
    void calm() {
        over = true;
        weather.faults = Faults.NONE;
        cluster.gone = false;
        all.forEach(datacenter -> {
            datacenter.cutOff = false;
            datacenter.silent = false;
        });
    }

    /** Lets every process get an id and return what it holds; then accounts for all ids. */
    void settle() {
        boolean settled =
                rest() && (scenario.isSetBack() || letGo()) && everywhere(Operator::join) && serve() && giveBackIdle();
        if (settled && scenario.isQuiet()) {
            clients.forEach(SimulatedClient::requireFrugal);
        }
        if (settled) {
            clients.forEach(SimulatedClient::close);
        }
        if (settled && rest() && !scenario.isSetBack() && !defect.mixedSerialLevels()) {
            violations.addAll(new Accounting(cluster, all, datacenters, promises, history, doubts, this::isGone)
                    .violations(scenario.isQuiet(), cursorsEnded, deletedIn, deletedStripe));
        }
    }

    /** Does something in each datacenter; returns false if it does not end. */
    private boolean everywhere(Consumer<Operator> task) {
        datacenters.forEach(datacenter -> task.accept(operator(datacenter)));
        return rest();
    }

    private boolean everybody(Consumer<SimulatedClient> task) {
        List.copyOf(clients).forEach(task);
        return rest();
    }

    /**
     * Lets all processes release what a raise recalled; operators do it for the processes that are gone. Then every
     * datacenter must acknowledge.
     */
    private boolean letGo() {
        List<SimulatedProcess> running =
                clients.stream().map(client -> client.process).toList();
        processes.stream().filter(process -> !running.contains(process)).forEach(SimulatedProcess::kill);
        boolean awake = clients.stream().noneMatch(client -> client.isPaused());
        if (!awake || deletedIn != null) {
            if (!look()) {
                return false;
            }
            // The paused clients now continue as if nothing had happened.
            clients.stream().filter(client -> client.isPaused()).forEach(SimulatedClient::resume);
            restart();
        }
        boolean quiet = rest() && look();
        SequenceEntry entry = cluster.entry();
        if (!quiet || entry == null) {
            return quiet;
        }
        requireAcknowledged(entry);
        if (entry.dropped() && hasRoom(entry)) {
            createAgain(operator(datacenters.get(0)), entry, 0);
        } else if (!entry.dropped() && !entry.ready()) {
            operator(datacenters.get(0)).seed(entry.spec().start());
        }
        return rest() && everybody(SimulatedClient::look) && everywhere(Operator::reclaim);
    }

    /** Whether a dropped sequence is created again in the end. */
    static boolean hasRoom(SequenceEntry entry) {
        return entry.next() + 10 < entry.spec().count();
    }

    /**
     * Lets every client look three times after a raise. A process first closes its blocks, then removes rows that it
     * left behind, and then sees that all others have done so too.
     */
    private boolean look() {
        SequenceEntry entry = cluster.entry();
        if (entry == null || !Incarnations.isRaised(entry.incarnation())) {
            return true;
        }
        mishaps.releaseLost(all);
        boolean quiet = acknowledgeWhereNobodyRuns();
        for (int look = 0; quiet && look < 3; look++) {
            quiet = everywhere(Operator::release) && everybody(SimulatedClient::look);
        }
        return quiet && acknowledgeWhereNobodyRuns();
    }

    private boolean acknowledgeWhereNobodyRuns() {
        for (Datacenter datacenter : datacenters) {
            if (clients.stream().noneMatch(client -> client.process.datacenter == datacenter && !client.isPaused())) {
                operator(datacenter).acknowledge();
            }
        }
        return rest();
    }

    private void requireAcknowledged(SequenceEntry entry) {
        SimulatedProcess process = factory.operator(datacenters.get(0));
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
        // Only the one process that claimed since the backup can notice that its reserve was set back.
        if (scenario.disaster() != Disaster.RESERVE_SET_BACK) {
            datacenters.forEach(this::startIn);
            before += datacenters.size();
        }
        if (!rest()) {
            return false;
        }
        SequenceEntry entry = Objects.requireNonNull(cluster.entry());
        if (!entry.dropped() && clients.size() < before) {
            violations.add("nothing fails any more, but a process cannot open the sequence: " + entry);
        }
        if (!everybody(SimulatedClient::probe)) {
            return false;
        }
        clients.forEach(SimulatedClient::requireProbed);
        return true;
    }

    private boolean giveBackIdle() {
        for (int look = 0; look < 2; look++) {
            clients.forEach(client -> time.schedule(client.allocator::giveBackIdle, SimulatedClient.IDLE));
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
        violations.add("a process tries without end");
        return false;
    }
}
