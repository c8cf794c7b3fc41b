package dev.cassidy.benchmarks.driver;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.benchmarks.report.Case;
import dev.cassidy.benchmarks.report.Report;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Sequences;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.IntToDoubleFunction;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Inserts into real nodes. Each contestant has a JVM, which lives through all rounds; in each round it has a turn with
 * every number of threads that it races with, in an order of its own. The medians over the rounds are compared. Before the
 * rounds, each JVM runs until its code is compiled: otherwise the compiler's CPU time would be counted for the rows.
 */
final class InsertRace implements AutoCloseable {

    private static final int ALONE = 1;
    private static final int MANY = 8;

    /** The most that an insert may cost above the bare driver's, in percent of the client's CPU for that. */
    private static final double MAX_EXTRA_PERCENT = 10;

    /** The names are those that {@link InsertClient} knows. */
    enum Contestant {
        JDBC_ROW("Cassidy's JDBC, generated key read", MANY),
        JDBC_BATCH("Cassidy's JDBC, batches of 100, generated keys read", ALONE),
        BARE_SYNC("java-driver, uuid, one by one", MANY),
        BARE_SYNC_AGAIN("the same java-driver in another JVM", MANY),
        BARE_ASYNC("java-driver, uuid, 128 under way", ALONE),
        ING_ROW("ING's JDBC wrapper, uuid, row by row", MANY),
        ING_BATCH("ING's JDBC wrapper, uuid, batches of 100", ALONE);

        /** What promises of single rows are about, and how much two equal contestants differ. */
        static final Set<Contestant> ROWS = Set.of(JDBC_ROW, BARE_SYNC, BARE_SYNC_AGAIN);

        /** What promises of batches are about. */
        static final Set<Contestant> BATCHES = Set.of(JDBC_BATCH, BARE_ASYNC);

        static final Set<Contestant> ROWS_AND_BATCHES = EnumSet.of(JDBC_ROW, BARE_SYNC, JDBC_BATCH, BARE_ASYNC);

        private final String title;
        private final int mostThreads;

        Contestant(String title, int mostThreads) {
            this.title = title;
            this.mostThreads = mostThreads;
        }

        /** Returns with how many threads it races. */
        private List<Integer> threads() {
            return mostThreads == ALONE ? List.of(ALONE) : List.of(ALONE, mostThreads);
        }

        boolean isIng() {
            return this == ING_ROW || this == ING_BATCH;
        }
    }

    private final Cluster cluster;
    private final Pace pace;
    private final PrintStream out;
    private final String keyspace;
    private final Rounds<Contestant> rounds;
    private final Map<Contestant, ClientJvm> clients = new EnumMap<>(Contestant.class);

    /** @param jvm options of the contestants' JVMs, after those of the heap */
    InsertRace(Cluster cluster, Set<Contestant> contestants, List<String> jvm, Pace pace, PrintStream out)
            throws IOException {
        this.cluster = cluster;
        this.pace = pace;
        this.out = out;
        this.keyspace = "inserts_rf" + cluster.replicas();
        this.rounds = new Rounds<>(cluster, pace, out);
        prepare();
        for (Contestant contestant : contestants) {
            clients.put(
                    contestant,
                    new ClientJvm(
                            cluster, InsertClient.class, contestant.name(), keyspace, classPath(contestant), jvm));
        }
    }

    private void prepare() {
        SequencesConfig config = SequencesConfig.defaults().withGlobalKeyspace(InsertClient.globalKeyspace(keyspace));
        try (CqlSession session = cluster.connect()) {
            cluster.createKeyspace(session, keyspace);
            session.execute("CREATE TABLE " + keyspace + ".product (id int PRIMARY KEY, name text, quantity int)");
            session.execute(
                    "CREATE TABLE " + keyspace + ".product_by_uuid (id uuid PRIMARY KEY, name text, quantity int)");
            CassidySchema.install(session, cluster.replication(), config);
            try (Sequences sequences = Sequences.open(session, config)) {
                sequences.create(SequenceSpec.of("product", IdentityType.INT, 1, 1));
                sequences.registerIdentity(new IdentityColumn(keyspace, "product", "id", "product"));
            }
        }
    }

    void run(Report report) throws IOException {
        report.condition(
                cluster.caseName("inserts"),
                pace.rounds()
                        + " rounds of turns, after one that is not counted: each contestant in a JVM of its own (heap"
                        + " 256m), which has inserted for " + pace.compiling().toSeconds()
                        + " s before; each round has an order of its own; "
                        + pace.warmUp().toMillis() + " ms to warm up, then "
                        + pace.measured().toMillis()
                        + " ms measured. LOCAL_QUORUM. CPU time and bytes are those of a row and of the client's whole"
                        + " process; callers are its inserting threads, without the driver's own; ratios of rounds are"
                        + " those of turns of the same round");
        for (Map.Entry<Contestant, ClientJvm> each : clients.entrySet()) {
            each.getValue().turn(each.getKey().name(), pace.compiling(), each.getKey().mostThreads);
        }
        BatchWarnings warnings = new BatchWarnings(cluster.nodes());
        List<Map.Entry<Contestant, ClientJvm>> order = new ArrayList<>(clients.entrySet());
        Random random = new Random(1);
        for (int round = 0; round <= pace.rounds(); round++) {
            // A contestant after a heavy one inserts while the server still works for that one.
            Collections.shuffle(order, random);
            for (int threads : List.of(ALONE, MANY)) {
                for (Map.Entry<Contestant, ClientJvm> each : order) {
                    if (each.getKey().threads().contains(threads)) {
                        turn(round, each.getKey(), each.getValue(), threads);
                    }
                }
            }
        }
        compare(report);
        if (isRacing(Contestant.JDBC_BATCH)) {
            report.add(Case.none(
                    cluster.caseName("jdbc-batch100-warnings"),
                    "warnings of batches in the nodes' logs" + cluster.title(),
                    warnings.count(out),
                    "lines"));
        }
    }

    private void turn(int round, Contestant contestant, ClientJvm client, int threads) throws IOException {
        client.turn(contestant.name(), pace.warmUp(), threads);
        rounds.add(
                round, contestant, contestant.title, threads, client.turn(contestant.name(), pace.measured(), threads));
    }

    private boolean isRacing(Contestant contestant) {
        return clients.containsKey(contestant);
    }

    private void compare(Report report) {
        race(report, "jdbc-insert-1-thread-vs-bare-sync", Contestant.JDBC_ROW, Contestant.BARE_SYNC, 1, 0.95);
        race(report, "jdbc-insert-8-threads-vs-bare-sync", Contestant.JDBC_ROW, Contestant.BARE_SYNC, 8, 0.95);
        if (isRacing(Contestant.JDBC_ROW) && isRacing(Contestant.BARE_SYNC)) {
            extraShare(report, "jdbc-insert-extra-cpu", Turn::cpuMicros);
            extraShare(report, "jdbc-insert-extra-cpu-of-callers", Turn::callersCpuMicros);
            report.add(Case.atMost(
                    cluster.caseName("jdbc-insert-extra-allocation"),
                    "more than the bare java-driver's synchronous insert" + cluster.title(),
                    Math.max(0, worst(threads -> extra(Turn::bytes, threads))),
                    1_228,
                    "B"));
        }
        race(report, "bare-sync-1-thread-vs-itself", Contestant.BARE_SYNC_AGAIN, Contestant.BARE_SYNC, 1, null);
        race(report, "bare-sync-8-threads-vs-itself", Contestant.BARE_SYNC_AGAIN, Contestant.BARE_SYNC, 8, null);
        race(report, "jdbc-batch100-vs-bare-async", Contestant.JDBC_BATCH, Contestant.BARE_ASYNC, 1, leastOfBatches());
        race(report, "jdbc-batch100-vs-ing-row-by-row", Contestant.JDBC_BATCH, Contestant.ING_ROW, 1, 5.0);
        race(report, "jdbc-batch100-vs-ing-batch100", Contestant.JDBC_BATCH, Contestant.ING_BATCH, 1, null);
        race(report, "jdbc-insert-1-thread-vs-ing", Contestant.JDBC_ROW, Contestant.ING_ROW, 1, null);
        race(report, "jdbc-insert-8-threads-vs-ing", Contestant.JDBC_ROW, Contestant.ING_ROW, 8, null);
    }

    /** Adds a case if both contestants raced. */
    private void race(
            Report report, String name, Contestant ours, Contestant rival, int threads, @Nullable Double goal) {
        if (!isRacing(ours) || !isRacing(rival)) {
            return;
        }
        Case measured = rounds.compare(name, ours.title + " vs " + rival.title, ours, rival, threads);
        report.add(goal == null ? measured : measured.withGoal(goal));
    }

    /** Rows with all replicas in common share requests, so more is asked where each node has every row. */
    private double leastOfBatches() {
        return cluster.nodes().size() > 1
                        && cluster.replicas() == cluster.nodes().size()
                ? 1.15
                : 0.95;
    }

    /** As a share, because machines differ by more than what is measured. */
    private void extraShare(Report report, String name, ToDoubleFunction<Turn> figure) {
        // A turn of the test is shorter than a tick of the CPU's clock.
        double percent = worst(threads -> 100
                * extra(figure, threads)
                / Math.max(1, rounds.median(Contestant.BARE_SYNC, threads, Turn::cpuMicros)));
        report.add(Case.atMost(
                        cluster.caseName(name),
                        "more than the bare java-driver's synchronous insert, in percent of the client's CPU for that"
                                + cluster.title(),
                        Math.max(0, percent),
                        MAX_EXTRA_PERCENT,
                        "%")
                .with("CPU-us at 1 thread", extra(figure, ALONE))
                .with("CPU-us at 8 threads", extra(figure, MANY)));
    }

    private static double worst(IntToDoubleFunction ofThreads) {
        return Contestant.JDBC_ROW.threads().stream()
                .mapToDouble(ofThreads::applyAsDouble)
                .max()
                .orElseThrow();
    }

    private double extra(ToDoubleFunction<Turn> figure, int threads) {
        return rounds.median(Contestant.JDBC_ROW, threads, figure)
                - rounds.median(Contestant.BARE_SYNC, threads, figure);
    }

    /** Returns the client's CPU time of the bare driver's synchronous insert at 8 threads; 0 if that did not race. */
    double bareInsertMicros() {
        return isRacing(Contestant.BARE_SYNC) ? rounds.median(Contestant.BARE_SYNC, MANY, Turn::cpuMicros) : 0;
    }

    @Override
    public void close() throws IOException {
        for (ClientJvm client : clients.values()) {
            client.close();
        }
    }

    /** ING's wrapper brings the java-driver's other coordinate; a class path may contain only one of the two. */
    static String classPath(Contestant contestant) {
        Predicate<String> foreign = contestant.isIng() ? InsertRace::isOurs : InsertRace::isIngs;
        String own = System.getProperty("java.class.path");
        String all = contestant.isIng() ? own + File.pathSeparator + ingClassPath() : own;
        return Arrays.stream(all.split(File.pathSeparator, -1))
                .filter(foreign.negate())
                .distinct()
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** The wrapper's class path, as the build found it; empty outside the profile benchmark. */
    static String ingClassPath() {
        return System.getProperty("ing.class.path", "");
    }

    private static boolean isOurs(String entry) {
        String path = entry.replace(File.separatorChar, '/');
        return path.contains("/com/datastax/oss/java-driver-core/")
                || path.contains("/driver-shim/")
                || path.matches(".*/cassidy-(ids|counters|session|jdbc|driver-shim)/.*");
    }

    private static boolean isIngs(String entry) {
        String path = entry.replace(File.separatorChar, '/');
        return path.contains("/org/apache/cassandra/java-driver-core/") || path.contains("/com/ing/data/");
    }

    static Set<Contestant> available() {
        Set<Contestant> all = EnumSet.complementOf(EnumSet.of(Contestant.BARE_SYNC_AGAIN));
        if (ingClassPath().isEmpty()) {
            all.removeAll(EnumSet.of(Contestant.ING_ROW, Contestant.ING_BATCH));
        }
        return all;
    }
}
