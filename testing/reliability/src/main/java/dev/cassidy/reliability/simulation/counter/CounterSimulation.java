package dev.cassidy.reliability.simulation.counter;

import dev.cassidy.async.Stages;
import dev.cassidy.counter.protocol.CheckedClock;
import dev.cassidy.counter.protocol.CounterContext;
import dev.cassidy.counter.protocol.CounterFailure;
import dev.cassidy.counter.protocol.CounterProtocol;
import dev.cassidy.counter.protocol.Verdict;
import dev.cassidy.counter.protocol.Written;
import dev.cassidy.counter.store.Actor;
import dev.cassidy.counter.store.CounterRow;
import dev.cassidy.counter.store.NodeClocks.NodeTime;
import dev.cassidy.counter.store.Versions;
import dev.cassidy.reliability.simulation.VirtualTime;
import dev.cassidy.reliability.simulation.counter.SimulatedStores.Bug;
import dev.cassidy.reliability.simulation.counter.SimulatedStores.Generation;
import dev.cassidy.reliability.simulation.counter.SimulatedStores.OpenTable;
import dev.cassidy.reliability.simulation.counter.Tables.Opened;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One schedule of counters. Processes increment the same counters, with the real protocol, over three replicas. Meanwhile
 * they are paused, die and are replaced; slots are taken from those that look dead; replicas are down; writes are dropped,
 * arrive late and in any order, and have unknown outcomes; anybody folds and settles at any time. Clocks are wrong and are
 * set, and another client deletes counters by the clock.
 *
 * <p>Each increment is a power of four of its own, so that a sum shows how often each one is in it. No sum that is read at
 * one moment may contain an increment twice, or lack one that was acknowledged before the read began, or contain one that
 * was never sent. What a verdict says must hold for all later reads. When the faults end, every increment succeeds, and all
 * replicas agree. A process whose clock is wrong counts nothing. The seed decides everything.
 *
 * <p>If the table is emptied meanwhile, sums lack what was acknowledged before, and contain what was sent after. What was under
 * way may be in them or not.
 */
public final class CounterSimulation {

    private static final String DATACENTER = "dc1";
    private static final int SLOTS = 4;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long STORM_MILLIS = 300_000;

    /** Longer than a slot must stand still, the janitor's work and the latest write. */
    private static final long CALM_MILLIS = 1_100_000;

    /** Powers of four that fit a long. */
    private static final int MAX_INCREMENTS = 31;

    /** Several beats: after so long a process knows that its clock is wrong. */
    private static final long KNOWN_MILLIS = 30_000;

    /** The clock of a process is right. */
    private static final long NEVER = Long.MAX_VALUE;

    /** From the first to the second step in which a table is emptied. */
    private static final Duration ON_ITS_WAY = Duration.ofSeconds(5);

    /** So often an operator tries to create the table, or to adopt it. */
    private static final int MANY_TRIES = 10;

    /** After the storm, until the table is there and every process has it open. */
    private static final long OPENING_MILLIS = 400_000;

    /** What becomes of the table. */
    enum Fate {
        /** It stays. */
        KEPT,
        /** It is emptied now and then. */
        EMPTIED,
        /** It is emptied now and then, and is dropped and created again. */
        MADE_ANEW,
        /** It is dropped and created again, and processes open it and count nothing, so that schedules are short. */
        OPENED;

        boolean isMadeAnew() {
            return this == MADE_ANEW || this == OPENED;
        }
    }

    private final SplittableRandom random;
    private final VirtualTime time = new VirtualTime();
    private final Datacenter datacenter;
    private final @Nullable Bug bug;

    private final Clocks clocks;

    private final Fate fate;

    private final Tables tables;
    private final SplittableRandom schemaRandom;

    private final List<Emptying> emptyings = new ArrayList<>();
    private int generations;

    private final List<Tally> counters = new ArrayList<>();
    /** Incremented when the faults have ended. */
    private final Tally calm = new Tally("calm");

    private final List<Client> processes = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private int started;

    /** The installation that counts in the table. */
    private int contract;

    private int crashes;
    private int folds;
    private int taken;
    private int verdicts;
    private int deletes;
    private int refused;

    /**
     * The outcome of a schedule.
     *
     * @param violations what is wrong; empty if nothing is
     * @param acknowledged how many increments were acknowledged
     * @param faults how many faults were injected
     * @param folds how many folds succeeded
     * @param taken how often the janitor worked
     * @param verdicts how many final verdicts were given of increments in doubt
     * @param deletes how often another client deleted a counter
     * @param refused how many increments were refused because of a clock
     * @param dropped how often the table was dropped
     */
    public record Result(
            List<String> violations,
            int acknowledged,
            long faults,
            int folds,
            int taken,
            int verdicts,
            int deletes,
            int refused,
            int dropped) {}

    /** Of the real protocol. */
    public CounterSimulation(long seed) {
        this(seed, null, Fate.KEPT);
    }

    /** @param bug a planted bug, to see it found; null for the real protocol */
    CounterSimulation(long seed, @Nullable Bug bug, Fate fate) {
        this.random = new SplittableRandom(seed);
        this.schemaRandom = new SplittableRandom(~seed);
        this.bug = bug;
        this.fate = fate;
        this.datacenter = new Datacenter(
                time,
                random,
                schemaRandom,
                new Weather(
                        random.nextDouble(0, 0.05),
                        random.nextInt(3) == 0 ? random.nextDouble(0.2, 0.5) : random.nextDouble(0, 0.15),
                        random.nextDouble(0, 1),
                        random.nextDouble(0, 0.3)));
        this.clocks = new Clocks(time, random);
        this.tables = new Tables(datacenter, schemaRandom, bug, this::isStormy, () -> ++generations, violations::add);
        int count = random.nextInt(1, 4);
        for (int i = 0; i < count; i++) {
            counters.add(new Tally("c" + i));
        }
    }

    /** What is known of the increments of one counter. */
    private final class Tally {
        final String name;
        final List<Increment> increments = new ArrayList<>();

        /** Of what was acknowledged. */
        final List<Written> receipts = new ArrayList<>();

        Tally(String name) {
            this.name = name;
        }

        int acknowledged() {
            return (int) increments.stream()
                    .filter(increment -> increment.state == State.COUNTED)
                    .count();
        }

        /** Returns the increments that a row's sum holds. */
        List<Increment> within(BigInteger sum) {
            return increments.stream()
                    .filter(increment -> sum.testBit(2 * increment.power))
                    .toList();
        }

        /** Judges a sum of which everything was read between the two times. */
        void judge(String reader, BigInteger sum, long began, long ended) {
            BigInteger rest = sum;
            for (int i = 0; i < increments.size(); i++) {
                BigInteger[] parts = rest.divideAndRemainder(BigInteger.valueOf(4));
                rest = parts[0];
                int times = parts[1].intValueExact();
                Increment increment = increments.get(i);
                if (times > 1) {
                    violations.add(reader + " sees " + increment + " " + times + " times");
                }
                if (times == 0
                        && increment.state == State.COUNTED
                        && increment.knownAt <= began
                        && !mayBeDeleted(increment, ended)) {
                    violations.add(reader + " lacks " + increment);
                }
                if (times > 0 && isDeleted(increment, began)) {
                    violations.add(reader + " sees " + increment + ", which was deleted");
                }
                if (times > 0
                        && increment.state == State.NOT_COUNTED
                        && increment.knownAt <= began
                        && !mayBeDeleted(increment, ended)) {
                    violations.add(reader + " sees " + increment + ", which does not count");
                }
                if (times > 0 && increment.begunAt > ended) {
                    violations.add(reader + " sees " + increment + " before it was sent");
                }
            }
            if (rest.signum() != 0) {
                violations.add(reader + " sees what nobody sent: " + sum);
            }
        }
    }

    /** From when it was begun until it has succeeded, or has failed. */
    private static final class Emptying {
        final long began;
        long ended = Long.MAX_VALUE;
        boolean succeeded;

        Emptying(long began) {
            this.began = began;
        }
    }

    private boolean mayBeDeleted(Increment increment, long until) {
        return emptyings.stream().anyMatch(one -> one.began <= until && one.ended >= increment.begunAt);
    }

    /** Only what was acknowledged before cannot be under way. */
    private boolean isDeleted(Increment increment, long at) {
        return increment.state == State.COUNTED
                && emptyings.stream()
                        .anyMatch(one -> one.succeeded && one.ended <= at && increment.knownAt <= one.began);
    }

    private enum State {
        OPEN,
        COUNTED,
        NOT_COUNTED
    }

    private final class Increment {
        final Tally counter;
        final int power;
        final long begunAt = time.nanoTime();
        State state = State.OPEN;
        long knownAt;

        @Nullable
        Throwable failure;

        Increment(Tally counter) {
            this.counter = counter;
            this.power = counter.increments.size();
        }

        void became(State end) {
            if (state == State.OPEN) {
                state = end;
                knownAt = time.nanoTime();
            } else if (state != end) {
                violations.add(this + " became " + end);
            }
        }

        @Override
        public String toString() {
            return "4^" + power + " of " + counter.name + " (" + state + ")";
        }
    }

    public Result run() {
        if (fate == Fate.EMPTIED) {
            datacenter.replicas.forEach(
                    replica -> replica.apply(OpenTable.KEPT, Generation.row(OpenTable.KEPT, generations)));
        }
        if (fate == Fate.EMPTIED || fate == Fate.MADE_ANEW) {
            emptyNowAndThen();
        }
        if (fate.isMadeAnew()) {
            tables.begin();
            makeAnewNowAndThen();
        }
        int population = random.nextInt(2, 5);
        for (int i = 0; i < population; i++) {
            start();
        }
        happen();
        long calm = STORM_MILLIS;
        runUntil(calm);
        if (fate.isMadeAnew()) {
            calm += OPENING_MILLIS;
            openForGood();
            runUntil(calm);
        }
        if (fate != Fate.OPENED) {
            clearUp();
            runUntil(calm + CALM_MILLIS);
            judge();
        }
        return new Result(
                violations,
                counters.stream().mapToInt(Tally::acknowledged).sum(),
                datacenter.weather.fired + crashes,
                folds,
                taken,
                verdicts,
                deletes,
                refused,
                tables.dropped);
    }

    private void runUntil(long endMillis) {
        while (time.nanoTime() < endMillis * NANOS_PER_MILLI && time.step()) {
            // Events make further events.
        }
    }

    private boolean isStormy() {
        return time.nanoTime() < STORM_MILLIS * NANOS_PER_MILLI;
    }

    private static Duration millis(long millis) {
        return Duration.ofNanos(millis * NANOS_PER_MILLI);
    }

    private Tally anyCounter() {
        return counters.get(random.nextInt(counters.size()));
    }

    private Client anyProcess() {
        return processes.get(random.nextInt(processes.size()));
    }

    /** A process of another installation than the one that the table's contract names is refused, and one of that starts. */
    private void start() {
        int installation = random.nextInt(4) / 3;
        if (fate.isMadeAnew()) {
            open(installation);
            return;
        }
        if (started == 0) {
            contract = installation;
        }
        boolean isRefused = installation != contract && bug != Bug.CONTRACT_NOT_ASKED;
        start(new Opened(new OpenTable(OpenTable.KEPT), generations, isRefused ? contract : installation));
    }

    private void start(Opened opened) {
        if (fate == Fate.OPENED) {
            if (isStormy()) {
                openAgainSoon(opened.installation());
            }
            return;
        }
        Client process = new Client(started++, opened);
        processes.add(process);
        process.work();
    }

    /** Until it has succeeded: a process that is refused is started again, perhaps with the settings of the other installation. */
    private void open(int installation) {
        Tables.Program program = tables.program(installation);
        CompletionStage<Void> first =
                switch (schemaRandom.nextInt(6)) {
                    case 0, 1 -> program.create();
                    case 2 -> program.adopt();
                    default -> CompletableFuture.completedFuture(null);
                };
        first.thenCompose(there -> program.open()).whenComplete((opened, failure) -> {
            if (failure == null) {
                start(opened);
            } else {
                openAgainSoon(schemaRandom.nextInt(3) == 0 ? 1 - installation : installation);
            }
        });
    }

    private void openAgainSoon(int installation) {
        time.schedule(() -> open(installation), millis(schemaRandom.nextLong(50, 5_000)));
    }

    private void makeAnewNowAndThen() {
        if (isStormy()) {
            makeAnew();
            int within = fate == Fate.OPENED ? 50_000 : 150_000;
            time.schedule(this::makeAnewNowAndThen, millis(schemaRandom.nextLong(5_000, within)));
        }
    }

    /** Those who create or adopt it may be several, of two installations, and each may end halfway. */
    private void makeAnew() {
        if (tables.now() != Replica.NO_TABLE) {
            Emptying emptying = new Emptying(time.nanoTime());
            emptyings.add(emptying);
            tables.drop(() -> {
                emptying.ended = time.nanoTime();
                emptying.succeeded = true;
            });
        }
        if (schemaRandom.nextInt(fate == Fate.OPENED ? 2 : 3) == 0) {
            adoptWhatAnotherMakes();
            return;
        }
        int installation = schemaRandom.nextInt(3) / 2;
        int creators = schemaRandom.nextInt(1, 4);
        for (int i = 0; i < creators; i++) {
            int by = schemaRandom.nextInt(8) == 0 ? 1 - installation : installation;
            time.schedule(() -> tables.program(by).create(), millis(schemaRandom.nextLong(2_000)));
        }
    }

    /** Both installations adopt it, or try to. */
    private void adoptWhatAnotherMakes() {
        time.schedule(tables::createByOther, millis(schemaRandom.nextLong(500, 2_000)));
        int adopters = schemaRandom.nextInt(2, fate == Fate.OPENED ? 24 : 12);
        for (int i = 0; i < adopters; i++) {
            int by = schemaRandom.nextInt(2);
            time.schedule(() -> tables.program(by).adopt(), millis(schemaRandom.nextLong(1_000, 20_000)));
        }
    }

    /** An operator sees to it that there is a table, and that no process has an earlier one open. */
    private void openForGood() {
        datacenter.weather.clearUp();
        datacenter.replicas.forEach(replica -> replica.setUp(true));
        clocks.clearUp();
        processes.forEach(process -> {
            process.cutOffUntil = 0;
            process.clockIsOff = 0;
            process.judgeClock();
        });
        time.schedule(() -> createForGood(0), millis(30_000));
        if (fate == Fate.OPENED) {
            return;
        }
        time.schedule(this::empty, millis(100_000));
        time.schedule(
                () -> List.copyOf(processes).stream()
                        .filter(process -> process.table.id != tables.now())
                        .forEach(Client::openAgain),
                millis(130_000));
    }

    private void createForGood(int tries) {
        tables.program(tries % 2)
                .create()
                .exceptionallyCompose(refused -> tables.program(tries % 2).adopt())
                .exceptionally(failure -> {
                    if (tries == MANY_TRIES) {
                        violations.add("nobody may count in the table: " + failure);
                    } else {
                        time.schedule(() -> createForGood(tries + 1), millis(1_000));
                    }
                    return null;
                });
    }

    private void happen() {
        if (!isStormy()) {
            return;
        }
        if (processes.isEmpty()) {
            if (fate == Fate.OPENED) {
                upOrDown();
            }
            time.schedule(this::happen, millis(schemaRandom.nextLong(100, 15_000)));
            return;
        }
        Client victim = anyProcess();
        switch (random.nextInt(21)) {
            case 0, 1 -> {
                victim.alive = false;
                processes.remove(victim);
                crashes++;
                start();
            }
            case 2 -> {
                processes.remove(victim);
                victim.protocol.close();
                start();
            }
            case 3, 4, 5 -> victim.pause(random.nextLong(1_000, 120_000));
            case 6 -> victim.cutOffUntil = time.nanoTime() + random.nextLong(60_000) * NANOS_PER_MILLI;
            case 7, 8 -> upOrDown();
            case 9 -> {
                // Several fold and settle the same at once.
                Tally counter = anyCounter();
                for (Client process : List.copyOf(processes)) {
                    for (int i = 0; i < 3; i++) {
                        time.schedule(() -> process.fold(counter), millis(random.nextLong(300)));
                    }
                }
            }
            case 10 -> {
                CounterProtocol copied = victim.protocol;
                copied.suspend();
                time.schedule(copied::disownAndResume, millis(random.nextLong(10_000)));
            }
            case 11, 12 -> {
                // Its increment reaches one replica, perhaps; then it looks dead for a while.
                victim.link.dropMost();
                victim.increment(anyCounter());
                time.schedule(() -> victim.pause(random.nextLong(60_000, 150_000)), millis(random.nextLong(40)));
                time.schedule(() -> cleanByAny(), millis(random.nextLong(15_000)));
            }
            case 13, 14 -> delete(anyCounter());
            case 15, 16 -> {
                victim.clockIsOff = clocks.off();
                processes.forEach(Client::judgeClock);
            }
            case 17 -> {
                clocks.setANode();
                processes.forEach(Client::judgeClock);
            }
            case 18 -> clocks.setAll();
            default -> clean(victim);
        }
        time.schedule(this::happen, millis(random.nextLong(100, 15_000)));
    }

    private void upOrDown() {
        Replica replica = datacenter.replicas.get(random.nextInt(datacenter.replicas.size()));
        boolean othersUp = datacenter.replicas.stream().allMatch(other -> other == replica || other.isUp());
        replica.setUp(!replica.isUp() || !othersUp);
    }

    /** Another client deletes a counter: a node gives the statement the time of its clock. */
    private void delete(Tally counter) {
        deletes++;
        Instant now = clocks.node(random.nextInt(clocks.nodes()));
        long micros = ChronoUnit.MICROS.between(Instant.EPOCH, now);
        for (int generation = 0; generation <= generations; generation++) {
            for (int slot = 0; slot < SLOTS; slot++) {
                Mutation delete = new Mutation(
                        counter.name + "|" + homeIn(generation) + "/" + slot,
                        List.of(),
                        new Mutation.RangeDelete(-1, Long.MAX_VALUE, micros));
                for (Replica replica : datacenter.replicas) {
                    time.schedule(() -> replica.apply(replica.table(), delete), millis(random.nextLong(2_000)));
                }
            }
        }
    }

    private String homeIn(int generation) {
        return fate == Fate.KEPT ? DATACENTER : DATACENTER + "~" + generation;
    }

    private void emptyNowAndThen() {
        if (isStormy()) {
            time.schedule(
                    () -> {
                        empty();
                        emptyNowAndThen();
                    },
                    millis(random.nextLong(5_000, 150_000)));
        }
    }

    /** As the command does, which may fail at each step. */
    private void empty() {
        int of = tables.now();
        if (of == Replica.NO_TABLE && fate == Fate.MADE_ANEW) {
            return;
        }
        Emptying emptying = new Emptying(time.nanoTime());
        emptyings.add(emptying);
        Runnable begin = () -> {
            Link link = new Link(datacenter, time::schedule, () -> false);
            link.write(Generation.row(of, ++generations)).whenComplete((done, failure) -> {
                emptying.ended = time.nanoTime();
                emptying.succeeded = failure == null;
            });
        };
        truncate(
                of,
                emptying,
                bug == Bug.EMPTIED_IN_ONE_STEP
                        ? begin
                        : () -> time.schedule(() -> truncate(of, emptying, begin), ON_ITS_WAY));
    }

    /** Deletes everything at each replica at a time of its own; all of them must be up. */
    private void truncate(int of, Emptying emptying, Runnable then) {
        List<Replica> left = new ArrayList<>(datacenter.replicas);
        if (!left.stream().allMatch(Replica::isUp) || (isStormy() && random.nextInt(8) == 0)) {
            emptying.ended = time.nanoTime();
            return;
        }
        for (Replica replica : datacenter.replicas) {
            time.schedule(
                    () -> {
                        if (replica.isUp()) {
                            replica.truncate(of, time.nanoTime());
                            left.remove(replica);
                        }
                    },
                    millis(random.nextLong(500)));
        }
        time.schedule(
                () -> {
                    if (left.isEmpty()) {
                        then.run();
                    } else {
                        emptying.ended = time.nanoTime();
                    }
                },
                millis(501));
    }

    private void cleanByAny() {
        if (!processes.isEmpty()) {
            clean(anyProcess());
        }
    }

    private void clean(Client by) {
        // Others settle at the same time as the janitor, which waits first until a beat has stood still for long
        // enough.
        for (Client other : List.copyOf(processes)) {
            Tally counter = anyCounter();
            time.schedule(() -> other.fold(counter), millis(45_000 + random.nextLong(500)));
        }
        by.protocol.clean().whenComplete((done, failure) -> {
            if (failure == null && done) {
                taken++;
            }
        });
    }

    private void clearUp() {
        datacenter.weather.clearUp();
        datacenter.replicas.forEach(replica -> replica.setUp(true));
        clocks.clearUp();
        if (fate == Fate.EMPTIED) {
            // Otherwise nobody would fold any more.
            time.schedule(this::empty, millis(10_000));
        }
        processes.forEach(process -> {
            process.cutOffUntil = 0;
            process.clockIsOff = 0;
            process.judgeClock();
        });
        // Cassandra repairs steps in doubt after a while: until then plain reads may not show them.
        time.schedule(datacenter::repairSteps, millis(150_000));
        // One who is told that it is another's turn looks again: the other may have died. And a beat in doubt may not
        // be
        // visible before the next one's condition was judged.
        Client janitor = anyProcess();
        for (long at = 1_000; at < 800_000; at += 180_000) {
            time.schedule(() -> clean(janitor), millis(at));
        }
        processes.forEach(
                process -> time.schedule(() -> process.increment(calm), millis(900_000 + random.nextLong(100_000))));
        for (Tally counter : counters) {
            time.schedule(() -> anyProcess().fold(counter), millis(CALM_MILLIS - 50_000));
        }
    }

    /** When everything has arrived. */
    private void judge() {
        counters.add(calm);
        for (Tally counter : counters) {
            List<BigInteger> sums = datacenter.replicas.stream()
                    .map(replica -> sum(Replica.merged(List.of(replica.read(counter.name + "|"))).values().stream()
                            .flatMap(List::stream)
                            .toList()))
                    .toList();
            BigInteger together = sum(Replica.merged(datacenter.replicas.stream()
                            .map(replica -> replica.read(counter.name + "|"))
                            .toList())
                    .values()
                    .stream()
                    .flatMap(List::stream)
                    .toList());
            counter.judge("the end", together, time.nanoTime(), time.nanoTime());
            boolean dropsNothing = sums.stream().allMatch(together::equals);
            if (!dropsNothing && isRepairNeeded()) {
                // A hint was lost: repair brings it, and then they are equal, which is what was summed together.
                continue;
            }
            if (!dropsNothing) {
                violations.add("the replicas differ about " + counter.name + ": " + sums);
            }
            for (Increment increment : counter.increments) {
                if (increment.state != State.COUNTED && counter.name.equals("calm")) {
                    violations.add("not counted without faults: " + increment + ": " + increment.failure);
                }
            }
        }
    }

    private boolean isRepairNeeded() {
        return datacenter.weather.fired > 0;
    }

    private static BigInteger sum(List<CounterRow> rows) {
        BigInteger sum = BigInteger.ZERO;
        for (CounterRow row : rows) {
            BigInteger increment = row.increment();
            sum = increment == null ? sum : sum.add(increment);
        }
        return sum;
    }

    private final class Client {
        final String name;
        final Link link;
        final List<CounterProtocol> former = new ArrayList<>();
        CounterProtocol protocol;
        final OpenTable table;
        int generation;
        boolean alive = true;
        private final int installation;
        private final Duration timeout;
        private final int foldAfter;
        private SimulatedStores stores;
        long pausedUntil;
        long cutOffUntil;

        /** In milliseconds. */
        long clockIsOff = clocks.off();

        private final CheckedClock clock =
                new CheckedClock(() -> clocks.process(clockIsOff), time::nanoTime, this::askNodes);
        private final long startedAt = time.nanoTime();
        private long wrongSince = NEVER;

        Client(int number, Opened opened) {
            this.name = "process" + number;
            this.table = opened.table();
            this.link = new Link(datacenter, this::later, () -> time.nanoTime() < cutOffUntil);
            this.installation = opened.installation();
            this.generation = opened.generation();
            judgeClock();
            this.timeout = Duration.ofSeconds(random.nextInt(1, 20));
            this.foldAfter = random.nextInt(1, 5);
            this.stores = stores();
            this.protocol = new CounterProtocol(
                    stores.new Slots(),
                    stores.new Settlements(),
                    stores.new Table(),
                    stores.new Touched(),
                    context(),
                    Long.MAX_VALUE);
        }

        private SimulatedStores stores() {
            int of = generation;
            return new SimulatedStores(
                    datacenter,
                    link,
                    bug,
                    installation,
                    new Generation(table, of, fate != Fate.KEPT, begun -> goOnIn(of, begun)));
        }

        private CounterContext context() {
            return new CounterContext(
                    home(),
                    timeout,
                    SLOTS,
                    foldAfter,
                    this::later,
                    time::nanoTime,
                    clock,
                    random,
                    () -> new UUID(random.nextLong(), random.nextLong()));
        }

        private List<CompletionStage<NodeTime>> askNodes() {
            return IntStream.range(0, clocks.nodes())
                    .mapToObj(node -> link.read(() -> new NodeTime("node" + node, clocks.node(node))))
                    .toList();
        }

        void judgeClock() {
            boolean isWrong = clocks.isWrong(clockIsOff);
            if (!isWrong) {
                wrongSince = NEVER;
            } else if (wrongSince == NEVER) {
                wrongSince = time.nanoTime();
            }
        }

        /** Whether it must know that its clock is wrong: it has been so from the start, or for several beats. */
        private boolean knowsBetter() {
            long free = Math.max(wrongSince, Math.max(pausedUntil, cutOffUntil));
            return wrongSince != NEVER
                    && (wrongSince == startedAt || time.nanoTime() - free > KNOWN_MILLIS * NANOS_PER_MILLI);
        }

        private String home() {
            return homeIn(generation);
        }

        /** As the counters of an application do. */
        private void goOnIn(int ended, int begun) {
            if (generation != ended) {
                return;
            }
            generation = begun;
            former.add(protocol);
            stores = stores();
            protocol = protocol.next(
                    stores.new Slots(), stores.new Settlements(), stores.new Table(), stores.new Touched(), context());
        }

        /** As an application does whose increments are refused. */
        private void openAgainLater() {
            later(this::openAgain, millis(schemaRandom.nextLong(20_000)));
        }

        void openAgain() {
            if (processes.remove(this)) {
                protocol.close();
                open(installation);
            }
        }

        void pause(long millis) {
            pausedUntil = Math.max(pausedUntil, time.nanoTime() + millis * NANOS_PER_MILLI);
        }

        /** Runs the process's tasks: those of a dead process are dropped, those of a paused one run later. */
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

        /** Does one thing after another. */
        void work() {
            later(
                    () -> {
                        if (!processes.contains(this)) {
                            return;
                        }
                        switch (random.nextInt(8)) {
                            case 0 -> fold(anyCounter());
                            case 1, 2 -> read(anyCounter());
                            default -> {
                                // Several at once go into one row.
                                int count = random.nextInt(3) == 0 ? random.nextInt(2, 5) : 1;
                                Tally counter = anyCounter();
                                for (int i = 0; i < count; i++) {
                                    increment(counter);
                                }
                            }
                        }
                        work();
                    },
                    millis(random.nextLong(10, 25_000)));
        }

        void increment(Tally counter) {
            if (counter.increments.size() == MAX_INCREMENTS) {
                return;
            }
            Increment increment = new Increment(counter);
            counter.increments.add(increment);
            boolean knewItGone = table.gone;
            boolean knewBetter = knowsBetter();
            long wrongBefore = wrongSince;
            protocol.increment(counter.name, 1L << (2 * increment.power)).whenComplete((written, failure) -> {
                if (failure == null) {
                    increment.became(State.COUNTED);
                    counter.receipts.add(written);
                    if (knewItGone) {
                        violations.add(name + " counts " + increment + " though it knows that its table is gone");
                    }
                    if (knewBetter && wrongSince == wrongBefore) {
                        violations.add(name + " counts " + increment + " though its clock is wrong");
                    }
                    return;
                }
                Throwable cause = Stages.cause(failure);
                increment.failure = cause;
                if (cause instanceof CounterFailure.OutcomeUnknown unknown) {
                    increment.knownAt = time.nanoTime();
                    ask(increment, Actor.of(unknown.actor()).orElseThrow(), unknown.version());
                } else if (cause instanceof CounterFailure.NotSent || cause instanceof CounterFailure.NoSlot) {
                    increment.became(State.NOT_COUNTED);
                    if (table.gone) {
                        openAgainLater();
                    }
                    refused += String.valueOf(cause.getMessage()).contains("NTP") ? 1 : 0;
                } else if (!(cause instanceof IllegalStateException)) {
                    violations.add(name + " failed: " + cause);
                } else {
                    increment.became(State.NOT_COUNTED);
                }
            });
        }

        /** Another process asks what became of an increment. */
        void ask(Increment increment, Actor actor, long version) {
            time.schedule(
                    () -> {
                        if (processes.isEmpty()) {
                            ask(increment, actor, version);
                            return;
                        }
                        Client asking = anyProcess();
                        if (!asking.home().equals(actor.home())) {
                            return;
                        }
                        asking.verdict(increment.counter, actor.slot(), version).whenComplete((verdict, failure) -> {
                            if (failure != null || verdict == Verdict.OPEN) {
                                ask(increment, actor, version);
                            } else if (verdict == Verdict.COUNTED) {
                                verdicts++;
                                increment.became(State.COUNTED);
                            } else if (verdict == Verdict.NOT_COUNTED) {
                                verdicts++;
                                increment.became(State.NOT_COUNTED);
                            } else if (!mayBeDeleted(increment, time.nanoTime())) {
                                violations.add("the nodes forgot nothing, and " + increment + " is " + verdict);
                            }
                        });
                    },
                    millis(random.nextLong(100, 30_000)));
        }

        void fold(Tally counter) {
            protocol.fold(counter.name).whenComplete((done, failure) -> {
                if (failure == null) {
                    folds++;
                } else if (Stages.cause(failure) instanceof CounterFailure cause) {
                    violations.add(name + " cannot fold: " + cause.getMessage());
                }
            });
        }

        void read(Tally counter) {
            long began = time.nanoTime();
            link.select(counter.name + "|").thenAccept(found -> {
                List<CounterRow> rows =
                        found.values().stream().flatMap(List::stream).toList();
                counter.judge(name, sum(rows), began, time.nanoTime());
                List<CounterRow> increments = rows.stream()
                        .filter(row -> Versions.isIncrement(row.version()))
                        .toList();
                if (!increments.isEmpty()) {
                    CounterRow seen = increments.get(random.nextInt(increments.size()));
                    askOf(counter, seen.actor(), seen.version());
                }
                if (!counter.receipts.isEmpty()) {
                    askAgain(counter, counter.receipts.get(random.nextInt(counter.receipts.size())));
                    Written one = counter.receipts.get(random.nextInt(counter.receipts.size()));
                    askOf(
                            anyCounter(),
                            random.nextBoolean() ? one.actor() : home() + "/" + random.nextInt(SLOTS),
                            madeUp(one.version()));
                }
            });
        }

        private long madeUp(long version) {
            int epoch = Versions.epoch(version) + random.nextInt(-2, 3);
            long number = Versions.number(version) + random.nextInt(-2, 3);
            return Versions.of(Math.max(1, epoch), Math.max(1, number));
        }

        private CompletionStage<Verdict> verdict(Tally counter, int slot, long version) {
            CounterProtocol asked = protocol;
            return fate != Fate.KEPT
                    ? stores.new Table().require().thenCompose(same -> asked.verdict(counter.name, slot, version))
                    : asked.verdict(counter.name, slot, version);
        }

        /** What was acknowledged counts at any later time. */
        private void askAgain(Tally counter, Written acknowledged) {
            Actor actor = Actor.of(acknowledged.actor()).orElseThrow();
            if (!home().equals(actor.home())) {
                return;
            }
            long began = time.nanoTime();
            verdict(counter, actor.slot(), acknowledged.version()).thenAccept(verdict -> {
                BigInteger sent =
                        datacenter.sent.get(counter.name + "|" + acknowledged.actor() + "|" + acknowledged.version());
                if (verdict == Verdict.COUNTED
                        && sent != null
                        && counter.within(sent).stream().anyMatch(increment -> isDeleted(increment, began))) {
                    violations.add("was deleted, and is " + verdict + ": " + acknowledged + " of " + counter.name);
                }
                if (verdict != Verdict.COUNTED && emptyings.isEmpty()) {
                    violations.add("was acknowledged, and is " + verdict + ": " + acknowledged + " of " + counter.name);
                }
            });
        }

        /** Asks for the verdict of any row, which may never have been sent. */
        private void askOf(Tally counter, String actor, long version) {
            Actor of = Actor.of(actor).orElseThrow();
            if (!home().equals(of.home())) {
                return;
            }
            verdict(counter, of.slot(), version).thenAccept(verdict -> {
                if (verdict == Verdict.COUNTED) {
                    BigInteger sent = datacenter.sent.get(counter.name + "|" + actor + "|" + version);
                    if (sent == null) {
                        violations.add(
                                "nobody sent, and is counted: " + version + " of " + actor + " of " + counter.name);
                    } else {
                        counter.within(sent).forEach(increment -> increment.became(State.COUNTED));
                    }
                }
            });
        }
    }
}
