package dev.cassidy.benchmarks.sequences;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.sun.management.OperatingSystemMXBean;
import dev.cassidy.benchmarks.report.Case;
import dev.cassidy.benchmarks.report.Median;
import dev.cassidy.benchmarks.report.Report;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;

/**
 * Ids from a real node, by clients that draw as fast as they can. Each client has a session, and an instance of
 * {@link Sequences}, of its own. The contestants take turns of some seconds, round by round; compared are the medians of
 * what they issued a second.
 */
final class NodeRace implements AutoCloseable {

    private static final int BATCH = 100;
    private static final int STRIPES = 5;
    private static final String KEYSPACE = "rivals";

    private enum Contestant {
        SEED_PLAIN(false, "the seed's plain generator, batch 100"),
        SEED_STRIPED(false, "the seed's generator with 5 stripes, batch 100"),
        PLAIN(true, "Cassidy, batch 100"),
        INTERLEAVED(true, "Cassidy, 5 interleaved streams, batch 100"),
        STRIPED(true, "Cassidy, 5 stripes, batch 100"),
        ADAPTIVE(true, "Cassidy, adaptive blocks"),
        LWT_PER_ID(false, "an LWT for each id");

        private final boolean ours;
        private final String title;

        Contestant(boolean ours, String title) {
            this.ours = ours;
            this.title = title;
        }
    }

    /**
     * The results of a contestant in one turn.
     *
     * @param writes conditional writes, or the seed's statements, a second
     * @param cpuMicros CPU time of the node and of all clients for each id
     * @param longestMillis the longest that a client waited for an id; 0 where calls were not timed
     * @param leastShare the least that a client got, of an even share
     * @param failures calls that ended without an id
     * @param twice ids that were issued a second time
     */
    private record Turn(
            double ids,
            double writes,
            double cpuMicros,
            double longestMillis,
            double leastShare,
            double failures,
            double twice) {}

    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final EmbeddedCassandra node;
    private final int rounds;
    private final Duration warmUp;
    private final Duration measured;
    private final PrintStream out;
    private final List<CqlSession> sessions = new ArrayList<>();
    private final List<Sequences> sequences = new ArrayList<>();
    private final ExecutorService pool;
    private final LongAdder rivalStatements = new LongAdder();
    private final AtomicLong timestamp = new AtomicLong();
    private final SplittableRandom random = new SplittableRandom();
    private final Map<Contestant, List<Turn>> turns = new EnumMap<>(Contestant.class);

    NodeRace(EmbeddedCassandra node, int clients, int rounds, Duration warmUp, Duration measured, PrintStream out) {
        this.node = node;
        this.rounds = rounds;
        this.warmUp = warmUp;
        this.measured = measured;
        this.out = out;
        this.pool = Executors.newFixedThreadPool(clients);
        SequencesConfig config = SequencesConfig.defaults().withGlobalKeyspace("race");
        for (int client = 0; client < clients; client++) {
            sessions.add(connect(node));
        }
        CqlSession session = sessions.get(0);
        session.execute("CREATE KEYSPACE IF NOT EXISTS " + KEYSPACE
                + " WITH replication = {'class': 'NetworkTopologyStrategy', '" + node.localDatacenter() + "': 1}");
        session.execute("CREATE TABLE IF NOT EXISTS " + KEYSPACE + "." + SeedGenerator.TABLE);
        session.execute("CREATE TABLE IF NOT EXISTS " + KEYSPACE + "." + LwtPerId.TABLE);
        CassidySchema.install(session, Replication.parse(node.localDatacenter() + ":1"), config);
        for (CqlSession each : sessions) {
            sequences.add(Sequences.open(each, config));
        }
        SequenceSpec batches =
                SequenceSpec.of("plain", IdentityType.BIGINT, 1, 1).withBlock(BATCH, BATCH);
        sequences.get(0).create(batches);
        for (int stream = 1; stream <= STRIPES; stream++) {
            sequences.get(0).create(streams().interleave(stream, STRIPES));
        }
        sequences
                .get(0)
                .create(SequenceSpec.of("striped", IdentityType.BIGINT, 1, 1)
                        .withBlock(BATCH, BATCH)
                        .withStripes(STRIPES));
        sequences.get(0).create(SequenceSpec.of("adaptive", IdentityType.BIGINT, 1, 1));
    }

    private static SequenceSpec streams() {
        return SequenceSpec.of("interleaved", IdentityType.BIGINT, 1, 1).withBlock(BATCH, BATCH);
    }

    private static CqlSession connect(EmbeddedCassandra node) {
        return CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        // One small client, many times over; the rivals' statements take this time-out.
                        .withInt(DefaultDriverOption.NETTY_IO_SIZE, 1)
                        .withInt(DefaultDriverOption.NETTY_ADMIN_SIZE, 1)
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(10))
                        .build())
                .build();
    }

    void run(Report report) {
        report.condition(
                "on a node",
                rounds + " rounds of turns, after one that is not counted: " + warmUp.toMillis()
                        + " ms to warm up, then " + measured.toMillis()
                        + " ms measured. " + sessions.size()
                        + " clients that draw as fast as they can, each with a session and"
                        + " a Sequences of its own, in one JVM beside the node");
        // Round 0 warms up the server's compiler, and lets adaptive blocks grow.
        for (int round = 0; round <= rounds; round++) {
            for (Contestant contestant : Contestant.values()) {
                Turn turn = turn(contestant, round);
                if (round > 0) {
                    turns.computeIfAbsent(contestant, key -> new ArrayList<>()).add(turn);
                }
                out.printf(
                        Locale.ROOT,
                        "round %d/%d  %-46s %,12.0f ids/s  %,8.0f writes/s  %8.3f CPU-us/id  longest wait %,6.0f ms"
                                + "  least share %.2f  failures %.0f%n",
                        round,
                        rounds,
                        contestant.title,
                        turn.ids(),
                        turn.writes(),
                        turn.cpuMicros(),
                        turn.longestMillis(),
                        turn.leastShare(),
                        turn.failures());
            }
        }
        report.add(race("node-batch100-plain-vs-seed", Contestant.PLAIN, Contestant.SEED_PLAIN)
                .withGoal(3));
        report.add(race("node-batch100-5stripes-vs-seed-5stripes", Contestant.INTERLEAVED, Contestant.SEED_STRIPED)
                .withGoal(3));
        report.add(race("node-batch100-claim-stripes-vs-seed-5stripes", Contestant.STRIPED, Contestant.SEED_STRIPED));
        report.add(race("node-adaptive-vs-batch100-plain", Contestant.ADAPTIVE, Contestant.PLAIN)
                .withGoal(20));
        report.add(race("node-adaptive-vs-lwt-per-id", Contestant.ADAPTIVE, Contestant.LWT_PER_ID));
    }

    private Case race(String name, Contestant ours, Contestant rival) {
        return Case.moreIsBetter(
                        name,
                        ours.title + " vs " + rival.title,
                        median(ours, Turn::ids),
                        median(rival, Turn::ids),
                        "ids/s")
                .with("CPU ratio", median(rival, Turn::cpuMicros) / median(ours, Turn::cpuMicros))
                .with("conditional writes/s", median(ours, Turn::writes))
                .with("rival's statements/s", median(rival, Turn::writes))
                .with("longest wait, ms", median(ours, Turn::longestMillis))
                .with("rival's longest wait, ms", median(rival, Turn::longestMillis))
                .with(
                        "rival's ids issued twice, in all",
                        turnsOf(rival).stream().mapToDouble(Turn::twice).sum());
    }

    private double median(Contestant contestant, ToDoubleFunction<Turn> figure) {
        return Median.of(turnsOf(contestant).stream().map(figure::applyAsDouble).toList());
    }

    private List<Turn> turnsOf(Contestant contestant) {
        return Objects.requireNonNull(turns.get(contestant));
    }

    private LongSupplier ids(Contestant contestant, int client, int round) {
        int stripe = client % STRIPES;
        return switch (contestant) {
            // A new row in each round: the tombstones of the locks would slow it down more and more.
            case SEED_PLAIN -> seed(client, "plain-" + round, 1, 1);
            case SEED_STRIPED -> seed(client, "striped-" + round + "-" + stripe, 1 + stripe, STRIPES);
            case PLAIN -> allocator(client, "plain");
            case INTERLEAVED ->
                allocator(client, streams().interleave(1 + stripe, STRIPES).name());
            case STRIPED -> allocator(client, "striped");
            case ADAPTIVE -> allocator(client, "adaptive");
            case LWT_PER_ID -> new LwtPerId(sessions.get(client), KEYSPACE, random.split(), rivalStatements)::nextLong;
        };
    }

    private LongSupplier seed(int client, String key, long first, long increment) {
        return new SeedGenerator(
                sessions.get(client),
                KEYSPACE,
                key,
                first,
                increment,
                BATCH,
                InstantSource.system(),
                random.split(),
                this::nextTimestamp,
                rivalStatements)::nextLong;
    }

    private long nextTimestamp() {
        long now = TimeUnit.MILLISECONDS.toMicros(InstantSource.system().millis());
        return timestamp.updateAndGet(last -> Math.max(last + 1, now));
    }

    private LongSupplier allocator(int client, String name) {
        IdAllocator allocator = sequences.get(client).allocator(name);
        return allocator::nextLong;
    }

    /** One client's turn; its own thread writes, the others read what it publishes. */
    private static final class Client implements Callable<long[]> {
        private final LongSupplier ids;
        private final boolean each;
        private final AtomicLong drawn = new AtomicLong();
        private final AtomicLong longestNanos = new AtomicLong();
        private final AtomicLong failures = new AtomicLong();
        private volatile boolean over;
        private long[] issued = new long[1 << 12];

        /** @param each whether to time each call and to keep each id */
        Client(LongSupplier ids, boolean each) {
            this.ids = ids;
            this.each = each;
        }

        /** Returns what it drew, if that is kept. */
        @Override
        public long[] call() {
            int count = 0;
            long unkept = 0;
            long last = Long.MIN_VALUE;
            while (!over) {
                try {
                    if (each) {
                        long before = System.nanoTime();
                        long id = ids.getAsLong();
                        longestNanos.lazySet(Math.max(longestNanos.get(), System.nanoTime() - before));
                        if (count == issued.length) {
                            issued = Arrays.copyOf(issued, count * 2);
                        }
                        issued[count++] = id;
                        drawn.lazySet(count);
                    } else {
                        long id = ids.getAsLong();
                        if (id <= last) {
                            throw new IllegalStateException("must increase: id=" + id + " after " + last);
                        }
                        last = id;
                        drawn.lazySet(++unkept);
                    }
                } catch (SequenceException.Unavailable | SeedGenerator.Busy e) {
                    failures.incrementAndGet();
                }
            }
            return Arrays.copyOf(issued, count);
        }
    }

    private Turn turn(Contestant contestant, int round) {
        boolean each = contestant != Contestant.ADAPTIVE;
        List<Client> clients = new ArrayList<>();
        for (int client = 0; client < sessions.size(); client++) {
            clients.add(new Client(ids(contestant, client, round), each));
        }
        List<Future<long[]>> running = clients.stream().map(pool::submit).toList();
        pause(warmUp);
        long[] before = clients.stream().mapToLong(client -> client.drawn.get()).toArray();
        long writesBefore = writes(contestant);
        long cpuBefore = cpuNanos();
        long start = System.nanoTime();
        pause(measured);
        double seconds = (System.nanoTime() - start) / 1e9;
        long[] after = clients.stream().mapToLong(client -> client.drawn.get()).toArray();
        long writes = writes(contestant) - writesBefore;
        long cpu = cpuNanos() - cpuBefore;
        clients.forEach(client -> client.over = true);
        long twice = issuedTwice(contestant, running);

        long all = LongStream.of(after).sum() - LongStream.of(before).sum();
        long least = Long.MAX_VALUE;
        for (int client = 0; client < after.length; client++) {
            least = Math.min(least, after[client] - before[client]);
        }
        return new Turn(
                all / seconds,
                writes / seconds,
                cpu / 1e3 / Math.max(1, all),
                clients.stream()
                                .mapToLong(client -> client.longestNanos.get())
                                .max()
                                .orElse(0)
                        / 1e6,
                (double) least * after.length / Math.max(1, all),
                (double) clients.stream()
                        .mapToLong(client -> client.failures.get())
                        .sum(),
                (double) twice);
    }

    private long writes(Contestant contestant) {
        return switch (contestant) {
            case SEED_PLAIN, SEED_STRIPED, LWT_PER_ID -> rivalStatements.sum();
            case PLAIN, INTERLEAVED, STRIPED, ADAPTIVE ->
                sequences.stream()
                        .mapToLong(each -> each.admin().conditionalWrites())
                        .sum();
        };
    }

    private long cpuNanos() {
        long server = ProcessHandle.of(node.pid())
                .flatMap(process -> process.info().totalCpuDuration())
                .orElse(Duration.ZERO)
                .toNanos();
        return server + system.getProcessCpuTime();
    }

    /** Returns how many ids were issued twice; one of ours ends the run. */
    private static long issuedTwice(Contestant contestant, List<Future<long[]>> running) {
        LongStream.Builder ids = LongStream.builder();
        for (Future<long[]> one : running) {
            try {
                LongStream.of(one.get()).forEach(ids);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted", e);
            } catch (ExecutionException e) {
                throw new IllegalStateException(contestant.title + " failed", e);
            }
        }
        long[] sorted = ids.build().sorted().toArray();
        long twice = 0;
        for (int i = 1; i < sorted.length; i++) {
            if (sorted[i] == sorted[i - 1]) {
                if (contestant.ours) {
                    throw new IllegalStateException("issued twice by " + contestant.title + ": id=" + sorted[i]);
                }
                twice++;
            }
        }
        return twice;
    }

    private static void pause(Duration time) {
        try {
            TimeUnit.NANOSECONDS.sleep(time.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    @Override
    public void close() {
        pool.shutdownNow();
        sequences.forEach(Sequences::close);
        sessions.forEach(CqlSession::close);
    }
}
