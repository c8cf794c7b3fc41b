package dev.cassidy.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MainTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    --prot 9042                  | unknown option: --prot
                    --port                       | needs a value: --port
                    --port ninety                | must be a number: --port ninety
                    --port 70000                 | must be in 1..65535: port=70000
                    --datacenters dc1            | must be name:nodes, comma-separated
                    --datacenters dc1:1,         | must be name:nodes, comma-separated
                    --datacenters dc1:1,dc1:2    | named twice: dc1
                    --datacenters dc1:x          | must be a number: --datacenters x
                    --datacenters dc1:0          | must be > 0: nodes of dc1=0
                    --datacenters d/c:1          | datacenter=d/c
                    """)
    void shouldRefuseByNameWithExitTwo(String line, String message) {
        assertThat(run(line.split(" "))).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains(message);
        assertThat(out.size()).isZero();
    }

    @Test
    void shouldListEveryOption() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("--port", "--data", "--keep", "--datacenters", "--help");
    }

    @Test
    void shouldReadEveryOption() {
        assertThat(MainOptions.parse(List.of("--port", "19042", "--keep", "--datacenters", "a:1,b:2")))
                .isEqualTo(new MainOptions(false, 19042, null, true, Map.of("a", 1, "b", 2)));
    }

    @Test
    void shouldKeepAGivenFolder() {
        assertThat(MainOptions.parse(List.of("--data", "d")))
                .isEqualTo(new MainOptions(false, 0, Path.of("d"), true, Map.of("dc1", 1)));
    }

    private int run(String... arguments) {
        return Main.run(
                Arrays.asList(arguments),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }
}
