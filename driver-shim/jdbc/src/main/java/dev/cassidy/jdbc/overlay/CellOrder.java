package dev.cassidy.jdbc.overlay;

import dev.cassidy.insert.UnsupportedSqlException;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.Arrays;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Compares values of one column as Cassandra does. */
final class CellOrder {

    private static final int TIME_BASED = 1;

    private CellOrder() {}

    /** Returns whether two values are the same: 1.0 and 1.00 are, and NULL and NULL. */
    static boolean isEqual(@Nullable Object one, @Nullable Object other) {
        if (one instanceof BigDecimal number && other instanceof BigDecimal with) {
            return number.compareTo(with) == 0;
        }
        return Objects.equals(one, other);
    }

    /** @throws UnsupportedSqlException for types whose order is Cassandra's to know */
    static int compare(Object one, Object other) {
        if (one instanceof String text && other instanceof String with) {
            return texts(text, with);
        }
        if (one instanceof ByteBuffer bytes && other instanceof ByteBuffer with) {
            return unsigned(bytes, with);
        }
        if (one instanceof UUID id && other instanceof UUID with) {
            return uuids(id, with);
        }
        if (one instanceof InetAddress address && other instanceof InetAddress with) {
            return Arrays.compareUnsigned(address.getAddress(), with.getAddress());
        }
        if (one.getClass() == other.getClass()
                && (one instanceof Number
                        || one instanceof Boolean
                        || one instanceof Instant
                        || one instanceof LocalDate
                        || one instanceof LocalTime)) {
            @SuppressWarnings("unchecked")
            int order = ((Comparable<Object>) one).compareTo(other);
            return order;
        }
        throw new UnsupportedSqlException(
                "<, > or ORDER BY of a " + one.getClass().getSimpleName() + " that this transaction has written",
                "commit first");
    }

    /** By code points, which is the order of their bytes in UTF-8. */
    private static int texts(String one, String other) {
        int length = Math.min(one.length(), other.length());
        for (int i = 0; i < length; i++) {
            char a = one.charAt(i);
            char b = other.charAt(i);
            if (a != b) {
                // Halves of a code point beyond 16 bits come after all others.
                return Character.isSurrogate(a) == Character.isSurrogate(b)
                        ? Character.compare(a, b)
                        : Character.isSurrogate(a) ? 1 : -1;
            }
        }
        return Integer.compare(one.length(), other.length());
    }

    private static int unsigned(ByteBuffer one, ByteBuffer other) {
        int difference = one.mismatch(other);
        if (difference < 0) {
            return 0;
        }
        if (difference == one.remaining() || difference == other.remaining()) {
            return Integer.compare(one.remaining(), other.remaining());
        }
        return Byte.compareUnsigned(one.get(one.position() + difference), other.get(other.position() + difference));
    }

    /** By version, by time if they have one, by bytes: as UUIDType of Cassandra. */
    private static int uuids(UUID one, UUID other) {
        if (one.version() != other.version()) {
            return Integer.compare(one.version(), other.version());
        }
        int byTime = one.version() == TIME_BASED ? Long.compare(one.timestamp(), other.timestamp()) : 0;
        int byMost = Long.compareUnsigned(one.getMostSignificantBits(), other.getMostSignificantBits());
        int byLeast = one.version() == TIME_BASED
                // TimeUUIDType compares these as signed bytes.
                ? Arrays.compare(bytes(one), bytes(other))
                : Long.compareUnsigned(one.getLeastSignificantBits(), other.getLeastSignificantBits());
        return byTime != 0 ? byTime : byMost != 0 ? byMost : byLeast;
    }

    private static byte[] bytes(UUID id) {
        return ByteBuffer.allocate(Long.BYTES)
                .putLong(id.getLeastSignificantBits())
                .array();
    }
}
