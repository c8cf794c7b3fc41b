package dev.cassidy.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class GivenOptionsTest {

    private static final List<String> PIECES =
            List.of(";", ",", " ", "\t", "=", "a", "Bc", "7", "_", "-", "\u00e9", "%20", "==", ";a");

    /** The rule as an expression, which takes time in proportion to the square of the blanks. */
    private static final Pattern OPTION = Pattern.compile("[;,\\s]\\s*[A-Za-z][A-Za-z0-9]*\\s*=");

    @Test
    void shouldSeeAnOptionInAValue() {
        long seed = 20_261_129;
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int piece = random.nextInt(10); piece >= 0; piece--) {
                text.append(PIECES.get(random.nextInt(PIECES.size())));
            }
            assertThat(GivenOptions.holdsOption(text.toString()))
                    .as("seed %d, text %d: %s", seed, i, text)
                    .isEqualTo(OPTION.matcher(text).find());
        }
    }
}
