package dev.cassidy.migration.rows;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/**
 * How many rows there are, and the sum of their hashes: 128 bits of SHA-256 each, in two halves, modulo 2^64. The order of the
 * rows does not matter, so that rows in the order of ids can be compared with rows in the order of Cassandra's tokens. One
 * thread at a time.
 */
final class RowSum {

    /** 128 bits of a hash. */
    record Hash(long high, long low) {}

    private final MessageDigest digest = sha256();
    private final ByteBuffer length = ByteBuffer.allocate(Integer.BYTES);
    private long rows;
    private long high;
    private long low;

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has it", e);
        }
    }

    /** Returns the hash of the first {@code count} values. */
    Hash hash(@Nullable ByteBuffer[] values, int count) {
        for (int i = 0; i < count; i++) {
            ByteBuffer value = values[i];
            length.clear();
            // Of a null -1: it differs from a value without bytes.
            digest.update(length.putInt(value == null ? -1 : value.remaining()).flip());
            if (value != null) {
                digest.update(value.duplicate());
            }
        }
        ByteBuffer hash = ByteBuffer.wrap(digest.digest());
        return new Hash(hash.getLong(), hash.getLong());
    }

    void add(@Nullable ByteBuffer[] values) {
        add(hash(values, values.length));
    }

    void add(Hash hash) {
        rows++;
        high += hash.high();
        low += hash.low();
    }

    void add(Totals other) {
        rows += other.rows();
        high += other.high();
        low += other.low();
    }

    Totals totals() {
        return new Totals(rows, high, low);
    }

    /**
     * What a sum has come to.
     *
     * @param high the upper half of the sum
     */
    record Totals(long rows, long high, long low) {

        static final Totals NONE = new Totals(0, 0, 0);

        Totals plus(Totals other) {
            return new Totals(rows + other.rows, high + other.high, low + other.low);
        }

        String sum() {
            return String.format("%016x%016x", high, low);
        }

        static Totals of(long rows, String sum) {
            return new Totals(
                    rows,
                    Long.parseUnsignedLong(sum.substring(0, 16), 16),
                    Long.parseUnsignedLong(sum.substring(16), 16));
        }
    }
}
