package dev.cassidy.insert;

/** Words that are names in one language and reserved in the other. */
public final class ReservedWords {

    private ReservedWords() {}

    /**
     * Returns whether a bare word in a statement is reserved in CQL and an ordinary name in T-SQL, such as {@code token}.
     * Words that T-SQL reserves too can only be names in brackets.
     */
    public static boolean isReservedByCqlAlone(String text, int from, int to) {
        return switch (to - from) {
            case 5 -> isAny(text, from, "allow", "apply", "batch", "limit", "mbean", "token", "unset", "using");
            case 6 -> isAny(text, from, "mbeans", "modify", "rename");
            case 7 -> isAny(text, from, "entries", "replace");
            case 8 -> isAny(text, from, "describe", "keyspace", "unlogged");
            case 9 -> isAny(text, from, "authorize");
            case 11 -> isAny(text, from, "norecursive");
            case 12 -> isAny(text, from, "columnfamily", "materialized");
            default -> false;
        };
    }

    private static boolean isAny(String text, int from, String... words) {
        for (String word : words) {
            if (Scanner.is(text, from, word)) {
                return true;
            }
        }
        return false;
    }
}
