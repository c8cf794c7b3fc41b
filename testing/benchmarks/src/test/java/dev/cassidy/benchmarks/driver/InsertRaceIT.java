package dev.cassidy.benchmarks.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.benchmarks.report.Case;
import dev.cassidy.benchmarks.report.Report;
import dev.cassidy.embedded.EmbeddedCassandra;
import java.io.OutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class InsertRaceIT {

    /** Each is a JVM. Of those that the build could run, the ones left out differ from these only in their URL. */
    private static final Set<InsertRace.Contestant> CONTESTANTS = EnumSet.of(
            InsertRace.Contestant.JDBC_ROW,
            InsertRace.Contestant.JDBC_BATCH,
            InsertRace.Contestant.BARE_SYNC,
            InsertRace.Contestant.BARE_ASYNC);

    @Test
    void shouldMeasureSingleInsertsAndBatches() throws Exception {
        Report report = new Report("test");
        Duration turn = Duration.ofMillis(50);
        try (InsertRace race = new InsertRace(
                new Cluster(List.of(EmbeddedCassandra.shared()), 1),
                CONTESTANTS,
                // They end before the second compiler pays off.
                List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
                new Pace(1, turn, turn, turn),
                new PrintStream(OutputStream.nullOutputStream()))) {
            race.run(report);
        }

        assertThat(report.cases())
                .extracting(Case::name)
                .contains(
                        "jdbc-insert-1-thread-vs-bare-sync",
                        "jdbc-insert-8-threads-vs-bare-sync",
                        "jdbc-insert-extra-cpu",
                        "jdbc-insert-extra-cpu-of-callers",
                        "jdbc-insert-extra-allocation",
                        "jdbc-batch100-vs-bare-async",
                        "jdbc-batch100-warnings");
        assertThat(report.cases().get(0).ours()).isPositive();
    }
}
