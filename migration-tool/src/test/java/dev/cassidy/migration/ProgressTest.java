package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ProgressTest {

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);

    private String shown() {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldShowTheTaskAndHowFarItIsAndRemoveTheBar() {
        try (Progress.Bar bar = Progress.on(out, 80).start("reading dbo.Order", Progress.UNKNOWN, "rows")) {
            bar.total(4);
            bar.step(1);
            bar.step(2);
        }

        assertThat(shown()).contains("reading dbo.Order").contains("3/4 rows");
        assertThat(shown().split("\r")[shown().split("\r").length - 1]).isBlank();
    }

    @Test
    void shouldShowNothingWithoutATerminal() {
        try (Progress.Bar bar = Progress.NONE.start("reading dbo.Order", 4, "rows")) {
            bar.step(4);
        }

        assertThat(shown()).isEmpty();
    }
}
