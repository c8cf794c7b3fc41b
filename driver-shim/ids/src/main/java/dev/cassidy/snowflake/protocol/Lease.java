package dev.cassidy.snowflake.protocol;

import dev.cassidy.sequence.IdRange;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.store.NodeRow;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A node number while it is this process's own, and the ids that were issued of it. One long holds the millisecond and the
 * counter of the last id; the counter is in the lowest bits. So the next id's counter overflows into the millisecond, never
 * into the node number. An id of a millisecond that has not begun is not issued yet.
 *
 * <p>Safe for use by many threads; {@link #proved}, {@link #close}, {@link #isUsed} and {@link #hasIssued} are for the keeper
 * alone, one call at a time.
 */
final class Lease {

    /** All ids of the millisecond are issued. */
    static final long USED_UP = -1;

    /** There is no proof yet that ids of this millisecond belong to this process. */
    static final long UNPROVED = -2;

    /** Nothing more is issued of this lease. */
    static final long CLOSED = -3;

    private static final long CLOSED_POSITION = Long.MAX_VALUE;

    private final NodeRow row;
    private final int counterBits;
    private final long nodeBits;
    private final AtomicLong position;
    private volatile long limit;
    private final Limits limits = new Limits();
    private long last;

    /** The position of the last id before the first; written before it is the lease to issue ids from. */
    private long began;

    /** The position of the last id, once it is closed. For the keeper alone. */
    private long ended;

    /**
     * @param row as it was stored with this process's token
     * @param after only later milliseconds are issued
     * @param provedUpTo the last millisecond that may be issued
     */
    Lease(NodeRow row, long after, long provedUpTo, int counterBits) {
        this.row = row;
        this.counterBits = counterBits;
        this.nodeBits = (long) row.number() << counterBits;
        this.last = after;
        this.began = firstOf(after + 1) - 1;
        this.ended = began;
        this.position = new AtomicLong(began);
        this.limit = firstOf(provedUpTo + 1);
    }

    /** Returns a lease that issues nothing. */
    static Lease closed() {
        Lease none = new Lease(NodeRow.fresh(0), 0, 0, SnowflakeSpec.LOW_BITS);
        none.close();
        return none;
    }

    NodeRow row() {
        return row;
    }

    /** Returns what the store has acknowledged and may still forget; for the keeper alone. */
    Limits limits() {
        return limits;
    }

    /** Issues only later milliseconds than this; before it is the lease to issue ids from. */
    void beginAfter(long milli) {
        if (milli > last) {
            last = milli;
            began = firstOf(milli + 1) - 1;
            ended = began;
            position.set(began);
        }
    }

    /** Returns the millisecond that it begins after, until it is closed. */
    long after() {
        return last;
    }

    /** Returns an id, or {@link #USED_UP}, {@link #UNPROVED} or {@link #CLOSED}. */
    long next(long now) {
        while (true) {
            long before = position.get();
            long candidate = candidate(before, now);
            if (candidate < 0) {
                return candidate;
            }
            if (position.compareAndSet(before, candidate)) {
                return id(candidate);
            }
        }
    }

    /** Returns at most {@code most} ids of one millisecond, or null where {@link #next} returns none. */
    @Nullable
    IdRange next(long now, long most) {
        while (true) {
            long before = position.get();
            long first = candidate(before, now);
            if (first < 0) {
                return null;
            }
            long left = (1L << counterBits) - (first & counterMask());
            long count = Math.min(most, left);
            if (position.compareAndSet(before, first + count - 1)) {
                return new IdRange(id(first), 1, count);
            }
        }
    }

    /** Returns what {@link #next} would return if it is no id; else 0. */
    long obstacle(long now) {
        return Math.min(0, candidate(position.get(), now));
    }

    private long candidate(long before, long now) {
        if (before == CLOSED_POSITION) {
            return CLOSED;
        }
        long candidate = Math.max(before + 1, firstOf(now));
        if (milli(candidate) > Math.max(now, milli(before))) {
            return USED_UP;
        }
        // The limit only increases, so the proof that an id needs is older than the id.
        return candidate < limit ? candidate : UNPROVED;
    }

    private long firstOf(long milli) {
        return milli << counterBits;
    }

    private long milli(long packed) {
        return packed >> counterBits;
    }

    private long counterMask() {
        return (1L << counterBits) - 1;
    }

    private long id(long packed) {
        return (milli(packed) << SnowflakeSpec.LOW_BITS) | nodeBits | (packed & counterMask());
    }

    /** Allows the milliseconds up to {@code tsHigh}, which the store has with this process's token. */
    void proved(long tsHigh) {
        limit = Math.max(limit, firstOf(tsHigh + 1));
    }

    /** Returns the last millisecond that may be issued. */
    long provedUpTo() {
        return milli(limit) - 1;
    }

    /**
     * Issues nothing more. Returns the last millisecond of which an id was issued. If no id was issued, returns the
     * millisecond that the lease began after.
     */
    long close() {
        long closing = position.getAndSet(CLOSED_POSITION);
        if (closing != CLOSED_POSITION) {
            last = milli(closing);
            ended = closing;
        }
        return last;
    }

    /** Whether any id was issued of this lease, once it is closed; for the keeper alone. */
    boolean isUsed() {
        return ended > began;
    }

    /** Whether an id was issued of this lease, or was passed over; for the keeper alone. */
    boolean hasIssued(long id) {
        long numberMask = ((1L << SnowflakeSpec.LOW_BITS) - 1) & ~counterMask();
        if (id < 0 || (id & numberMask) != nodeBits) {
            return false;
        }
        long packed = firstOf(id >> SnowflakeSpec.LOW_BITS) | (id & counterMask());
        long now = position.get();
        return began < packed && packed <= (now == CLOSED_POSITION ? ended : now);
    }
}
