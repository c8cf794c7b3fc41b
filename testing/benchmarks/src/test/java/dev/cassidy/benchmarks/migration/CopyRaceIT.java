package dev.cassidy.benchmarks.migration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.benchmarks.report.Report;
import dev.cassidy.embedded.EmbeddedCassandra;
import java.io.OutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;

class CopyRaceIT {

    @Test
    void shouldMeasureBoth() throws Exception {
        Report report = new Report("test");

        new CopyRace(EmbeddedCassandra.shared(), 1, 200, new PrintStream(OutputStream.nullOutputStream())).run(report);

        assertThat(report.cases()).singleElement().satisfies(measured -> {
            assertThat(measured.name()).isEqualTo(CopyRace.CASE);
            assertThat(measured.ours()).isPositive();
        });
    }
}
