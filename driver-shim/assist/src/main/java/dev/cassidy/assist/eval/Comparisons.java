package dev.cassidy.assist.eval;

import dev.cassidy.definition.SqlType;

/** Writes comparisons of two values, which are converted to one type before. */
final class Comparisons {

    private Comparisons() {}

    /** Returns a comparison of two values. */
    static String write(Typed left, String operator, Typed right) {
        SqlType type = TypeRules.common(left, right);
        String one = Casts.implicit(left, type).sql();
        String other = Casts.implicit(right, type).sql();
        // SQL Server sorts them by their last six bytes first.
        boolean keyed = Types.family(type) == Types.Family.UUID && !operator.equals("=") && !operator.equals("<>");
        return keyed
                ? "(F_UUIDKEY(" + one + ") " + operator + " F_UUIDKEY(" + other + "))"
                : "(" + one + " " + operator + " " + other + ")";
    }
}
