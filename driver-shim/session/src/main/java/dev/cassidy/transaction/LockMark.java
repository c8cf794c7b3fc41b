package dev.cassidy.transaction;

import java.nio.ByteBuffer;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The value of a row's mark ({@link dev.cassidy.definition.RowMark}) while a transaction holds the row: 18 bytes, which are 0x01, the
 * transaction's id, and 0x00 or 0x01. It sorts below every free value, so that of two marks of one write timestamp the free one wins.
 *
 * @param transaction the id of the transaction that holds the row
 * @param isPlaceholder whether there is no row: the lock alone is there, to keep the key
 */
public record LockMark(UUID transaction, boolean isPlaceholder) {

    private static final int SIZE = 18;
    private static final byte HELD = 1;
    private static final int FREE = 0xff;

    /** Returns whether a mark says that the row exists and that nobody holds it. Null, which is no row, is not free. */
    public static boolean isFree(@Nullable ByteBuffer mark) {
        return mark != null && mark.hasRemaining() && Byte.toUnsignedInt(mark.get(mark.position())) == FREE;
    }

    /**
     * Returns a mark of a row that nobody holds, unlike all others that the row has had. So one who has read the row's mark knows later
     * whether a transaction has held the row meanwhile, also one that has changed none of its values.
     */
    public static ByteBuffer free(UUID unique) {
        return ByteBuffer.allocate(1 + 2 * Long.BYTES)
                .put((byte) FREE)
                .putLong(unique.getMostSignificantBits())
                .putLong(unique.getLeastSignificantBits())
                .flip();
    }

    /** As the other, of a lock with this write timestamp: the same for all who end that lock. */
    public static ByteBuffer free(long micros) {
        return ByteBuffer.allocate(1 + Long.BYTES)
                .put((byte) FREE)
                .putLong(micros)
                .flip();
    }

    /**
     * Returns a free mark by which a transaction tells that it means to hold the row until it ends: others that mean that, too, wait for a
     * while. Nobody else has to heed it.
     */
    public static ByteBuffer claim(UUID claim) {
        return ByteBuffer.allocate(SIZE)
                .put((byte) FREE)
                .put(HELD)
                .putLong(claim.getMostSignificantBits())
                .putLong(claim.getLeastSignificantBits())
                .flip();
    }

    /** Returns the number by which a transaction has claimed: the upper half of the id in {@link #claim}. */
    public static long claimant(ByteBuffer claim) {
        return claim.getLong(claim.position() + 2);
    }

    /** Returns whether a free mark is a claim. */
    public static boolean isClaim(@Nullable ByteBuffer mark) {
        return mark != null && isFree(mark) && mark.remaining() == SIZE;
    }

    /** Returns whether a mark says that a transaction holds the row. */
    public static boolean isLock(@Nullable ByteBuffer mark) {
        return mark != null && mark.remaining() == SIZE && mark.get(mark.position()) == HELD;
    }

    /** Returns whether a mark is a lock where there is no row. */
    public static boolean isPlaceholder(@Nullable ByteBuffer mark) {
        return mark != null && isLock(mark) && of(mark).isPlaceholder();
    }

    /**
     * Reads a lock. The buffer's position does not change.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static LockMark of(ByteBuffer mark) {
        if (!isLock(mark)) {
            throw new IllegalArgumentException(
                    "must be a lock, of " + SIZE + " bytes after 0x01: " + mark.remaining() + " bytes");
        }
        int at = mark.position();
        ByteBuffer bytes = mark.duplicate();
        return new LockMark(
                new UUID(bytes.getLong(at + 1), bytes.getLong(at + 1 + Long.BYTES)), mark.get(at + SIZE - 1) != 0);
    }

    /** Returns the mark's value. */
    public ByteBuffer toBytes() {
        return ByteBuffer.allocate(SIZE)
                .put(HELD)
                .putLong(transaction.getMostSignificantBits())
                .putLong(transaction.getLeastSignificantBits())
                .put((byte) (isPlaceholder ? 1 : 0))
                .flip();
    }
}
