package dev.cassidy.benchmarks.sequences;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.benchmarks.report.Case;
import dev.cassidy.benchmarks.report.Report;
import dev.cassidy.embedded.EmbeddedCassandra;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class NodeRaceIT {

    @Test
    void shouldRaceEveryContestantAndFindEachIdOnce() {
        Report report = new Report("smoke");
        PrintStream nowhere = new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);

        // A few clients only, so that each gets its turn on a loaded machine. The race throws if an id is issued twice.
        try (NodeRace race = new NodeRace(
                EmbeddedCassandra.shared(), 3, 1, Duration.ofMillis(200), Duration.ofMillis(1_000), nowhere)) {
            race.run(report);
        }

        assertThat(report.cases())
                .extracting(Case::name)
                .contains("node-batch100-plain-vs-seed", "node-adaptive-vs-batch100-plain");
        assertThat(report.cases()).allSatisfy(each -> assertThat(each.ours()).isPositive());
    }
}
