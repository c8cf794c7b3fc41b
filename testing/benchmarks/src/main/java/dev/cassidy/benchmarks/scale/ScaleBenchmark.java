package dev.cassidy.benchmarks.scale;

import dev.cassidy.benchmarks.Benchmark;
import dev.cassidy.benchmarks.report.Case;
import dev.cassidy.benchmarks.report.Machine;
import dev.cassidy.benchmarks.report.Median;
import dev.cassidy.benchmarks.report.Report;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.SequencesConfig;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/** 1,000 instances of one JVM that start at once on one node, held against the time in which each must have its id. */
public final class ScaleBenchmark implements Benchmark {

    private static final double CLAIM_TIMEOUT_SECONDS =
            SequencesConfig.defaults().claimTimeout().toMillis() / 1e3;

    private final int instances;
    private final int rounds;
    private final PrintStream out;

    public ScaleBenchmark(boolean shortForm, PrintStream out) {
        this.instances = shortForm ? 200 : 1_000;
        this.rounds = shortForm ? 2 : 4;
        this.out = out;
    }

    /**
     * @param slowest seconds until the last one had its first id; of those that got one
     * @param median seconds until half of them had
     * @param served how many got an id
     */
    private record Turn(double slowest, double median, double served) {}

    @Override
    public String title() {
        return "Many instances that start at once";
    }

    @Override
    public List<String> required() {
        return List.of("start-at-once-served", "start-at-once-slowest");
    }

    @Override
    public void run(Report report) throws IOException {
        report.condition("machine", Machine.description());
        report.condition(
                "start",
                rounds + " rounds, after one that is not counted, each in a JVM and in keyspaces of its own: "
                        + instances
                        + " instances of Sequences on one session open at the same moment, and draw one id of the same"
                        + " sequence, of one stripe; from the common start to the first id");
        report.condition(
                "node", "one embedded Cassandra, RF 1, heap 1g, commitlog_sync periodic as Cassandra ships it");
        List<Turn> turns = new ArrayList<>();
        try (EmbeddedCassandra node = EmbeddedCassandra.builder()
                .heap("1g")
                .jvmOption("-XX:TieredStopAtLevel=4")
                .yaml("commitlog_sync", "periodic")
                .yaml("commitlog_sync_period", "10000ms")
                .start()) {
            for (int round = 0; round <= rounds; round++) {
                Turn turn = turn(node, round);
                if (round > 0) {
                    turns.add(turn);
                }
            }
        }
        double slowest = median(turns, Turn::slowest);
        double served = median(turns, Turn::served);
        report.add(Case.moreIsBetter(
                        "start-at-once-served", "instances that got an id vs all", served, instances, "instances")
                .withGoal(1.0));
        report.add(Case.atMost(
                "start-at-once-slowest",
                "the slowest first id vs the claim time-out",
                slowest,
                CLAIM_TIMEOUT_SECONDS,
                "s"));
    }

    private static double median(List<Turn> turns, ToDoubleFunction<Turn> what) {
        return Median.of(turns.stream().map(what::applyAsDouble).toList());
    }

    private Turn turn(EmbeddedCassandra node, int round) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx1g",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Starters.class.getName(),
                        node.host(),
                        Integer.toString(node.port()),
                        node.localDatacenter(),
                        "round" + round,
                        Integer.toString(instances))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        List<Double> seconds = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        Set<String> failures = new HashSet<>();
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("failed ")) {
                    failures.add(line);
                } else if (line.matches("-?\\d+ \\d+")) {
                    String[] parts = line.split(" ", 2);
                    if (!ids.add(parts[0])) {
                        throw new IllegalStateException("issued twice: " + parts[0]);
                    }
                    seconds.add(Long.parseLong(parts[1]) / 1e9);
                } else {
                    out.println("log: " + line);
                }
            }
        } finally {
            process.destroyForcibly();
        }
        Turn turn = seconds.isEmpty()
                ? new Turn(Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, 0)
                : new Turn(Collections.max(seconds), Median.of(seconds), seconds.size());
        out.printf(
                Locale.ROOT,
                "round %d/%d  %.0f of %d had an id, half of them within %.2f s, the last one after %.2f s%s%n",
                round,
                rounds,
                turn.served(),
                instances,
                turn.median(),
                turn.slowest(),
                failures.isEmpty()
                        ? ""
                        : "; " + failures.size() + " kinds of failure, as "
                                + failures.iterator().next());
        return turn;
    }
}
