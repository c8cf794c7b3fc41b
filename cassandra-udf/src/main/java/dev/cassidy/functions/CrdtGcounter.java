package dev.cassidy.functions;

import java.math.BigInteger;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The value of grow-only counters: the sum over all (key, id) of the value with the largest clock; of several with that
 * clock the largest value. Rows without one of the four are skipped; the value of nothing is 0.
 *
 * <p>The rows of an id must be side by side, so that one id is enough to remember. They are where the key is the partition
 * key and the first clustering column is the id; then the ids of a key come in Cassandra's order. Any other order is
 * refused, because an id that came back would be counted twice.
 */
@CqlAggregate(
        name = "crdt_gcounter",
        tuple = {"varint", "text", "text", "bigint", "varint", "int"})
public final class CrdtGcounter {

    private CrdtGcounter() {}

    /**
     * Adds a row.
     *
     * @param state the total of the former ids; the key, the id, its largest clock, the value there; 1 if the key's ids
     *     ascend, -1 if they descend, 0 while that is not known
     */
    public static <@OneOf({"text", "uuid"}) I, @OneOf("varint") N extends Number> Tuple add(
            Tuple state, @Nullable String key, @Nullable I id, @Nullable Long clock, @Nullable N value) {
        if (key == null || id == null || clock == null || value == null) {
            return state;
        }
        Number number = value;
        java.math.BigInteger counted = number instanceof java.math.BigInteger
                ? (java.math.BigInteger) number
                : java.math.BigInteger.valueOf(number.longValue());
        String name = id.toString();
        String former = state.getString(2);
        java.math.BigInteger held = state.getVarint(4);
        boolean sameKey = key.equals(state.getString(1));
        if (sameKey && name.equals(former)) {
            long latest = state.getLong(3);
            if (held == null || clock > latest || (clock == latest && counted.compareTo(held) > 0)) {
                state.setLong(3, clock);
                state.setVarint(4, counted);
            }
            return state;
        }
        int direction = 0;
        if (sameKey && former != null) {
            int order;
            Object either = id;
            if (either instanceof UUID) {
                UUID after = (UUID) either;
                UUID before = UUID.fromString(former);
                order = before.version() - after.version();
                if (order == 0 && after.version() == 1) {
                    // Of the same moment, 0: columns of uuid and of timeuuid sort these differently.
                    order = Long.compare(before.timestamp(), after.timestamp());
                } else if (order == 0) {
                    order = Long.compareUnsigned(before.getMostSignificantBits(), after.getMostSignificantBits());
                    if (order == 0) {
                        order = Long.compareUnsigned(before.getLeastSignificantBits(), after.getLeastSignificantBits());
                    }
                }
            } else {
                int same = 0;
                while (same < former.length() && same < name.length() && former.charAt(same) == name.charAt(same)) {
                    same++;
                }
                // Cassandra sorts text by code points; String.compareTo does not.
                order = same == former.length()
                                || (same < name.length() && former.codePointAt(same) < name.codePointAt(same))
                        ? -1
                        : 1;
            }
            int known = state.getInt(5);
            direction = order == 0 ? known : order < 0 ? 1 : -1;
            if (known == -direction && known != 0) {
                throw new IllegalArgumentException("crdt_gcounter: the rows of an id must be side by side, with the ids"
                        + " of a key in Cassandra's order: key=" + key + " has id=" + name + " after id=" + former
                        + "; read a table with PRIMARY KEY(key, id, ...)");
            }
        }
        if (held != null) {
            java.math.BigInteger total = state.getVarint(0);
            state.setVarint(0, total == null ? held : total.add(held));
        }
        state.setString(1, key);
        state.setString(2, name);
        state.setLong(3, clock);
        state.setVarint(4, counted);
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
