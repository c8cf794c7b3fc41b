package dev.cassidy.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartFailureTest {
    @TempDir
    private Path folder;

    @Test
    void shouldShowTheFirstErrorAndTheLinesAfterIt() throws IOException {
        Path log = log("INFO  one\nERROR first\n  at a\nERROR second\n");

        assertThat(StartFailure.read(log, 0).ended())
                .hasMessage("Cassandra ended before it served clients; its log is " + log
                        + ":\n  ERROR first\n    at a\n  ERROR second");
    }

    @Test
    void shouldShowTheLastLinesWhenThereIsNoError() throws IOException {
        Path log = log("INFO  old\n".repeat(40) + "WARN  last\n");

        assertThat(StartFailure.read(log, 0).late(Duration.ofSeconds(7)))
                .hasMessageContaining("within 7 s (raise it with startTimeout)")
                .hasMessageEndingWith("INFO  old\n  WARN  last");
    }

    @Test
    void shouldLeaveOutTheLogOfEarlierStarts() throws IOException {
        String earlier = "ERROR of an earlier start: Address already in use\n";
        Path log = log(earlier + "ERROR of this one\n");

        EmbeddedCassandraException failure =
                StartFailure.read(log, earlier.length()).ended();

        assertThat(failure).hasMessageEndingWith(":\n  ERROR of this one");
        assertThat(failure.isPortTaken()).isFalse();
        assertThat(StartFailure.read(log, 0).ended().isPortTaken()).isTrue();
    }

    @Test
    void shouldSurviveALogThatWasCutWithinACharacter() throws IOException {
        byte[] text = "ERROR \u00e9".getBytes(StandardCharsets.UTF_8);
        Path log = Files.write(folder.resolve("server.log"), Arrays.copyOf(text, text.length - 1));

        assertThat(StartFailure.read(log, 0).ended()).hasMessageContaining("ERROR");
    }

    @Test
    void shouldNameTheNodeThatDiedAndShowItsLastLines() throws IOException {
        Path log = log("ERROR of its start\n" + "INFO  old\n".repeat(40) + "java.lang.OutOfMemoryError\n");

        assertThat(StartFailure.read(log, 0).died("Cassandra at here:9042", 3))
                .startsWith("Cassandra at here:9042 ended unexpectedly: exit code 3; its log is " + log)
                .endsWith("INFO  old\n  java.lang.OutOfMemoryError")
                .doesNotContain("ERROR of its start");
        assertThat(StartFailure.read(log, 0).died("Cassandra", 137)).contains("exit code 137, which is signal 9;");
    }

    @Test
    void shouldSayThatThereIsNoLog() {
        assertThat(StartFailure.read(folder.resolve("none.log"), 0).ended())
                .hasMessageContaining("the log cannot be read");
    }

    private Path log(String text) throws IOException {
        return Files.writeString(folder.resolve("server.log"), text);
    }
}
