package dev.cassidy.benchmarks.driver;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import dev.cassidy.benchmarks.report.Case;
import dev.cassidy.benchmarks.report.Median;
import dev.cassidy.benchmarks.report.Report;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.IdentityColumn;
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
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * Inserts into a real node. Each contestant has a JVM, which lives through all rounds; in each round it has a turn with
 * every number of threads, in an order of its own. The medians over the rounds are compared. Before the rounds, each
 * JVM runs until its code is compiled: otherwise the compiler's CPU time would be counted for the calls.
 */
final class InsertRace implements AutoCloseable {

    static final List<Integer> THREADS = List.of(1, 8);

    private static final String KEYSPACE = "inserts";

    /** The names are those that {@link InsertClient} knows. */
    enum Contestant {
        JDBC_ROW("Cassidy's JDBC, generated key read"),
        JDBC_BATCH("Cassidy's JDBC, batches of 100, generated keys read"),
        JDBC_GROUPED_BATCH("Cassidy's JDBC, batchGroups=on, batches of 100, generated keys read"),
        JDBC_CLEAN_ROW("Cassidy's JDBC, freshRows=clean, generated key read"),
        JDBC_CLEAN_BATCH("Cassidy's JDBC, freshRows=clean, batches of 100, generated keys read"),
        BARE_SYNC("java-driver, uuid, one by one"),
        BARE_ASYNC("java-driver, uuid, 128 under way"),
        ING_ROW("ING's JDBC wrapper, uuid, row by row"),
        ING_BATCH("ING's JDBC wrapper, uuid, batches of 100");

        private final String title;

        Contestant(String title) {
            this.title = title;
        }

        boolean isIng() {
            return this == ING_ROW || this == ING_BATCH;
        }
    }

    /** The results of a contestant in one turn. */
    private record Turn(double rowsASecond, double cpuMicrosACall, double bytesACall) {}

    private record Entry(Contestant contestant, int threads) {}

    private final int rounds;
    private final Duration compiling;
    private final Duration warmUp;
    private final Duration measured;
    private final PrintStream out;
    private final Map<Contestant, Client> clients = new EnumMap<>(Contestant.class);
    private final Map<Entry, List<Turn>> turns = new HashMap<>();

    /** @param jvm options of the contestants' JVMs, after those of the heap */
    InsertRace(
            EmbeddedCassandra node,
            Set<Contestant> contestants,
            List<String> jvm,
            int rounds,
            Duration compiling,
            Duration warmUp,
            Duration measured,
            PrintStream out)
            throws IOException {
        this.rounds = rounds;
        this.compiling = compiling;
        this.warmUp = warmUp;
        this.measured = measured;
        this.out = out;
        prepare(node);
        for (Contestant contestant : contestants) {
            clients.put(contestant, new Client(contestant, node, jvm));
        }
    }

    private static void prepare(EmbeddedCassandra node) {
        SequencesConfig config = SequencesConfig.defaults().withGlobalKeyspace("race_ids");
        try (CqlSession session = CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(20))
                        .build())
                .build()) {
            session.execute("CREATE KEYSPACE " + KEYSPACE + " WITH replication = {'class': 'NetworkTopologyStrategy', '"
                    + node.localDatacenter() + "': 1}");
            session.execute("CREATE TABLE " + KEYSPACE + ".product (id int PRIMARY KEY, name text, quantity int)");
            session.execute(
                    "CREATE TABLE " + KEYSPACE + ".product_by_uuid (id uuid PRIMARY KEY, name text, quantity int)");
            Sequences.install(session, Replication.parse(node.localDatacenter() + ":1"), config);
            try (Sequences sequences = Sequences.open(session, config)) {
                sequences.create(SequenceSpec.of("product", IdentityType.INT, 1, 1));
                sequences.registerIdentity(new IdentityColumn(KEYSPACE, "product", "id", "product"));
            }
        }
    }

    void run(Report report) throws IOException {
        report.condition(
                "inserts",
                rounds + " rounds of turns, after one that is not counted: each contestant in a JVM of its own (heap"
                        + " 256m), which has inserted for " + compiling.toSeconds()
                        + " s before; each round has an order of its own; " + warmUp.toMillis()
                        + " ms to warm up, then " + measured.toMillis()
                        + " ms measured, with " + THREADS + " threads. LOCAL_QUORUM. CPU time and bytes are those of"
                        + " the client's whole process");
        for (Client each : clients.values()) {
            each.turn(compiling, Collections.max(THREADS));
        }
        List<Map.Entry<Contestant, Client>> order = new ArrayList<>(clients.entrySet());
        Random random = new Random(1);
        for (int round = 0; round <= rounds; round++) {
            // A contestant after a heavy one inserts while the server still works for that one.
            Collections.shuffle(order, random);
            for (int threads : THREADS) {
                for (Map.Entry<Contestant, Client> each : order) {
                    each.getValue().turn(warmUp, threads);
                    Turn turn = each.getValue().turn(measured, threads);
                    if (round > 0) {
                        turns.computeIfAbsent(new Entry(each.getKey(), threads), key -> new ArrayList<>())
                                .add(turn);
                    }
                    out.printf(
                            Locale.ROOT,
                            "round %d/%d  %-68s %d threads  %9.0f rows/s  %8.1f CPU-us/call  %9.0f B/call%n",
                            round,
                            rounds,
                            each.getKey().title,
                            threads,
                            turn.rowsASecond(),
                            turn.cpuMicrosACall(),
                            turn.bytesACall());
                }
            }
        }
        compare(report);
    }

    private void compare(Report report) {
        report.add(race("jdbc-insert-1-thread-vs-bare-sync", Contestant.JDBC_ROW, Contestant.BARE_SYNC, 1)
                .withGoal(0.95));
        report.add(race("jdbc-insert-8-threads-vs-bare-sync", Contestant.JDBC_ROW, Contestant.BARE_SYNC, 8)
                .withGoal(0.95));
        report.add(extra("jdbc-insert-extra-cpu", Turn::cpuMicrosACall, 10, "CPU-us/call"));
        report.add(extra("jdbc-insert-extra-allocation", Turn::bytesACall, 2_048, "B/call"));
        report.add(race("jdbc-batch100-vs-bare-async", Contestant.JDBC_BATCH, Contestant.BARE_ASYNC, 1));
        report.add(race("jdbc-grouped-batch100-vs-bare-async", Contestant.JDBC_GROUPED_BATCH, Contestant.BARE_ASYNC, 1)
                .withGoal(1.3));
        report.add(race("clean-rows-1-thread-vs-plain", Contestant.JDBC_CLEAN_ROW, Contestant.JDBC_ROW, 1));
        report.add(race("clean-rows-8-threads-vs-plain", Contestant.JDBC_CLEAN_ROW, Contestant.JDBC_ROW, 8));
        report.add(race("clean-rows-batch100-vs-plain", Contestant.JDBC_CLEAN_BATCH, Contestant.JDBC_BATCH, 1));
        if (clients.keySet().stream().anyMatch(Contestant::isIng)) {
            report.add(race("jdbc-batch100-vs-ing-row-by-row", Contestant.JDBC_BATCH, Contestant.ING_ROW, 1)
                    .withGoal(5));
            report.add(race("jdbc-batch100-vs-ing-batch100", Contestant.JDBC_BATCH, Contestant.ING_BATCH, 1));
            report.add(race("jdbc-insert-1-thread-vs-ing", Contestant.JDBC_ROW, Contestant.ING_ROW, 1));
            report.add(race("jdbc-insert-8-threads-vs-ing", Contestant.JDBC_ROW, Contestant.ING_ROW, 8));
        }
    }

    private Case race(String name, Contestant ours, Contestant rival, int threads) {
        return Case.moreIsBetter(
                        name,
                        ours.title + " vs " + rival.title + "; threads " + threads,
                        median(ours, threads, Turn::rowsASecond),
                        median(rival, threads, Turn::rowsASecond),
                        "rows/s")
                .with("CPU-us/call", median(ours, threads, Turn::cpuMicrosACall))
                .with("rival's CPU-us/call", median(rival, threads, Turn::cpuMicrosACall))
                .with("B/call", median(ours, threads, Turn::bytesACall))
                .with("rival's B/call", median(rival, threads, Turn::bytesACall));
    }

    /** The worst, over all numbers of threads, of a call's extra cost over the bare driver's. */
    private Case extra(String name, ToDoubleFunction<Turn> figure, double limit, String unit) {
        double worst = THREADS.stream()
                .mapToDouble(threads ->
                        median(Contestant.JDBC_ROW, threads, figure) - median(Contestant.BARE_SYNC, threads, figure))
                .max()
                .orElseThrow();
        return Case.atMost(
                name, "more than the bare java-driver's synchronous insert", Math.max(0, worst), limit, unit);
    }

    private double median(Contestant contestant, int threads, ToDoubleFunction<Turn> figure) {
        return Median.of(Objects.requireNonNull(turns.get(new Entry(contestant, threads))).stream()
                .map(figure::applyAsDouble)
                .toList());
    }

    @Override
    public void close() throws IOException {
        for (Client client : clients.values()) {
            client.close();
        }
    }

    /** The contestant's JVM. */
    private static final class Client {

        private final Contestant contestant;
        private final Process process;
        private final PrintWriter orders;
        private final BufferedReader answers;

        Client(Contestant contestant, EmbeddedCassandra node, List<String> jvm) throws IOException {
            this.contestant = contestant;
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
                    KEYSPACE));
            this.process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            this.orders = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
            this.answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        }

        Turn turn(Duration time, int threads) throws IOException {
            orders.println(time.toMillis() + " " + threads);
            for (String line = answers.readLine(); line != null; line = answers.readLine()) {
                if (line.startsWith("turn ")) {
                    double[] figures = Arrays.stream(line.substring(5).split(" ", -1))
                            .mapToDouble(Double::parseDouble)
                            .toArray();
                    return new Turn(
                            figures[0] / figures[2] * 1e9, figures[3] / figures[1] / 1e3, figures[4] / figures[1]);
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
                || path.contains("/cassidy-driver-shim/");
    }

    private static boolean isIngs(String entry) {
        String path = entry.replace(File.separatorChar, '/');
        return path.contains("/org/apache/cassandra/java-driver-core/") || path.contains("/com/ing/data/");
    }

    static Set<Contestant> available() {
        return ingClassPath().isEmpty()
                ? EnumSet.complementOf(EnumSet.of(Contestant.ING_ROW, Contestant.ING_BATCH))
                : EnumSet.allOf(Contestant.class);
    }
}
