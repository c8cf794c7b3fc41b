package dev.cassidy.assist.eval;

import dev.cassidy.definition.SqlType;

/** Writes comparisons of two values, which are converted to one type before. */
final class Comparisons {

    private Comparisons() {}

    /** Returns a comparison of two values. */
    static String write(Typed left, String operator, Typed right) {
        if (areExact(left, right)) {
            return "(" + left.sql() + " " + operator + " " + right.sql() + ")";
        }
        SqlType type = TypeRules.common(left, right);
        String one = Casts.implicit(left, type).sql();
        String other = Casts.implicit(right, type).sql();
        // SQL Server sorts them by their last six bytes first.
        boolean keyed = Types.family(type) == Types.Family.UUID && !operator.equals("=") && !operator.equals("<>");
        return keyed
                ? "(F_UUIDKEY(" + one + ") " + operator + " F_UUIDKEY(" + other + "))"
                : "(" + one + " " + operator + " " + other + ")";
    }

    /** Returns whether H2 compares two as they are: whole numbers and decimals, and finds them by an index. */
    static boolean areExact(Typed left, Typed right) {
        return isExact(left) && isExact(right);
    }

    private static boolean isExact(Typed value) {
        Types.Family family = Types.family(value.type());
        return !value.unknown() && (family == Types.Family.WHOLE || family.isExact());
    }
}
