package dev.cassidy.benchmarks.migration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.benchmarks.report.Case;
import dev.cassidy.benchmarks.report.Report;
import dev.cassidy.embedded.EmbeddedCassandra;
import java.io.OutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;

class SeedRaceIT {

    @Test
    void shouldMeasureBoth() throws Exception {
        Report report = new Report("test");

        new SeedRace(EmbeddedCassandra.shared(), 1, 3, new PrintStream(OutputStream.nullOutputStream())).run(report);

        assertThat(report.cases()).extracting(Case::name).containsExactlyInAnyOrder(SeedRace.CASE, SeedRace.LIMIT);
        assertThat(report.cases()).allSatisfy(measured -> {
            assertThat(measured.ours()).isPositive();
            assertThat(measured.details())
                    .hasEntrySatisfying("CPU s", cpu -> assertThat(cpu).isPositive());
        });
    }
}
