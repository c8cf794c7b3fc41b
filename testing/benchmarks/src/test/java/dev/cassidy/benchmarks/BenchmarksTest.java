package dev.cassidy.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class BenchmarksTest {

    private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

    @Test
    void shouldRefuseAnUnknownName() throws Exception {
        assertThat(run("benchmark=seqences")).isEqualTo(2);
        assertThat(errors.toString(StandardCharsets.UTF_8))
                .startsWith(
                        "must be one of [counters, driver, driver-assist, driver-batches, driver-batches-3-nodes, driver-exact, driver-rows, driver-rows-3-nodes, driver-rules, driver-transactions, driver-transactions-2-datacenters, migration, scale, sequences, sequences-in-process]: benchmark=seqences. Run mvn -q -Pbenchmark");
    }

    @Test
    void shouldRefuseNoName() throws Exception {
        assertThat(run("benchmark=")).isEqualTo(2);
    }

    @Test
    void shouldRefuseALengthThatIsNeitherShortNorLong() throws Exception {
        assertThat(run("benchmark=sequences", "short=maybe")).isEqualTo(2);
        assertThat(errors.toString(StandardCharsets.UTF_8)).startsWith("must be true or false: short=maybe");
    }

    @Test
    void shouldRefuseARunThatIsBothShortAndLong() throws Exception {
        assertThat(run("benchmark=counters", "short=true", "long=true")).isEqualTo(2);
        assertThat(errors.toString(StandardCharsets.UTF_8)).startsWith("must not be both: short=true long=true");
    }

    @Test
    void shouldRefuseALongFormOfABenchmarkThatHasNone() throws Exception {
        assertThat(run("benchmark=scale", "long=true")).isEqualTo(2);
        assertThat(errors.toString(StandardCharsets.UTF_8))
                .startsWith("has no long form, as counters alone does: benchmark=scale");
    }

    @Test
    void shouldRefuseAnUnknownOption() throws Exception {
        assertThat(run("benchmark=sequences", "rounds=3")).isEqualTo(2);
    }

    private int run(String... arguments) throws Exception {
        PrintStream nowhere = new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
        return Benchmarks.run(arguments, nowhere, new PrintStream(errors, true, StandardCharsets.UTF_8));
    }
}
