package dev.cassidy.benchmarks.migration;

import dev.cassidy.benchmarks.Benchmark;
import dev.cassidy.benchmarks.report.Machine;
import dev.cassidy.benchmarks.report.Report;
import dev.cassidy.embedded.EmbeddedCassandra;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;

/** What the migration tool promises. */
public final class MigrationBenchmark implements Benchmark {

    private final boolean isShort;
    private final PrintStream out;

    public MigrationBenchmark(boolean isShort, PrintStream out) {
        this.isShort = isShort;
        this.out = out;
    }

    @Override
    public String title() {
        return "Migration";
    }

    @Override
    public List<String> required() {
        return List.of(CopyRace.CASE, SeedRace.CASE, SeedRace.LIMIT);
    }

    @Override
    public void run(Report report) throws IOException {
        report.condition("machine", Machine.description());
        report.condition("node", "one, with commitlog_sync: periodic, as Cassandra ships it, and paxos_variant: v2");
        try (EmbeddedCassandra node = EmbeddedCassandra.builder()
                .yaml("commitlog_sync", "periodic")
                .yaml("commitlog_sync_period", "10s")
                .start()) {
            new SeedRace(node, isShort ? 2 : 5, 1_000, out).run(report);
            new CopyRace(node, isShort ? 3 : 7, isShort ? 40_000 : 200_000, out).run(report);
        }
    }
}
