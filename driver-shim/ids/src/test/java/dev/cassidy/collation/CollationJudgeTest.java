package dev.cassidy.collation;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.icu.lang.UCharacter;
import com.ibm.icu.text.Collator;
import com.ibm.icu.text.RuleBasedCollator;
import com.ibm.icu.util.ULocale;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Compares the pinned tables with another judge, on all letters up to U+FFFF: Unicode's own collation as ICU has it, by letters and
 * marks for {@code _AS}, and by letters alone for {@code _AI}. The two do not agree, for they are not the same rules: all
 * differences are in a file.
 */
class CollationJudgeTest {

    private static final Path DIFFERENCES = Path.of("src/test/resources/dev/cassidy/collation/differences.txt");

    private static final char FIRST_SYLLABLE = 0xAC00;
    private static final char LAST_SYLLABLE = 0xD7A3;

    @ParameterizedTest
    @CsvSource({"Latin1_General_100_CI_AS, " + Collator.SECONDARY, "Latin1_General_100_CI_AI, " + Collator.PRIMARY})
    void shouldAgreeWithUnicodesCollationButForWhatIsListed(String name, int strength) throws IOException {
        RuleBasedCollator judge = (RuleBasedCollator) Collator.getInstance(ULocale.ROOT);
        judge.setStrength(strength);
        judge.setDecomposition(Collator.CANONICAL_DECOMPOSITION);
        Function<String, ByteBuffer> judged =
                text -> ByteBuffer.wrap(judge.getCollationKey(text).toByteArray());
        Function<String, String> folded = Collation.of(name)::fold;
        List<String> differences = new ArrayList<>();
        split(folded, judged).forEach(letters -> differences.add(name + " here " + letters));
        split(judged, folded).forEach(letters -> differences.add(name + " there " + letters));

        assertThat(String.join("\n", differences))
                .isEqualTo(Files.readAllLines(DIFFERENCES).stream()
                        .filter(line -> line.startsWith(name))
                        .collect(Collectors.joining("\n")));
    }

    /** Returns the letters that one judge takes for equal and the other does not, each such group once. */
    private static <A extends Comparable<A>, B> List<String> split(Function<String, A> one, Function<String, B> other) {
        Map<A, List<String>> equal = new TreeMap<>();
        for (int c = 0; c <= Character.MAX_VALUE; c++) {
            if (UCharacter.isLetter(c) && (c < FIRST_SYLLABLE || c > LAST_SYLLABLE)) {
                String letter = String.valueOf((char) c);
                equal.computeIfAbsent(one.apply(letter), each -> new ArrayList<>())
                        .add(letter);
            }
        }
        return equal.values().stream()
                .filter(letters -> letters.stream().map(other).distinct().count() > 1)
                .map(letters -> letters.stream()
                        .map(letter -> String.format(Locale.ROOT, "%04X", (int) letter.charAt(0)))
                        .collect(Collectors.joining(" ")))
                .sorted()
                .toList();
    }
}
