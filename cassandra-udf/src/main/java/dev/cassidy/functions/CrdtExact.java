package dev.cassidy.functions;

import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * The exact sum of a counter that is being folded, or null if the read was torn: read again.
 *
 * <p>Rows of one (type, actor) ascend by version, and a version is {@code epoch << 32 | seq}. A fold replaces single
 * increments by a base, which has their sum and {@code upto}, the last version that it contains, and by a bookend, which
 * has the same {@code upto} and no increment. Both are written at once.
 * <ul>
 *   <li>Version 0 is the base of all epochs, and the largest bigint its bookend.
 *   <li>{@code seq} 0 is the base of an epoch, and {@code seq} 0xFFFFFFFF its bookend.
 *   <li>Every other version is one increment, without {@code upto}.
 * </ul>
 *
 * <p>A read that takes several pages may see a base from before a fold and other rows from after it. Then base and
 * bookend differ, and the sum would be wrong. Increments that a base contains and that are there all the same came back
 * from a replica that was away for too long; they are skipped. Rows without a key are skipped too. A base without {@code
 * upto} has no bookend: that is how counters store their totals that are never folded.
 */
@CqlAggregate(
        name = "crdt_exact",
        tuple = {"varint", "text", "text", "bigint", "bigint", "bigint", "boolean", "boolean", "boolean"})
public final class CrdtExact {

    private CrdtExact() {}

    /**
     * Adds a row.
     *
     * @param state the total; the type, the actor, its last version; up to where the base of all epochs and the base of
     *     an epoch reach; whether the one and the other still wait for their bookends; whether the read was torn
     */
    public static <@OneOf("varint") N extends Number> Tuple add(
            Tuple state,
            @Nullable String type,
            @Nullable String actor,
            @Nullable Long version,
            @Nullable Long upto,
            @Nullable N increment) {
        // A partition that has nothing but static columns has a row without a version.
        if (type == null || actor == null || version == null || state.getBool(8)) {
            return state;
        }
        if (version < 0) {
            throw new IllegalArgumentException("crdt_exact: a version must be >= 0: version=" + version + " type="
                    + type + " actor=" + actor + "; something else than a counter has written this row");
        }
        if (!actor.equals(state.getString(2)) || !type.equals(state.getString(1))) {
            if (state.getBool(6) || state.getBool(7)) {
                return state.setBool(8, true);
            }
            state.setString(1, type);
            state.setString(2, actor);
            state.setLong(4, 0);
            state.setLong(5, 0);
        } else if (version <= state.getLong(3)) {
            throw new IllegalArgumentException("crdt_exact: the versions of an actor must ascend: version=" + version
                    + " after version=" + state.getLong(3) + " type=" + type + " actor=" + actor
                    + "; read a table with PRIMARY KEY(type, actor, version), without ORDER BY");
        }
        state.setLong(3, version);

        if (version == 0) {
            if (upto != null) {
                if (increment == null) {
                    return state.setBool(8, true);
                }
                state.setLong(4, upto);
                state.setBool(6, true);
            }
        } else if (version == Long.MAX_VALUE) {
            if (increment != null) {
                throw new IllegalArgumentException("crdt_exact: version " + version
                        + " is a bookend and must have no increment: increment=" + increment + " type=" + type
                        + " actor=" + actor + "; something else than a counter has written this row");
            }
            if (upto == null || upto != state.getLong(4)) {
                return state.setBool(8, true);
            }
            state.setBool(6, false);
        } else if (version <= state.getLong(4)) {
            return state;
        } else if (upto == null) {
            long folded = state.getLong(5);
            if (version <= folded && version >>> 32 == folded >>> 32) {
                return state;
            }
        } else if (increment == null) {
            if (upto != state.getLong(5)) {
                return state.setBool(8, true);
            }
            state.setBool(7, false);
        } else {
            if (state.getBool(7)) {
                return state.setBool(8, true);
            }
            state.setLong(5, upto);
            state.setBool(7, true);
        }

        if (increment != null) {
            Number number = increment;
            java.math.BigInteger value = number instanceof java.math.BigInteger
                    ? (java.math.BigInteger) number
                    : java.math.BigInteger.valueOf(number.longValue());
            java.math.BigInteger total = state.getVarint(0);
            state.setVarint(0, total == null ? value : total.add(value));
        }
        return state;
    }

    public static @Nullable BigInteger result(Tuple state) {
        if (state.getBool(6) || state.getBool(7) || state.getBool(8)) {
            return null;
        }
        java.math.BigInteger total = state.getVarint(0);
        return total == null ? java.math.BigInteger.ZERO : total;
    }
}
