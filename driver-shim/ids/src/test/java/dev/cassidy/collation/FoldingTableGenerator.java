package dev.cassidy.collation;

import com.ibm.icu.lang.UCharacter;
import com.ibm.icu.lang.UProperty;
import com.ibm.icu.text.Normalizer2;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Makes the resource of {@link FoldingTable} from ICU's data, and from the lists below, which no data of Unicode has. {@code main}
 * writes it; {@link FoldingTableTest} compares it.
 *
 * <p>The lists were compared with the weights that Microsoft publishes for CompareString: "Windows Sorting Weight Table" of
 * [MS-UCODEREF], section 3.1.5.2.3.1.
 */
final class FoldingTableGenerator {

    static final Path RESOURCE = Path.of("src/main/resources/dev/cassidy/collation/folding-1.txt");

    private static final char FIRST_SYLLABLE = 0xAC00;
    private static final char LAST_SYLLABLE = 0xD7A3;

    /** Ligatures that Windows' table expands: what is before the colon, into what is behind. */
    private static final String EXPANDED =
            "Æ:AE æ:ae Þ:TH þ:th ß:ss ẞ:SS Ĳ:IJ ĳ:ij Œ:OE œ:oe Ǆ:DŽ ǅ:Dž ǆ:dž Ǉ:LJ ǈ:Lj ǉ:lj"
                    + " Ǌ:NJ ǋ:Nj ǌ:nj Ǳ:DZ ǲ:Dz ǳ:dz ȸ:db ȹ:qp ﬀ:ff ﬁ:fi ﬂ:fl ﬃ:ffi ﬄ:ffl ﬆ:st և:եւ ﬓ:մն ﬔ:մե ﬕ:մի ﬖ:վն ﬗ:մխ"
                    + " ﭏ:אל";

    /** Letters to which Windows' table gives the primary weight of another letter, though they have no decomposition. */
    private static final String BASE = "ª:a º:o Ø:O ø:o Ð:D ð:d Đ:D đ:d Ħ:H ħ:h ı:i ĸ:k Ŀ:L ŀ:l Ł:L ł:l ŉ:n"
            + " ƀ:b Ɓ:B ɓ:b Ƃ:B ƃ:b Ƈ:C ƈ:c Ɗ:D ɗ:d Ƌ:D ƌ:d Ƒ:F ƒ:f Ɠ:G ɠ:g Ɨ:I ɨ:i Ƙ:K ƙ:k ƚ:l Ɲ:N ɲ:n Ɵ:O ɵ:o Ƥ:P ƥ:p"
            + " ƫ:t Ƭ:T ƭ:t Ʈ:T ʈ:t Ʋ:V ʋ:v Ƴ:Y ƴ:y Ƶ:Z ƶ:z Ǥ:G ǥ:g Ȥ:Z ȥ:z Ⱥ:A ⱥ:a Ȼ:C ȼ:c Ƚ:L Ⱦ:T ⱦ:t Ƀ:B Ʉ:U ʉ:u"
            + " Ɇ:E ɇ:e Ɉ:J ɉ:j Ɋ:Q ɋ:q Ɍ:R ɍ:r Ɏ:Y ɏ:y";

    /**
     * What has no weight: NUL and the replacement character, the soft hyphen, the Arabic kashida, and marks of format that have
     * none in Windows' table.
     */
    private static final String IGNORED =
            "0000 00AD 034F 0640 061C 180B-180D 200C-200F 202A-202E 2060-206F FEFF FFF9-FFFB FFFD";

    /**
     * Marks that are letters, vowels or the lack of a vowel. In Windows' table they have a primary weight, so that they count where
     * accents are ignored.
     */
    private static final String COUNTED =
            "0363-036F 06D6 06D7 06DF 06E0 0816 0817 081B 094D 09CD 0A4D 0ACD 0B4D 0BCD 0C4D 0CCD"
                    + " 0D4D 0DCA 0E38-0E3A 0EB8 0EB9 0EC8-0ECB 0F18 0F19 0F35 0F37 0F72 0F74 0F7A-0F7D 0F80 0F82 0F83 0F86 0F87 0FC6"
                    + " 1037 1039 103A 108D 1714 1734 17D2 17DD 18A9 1939-193B 1A17 1A18 1A60 1B34 1B44 1BAA 1BE6 1BF2 1BF3 1CD0-1CE8"
                    + " 1CED 1DD2-1DE6 2DE0-2DFF A806 A8C4 A953 A9B3 A9C0 AAB0 AAB2-AAB4 AAB7 AAB8 AABE AABF AAC1 ABED";

    private FoldingTableGenerator() {}

    /** @param arguments none; the working directory is that of the module */
    public static void main(String... arguments) throws IOException {
        Files.writeString(RESOURCE, generate());
    }

    static String generate() {
        List<String> lines = new ArrayList<>();
        lines.add("# Version 1 of what FoldingTable reads. Never changed: the keys of rows are made by it.");
        lines.add("# From Unicode " + UCharacter.getUnicodeVersion().getVersionString(2, 2)
                + " by FoldingTableGenerator, which names the sources of E, B, I and R.");
        lines.add("# Unicode data: Copyright (c) 1991-2024 Unicode, Inc., https://www.unicode.org/license.txt");
        lines.addAll(lines("D", decomposed()));
        lines.addAll(lines("E", expanded()));
        lines.addAll(lines("L", lower()));
        lines.addAll(lines("R", raised()));
        lines.addAll(lines("W", width()));
        lines.add("K 30A1-30F6 3041");
        lines.add("K 30FD-30FE 309D");
        lines.addAll(lines("B", pairs(BASE)));
        for (String range : IGNORED.split(" ")) {
            lines.add("I " + range);
        }
        lines.add("V FE00-FE0F");
        for (String range : COUNTED.split(" ")) {
            lines.add("S " + range);
        }
        lines.addAll(classes());
        return String.join("\n", lines) + "\n";
    }

    private static Map<Character, String> decomposed() {
        Map<Character, String> all = new TreeMap<>();
        Normalizer2 canonical = Normalizer2.getNFDInstance();
        for (int c = 0; c <= Character.MAX_VALUE; c++) {
            String parts = canonical.getDecomposition(c);
            // A syllable of Hangul and its letters have different weights; a pair of surrogates is no single mark.
            if (parts != null
                    && (c < FIRST_SYLLABLE || c > LAST_SYLLABLE)
                    && parts.chars().noneMatch(each -> Character.isSurrogate((char) each))) {
                all.put((char) c, parts);
            }
        }
        return all;
    }

    /** Ligatures, and Arabic letters in the forms that they have within words. */
    private static Map<Character, String> expanded() {
        Map<Character, String> all = pairs(EXPANDED);
        for (int c = 0; c <= Character.MAX_VALUE; c++) {
            switch (UCharacter.getIntPropertyValue(c, UProperty.DECOMPOSITION_TYPE)) {
                case UCharacter.DecompositionType.INITIAL,
                        UCharacter.DecompositionType.MEDIAL,
                        UCharacter.DecompositionType.FINAL,
                        UCharacter.DecompositionType.ISOLATED -> {
                    String letters = Normalizer2.getNFKDInstance().getRawDecomposition(c);
                    if (letters.length() == 1) {
                        all.put((char) c, letters);
                    }
                }
                default -> {}
            }
        }
        return all;
    }

    /** What is decomposed or expanded has a small letter too: a language may have it as a letter of its own. */
    private static Map<Character, String> lower() {
        Map<Character, String> all = new TreeMap<>();
        for (int c = 0; c <= Character.MAX_VALUE; c++) {
            int lower = UCharacter.toLowerCase(c);
            if (lower != c && c != 'İ') {
                all.put((char) c, String.valueOf((char) lower));
            }
        }
        all.put('ς', "σ");
        return all;
    }

    private static Map<Character, String> raised() {
        Map<Character, String> all = new TreeMap<>();
        for (int c = 0; c <= Character.MAX_VALUE; c++) {
            int type = UCharacter.getIntPropertyValue(c, UProperty.DECOMPOSITION_TYPE);
            boolean raised = type == UCharacter.DecompositionType.SUPER || type == UCharacter.DecompositionType.SUB;
            boolean digitOrSign = c >= 0xB2 && c <= 0xB9 || c >= 0x2070 && c <= 0x208E;
            if (raised && digitOrSign) {
                all.put((char) c, Normalizer2.getNFKDInstance().getRawDecomposition(c));
            }
        }
        return all;
    }

    private static Map<Character, String> width() {
        Map<Character, String> all = new TreeMap<>();
        for (int c = 0; c <= Character.MAX_VALUE; c++) {
            int type = UCharacter.getIntPropertyValue(c, UProperty.DECOMPOSITION_TYPE);
            if (type == UCharacter.DecompositionType.WIDE || type == UCharacter.DecompositionType.NARROW) {
                all.put((char) c, Normalizer2.getNFKDInstance().getRawDecomposition(c));
            }
        }
        return all;
    }

    private static Map<Character, String> pairs(String list) {
        Map<Character, String> all = new TreeMap<>();
        for (String pair : list.split(" ")) {
            if (pair.charAt(1) != ':' || all.put(pair.charAt(0), pair.substring(2)) != null) {
                throw new IllegalStateException("must be a character, a colon and what it becomes, once: " + pair);
            }
        }
        return all;
    }

    private static List<String> classes() {
        List<String> lines = new ArrayList<>();
        Map<Integer, TreeSet<Integer>> byClass = new TreeMap<>();
        for (int c = 0; c <= Character.MAX_VALUE; c++) {
            int markClass = UCharacter.getCombiningClass(c);
            if (markClass != 0) {
                byClass.computeIfAbsent(markClass, each -> new TreeSet<>()).add(c);
            }
        }
        byClass.forEach((markClass, all) -> {
            int first = -1;
            for (int c : all) {
                first = first < 0 ? c : first;
                if (!all.contains(c + 1)) {
                    lines.add("C " + range(first, c, 1) + " " + markClass);
                    first = -1;
                }
            }
        });
        return lines;
    }

    /** Joins characters that follow each other as their targets do. */
    private static List<String> lines(String kind, Map<Character, String> all) {
        List<String> lines = new ArrayList<>();
        TreeMap<Character, String> left = new TreeMap<>(all);
        while (!left.isEmpty()) {
            char first = left.firstKey();
            String target = left.get(first);
            int step = follows(left, first, 1) || !follows(left, first, 2) ? 1 : 2;
            int last = first;
            while (follows(left, (char) last, step)) {
                last += step;
            }
            lines.add(kind + " " + range(first, last, step) + hex(target));
            for (int c = first; c <= last; c += step) {
                left.remove((char) c);
            }
        }
        return lines;
    }

    private static boolean follows(Map<Character, String> all, char c, int step) {
        String one = all.get(c);
        String next = all.get((char) (c + step));
        return one != null
                && next != null
                && one.length() == 1
                && next.length() == 1
                && next.charAt(0) - one.charAt(0) == step;
    }

    private static String range(int first, int last, int step) {
        return String.format(Locale.ROOT, "%04X", first)
                + (first == last ? "" : String.format(Locale.ROOT, "-%04X", last))
                + (step == 1 ? "" : "/" + step);
    }

    private static String hex(String target) {
        StringBuilder hex = new StringBuilder();
        target.chars().forEach(c -> hex.append(String.format(Locale.ROOT, " %04X", c)));
        return hex.toString();
    }
}
