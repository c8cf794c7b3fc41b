package dev.cassidy.jdbc.run;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** How many bytes values have, about as Cassandra stores them. */
final class ValueSize {

    /** Of numbers, moments and the like, which have no more. */
    private static final int LARGEST_OF_FIXED = 16;

    private ValueSize() {}

    /** Returns how many bytes a value has that the driver's codecs have read. */
    static long of(@Nullable Object value) {
        if (value == null) {
            return 0;
        }
        if (value instanceof String text) {
            return ofText(text);
        }
        if (value instanceof ByteBuffer bytes) {
            return bytes.remaining();
        }
        if (value instanceof byte[] bytes) {
            return bytes.length;
        }
        if (value instanceof BigDecimal decimal) {
            return Integer.BYTES + of(decimal.unscaledValue());
        }
        return value instanceof BigInteger number ? number.bitLength() / Byte.SIZE + 1 : LARGEST_OF_FIXED;
    }

    private static long ofText(String text) {
        long bytes = text.length();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= 0x80) {
                // Two of the four bytes of a pair for each of its halves.
                bytes += c < 0x800 || Character.isSurrogate(c) ? 1 : 2;
            }
        }
        return bytes;
    }
}
