package dev.cassidy.migration.schema;

import dev.cassidy.migration.source.SourceTable;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.regex.Pattern;

/** A column's default as T-SQL writes it. */
public final class DefaultExpression {

    private static final Pattern NOW =
            Pattern.compile("(?i)(now\\(\\)|(current|local)_?timestamp(\\s*\\(\\d?\\))?|transaction_timestamp\\(\\))");
    private static final Pattern NEW_ID = Pattern.compile("(?i)((gen_)?random_uuid|uuid|uuid_generate_v4)\\(\\)");
    private static final Pattern TYPE = Pattern.compile("\\)?::[\\w\\s\"(),]++");

    private DefaultExpression() {}

    /** Returns the default; empty for a column without one, and for one that gets ids. */
    public static Optional<String> of(SourceTable.Column column) {
        String given = column.defaultExpression();
        if (given == null || column.identity() || given.strip().equalsIgnoreCase("null")) {
            return Optional.empty();
        }
        String bare = withoutBrackets(given.strip());
        if (bare.equalsIgnoreCase("null")) {
            return Optional.empty();
        }
        if (NOW.matcher(bare).matches()) {
            return Optional.of("GETDATE()");
        }
        if (NEW_ID.matcher(bare).matches()) {
            return Optional.of("NEWID()");
        }
        if (bare.equalsIgnoreCase("true") || bare.equalsIgnoreCase("false")) {
            return Optional.of(bare.equalsIgnoreCase("true") ? "1" : "0");
        }
        return Optional.of(cast(bare).orElse(given.strip()));
    }

    /** Returns the literal of {@code 'new'::character varying(10)}, as PostgreSQL writes it; empty for anything else. */
    private static Optional<String> cast(String bare) {
        int quote = bare.startsWith("(") ? 1 : 0;
        int end = bare.startsWith("'", quote) ? afterString(bare, quote) : afterNumber(bare, quote);
        return end > quote && TYPE.matcher(bare).region(end, bare.length()).matches()
                ? Optional.of(bare.substring(quote, end))
                : Optional.empty();
    }

    private static int afterString(String text, int quote) {
        int at = text.indexOf('\'', quote + 1);
        while (at >= 0 && text.startsWith("''", at)) {
            at = text.indexOf('\'', at + 2);
        }
        return at + 1;
    }

    private static int afterNumber(String text, int from) {
        int first = text.startsWith("-", from) ? from + 1 : from;
        int at = first;
        while (at < text.length() && "0123456789.".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        return at > first ? at : from;
    }

    /** Leaves out the brackets around the whole text, and the blanks within them. */
    private static String withoutBrackets(String text) {
        int[] closing = new int[text.length()];
        Deque<Integer> open = new ArrayDeque<>();
        boolean quoted = false;
        for (int i = 0; i < text.length(); i++) {
            quoted ^= text.charAt(i) == '\'';
            if (!quoted && text.charAt(i) == '(') {
                open.push(i);
            } else if (!quoted && text.charAt(i) == ')' && !open.isEmpty()) {
                closing[open.pop()] = i;
            }
        }
        int from = 0;
        int to = text.length();
        while (to - from > 1 && text.charAt(from) == '(' && closing[from] == to - 1) {
            from++;
            to--;
            while (from < to && Character.isWhitespace(text.charAt(from))) {
                from++;
            }
            while (from < to && Character.isWhitespace(text.charAt(to - 1))) {
                to--;
            }
        }
        return text.substring(from, to);
    }
}
