package dev.cassidy.snowflake;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * The specification of a time-ordered sequence. It is the same on every node: a different one under the same name is
 * refused.
 *
 * <p>An id consists of 41 bits of milliseconds since {@code epoch}, the node's number, and a counter within the millisecond,
 * from the highest bit to the lowest. Number and counter together have 23 bits. This follows Twitter's Snowflake (2010) and
 * snowcast (2014), with one difference: 41 and 23 bits are all 64, so the highest bit of the milliseconds is the sign. That
 * bit stays 0, so ids are never negative. A sequence lasts 2^40 ms, which is 34.8 years from its epoch; after that, calls for
 * ids fail.
 *
 * @param name letters, digits, {@code _} and {@code .}, at most 100 characters
 * @param epoch where the milliseconds begin; whole milliseconds, in the past when the first id is issued
 * @param nodes how many nodes may be attached at a time, in all datacenters together: 128 to 8,192, rounded up to a power
 *     of two. With fewer nodes each can issue more ids in a millisecond (1,024 for 8,192 nodes, 65,536 for 128)
 */
public record SnowflakeSpec(String name, Instant epoch, int nodes) {

    /** Bits of node number and counter together. */
    public static final int LOW_BITS = 23;

    /** The last millisecond of which ids can be issued, counted from the epoch: 2^40 - 1. */
    public static final long LAST_MILLI = (1L << (Long.SIZE - 1 - LOW_BITS)) - 1;

    private static final int LEAST_NODES = 128;
    private static final int MAX_NODES = 8_192;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.]{1,100}");

    /**
     * Checks the values, and rounds {@code nodes} up to a power of two.
     *
     * @throws IllegalArgumentException if a value is outside its range
     */
    public SnowflakeSpec {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(epoch, "epoch");
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "must be 1 to 100 letters, digits, '_' or '.': sequence name='" + name + "'");
        }
        if (nodes < LEAST_NODES || nodes > MAX_NODES) {
            throw new IllegalArgumentException(
                    "must be " + LEAST_NODES + " to " + MAX_NODES + ": nodes=" + nodes + " sequence=" + name);
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

    /** Returns the specification of sequence {@code name} for 8,192 nodes. */
    public static SnowflakeSpec of(String name, Instant epoch) {
        return new SnowflakeSpec(name, epoch, MAX_NODES);
    }

    /** Returns the same specification for another number of nodes: 128 to 8,192, rounded up to a power of two. */
    public SnowflakeSpec withNodes(int count) {
        return new SnowflakeSpec(name, epoch, count);
    }

    /** Returns how many ids a node can issue in a millisecond: 1,024 to 65,536. */
    public int idsPerMilli() {
        return 1 << counterBits();
    }

    /** Returns how many bits of an id are the counter: 10 to 16. */
    public int counterBits() {
        return LOW_BITS - Integer.numberOfTrailingZeros(nodes);
    }

    /**
     * Splits an id of this sequence into its parts.
     *
     * @throws IllegalArgumentException if {@code id} is negative; ids never are
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
