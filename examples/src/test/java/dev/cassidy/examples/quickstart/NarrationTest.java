package dev.cassidy.examples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class NarrationTest {

    private final ByteArrayOutputStream text = new ByteArrayOutputStream();
    private final AtomicLong nanos = new AtomicLong();

    private Narration narration(int parts) {
        return new Narration(new PrintStream(text, true, StandardCharsets.UTF_8), nanos::get, parts);
    }

    private List<String> lines() {
        return text.toString(StandardCharsets.UTF_8).lines().toList();
    }

    @Test
    void shouldSucceedWhenAllPartsWereCompletedAndAllChecksHeld() throws Exception {
        Narration narration = narration(1);
        narration.part("The only one", narrator -> {
            nanos.addAndGet(1_500_000_000);
            narrator.equal("two is two", 2, 2);
        });

        assertThat(narration.verdict()).isTrue();
        assertThat(lines())
                .contains("Part 1 of 1   The only one", "   1 [ok]   two is two")
                .anySatisfy(
                        line -> assertThat(line).endsWith("part 1 took 1.5 s").hasSize(Narration.WIDTH));
    }

    @Test
    void shouldFailWhenOneCheckFailed() throws Exception {
        Narration narration = narration(1);
        narration.part("The only one", narrator -> {
            narrator.equal("one is two", 1, 2);
            narrator.check("one is one", true);
        });

        assertThat(narration.verdict()).isFalse();
        assertThat(lines()).contains("   1 [FAIL] one is two (expected 1, read 2)", "   2 [ok]   one is one");
    }

    @Test
    void shouldFailWhenAPartIsMissing() throws Exception {
        Narration narration = narration(2);
        narration.part("The first", narrator -> narrator.check("one is one", true));

        assertThat(narration.verdict()).isFalse();
    }

    @Test
    void shouldFailWhenNothingWasChecked() throws Exception {
        Narration narration = narration(1);
        narration.part("Talk", narrator -> narrator.say("much"));

        assertThat(narration.verdict()).isFalse();
    }

    @Test
    void shouldAlignNumbersToTheRight() {
        narration(1)
                .table(
                        List.of("table", "rows"),
                        List.of(
                                List.of("product", 7),
                                List.of("orders", 1_200L),
                                List.of("sum", BigInteger.TWO.pow(64))));

        assertThat(lines())
                .containsExactly(
                        "  table                           rows",
                        "  product                            7",
                        "  orders                         1,200",
                        "  sum       18,446,744,073,709,551,616");
    }

    @Test
    void shouldKeepAnOptionWithItsValueWhenACommandIsLong() {
        narration(1)
                .command("tool", List.of("seed", "--yes", "--url", "jdbc:x;" + "y".repeat(70), "--keyspace", "shop"));

        assertThat(lines())
                .containsExactly(
                        "  $ tool seed --yes \\",
                        "    --url 'jdbc:x;" + "y".repeat(70) + "' \\",
                        "    --keyspace shop");
    }
}
