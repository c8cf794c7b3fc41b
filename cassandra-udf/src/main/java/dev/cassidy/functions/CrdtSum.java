package dev.cassidy.functions;

import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/** The sum of a counter's increments. It cannot overflow; nulls are skipped, and the sum of nothing is 0. */
@CqlAggregate(name = "crdt_sum", initialState = "0")
public final class CrdtSum {

    private CrdtSum() {}

    public static BigInteger add(BigInteger state, @Nullable Integer value) {
        return value == null ? state : state.add(java.math.BigInteger.valueOf(value));
    }

    public static BigInteger add(BigInteger state, @Nullable Long value) {
        return value == null ? state : state.add(java.math.BigInteger.valueOf(value));
    }

    public static BigInteger add(BigInteger state, @Nullable BigInteger value) {
        return value == null ? state : state.add(value);
    }
}
