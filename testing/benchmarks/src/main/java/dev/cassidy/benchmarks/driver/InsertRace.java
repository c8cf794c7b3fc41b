package dev.cassidy.benchmarks.driver;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import dev.cassidy.benchmarks.report.Case;
import dev.cassidy.benchmarks.report.Median;
import dev.cassidy.benchmarks.report.Report;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntToDoubleFunction;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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

    /**
     * The nodes of one datacenter.
     *
     * @param replicas how many of them have each row
     */
    record Cluster(List<EmbeddedCassandra> nodes, int replicas) {

        /** Returns the name of a case on this cluster; on one node, the name alone. */
        String caseName(String name) {
            return caseName(name, nodes.size(), replicas);
        }

        static String caseName(String name, int nodes, int replicas) {
            return nodes == 1 ? name : name + '-' + nodes + "-nodes-rf" + replicas;
        }

        private String title() {
            return nodes.size() == 1 ? "" : "; " + nodes.size() + " nodes, RF " + replicas;
        }

        private String keyspace() {
            return "inserts_rf" + replicas;
        }

        private String datacenter() {
            return nodes.get(0).localDatacenter();
        }

        private double cpuMicros() {
            return nodes.stream()
                            .mapToLong(node -> ProcessHandle.of(node.pid())
                                    .flatMap(process -> process.info().totalCpuDuration())
                                    .orElse(Duration.ZERO)
                                    .toNanos())
                            .sum()
                    / 1e3;
        }
    }

    /**
     * How long it takes.
     *
     * @param compiling how long each contestant inserts before the rounds
     * @param warmUp the part of a turn that is not measured
     */
    record Pace(int rounds, Duration compiling, Duration warmUp, Duration measured) {}

    /**
     * The results of a contestant in one turn, without its warming up. CPU time and bytes are those of one row.
     *
     * @param callersCpuMicros the part of {@code cpuMicros} that the inserting threads took
     */
    private record Turn(
            double rowsASecond, double cpuMicros, double bytes, double callersCpuMicros, double nodesCpuMicros) {}

    private record Entry(Contestant contestant, int threads) {}

    private final Cluster cluster;
    private final Pace pace;
    private final PrintStream out;
    private final Map<Contestant, Client> clients = new EnumMap<>(Contestant.class);
    private final Map<Entry, List<Turn>> turns = new HashMap<>();

    /** @param jvm options of the contestants' JVMs, after those of the heap */
    InsertRace(Cluster cluster, Set<Contestant> contestants, List<String> jvm, Pace pace, PrintStream out)
            throws IOException {
        this.cluster = cluster;
        this.pace = pace;
        this.out = out;
        prepare();
        for (Contestant contestant : contestants) {
            clients.put(contestant, new Client(contestant, jvm));
        }
    }

    private void prepare() {
        String keyspace = cluster.keyspace();
        String replication = cluster.datacenter() + ":" + cluster.replicas();
        SequencesConfig config =
                SequencesConfig.defaults().withGlobalKeyspace(InsertClient.globalKeyspace(cluster.keyspace()));
        try (CqlSession session = CqlSession.builder()
                .addContactPoint(cluster.nodes().get(0).contactPoint())
                .withLocalDatacenter(cluster.datacenter())
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(20))
                        .build())
                .build()) {
            session.execute("CREATE KEYSPACE " + keyspace + " WITH replication = {'class': 'NetworkTopologyStrategy', '"
                    + cluster.datacenter() + "': " + cluster.replicas() + "}");
            session.execute("CREATE TABLE " + keyspace + ".product (id int PRIMARY KEY, name text, quantity int)");
            session.execute(
                    "CREATE TABLE " + keyspace + ".product_by_uuid (id uuid PRIMARY KEY, name text, quantity int)");
            CassidySchema.install(session, Replication.parse(replication), config);
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
        for (Map.Entry<Contestant, Client> each : clients.entrySet()) {
            each.getValue().turn(pace.compiling(), each.getKey().mostThreads);
        }
        BatchWarnings warnings = new BatchWarnings(cluster.nodes());
        List<Map.Entry<Contestant, Client>> order = new ArrayList<>(clients.entrySet());
        Random random = new Random(1);
        for (int round = 0; round <= pace.rounds(); round++) {
            // A contestant after a heavy one inserts while the server still works for that one.
            Collections.shuffle(order, random);
            for (int threads : List.of(ALONE, MANY)) {
                for (Map.Entry<Contestant, Client> each : order) {
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

    private void turn(int round, Contestant contestant, Client client, int threads) throws IOException {
        client.turn(pace.warmUp(), threads);
        Turn turn = client.turn(pace.measured(), threads);
        if (round > 0) {
            turns.computeIfAbsent(new Entry(contestant, threads), key -> new ArrayList<>())
                    .add(turn);
        }
        out.printf(
                Locale.ROOT,
                "round %d/%d  %-68s %d threads%s  %9.0f rows/s  CPU-us/row: client %6.1f, its callers %6.1f, nodes %6.1f  %7.0f B/row%n",
                round,
                pace.rounds(),
                contestant.title,
                threads,
                cluster.title(),
                turn.rowsASecond(),
                turn.cpuMicros(),
                turn.callersCpuMicros(),
                turn.nodesCpuMicros(),
                turn.bytes());
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
        List<Double> ratios = ratios(ours, rival, threads);
        Case measured = Case.moreIsBetter(
                        cluster.caseName(name),
                        ours.title + " vs " + rival.title + "; threads " + threads + cluster.title(),
                        median(ours, threads, Turn::rowsASecond),
                        median(rival, threads, Turn::rowsASecond),
                        "rows/s")
                .with("ratios of rounds, lower quartile", Median.quantile(ratios, 0.25))
                .with("median", Median.of(ratios))
                .with("upper quartile", Median.quantile(ratios, 0.75))
                .with("CPU-us/row", median(ours, threads, Turn::cpuMicros))
                .with("rival's CPU-us/row", median(rival, threads, Turn::cpuMicros))
                .with("callers' CPU-us/row", median(ours, threads, Turn::callersCpuMicros))
                .with("rival's callers' CPU-us/row", median(rival, threads, Turn::callersCpuMicros))
                .with("nodes' CPU-us/row", median(ours, threads, Turn::nodesCpuMicros))
                .with("nodes' CPU-us/row for the rival", median(rival, threads, Turn::nodesCpuMicros))
                .with("B/row", median(ours, threads, Turn::bytes))
                .with("rival's B/row", median(rival, threads, Turn::bytes));
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
        double percent = worst(threads ->
                100 * extra(figure, threads) / Math.max(1, median(Contestant.BARE_SYNC, threads, Turn::cpuMicros)));
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
        return median(Contestant.JDBC_ROW, threads, figure) - median(Contestant.BARE_SYNC, threads, figure);
    }

    /** Returns the client's CPU time of the bare driver's synchronous insert at 8 threads; 0 if that did not race. */
    double bareInsertMicros() {
        return isRacing(Contestant.BARE_SYNC) ? median(Contestant.BARE_SYNC, MANY, Turn::cpuMicros) : 0;
    }

    private double median(Contestant contestant, int threads, ToDoubleFunction<Turn> figure) {
        return Median.of(
                turns(contestant, threads).stream().map(figure::applyAsDouble).toList());
    }

    private List<Double> ratios(Contestant ours, Contestant rival, int threads) {
        List<Turn> mine = turns(ours, threads);
        List<Turn> theirs = turns(rival, threads);
        return IntStream.range(0, mine.size())
                .mapToObj(round ->
                        mine.get(round).rowsASecond() / theirs.get(round).rowsASecond())
                .toList();
    }

    private List<Turn> turns(Contestant contestant, int threads) {
        return Objects.requireNonNull(turns.get(new Entry(contestant, threads)));
    }

    @Override
    public void close() throws IOException {
        for (Client client : clients.values()) {
            client.close();
        }
    }

    /** The contestant's JVM. */
    private final class Client {

        private final Contestant contestant;
        private final Process process;
        private final PrintWriter orders;
        private final BufferedReader answers;

        Client(Contestant contestant, List<String> jvm) throws IOException {
            this.contestant = contestant;
            EmbeddedCassandra node = cluster.nodes().get(0);
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xms256m", "-Xmx256m"));
            command.addAll(jvm);
            command.addAll(List.of(
                    "-classpath",
                    classPath(contestant),
                    InsertClient.class.getName(),
                    contestant.name(),
                    node.host(),
                    Integer.toString(node.port()),
                    node.localDatacenter(),
                    cluster.keyspace()));
            this.process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            this.orders = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
            this.answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        }

        Turn turn(Duration time, int threads) throws IOException {
            double nodesBefore = cluster.cpuMicros();
            orders.println(time.toMillis() + " " + threads);
            for (String line = answers.readLine(); line != null; line = answers.readLine()) {
                if (line.startsWith("turn ")) {
                    double[] figures = Arrays.stream(line.substring(5).split(" ", -1))
                            .mapToDouble(Double::parseDouble)
                            .toArray();
                    double rows = figures[0];
                    return new Turn(
                            rows / figures[1] * 1e9,
                            figures[2] / rows / 1e3,
                            figures[3] / rows,
                            figures[4] / rows / 1e3,
                            (cluster.cpuMicros() - nodesBefore) / rows);
                }
            }
            throw new IllegalStateException(contestant + " ended in the middle of a turn; see standard error");
        }

        void close() throws IOException {
            orders.close();
            try {
                if (!process.waitFor(20, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                }
            } catch (InterruptedException e) {
                process.destroyForcibly();
                Thread.currentThread().interrupt();
            }
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
