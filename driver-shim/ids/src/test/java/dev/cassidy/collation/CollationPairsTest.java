package dev.cassidy.collation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks literal verdicts; the file names the document that each is from. */
class CollationPairsTest {

    private static final Path PAIRS = Path.of("src/test/resources/dev/cassidy/collation/pairs.txt");

    private static final Pattern UNIT = Pattern.compile("\\\\u([0-9A-F]{4})");

    static List<Arguments> pairs() throws IOException {
        return Files.readAllLines(PAIRS).stream()
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .map(line -> line.split("\\|"))
                .map(cells -> Arguments.of(cells[0].strip(), cells[1].strip(), cells[2].strip(), cells[3].strip()))
                .toList();
    }

    /** Turns code units that are written as digits into characters; pairs of surrogates too. */
    private static String text(String written) {
        return UNIT.matcher(written).replaceAll(found -> String.valueOf((char) Integer.parseInt(found.group(1), 16)));
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void shouldSayOfAPairWhatSqlServerSays(String name, String one, String other, String verdict) {
        Collation collation = Collation.of(name);

        assertThat(verdict).isIn("=", "<>");
        assertThat(collation.equal(text(one), text(other))).isEqualTo(verdict.equals("="));
        assertThat(collation.equal(text(other), text(one))).isEqualTo(verdict.equals("="));
        assertThat(collation.fold(text(one)).equals(collation.fold(text(other))))
                .isEqualTo(verdict.equals("="));
    }

    @Test
    void shouldHaveEnoughPairsOfEachVerdict() throws IOException {
        assertThat(pairs()).hasSizeGreaterThan(250);
        assertThat(pairs().stream().filter(pair -> "=".equals(pair.get()[3]))).hasSizeBetween(100, 180);
    }
}
