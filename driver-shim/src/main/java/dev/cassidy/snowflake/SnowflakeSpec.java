package dev.cassidy.snowflake;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * What makes the ids of a time-ordered sequence, the same on every node: a different one under the same name is refused.
 *
 * <p>An id holds, from its highest bit to its lowest: 41 bits of milliseconds since {@code epoch}, the node's number,
 * and a counter within the millisecond; number and counter together have 23 bits. After Twitter's Snowflake (2010) and
 * snowcast (2014), with one difference: 41 and 23 bits are all 64, so the highest bit of the milliseconds is the sign.
 * It stays 0, ids are never negative, and a sequence lasts 2^40 ms, which is 34.8 years from its epoch; then it ends with
 * an error.
 *
 * @param name letters, digits, {@code _} and {@code .}, at most 100 characters
 * @param epoch where the milliseconds begin; whole milliseconds, in the past when the first id is issued
 * @param nodes how many nodes may be attached at a time, in all datacenters together: 128 to 8,192, rounded up to a power
 *     of two; the fewer, the more ids each can issue in a millisecond (1,024 for 8,192 nodes, 65,536 for 128)
 */
public record SnowflakeSpec(String name, Instant epoch, int nodes) {

    /** Bits of node number and counter together. */
    public static final int LOW_BITS = 23;

    /** The last millisecond since the epoch of which ids can be issued: 2^40 - 1. */
    public static final long LAST_MILLI = (1L << (Long.SIZE - 1 - LOW_BITS)) - 1;

    private static final int LEAST_NODES = 128;
    private static final int MOST_NODES = 8_192;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.]{1,100}");

    public SnowflakeSpec {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(epoch, "epoch");
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "must be 1 to 100 letters, digits, '_' or '.': sequence name='" + name + "'");
        }
        if (nodes < LEAST_NODES || nodes > MOST_NODES) {
            throw new IllegalArgumentException(
                    "must be " + LEAST_NODES + " to " + MOST_NODES + ": nodes=" + nodes + " sequence=" + name);
        }
        if (!epoch.equals(epoch.truncatedTo(ChronoUnit.MILLIS))) {
            throw new IllegalArgumentException("must be whole milliseconds: epoch=" + epoch + " sequence=" + name);
        }
        try {
            Math.addExact(epoch.toEpochMilli(), LAST_MILLI);
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(
                    "must be an instant that 64 bits of milliseconds can hold: epoch=" + epoch + " sequence=" + name,
                    e);
        }
        nodes = nodes == LEAST_NODES ? nodes : Integer.highestOneBit(nodes - 1) << 1;
    }

    /** Returns {@code name} for 8,192 nodes. */
    public static SnowflakeSpec of(String name, Instant epoch) {
        return new SnowflakeSpec(name, epoch, MOST_NODES);
    }

    /** Returns the same for another number of nodes: 128 to 8,192, rounded up to a power of two. */
    public SnowflakeSpec withNodes(int count) {
        return new SnowflakeSpec(name, epoch, count);
    }

    /** Returns how many ids a node can issue in a millisecond: 1,024 to 65,536. */
    public int idsPerMilli() {
        return 1 << counterBits();
    }

    public int counterBits() {
        return LOW_BITS - Integer.numberOfTrailingZeros(nodes);
    }

    /**
     * Takes an id of this sequence apart.
     *
     * @throws IllegalArgumentException if {@code id} is negative, as no id is
     */
    public SnowflakeParts parts(long id) {
        if (id < 0) {
            throw new IllegalArgumentException("must be >= 0: id=" + id + " sequence=" + name);
        }
        return new SnowflakeParts(
                epoch.plusMillis(id >>> LOW_BITS),
                (int) (id >>> counterBits()) & (nodes - 1),
                (int) id & (idsPerMilli() - 1));
    }

    /**
     * Returns the lowest id that may have been issued at {@code time} or later, so that ids can be searched by time.
     *
     * @throws IllegalArgumentException if {@code time} lies before the epoch or beyond the sequence's end
     */
    public long firstIdAt(Instant time) {
        long millis = time.toEpochMilli() - epoch.toEpochMilli();
        if (time.isBefore(epoch) || millis > LAST_MILLI) {
            throw new IllegalArgumentException(
                    "must lie between " + epoch + " and " + end() + ": time=" + time + " sequence=" + name);
        }
        return millis << LOW_BITS;
    }

    /** Returns the last millisecond of which ids can be issued. */
    public Instant end() {
        return epoch.plusMillis(LAST_MILLI);
    }
}
