package dev.cassidy.benchmarks.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.benchmarks.report.Case;
import dev.cassidy.benchmarks.report.Report;
import dev.cassidy.embedded.EmbeddedCassandra;
import java.io.OutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class InsertRaceIT {

    @Test
    void shouldMeasureEachContestantOfTheBuild() throws Exception {
        Report report = new Report("test");
        Duration turn = Duration.ofMillis(50);
        try (InsertRace race = new InsertRace(
                new InsertRace.Cluster(List.of(EmbeddedCassandra.shared()), 1),
                InsertRace.available(),
                // They end before the second compiler pays off.
                List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
                new InsertRace.Pace(1, turn, turn, turn),
                new PrintStream(OutputStream.nullOutputStream()))) {
            race.run(report);
        }

        assertThat(report.cases())
                .extracting(Case::name)
                .contains(
                        "jdbc-insert-1-thread-vs-bare-sync",
                        "jdbc-insert-8-threads-vs-bare-sync",
                        "jdbc-insert-extra-cpu",
                        "jdbc-insert-extra-allocation",
                        "jdbc-batch100-vs-bare-async",
                        "jdbc-grouped-batch100-vs-bare-async",
                        "clean-rows-1-thread-vs-plain",
                        "clean-rows-8-threads-vs-plain",
                        "clean-rows-batch100-vs-plain",
                        "batch-warnings");
        assertThat(report.cases().get(0).ours()).isPositive();
    }
}
