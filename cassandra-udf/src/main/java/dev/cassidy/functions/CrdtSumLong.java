package dev.cassidy.functions;

import org.jspecify.annotations.Nullable;

/** The sum of a column as a bigint. A sum that leaves bigint is an error, even if later rows would bring it back. */
@CqlAggregate(name = "crdt_sum_long")
public final class CrdtSumLong {

    private CrdtSumLong() {}

    public static <@OneOf({"tinyint", "smallint", "int", "bigint"}) N extends Number> Long add(
            Long state, @Nullable N value) {
        if (value == null) {
            return state;
        }
        try {
            return Math.addExact(state, value.longValue());
        } catch (ArithmeticException e) {
            throw new ArithmeticException(
                    "crdt_sum_long: the sum leaves bigint, use crdt_sum: " + state + " + " + value);
        }
    }
}
