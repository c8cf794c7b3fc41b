package dev.cassidy.assist.eval;

import dev.cassidy.definition.SqlType;
import java.util.Arrays;

/** Writes comparisons of two values, which are converted to one type before. */
final class Comparisons {

    private Comparisons() {}

    /** Returns a comparison of two values. */
    static String write(Writing writing, Typed left, String operator, Typed right) {
        if (areExact(left, right)) {
            return "(" + left.sql() + " " + operator + " " + right.sql() + ")";
        }
        SqlType type = TypeRules.common(left, right);
        boolean padded = arePadded(writing, type, left, right);
        String one = converted(left, type, padded);
        String other = converted(right, type, padded);
        // SQL Server sorts them by their last six bytes first.
        boolean keyed = Types.family(type) == Types.Family.UUID && !operator.equals("=") && !operator.equals("<>");
        return keyed
                ? "(F_UUIDKEY(" + one + ") " + operator + " F_UUIDKEY(" + other + "))"
                : "(" + one + " " + operator + " " + other + ")";
    }

    /** Returns a value as it is compared. */
    static String converted(Typed value, SqlType type, boolean padded) {
        String sql = Casts.implicit(value, type).sql();
        return padded ? "RTRIM(" + sql + ")" : sql;
    }

    /**
     * Returns whether blanks at the end are to be left out of a comparison: of CHAR, which is filled up with them, they never count. A
     * collation leaves them out by itself.
     */
    static boolean arePadded(Writing writing, SqlType type, Typed... values) {
        return writing.byCode()
                && Types.family(type) == Types.Family.TEXT
                && Arrays.stream(values).anyMatch(each -> !each.unknown() && Types.isFilledUp(each.type()));
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
