package dev.cassidy.insert;

import java.util.Locale;
import java.util.Set;

/** Converts identifiers between the way CQL writes them and their internal (case-exact, unquoted) form. */
public final class Identifiers {

    // CQL's reserved words, those of its next versions too: quoting one too many is harmless.
    private static final Set<String> RESERVED = Set.of(
            "add",
            "allow",
            "alter",
            "and",
            "apply",
            "asc",
            "authorize",
            "batch",
            "begin",
            "between",
            "by",
            "columnfamily",
            "create",
            "default",
            "delete",
            "desc",
            "describe",
            "drop",
            "entries",
            "execute",
            "from",
            "full",
            "grant",
            "if",
            "in",
            "index",
            "infinity",
            "insert",
            "into",
            "is",
            "keyspace",
            "limit",
            "materialized",
            "mbean",
            "mbeans",
            "modify",
            "nan",
            "norecursive",
            "not",
            "null",
            "of",
            "on",
            "or",
            "order",
            "primary",
            "rename",
            "replace",
            "revoke",
            "schema",
            "select",
            "set",
            "table",
            "to",
            "token",
            "transaction",
            "truncate",
            "unlogged",
            "unset",
            "update",
            "use",
            "using",
            "values",
            "view",
            "where",
            "with");

    private Identifiers() {}

    /** Returns the internal form of a CQL identifier: {@code Orders} is {@code orders}, {@code "Orders"} stays. */
    public static String toInternal(String cql) {
        int length = cql.length();
        if (length >= 2 && cql.charAt(0) == '"' && cql.charAt(length - 1) == '"') {
            return cql.substring(1, length - 1).replace("\"\"", "\"");
        }
        return wordToInternal(cql, 0, length);
    }

    /** Returns the internal form of a bare word within a text; most of them are in lower case already. */
    public static String wordToInternal(String text, int from, int to) {
        String word = text.substring(from, to);
        return isLower(word) ? word : word.toLowerCase(Locale.ROOT);
    }

    /** Returns whether nothing of the text can change in lower case; false for all that is not ASCII. */
    private static boolean isLower(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c > 127 || (c >= 'A' && c <= 'Z')) {
                return false;
            }
        }
        return true;
    }

    /** Returns how CQL writes an internal name: bare when that is unambiguous, in double quotes otherwise. */
    public static String toCql(String internal) {
        return isBare(internal) ? internal : '"' + internal.replace("\"", "\"\"") + '"';
    }

    /** Returns how CQL writes the content of a T-SQL {@code [x]}: in lower case if CQL could write it without quotes. */
    public static String bracketedToCql(String content) {
        return toCql(isWord(content) ? wordToInternal(content, 0, content.length()) : content);
    }

    /**
     * Returns how CQL writes the name of a table, keyspace or sequence in T-SQL's brackets. Cassandra takes letters of ASCII,
     * digits and {@code _} in it. A blank becomes {@code _}: {@code [Order Details]} is {@code order_details}. Every other
     * character becomes its number, so that two names are not one table: {@code [Straße]} is {@code stra_x00df_e}.
     */
    public static String bracketedTableToCql(String content) {
        return isWord(content) ? bracketedToCql(content) : toCql(tableOf(content.toLowerCase(Locale.ROOT)));
    }

    private static String tableOf(String name) {
        StringBuilder table = new StringBuilder(name.length() + 8);
        boolean numbers = false;
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean taken = c == '_' || c == ' ' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
            if (taken == numbers) {
                // Each run of numbers has a beginning and an end, and each number four digits.
                table.append(taken ? "_" : "_x");
                numbers = !taken;
            }
            if (taken) {
                table.append(c == ' ' ? '_' : c);
            } else {
                table.append(String.format(Locale.ROOT, "%04x", (int) c));
            }
        }
        return numbers ? table.append('_').toString() : table.toString();
    }

    private static boolean isBare(String name) {
        return isWord(name) && isLower(name) && !RESERVED.contains(name);
    }

    private static boolean isWord(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            if (!letter && (i == 0 || !(c == '_' || (c >= '0' && c <= '9')))) {
                return false;
            }
        }
        return !name.isEmpty();
    }
}
