package dev.cassidy.functions;

import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/** The value of a PN counter: what was added less what was taken. Nulls are skipped; the value of nothing is 0. */
@CqlAggregate(name = "crdt_pn")
public final class CrdtPn {

    private CrdtPn() {}

    public static <@OneOf({"int", "bigint", "varint"}) N extends Number> BigInteger add(
            BigInteger state, @Nullable N p, @Nullable N n) {
        java.math.BigInteger value = state;
        Number added = p;
        if (added != null) {
            value = value.add(
                    added instanceof java.math.BigInteger
                            ? (java.math.BigInteger) added
                            : java.math.BigInteger.valueOf(added.longValue()));
        }
        Number taken = n;
        if (taken != null) {
            value = value.subtract(
                    taken instanceof java.math.BigInteger
                            ? (java.math.BigInteger) taken
                            : java.math.BigInteger.valueOf(taken.longValue()));
        }
        return value;
    }
}
