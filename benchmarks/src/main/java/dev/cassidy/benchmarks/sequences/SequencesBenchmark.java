package dev.cassidy.benchmarks.sequences;

import dev.cassidy.benchmarks.report.Report;
import dev.cassidy.embedded.EmbeddedCassandra;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Every line of what sequences promise is a case here, under a name that stays. */
public final class SequencesBenchmark {

    private static final int CLIENTS = 10;

    /** The embedded node's own are for a quick start. */
    private static final List<String> SERVER_OPTIONS = List.of("-XX:TieredStopAtLevel=4");

    private final boolean shortForm;
    private final PrintStream out;

    public SequencesBenchmark(boolean shortForm, PrintStream out) {
        this.shortForm = shortForm;
        this.out = out;
    }

    /** Returns the names of the cases without which a run has failed. */
    public List<String> required() {
        List<String> names = new ArrayList<>();
        for (String at : List.of("-1-thread", "-2-threads", "-8-threads")) {
            for (String rival : List.of("cosid-chain", "atomiclong", "cosid-segment", "hazelcast", "tsid")) {
                names.add("process" + at + "-vs-" + rival);
            }
            names.add("thread" + at + "-vs-cosid-chain");
            names.add("cursor" + at + "-vs-cosid-chain");
        }
        names.add("allocation-per-id");
        names.add("node-batch100-plain-vs-seed");
        names.add("node-batch100-5stripes-vs-seed-5stripes");
        names.add("node-adaptive-vs-batch100-plain");
        names.add("node-adaptive-vs-lwt-per-id");
        names.add("idle-or-slow-holds-at-most-64");
        return names;
    }

    public void run(Report report) {
        report.condition("form", shortForm ? "short (-Dshort)" : "full");
        report.condition(
                "machine",
                Runtime.getRuntime().availableProcessors() + " cores, "
                        + System.getProperty("os.name") + " " + System.getProperty("os.arch") + ", JDK "
                        + Runtime.version() + ", load average at the start "
                        + String.format(
                                Locale.ROOT,
                                "%.1f",
                                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage()));
        Frugality.run(report);
        new InProcessRace(shortForm, out).run(report);
        onANode(report);
    }

    private void onANode(Report report) {
        report.condition("node", "Cassandra in a JVM with " + String.join(" ", SERVER_OPTIONS) + " and a heap of 1g");
        EmbeddedCassandra.Builder builder = EmbeddedCassandra.builder().heap("1g");
        for (String option : SERVER_OPTIONS) {
            builder = builder.jvmOption(option);
        }
        try (EmbeddedCassandra node = builder.start();
                NodeRace race = new NodeRace(
                        node,
                        CLIENTS,
                        shortForm ? 3 : 9,
                        Duration.ofMillis(shortForm ? 1_000 : 2_000),
                        Duration.ofMillis(shortForm ? 3_000 : 6_000),
                        out)) {
            race.run(report);
        }
    }
}
