package dev.cassidy.benchmarks.counters;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import dev.cassidy.benchmarks.report.Case;
import dev.cassidy.benchmarks.report.Median;
import dev.cassidy.benchmarks.report.Report;
import dev.cassidy.counter.Counter;
import dev.cassidy.counter.Counters;
import dev.cassidy.counter.CountersConfig;
import dev.cassidy.embedded.EmbeddedCassandra;
import java.io.PrintStream;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * Increments by one client, through {@link Counters} and with Cassandra's own counters. Both have the same number in
 * flight. After the race, each acknowledged increment of ours must be in its counter, and none twice.
 */
final class IncrementRace implements AutoCloseable {

    private static final String KEYSPACE = "increments";
    private static final String CASSIDY = "increments_cassidy";
    private static final String OURS = KEYSPACE + ".ours";
    private static final String NATIVE = KEYSPACE + ".native";
    private static final Duration LOOK_AGAIN = Duration.ofMillis(10);

    /** How the client increments. */
    private enum Shape {
        /** Fewer in flight than there are counters, so that nearly every increment is a row of its own. */
        SPREAD("spread"),
        /** Enough in flight that rows fill the requests that they share. */
        SPREAD_BUSY("spread-busy"),
        /** More in flight than there are counters, so that a row holds several increments. */
        SPREAD_FLOOD("spread-flood"),
        HOT("hot"),
        HOT_THREADS("hot-8-threads");

        private final String name;

        Shape(String name) {
            this.name = name;
        }

        String caseName(int replicas) {
            return "increments-rf" + replicas + '-' + name + "-vs-native";
        }

        boolean isSpread() {
            return this == SPREAD || this == SPREAD_BUSY || this == SPREAD_FLOOD;
        }

        Case withGoal(Case measured, int replicas) {
            return switch (this) {
                case SPREAD, SPREAD_BUSY, SPREAD_FLOOD -> measured.withGoal(replicas == 1 ? 1.2 : 1.5);
                case HOT -> measured.withGoal(20);
                case HOT_THREADS -> measured;
            };
        }
    }

    private enum Side {
        OURS("Cassidy's Counters"),
        NATIVE("Cassandra's counters");

        private final String title;

        Side(String title) {
            this.title = title;
        }
    }

    private record Entry(Shape shape, Side side) {}

    /** The results of one turn, without its warming up. CPU time is that of all nodes and of the client. */
    private record Turn(double incrementsASecond, double cpuMicros, double failures) {}

    /** What a contestant does for one increment. The names of a shape's counters are its own. */
    private interface Increments {

        CompletionStage<?> start(String counter);

        void await(String counter);
    }

    private final List<EmbeddedCassandra> nodes;
    private final Workload workload;
    private final PrintStream out;
    private final CqlSession session;
    private final ExecutorService pool = Executors.newCachedThreadPool();
    private final SplittableRandom random = new SplittableRandom();
    private final Map<Entry, List<Turn>> turns = new HashMap<>();

    /** Of ours, over all turns. */
    private final Map<Shape, LongAdder> acknowledged = new EnumMap<>(Shape.class);

    private final Map<Shape, LongAdder> failed = new EnumMap<>(Shape.class);

    /** @param nodes of one datacenter; each has all of the data */
    IncrementRace(List<EmbeddedCassandra> nodes, Workload workload, PrintStream out) {
        this.nodes = List.copyOf(nodes);
        this.workload = workload;
        this.out = out;
        this.session = Nodes.connect(nodes);
        for (Shape shape : Shape.values()) {
            acknowledged.put(shape, new LongAdder());
            failed.put(shape, new LongAdder());
        }
    }

    static List<String> cases(int replicas) {
        return Arrays.stream(Shape.values())
                .map(shape -> shape.caseName(replicas))
                .toList();
    }

    void run(Report report) {
        Nodes.createKeyspaces(session, nodes, KEYSPACE, CASSIDY);
        CountersConfig config = CountersConfig.of(OURS)
                .withGlobalKeyspace(CASSIDY)
                .withRequestTimeout(Nodes.TIMEOUT)
                .withIncrementTimeout(Nodes.TIMEOUT.multipliedBy(2));
        Counters.create(session, config);
        session.execute("CREATE TABLE " + NATIVE + " (type text PRIMARY KEY, value counter)");
        report.condition(
                "increments, RF " + nodes.size(),
                "one client, LOCAL_QUORUM, the same number in flight for both. Each contestant has incremented for "
                        + workload.compiling().toMillis() + " ms before the rounds. " + workload.incrementing()
                        + ". CPU time is that of all nodes and of the client");
        try (Counters counters = Counters.open(session, config)) {
            Map<Side, Increments> sides = Map.of(Side.OURS, ours(counters), Side.NATIVE, ofCassandra());
            race(sides);
            for (Shape shape : Shape.values()) {
                check(shape, counters);
                report.add(shape.withGoal(compare(shape), nodes.size()));
            }
        }
    }

    private static Increments ours(Counters counters) {
        return new Increments() {
            @Override
            public CompletionStage<?> start(String counter) {
                return counters.counter(counter).incrementAsync(1);
            }

            @Override
            public void await(String counter) {
                var unused = counters.counter(counter).increment(1);
            }
        };
    }

    private Increments ofCassandra() {
        PreparedStatement update = session.prepare("UPDATE " + NATIVE + " SET value = value + 1 WHERE type = ?");
        return new Increments() {
            @Override
            public CompletionStage<?> start(String counter) {
                return session.executeAsync(update.bind(counter));
            }

            @Override
            public void await(String counter) {
                session.execute(update.bind(counter));
            }
        };
    }

    private void race(Map<Side, Increments> sides) {
        List<Entry> order = new ArrayList<>();
        for (Shape shape : Shape.values()) {
            for (Side side : Side.values()) {
                order.add(new Entry(shape, side));
            }
        }
        for (Entry entry : order) {
            Turn unused = turn(entry, sides, Duration.ZERO, workload.compiling());
        }
        Random shuffling = new Random(1);
        for (int round = 0; round <= workload.incrementing().rounds(); round++) {
            // A contestant after a heavy one increments while the server still works for that one.
            Collections.shuffle(order, shuffling);
            for (Entry entry : order) {
                Turn turn = turn(
                        entry,
                        sides,
                        workload.incrementing().warmUp(),
                        workload.incrementing().measured());
                if (round > 0) {
                    turns.computeIfAbsent(entry, key -> new ArrayList<>()).add(turn);
                }
                out.printf(
                        Locale.ROOT,
                        "round %d/%d  RF %d  %-22s %-14s %,12.0f increments/s  %9.2f CPU-us/increment  failures %.0f%n",
                        round,
                        workload.incrementing().rounds(),
                        nodes.size(),
                        entry.side().title,
                        entry.shape().name,
                        turn.incrementsASecond(),
                        turn.cpuMicros(),
                        turn.failures());
            }
        }
    }

    /** A turn's clients, which increment until they are told to stop. */
    private interface Load {

        /** What each thread does. */
        List<Runnable> tasks();

        void stop();

        long acknowledged();

        long failures();
    }

    /** One thread starts increments, and waits only if too many are in flight. */
    private final class InFlight implements Load {
        private final Entry entry;
        private final Increments increments;
        private final Pipeline pipeline;
        private volatile boolean over;

        InFlight(Entry entry, Increments increments, int width) {
            this.entry = entry;
            this.increments = increments;
            this.pipeline = new Pipeline(width);
        }

        @Override
        public List<Runnable> tasks() {
            List<String> names = names(entry.shape());
            SplittableRandom own = random.split();
            return List.of(() -> {
                while (!over) {
                    String counter = names.get(own.nextInt(names.size()));
                    pipeline.start(() -> increments.start(counter));
                }
                pipeline.drain();
            });
        }

        @Override
        public void stop() {
            over = true;
        }

        @Override
        public long acknowledged() {
            return pipeline.succeeded();
        }

        @Override
        public long failures() {
            return pipeline.failed();
        }
    }

    /** Threads that wait for each answer. */
    private final class Waiting implements Load {
        private final Entry entry;
        private final Increments increments;
        private final LongAdder acknowledged = new LongAdder();
        private final LongAdder failures = new LongAdder();
        private volatile boolean over;

        Waiting(Entry entry, Increments increments) {
            this.entry = entry;
            this.increments = increments;
        }

        @Override
        public List<Runnable> tasks() {
            String counter = names(entry.shape()).get(0);
            return Collections.nCopies(workload.threads(), () -> {
                while (!over) {
                    try {
                        increments.await(counter);
                        acknowledged.increment();
                    } catch (RuntimeException e) {
                        failures.increment();
                    }
                }
            });
        }

        @Override
        public void stop() {
            over = true;
        }

        @Override
        public long acknowledged() {
            return acknowledged.sum();
        }

        @Override
        public long failures() {
            return failures.sum();
        }
    }

    private int inFlight(Shape shape) {
        return switch (shape) {
            case SPREAD -> workload.spreadInFlight();
            case SPREAD_BUSY -> workload.busyInFlight();
            case SPREAD_FLOOD, HOT -> workload.hotInFlight();
            case HOT_THREADS -> workload.threads();
        };
    }

    private Turn turn(Entry entry, Map<Side, Increments> sides, Duration warmUp, Duration measured) {
        Increments increments = Objects.requireNonNull(sides.get(entry.side()));
        Load load =
                switch (entry.shape()) {
                    case SPREAD, SPREAD_BUSY, SPREAD_FLOOD, HOT ->
                        new InFlight(entry, increments, inFlight(entry.shape()));
                    case HOT_THREADS -> new Waiting(entry, increments);
                };
        List<? extends Future<?>> running =
                load.tasks().stream().map(pool::submit).toList();
        Turn turn;
        try {
            turn = measure(load, warmUp, measured);
        } finally {
            // If a node has died, the client's threads would otherwise keep this JVM alive.
            load.stop();
        }
        running.forEach(IncrementRace::await);
        if (entry.side() == Side.OURS) {
            of(acknowledged, entry.shape()).add(load.acknowledged());
            of(failed, entry.shape()).add(load.failures());
        }
        return turn;
    }

    private Turn measure(Load load, Duration warmUp, Duration measured) {
        pause(warmUp);
        long before = load.acknowledged();
        long failuresBefore = load.failures();
        long cpuBefore = Nodes.cpuNanos(nodes);
        long start = System.nanoTime();
        pause(measured);
        // On a machine under load a short turn may see no answer.
        while (load.acknowledged() == before && load.failures() == failuresBefore) {
            pause(LOOK_AGAIN);
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        long done = load.acknowledged() - before;
        return new Turn(
                done / seconds,
                (Nodes.cpuNanos(nodes) - cpuBefore) / 1e3 / Math.max(1, done),
                load.failures() - failuresBefore);
    }

    private static LongAdder of(Map<Shape, LongAdder> figures, Shape shape) {
        return Objects.requireNonNull(figures.get(shape));
    }

    private static void await(Future<?> task) {
        try {
            task.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("a contestant ended in the middle of a turn", e);
        }
    }

    private static void pause(Duration time) {
        try {
            TimeUnit.NANOSECONDS.sleep(time.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private List<String> names(Shape shape) {
        return shape.isSpread()
                ? IntStream.range(0, workload.counters())
                        .mapToObj(i -> shape.name + '-' + i)
                        .toList()
                : List.of(shape.name);
    }

    /** An increment that failed may count or not. */
    private void check(Shape shape, Counters counters) {
        BigInteger sum = names(shape).stream()
                .map(counters::counter)
                .map(Counter::exactValue)
                .reduce(BigInteger.ZERO, BigInteger::add);
        long least = of(acknowledged, shape).sum();
        long most = least + of(failed, shape).sum();
        if (sum.compareTo(BigInteger.valueOf(least)) < 0 || sum.compareTo(BigInteger.valueOf(most)) > 0) {
            throw new IllegalStateException("must be from " + least + " to " + most + ", which is what was acknowledged"
                    + " and what failed besides: sum of " + shape + "=" + sum);
        }
    }

    private Case compare(Shape shape) {
        Entry ours = new Entry(shape, Side.OURS);
        Entry rival = new Entry(shape, Side.NATIVE);
        return Case.moreIsBetter(
                        shape.caseName(nodes.size()),
                        Side.OURS.title + " vs " + Side.NATIVE.title + ", RF " + nodes.size() + ", " + how(shape),
                        median(ours, Turn::incrementsASecond),
                        median(rival, Turn::incrementsASecond),
                        "increments/s")
                .with("CPU-us/increment", median(ours, Turn::cpuMicros))
                .with("rival's CPU-us/increment", median(rival, Turn::cpuMicros))
                .with("failures, in all", sum(ours, Turn::failures))
                .with("rival's failures, in all", sum(rival, Turn::failures));
    }

    private String how(Shape shape) {
        return switch (shape) {
            case SPREAD, SPREAD_BUSY, SPREAD_FLOOD ->
                String.format(
                        Locale.ROOT,
                        "asynchronous, %,d in flight on %,d counters",
                        inFlight(shape),
                        workload.counters());
            case HOT -> String.format(Locale.ROOT, "asynchronous, %,d in flight on one counter", inFlight(shape));
            case HOT_THREADS -> workload.threads() + " threads that wait for each answer, on one counter";
        };
    }

    private double median(Entry entry, ToDoubleFunction<Turn> figure) {
        return Median.of(turnsOf(entry).stream().map(figure::applyAsDouble).toList());
    }

    private double sum(Entry entry, ToDoubleFunction<Turn> figure) {
        return turnsOf(entry).stream().mapToDouble(figure).sum();
    }

    private List<Turn> turnsOf(Entry entry) {
        return Objects.requireNonNull(turns.get(entry));
    }

    @Override
    public void close() {
        pool.shutdownNow();
        session.close();
    }
}
