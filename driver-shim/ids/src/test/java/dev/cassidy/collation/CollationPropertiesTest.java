package dev.cassidy.collation;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.icu.text.Normalizer2;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks what must hold of all texts, on each character and on random ones. */
class CollationPropertiesTest {

    private static final long SEED = 20_261_130;
    private static final int TEXTS = 20_000;

    /** What rules are about: cases, marks of several classes, ligatures, widths, kana, what has no weight, blanks. */
    private static final String ALPHABET = "aAeEiInNoOuUsSyz ßẞæÆþÞœﬁǅıİkKåÅéüñÑçşŠłŁøØΣσςάЖжйЙиИіІїёәӚ"
            + "\u0301\u0300\u0306\u0307\u0308\u0303\u030A\u030C\u0323\u0327\u0328\u0345\u05B8\u064E\u0E38\u0E48\u0F71\u0F72\u3099\u309A"
            + "ΐᾷậộễ가한か\u304Cガｶﾞぁあアー１ｗＷ²₂①\u3000\u0000\u00AD\u200D\u200B\uFE0F\uFFFD\u034Fﺏبأﭏ豈-'\t\uD83D\uDE00\uDC00";

    private static String random(Random random) {
        StringBuilder text = new StringBuilder();
        int length = random.nextInt(9);
        for (int i = 0; i < length; i++) {
            text.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
        }
        return text.toString();
    }

    private static List<String> texts() {
        List<String> texts = new ArrayList<>();
        for (int c = 0; c <= Character.MAX_VALUE; c++) {
            texts.add(String.valueOf((char) c));
            texts.add("a" + (char) c + "\u0301\u0323");
        }
        Random random = new Random(SEED);
        for (int i = 0; i < TEXTS; i++) {
            texts.add(random(random));
        }
        return texts;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SQL_Latin1_General_CP1_CI_AS",
                "Latin1_General_100_CI_AS",
                "Latin1_General_100_CS_AS_KS_WS",
                "Latin1_General_100_CI_AI",
                "Latin1_General_100_CS_AI_SC",
                "Japanese_XJIS_140_CI_AI_VSS",
                "Japanese_CS_AS_KS",
                "Turkish_CI_AS",
                "Turkish_100_CI_AI",
                "Turkish_CS_AI",
                "Modern_Spanish_100_CI_AI",
                "Polish_100_CI_AI",
                "Danish_Norwegian_100_CI_AS",
                "Latin1_General_BIN2"
            })
    void shouldHaveFormsThatAreTheirOwn(String name) {
        Collation collation = Collation.of(name);

        assertThat(texts().stream().filter(text -> {
                    String form = collation.fold(text);
                    return !collation.fold(form).equals(form)
                            || !collation.equal(text, form)
                            || !collation.fold(text + "  ").equals(form);
                }))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SQL_Latin1_General_CP1_CI_AS",
                "Latin1_General_100_CS_AS_KS_WS",
                "Latin1_General_100_CI_AI",
                "Turkish_CI_AS",
                "Turkish_CS_AI",
                "Modern_Spanish_100_CI_AI",
                "Polish_100_CS_AI",
                "Czech_100_CI_AI",
                "Danish_Norwegian_100_CI_AS"
            })
    void shouldTakeCanonicallyEquivalentTextsForEqual(String name) {
        Collation collation = Collation.of(name);

        assertThat(texts().stream()
                        .filter(text -> text.chars().noneMatch(CollationPropertiesTest::isDecomposedOtherwise))
                        .filter(text -> {
                            String form = collation.fold(text);
                            return !collation
                                            .fold(Normalizer2.getNFDInstance().normalize(text))
                                            .equals(form)
                                    || !collation
                                            .fold(Normalizer2.getNFCInstance().normalize(text))
                                            .equals(form);
                        }))
                .isEmpty();
    }

    /** Syllables of Hangul and their letters; ideographs for which Unicode has one beyond U+FFFF; halves of pairs. */
    private static boolean isDecomposedOtherwise(int c) {
        String parts = Normalizer2.getNFDInstance().getDecomposition(c);
        return (c >= 0x1100 && c <= 0x11FF)
                || Character.isSurrogate((char) c)
                || (parts != null
                        && parts.chars()
                                .anyMatch(each ->
                                        Character.isSurrogate((char) each) || each >= 0x1100 && each <= 0x11FF));
    }

    /** What differs in one rule of the name alone: whoever ignores more takes more for equal. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Latin1_General_100_CS_AS_KS_WS Latin1_General_100_CS_AS_KS",
                "Latin1_General_100_CS_AS_KS Latin1_General_100_CS_AS",
                "Latin1_General_100_CS_AS Latin1_General_100_CI_AS",
                "Latin1_General_100_CI_AS Latin1_General_100_CI_AI",
                "Latin1_General_100_CI_AS Latin1_General_CI_AS",
                "Japanese_XJIS_140_CI_AS_VSS Japanese_XJIS_140_CI_AS",
                "Turkish_CS_AS Turkish_CI_AS",
                "Turkish_CI_AS Turkish_CI_AI"
            })
    void shouldTakeForEqualWhatAStricterCollationDoes(String names) {
        Collation strict = Collation.of(names.substring(0, names.indexOf(' ')));
        Collation loose = Collation.of(names.substring(names.indexOf(' ') + 1));

        // A text and its strict form are equal by the strict collation, and so they must be by the loose one.
        assertThat(texts().stream()
                        .filter(text -> !loose.fold(strict.fold(text)).equals(loose.fold(text))))
                .isEmpty();
    }
}
