package dev.cassidy.functions;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The value with the largest timestamp; of several with the same timestamp the largest, as Java's {@code compareTo}
 * orders them, so that every order of the rows gives the same. Decimals that are equal there, 1.0 and 1.00, are ordered by
 * their scale. Rows without a value or a timestamp are skipped; nothing gives null.
 */
@CqlAggregate(name = "crdt_lww")
public final class CrdtLww {

    private CrdtLww() {}

    /**
     * Adds a row.
     *
     * @param newest by its timestamp: at most one entry
     */
    public static <
                    @OneOf({"text", "int", "bigint", "varint", "decimal", "double", "boolean", "timestamp", "uuid"})
                    T extends Comparable<T>>
            Map<Long, T> add(Map<Long, T> newest, @Nullable T value, @Nullable Long timestamp) {
        if (value == null || timestamp == null) {
            return newest;
        }
        for (Long held : newest.keySet()) {
            if (timestamp < held) {
                return newest;
            }
            if (timestamp.equals(held)) {
                int order = value.compareTo(newest.values().iterator().next());
                Object either = value;
                if (order == 0 && either instanceof java.math.BigDecimal) {
                    Object other = newest.values().iterator().next();
                    order = Integer.compare(
                            ((java.math.BigDecimal) either).scale(), ((java.math.BigDecimal) other).scale());
                }
                if (order <= 0) {
                    return newest;
                }
            }
        }
        newest.clear();
        newest.put(timestamp, value);
        return newest;
    }

    public static <
                    @OneOf({"text", "int", "bigint", "varint", "decimal", "double", "boolean", "timestamp", "uuid"})
                    T extends Comparable<T>>
            @Nullable T value(Map<Long, T> newest) {
        return newest.isEmpty() ? null : newest.values().iterator().next();
    }
}
