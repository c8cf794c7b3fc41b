package dev.cassidy.assist.eval;

import dev.cassidy.definition.SqlType;
import org.jspecify.annotations.Nullable;

/**
 * An expression as H2 reads it, with its type in T-SQL.
 *
 * @param sql of the type that {@link Types#h2} names
 * @param digits how many digits a literal of a whole number has; 0 of all others
 * @param unknown whether it is NULL without a type
 */
record Typed(String sql, SqlType type, int digits, boolean unknown) {

    static Typed of(String sql, SqlType type) {
        return new Typed(sql, type, 0, false);
    }

    static Typed nullLiteral() {
        return new Typed("CAST(NULL AS INTEGER)", Types.INT, 0, true);
    }

    boolean isText() {
        return Types.family(type) == Types.Family.TEXT;
    }

    /** Returns the value of a column; refuses one that was not read. */
    static Typed read(String name, @Nullable Typed value) {
        if (value == null) {
            throw new NotEvaluatedException(
                    "Column " + name, "its values were not read", "Name the column where its table is read");
        }
        return value;
    }

    /** Returns the digits of a number where T-SQL calculates with decimals: a literal has its own. */
    int precision() {
        return digits > 0 ? digits : type.precision();
    }

    /** Returns a temporal value as a TIMESTAMP(7), without the mark of {@link Moments}: a date at midnight, a time on 1900-01-01. */
    String moment() {
        return switch (Types.family(type)) {
            case DATE -> "CAST(" + sql + " AS TIMESTAMP(7))";
            // H2 would take the current date.
            case TIME -> "F_ONDAYZERO(" + sql + ")";
            case OFFSET -> "F_LOCAL(" + sql + ")";
            default -> "CAST(" + sql + " AS TIMESTAMP(7))";
        };
    }
}
