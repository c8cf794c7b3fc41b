package dev.cassidy.reliability.statements;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/** Tokens of a statement that is being generated, and the gaps between them. */
final class Pieces {

    private static final String NEEDS_NO_GAP = "(),;[]{}=<>";
    private static final List<String> BLANKS = List.of(" ", " ", " ", "\n", "\t", "\r\n", "   ", " \n\t ");
    private static final List<String> COMMENTS = List.of(
            "-- ' ; ) VALUES (?\n",
            "--\n",
            "// \" $$ */ :x ]\r",
            "/* ' \" ; ) ? :x $$ */",
            "/**/",
            "/* -- */",
            "/*/ * // */",
            "-- /* \n",
            "// it's\n");

    /** Constants that end where a letter follows: 1AND is 1 AND. */
    private static final Pattern ENDING =
            Pattern.compile("-(NaN|Infinity|P\\w+)|-?\\d+|-?\\d+\\.\\d+|-?\\d+[yhwd]", Pattern.CASE_INSENSITIVE);

    private final RandomGenerator random;
    private final List<String> tokens = new ArrayList<>();

    Pieces(RandomGenerator random) {
        this.random = random;
    }

    Pieces add(String... more) {
        tokens.addAll(List.of(more));
        return this;
    }

    Pieces add(List<String> more) {
        tokens.addAll(more);
        return this;
    }

    List<String> tokens() {
        return tokens;
    }

    /** Returns the text, with blanks and comments wherever they are allowed. */
    String text() {
        return text(tokens, random);
    }

    static String text(List<String> tokens, RandomGenerator random) {
        boolean commented = random.nextInt(3) == 0;
        StringBuilder text = new StringBuilder(commented ? gap(random, true) : "");
        for (int i = 0; i < tokens.size(); i++) {
            if (i > 0) {
                boolean needed = !mayTouch(tokens.get(i - 1), tokens.get(i))
                        && !(ENDING.matcher(tokens.get(i - 1)).matches() && random.nextInt(4) == 0);
                text.append(needed || random.nextBoolean() ? gap(random, commented) : "");
            }
            text.append(tokens.get(i));
        }
        return commented && random.nextInt(4) == 0 ? text + gap(random, true) : text.toString();
    }

    private static boolean mayTouch(String left, String right) {
        return !left.isEmpty()
                && !right.isEmpty()
                && (NEEDS_NO_GAP.indexOf(left.charAt(left.length() - 1)) >= 0
                        || NEEDS_NO_GAP.indexOf(right.charAt(0)) >= 0);
    }

    private static String gap(RandomGenerator random, boolean commented) {
        if (!commented || random.nextInt(4) > 0) {
            return BLANKS.get(random.nextInt(BLANKS.size()));
        }
        String comment = COMMENTS.get(random.nextInt(COMMENTS.size()));
        return random.nextBoolean() ? comment : " " + comment + " ";
    }
}
