package dev.cassidy.functions;

import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * The sum over all (type, actor) of the increment at the actor's largest version; of several rows with that version the
 * largest increment. Rows without one of the four are skipped; the sum of nothing is 0.
 *
 * <p>The rows of an actor must be side by side, so that one actor is enough to remember. They are where the type is the
 * partition key and the first clustering column is the actor; then the actors of a type come in the order of text. Any
 * other order is refused, because an actor that came back would be counted twice.
 */
@CqlAggregate(
        name = "crdt_latest_sum",
        tuple = {"varint", "text", "text", "bigint", "varint", "int"})
public final class CrdtLatestSum {

    private CrdtLatestSum() {}

    /**
     * Adds a row.
     *
     * @param state the total of the former actors; the type, the actor, its largest version, the increment there; 1 if
     *     the type's actors ascend, -1 if they descend, 0 while there is one
     */
    public static <@OneOf({"int", "bigint"}) V extends Number, @OneOf("varint") N extends Number> Tuple add(
            Tuple state, @Nullable String type, @Nullable String actor, @Nullable V version, @Nullable N increment) {
        if (type == null || actor == null || version == null || increment == null) {
            return state;
        }
        Number number = increment;
        java.math.BigInteger value = number instanceof java.math.BigInteger
                ? (java.math.BigInteger) number
                : java.math.BigInteger.valueOf(number.longValue());
        String former = state.getString(2);
        java.math.BigInteger held = state.getVarint(4);
        boolean sameType = type.equals(state.getString(1));
        if (sameType && actor.equals(former)) {
            long latest = state.getLong(3);
            if (held == null
                    || version.longValue() > latest
                    || (version.longValue() == latest && value.compareTo(held) > 0)) {
                state.setLong(3, version.longValue());
                state.setVarint(4, value);
            }
            return state;
        }
        int direction = 0;
        if (sameType && former != null) {
            int same = 0;
            while (same < former.length() && same < actor.length() && former.charAt(same) == actor.charAt(same)) {
                same++;
            }
            // Cassandra sorts text by code points; String.compareTo does not.
            direction = same == former.length()
                            || (same < actor.length() && former.codePointAt(same) < actor.codePointAt(same))
                    ? 1
                    : -1;
            if (state.getInt(5) == -direction) {
                throw new IllegalArgumentException(
                        "crdt_latest_sum: the rows of an actor must be side by side, with the"
                                + " actors of a type in the order of text: type=" + type + " has actor=" + actor
                                + " after actor=" + former + "; read a table with PRIMARY KEY(type, actor, ...)");
            }
        }
        if (held != null) {
            java.math.BigInteger total = state.getVarint(0);
            state.setVarint(0, total == null ? held : total.add(held));
        }
        state.setString(1, type);
        state.setString(2, actor);
        state.setLong(3, version.longValue());
        state.setVarint(4, value);
        state.setInt(5, direction);
        return state;
    }

    public static BigInteger result(Tuple state) {
        java.math.BigInteger total = state.getVarint(0);
        java.math.BigInteger held = state.getVarint(4);
        if (held == null) {
            return java.math.BigInteger.ZERO;
        }
        return total == null ? held : total.add(held);
    }
}
