package dev.cassidy.assist.eval;

import dev.cassidy.jdbc.assist.EvaluationException;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
     * @param value as H2 reads it within the SELECT; null if it is a column that was not read, of {@code *}
     */
    record Item(String label, @Nullable Typed value) {

        /** Returns the value, for a use that needs it. */
        Typed read() {
            return Typed.read(label, value);
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
        Typed value = items.get(0).read();
        return new Typed("C0", value.type(), value.digits(), value.unknown());
    }
}
