package dev.cassidy.assist.eval;

import dev.cassidy.definition.SqlType;
import java.util.List;

/**
 * A SELECT for H2, whose columns are C0, C1 and so on.
 *
 * @param items what it gives, in order
 */
record Part(String sql, List<Item> items) {

    /**
     * A column that a SELECT gives.
     *
     * @param label its name or alias; empty if it has none
     * @param value as H2 reads it within the SELECT
     */
    record Item(String label, Typed value) {
        SqlType type() {
            return value.type();
        }
    }

    /** Returns the one column of a subquery that stands for a value. */
    Typed single() {
        if (items.size() != 1) {
            throw EvaluationException.rule(
                    116,
                    "Only one expression can be specified in the select list when the subquery is not introduced with"
                            + " EXISTS");
        }
        Typed value = items.get(0).value();
        return new Typed("C0", value.type(), value.digits(), value.unknown());
    }
}
