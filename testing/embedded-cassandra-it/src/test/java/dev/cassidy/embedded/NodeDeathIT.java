package dev.cassidy.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program that keeps nodes ends when the first of its nodes ends by itself. */
class NodeDeathIT {
    @TempDir
    private Path temporary;

    @Test
    void shouldEndTheProgramOfANodeThatDiesAndKeepItsLog() throws Exception {
        Path said = temporary.resolve("said");
        Process program = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Djava.io.tmpdir=" + temporary,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "--datacenters",
                        "here:1")
                .redirectError(said.toFile())
                .start();
        try {
            Path log = Path.of(ready(program).replaceFirst(".* log=", ""));
            List<ProcessHandle> children = program.children().toList();
            assertThat(children).hasSize(1);

            children.get(0).destroyForcibly();

            assertThat(program.waitFor()).isEqualTo(1);
            assertThat(said)
                    .content()
                    .contains("Cassandra at 127.0.0.1:", " in here ended unexpectedly", "signal 9")
                    .contains(log.toString(), "Starting listening for CQL clients");
            assertThat(log).exists();
            assertThat(log.getParent().resolveSibling("data")).doesNotExist();
        } finally {
            program.destroy();
        }
    }

    private static String ready(Process program) throws IOException {
        BufferedReader out = program.inputReader(StandardCharsets.UTF_8);
        String node = out.readLine();
        assertThat(out.readLine()).startsWith("Stop it with");
        return node;
    }
}
