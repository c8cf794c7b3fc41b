package dev.cassidy.migration.schema;

import dev.cassidy.migration.source.SourceTable;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A column's default as T-SQL writes it. */
public final class DefaultExpression {

    private static final Pattern NOW =
            Pattern.compile("(?i)(now\\(\\)|(current|local)_?timestamp(\\s*\\(\\d?\\))?|transaction_timestamp\\(\\))");
    private static final Pattern NEW_ID = Pattern.compile("(?i)((gen_)?random_uuid|uuid|uuid_generate_v4)\\(\\)");
    /** {@code 'new'::character varying(10)}, as PostgreSQL writes it. */
    private static final Pattern CAST = Pattern.compile("(?s)\\(?('(?:[^']|'')*'|-?[0-9.]+)\\)?::[\\w\\s\"(),]+");

    private DefaultExpression() {}

    /** Returns the default; empty for a column without one, and for one that gets ids. */
    public static Optional<String> of(SourceTable.Column column) {
        String given = column.defaultExpression();
        if (given == null || column.identity() || given.strip().equalsIgnoreCase("null")) {
            return Optional.empty();
        }
        String bare = given.strip();
        while (bare.startsWith("(") && closes(bare) == bare.length() - 1) {
            bare = bare.substring(1, bare.length() - 1).strip();
        }
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
        Matcher cast = CAST.matcher(bare);
        return Optional.of(cast.matches() ? cast.group(1) : given.strip());
    }

    /** Returns where the bracket at the beginning closes; -1 if it does not. */
    private static int closes(String text) {
        int depth = 0;
        boolean quoted = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            quoted ^= c == '\'';
            if (!quoted) {
                depth += c == '(' ? 1 : c == ')' ? -1 : 0;
                if (depth == 0) {
                    return i;
                }
            }
        }
        return -1;
    }
}
