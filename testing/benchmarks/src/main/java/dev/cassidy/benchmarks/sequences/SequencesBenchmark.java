package dev.cassidy.benchmarks.sequences;

import dev.cassidy.benchmarks.Benchmark;
import dev.cassidy.benchmarks.report.Machine;
import dev.cassidy.benchmarks.report.Report;
import dev.cassidy.embedded.EmbeddedCassandra;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Every promise of the sequences is a case here, under a fixed name. */
public final class SequencesBenchmark implements Benchmark {

    private static final int CLIENTS = 10;

    /** The embedded node's own option makes it start quickly. */
    private static final String SERVER_OPTION = "-XX:TieredStopAtLevel=4";

    /** The embedded node's own, batch, makes each write wait for the disk: then the disk would be measured. */
    private static final String COMMITLOG_SYNC = "periodic";

    private final boolean onANode;
    private final boolean shortForm;
    private final PrintStream out;

    /** Without {@code onANode}, ids from memory alone are measured: no node is started. */
    public SequencesBenchmark(boolean onANode, boolean shortForm, PrintStream out) {
        this.onANode = onANode;
        this.shortForm = shortForm;
        this.out = out;
    }

    @Override
    public String title() {
        return "Sequences beside their rivals";
    }

    @Override
    public List<String> required() {
        List<String> names = new ArrayList<>();
        for (String at : List.of("-1-thread", "-2-threads", "-8-threads")) {
            for (String rival : List.of("cosid-chain", "atomiclong", "cosid-segment", "hazelcast", "tsid")) {
                names.add("process" + at + "-vs-" + rival);
            }
            names.add("thread" + at + "-vs-atomiclong");
            names.add("cursor" + at + "-vs-atomiclong");
        }
        names.add("allocation-per-id");
        names.add("idle-or-slow-holds-at-most-64");
        if (onANode) {
            names.add("node-batch100-plain-vs-seed");
            names.add("node-batch100-5stripes-vs-seed-5stripes");
            names.add("node-adaptive-vs-batch100-plain");
            names.add("node-adaptive-vs-lwt-per-id");
        }
        return names;
    }

    @Override
    public void run(Report report) {
        report.condition("form", shortForm ? "short (-Dshort)" : "full");
        report.condition("machine", Machine.description());
        Frugality.run(report);
        new InProcessRace(shortForm, out).run(report);
        if (onANode) {
            onANode(report);
        }
    }

    private void onANode(Report report) {
        report.condition(
                "node",
                "one embedded Cassandra, RF 1, heap 1g, " + SERVER_OPTION + ", commitlog_sync " + COMMITLOG_SYNC
                        + " as Cassandra ships it and as the seed was measured");
        try (EmbeddedCassandra node = EmbeddedCassandra.builder()
                        .heap("1g")
                        .jvmOption(SERVER_OPTION)
                        .yaml("commitlog_sync", COMMITLOG_SYNC)
                        .yaml("commitlog_sync_period", "10000ms")
                        .start();
                NodeRace race = new NodeRace(
                        node,
                        CLIENTS,
                        shortForm ? 3 : 9,
                        Duration.ofMillis(shortForm ? 500 : 1_000),
                        Duration.ofMillis(shortForm ? 2_500 : 6_000),
                        out)) {
            race.run(report);
        }
    }
}
