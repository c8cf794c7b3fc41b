package dev.cassidy.benchmarks.scale;

import dev.cassidy.benchmarks.Benchmark;
import dev.cassidy.benchmarks.report.Case;
import dev.cassidy.benchmarks.report.Machine;
import dev.cassidy.benchmarks.report.Median;
import dev.cassidy.benchmarks.report.Report;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.SequencesConfig;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/**
 * 1,000 instances of one JVM that start at once on one node. The rival is the driver-shim of an earlier commit, which {@code
 * -Dscale.old=JAR} names; without it the limit alone is what ours is held against.
 */
public final class ScaleBenchmark implements Benchmark {

    private static final double CLAIM_TIMEOUT_SECONDS =
            SequencesConfig.defaults().claimTimeout().toMillis() / 1e3;

    private final int instances;
    private final int rounds;
    private final PrintStream out;
    private final Optional<String> oldJar =
            Optional.ofNullable(System.getProperty("scale.old")).filter(jar -> !jar.isBlank());

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
        List<String> names = new ArrayList<>(List.of("start-at-once-served", "start-at-once-slowest"));
        oldJar.ifPresent(
                jar -> names.addAll(List.of("start-at-once-served-vs-before", "start-at-once-median-vs-before")));
        return names;
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
        List<Turn> ours = new ArrayList<>();
        List<Turn> rival = new ArrayList<>();
        try (EmbeddedCassandra node = EmbeddedCassandra.builder()
                .heap("1g")
                .jvmOption("-XX:TieredStopAtLevel=4")
                .yaml("commitlog_sync", "periodic")
                .yaml("commitlog_sync_period", "10000ms")
                .start()) {
            for (int round = 0; round <= rounds; round++) {
                Turn turn = turn("ours", node, round, System.getProperty("java.class.path"));
                if (round > 0) {
                    ours.add(turn);
                }
                if (oldJar.isPresent()) {
                    String classPath = oldJar.get() + File.pathSeparator + System.getProperty("java.class.path");
                    Turn before = turn("before", node, round, classPath);
                    if (round > 0) {
                        rival.add(before);
                    }
                }
            }
        }
        double slowest = median(ours, Turn::slowest);
        double served = median(ours, Turn::served);
        report.add(Case.moreIsBetter(
                        "start-at-once-served", "instances that got an id vs all", served, instances, "instances")
                .withGoal(1.0));
        report.add(Case.atMost(
                "start-at-once-slowest",
                "the slowest first id vs the claim time-out",
                slowest,
                CLAIM_TIMEOUT_SECONDS,
                "s"));
        if (!rival.isEmpty()) {
            report.add(Case.moreIsBetter(
                    "start-at-once-served-vs-before",
                    "instances that got an id: today vs the earlier commit",
                    served,
                    median(rival, Turn::served),
                    "instances"));
            report.add(Case.lessIsBetter(
                            "start-at-once-median-vs-before",
                            "the median first id: today vs the earlier commit",
                            median(ours, Turn::median),
                            median(rival, Turn::median),
                            "s")
                    .with("slowest of today", slowest)
                    .with("slowest of the earlier commit", median(rival, Turn::slowest)));
        }
    }

    private static double median(List<Turn> turns, ToDoubleFunction<Turn> what) {
        return Median.of(turns.stream().map(what::applyAsDouble).toList());
    }

    private Turn turn(String who, EmbeddedCassandra node, int round, String classPath) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx1g",
                        "-cp",
                        classPath,
                        Starters.class.getName(),
                        node.host(),
                        Integer.toString(node.port()),
                        node.localDatacenter(),
                        who + round,
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
                        throw new IllegalStateException("issued twice: " + parts[0] + " by " + who);
                    }
                    seconds.add(Long.parseLong(parts[1]) / 1e9);
                } else {
                    out.println(who + " logs: " + line);
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
                "round %d/%d  %-6s  %.0f of %d had an id, half of them within %.2f s, the last one after %.2f s%s%n",
                round,
                rounds,
                who,
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
