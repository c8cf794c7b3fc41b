package dev.cassidy.benchmarks.driver;

import dev.cassidy.benchmarks.Benchmark;
import dev.cassidy.benchmarks.report.Case;
import dev.cassidy.benchmarks.report.Machine;
import dev.cassidy.benchmarks.report.Report;
import dev.cassidy.embedded.EmbeddedCassandra;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Every promise of the driver is a case here, under a fixed name. */
public final class DriverBenchmark implements Benchmark {

    private static final String SERVER_OPTION = "-XX:TieredStopAtLevel=4";

    private final boolean shortForm;
    private final PrintStream out;

    public DriverBenchmark(boolean shortForm, PrintStream out) {
        this.shortForm = shortForm;
        this.out = out;
    }

    @Override
    public String title() {
        return "The JDBC driver beside the bare java-driver and ING's wrapper";
    }

    @Override
    public List<String> required() {
        return List.of(
                "jdbc-insert-1-thread-vs-bare-sync",
                "jdbc-insert-8-threads-vs-bare-sync",
                "jdbc-insert-extra-cpu",
                "jdbc-insert-extra-allocation",
                "jdbc-batch100-vs-bare-async",
                "jdbc-grouped-batch100-vs-bare-async",
                "clean-rows-1-thread-vs-plain",
                "clean-rows-8-threads-vs-plain",
                "clean-rows-batch100-vs-plain",
                "jdbc-batch100-vs-ing-row-by-row",
                "jdbc-batch100-vs-ing-batch100",
                "jdbc-insert-1-thread-vs-ing",
                "jdbc-insert-8-threads-vs-ing",
                "rewrite-cql-text",
                "rewrite-tsql-text",
                "closure-megabytes");
    }

    @Override
    public void run(Report report) throws IOException {
        report.condition("form", shortForm ? "short (-Dshort)" : "full");
        report.condition("machine", Machine.description());
        closure(report);
        rewriting(report);
        onANode(report);
    }

    private static void closure(Report report) throws IOException {
        String closure = System.getProperty("driver-shim.closure", "");
        if (closure.isEmpty()) {
            return;
        }
        double bytes = Arrays.stream(Files.readString(Path.of(closure)).trim().split(File.pathSeparator, -1))
                .mapToLong(entry -> size(Path.of(entry)))
                .sum();
        report.add(Case.atMost(
                "closure-megabytes", "what driver-shim brings along, vs the limit", bytes / (1 << 20), 15, "MiB"));
    }

    /** A module of the same build may still be a folder of classes. */
    private static long size(Path entry) {
        try (Stream<Path> files = Files.walk(entry)) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void rewriting(Report report) {
        report.condition("rewriting", "JMH, average time of a call on one thread, on a plain text of 5 columns");
        report.add(Case.atMost(
                "rewrite-cql-text",
                "recognise a CQL insert and give it its id, vs the limit",
                nanos("cqlText"),
                1_000,
                "ns"));
        report.add(Case.atMost(
                "rewrite-tsql-text",
                "recognise and normalise a T-SQL insert, vs the limit",
                nanos("tsqlText"),
                1_000,
                "ns"));
    }

    private double nanos(String benchmark) {
        TimeValue iteration = TimeValue.milliseconds(shortForm ? 400 : 1_000);
        try {
            RunResult result = new Runner(new OptionsBuilder()
                            .include(Rewriting.class.getName() + '.' + benchmark + '$')
                            .forks(3)
                            .warmupIterations(5)
                            .warmupTime(iteration)
                            .measurementIterations(5)
                            .measurementTime(iteration)
                            .shouldFailOnError(true)
                            .verbosity(VerboseMode.SILENT)
                            .build())
                    .runSingle();
            return result.getPrimaryResult().getStatistics().getPercentile(50);
        } catch (RunnerException e) {
            throw new IllegalStateException(benchmark + " did not run", e);
        }
    }

    private void onANode(Report report) throws IOException {
        report.condition(
                "node", "one embedded Cassandra, RF 1, heap 1g, " + SERVER_OPTION + ", commitlog_sync periodic");
        try (EmbeddedCassandra node = EmbeddedCassandra.builder()
                        .heap("1g")
                        .jvmOption(SERVER_OPTION)
                        .yaml("commitlog_sync", "periodic")
                        .yaml("commitlog_sync_period", "10000ms")
                        // A machine that stands still for two seconds would otherwise end the race.
                        .yaml("write_request_timeout", "20000ms")
                        .start();
                InsertRace race = new InsertRace(
                        node,
                        InsertRace.available(),
                        List.of(),
                        // Many short rounds: other load of the machine and the node changes within seconds.
                        shortForm ? 15 : 41,
                        Duration.ofSeconds(shortForm ? 15 : 30),
                        Duration.ofMillis(shortForm ? 300 : 500),
                        Duration.ofMillis(shortForm ? 700 : 1_500),
                        out)) {
            race.run(report);
        }
    }
}
