package dev.cassidy.jdbc.value;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;
import java.util.UUID;

/** UUIDs as SQL Server's uniqueidentifier shows them. */
public final class Uuids {

    private static final int BYTES = 16;

    private Uuids() {}

    /** In upper case, whatever the case in which it was given. */
    static String text(UUID uuid) {
        return uuid.toString().toUpperCase(Locale.ROOT);
    }

    /** The first three groups of its text are numbers whose lowest byte comes first. */
    static byte[] bytes(UUID uuid) {
        long high = uuid.getMostSignificantBits();
        return ByteBuffer.allocate(BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt((int) (high >>> 32))
                .putShort((short) (high >>> 16))
                .putShort((short) high)
                .order(ByteOrder.BIG_ENDIAN)
                .putLong(uuid.getLeastSignificantBits())
                .array();
    }

    /** Returns the UUID that a uniqueidentifier has the bytes of; other values as they are. */
    public static Object ofBytes(Object value) {
        if (!(value instanceof byte[] bytes) || bytes.length != BYTES) {
            return value;
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        long first = buffer.getInt() & 0xFFFF_FFFFL;
        long second = buffer.getShort() & 0xFFFFL;
        long third = buffer.getShort() & 0xFFFFL;
        return new UUID(
                first << 32 | second << 16 | third,
                buffer.order(ByteOrder.BIG_ENDIAN).getLong());
    }
}
