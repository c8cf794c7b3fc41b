package dev.cassidy.functions;

import java.math.BigDecimal;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/** The exact sum of a column. It cannot overflow; nulls are skipped, and the sum of nothing is 0. */
@CqlAggregate(name = "crdt_sum")
public final class CrdtSum {

    private CrdtSum() {}

    public static <@OneOf({"tinyint", "smallint", "int", "bigint", "counter", "varint"}) N extends Number>
            BigInteger add(BigInteger state, @Nullable N value) {
        if (value == null) {
            return state;
        }
        Number number = value;
        return state.add(
                number instanceof java.math.BigInteger
                        ? (java.math.BigInteger) number
                        : java.math.BigInteger.valueOf(number.longValue()));
    }

    public static BigDecimal add(BigDecimal state, @Nullable BigDecimal value) {
        if (value == null) {
            return state;
        }
        // 1E+999999999 takes a few bytes to store, and its exact sum with 1 takes all memory of the node.
        if (value.scale() < -10000 || value.scale() > 10000) {
            throw new ArithmeticException("crdt_sum: the scale must be from -10000 to 10000, because the sum is exact:"
                    + " scale=" + value.scale() + " value=" + value);
        }
        return state.add(value);
    }
}
