package dev.cassidy.sequence;

import java.math.BigInteger;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * The definition of a sequence, in the terms of SQL Server's IDENTITY and SEQUENCE. A sequence issues {@code start, start +
 * increment, ...} and ends before it would leave {@code minimum..maximum}; it never cycles.
 *
 * @param name letters, digits, {@code _} and {@code .}, at most 100 characters; by convention {@code keyspace.table}
 * @param type the integer type of the column that takes the ids
 * @param start the first id
 * @param increment the distance between two ids; negative for a descending sequence, never 0
 * @param minimum the lowest id that may be issued
 * @param maximum the highest id that may be issued
 * @param order the order in which ids are issued
 * @param stripes the number of partitions of the store in which claims are made, 1 to {@value #MAX_STRIPES}; more than 1
 *     is useful only above some twenty claims a second
 * @param block how many ids a process claims at a time; the size follows the rate, within these bounds
 * @param reserve how many ids a datacenter is granted at a time, and holds; the size follows the rate, within these bounds
 */
public record SequenceSpec(
        String name,
        IdentityType type,
        long start,
        long increment,
        long minimum,
        long maximum,
        Order order,
        int stripes,
        SizeBounds block,
        SizeBounds reserve) {

    public static final int MAX_STRIPES = 64;

    /** The default bounds of a block: an idle process holds at most two of the smallest size. */
    public static final SizeBounds DEFAULT_BLOCK = new SizeBounds(16, 1 << 20);

    /** The default bounds of a reserve. */
    public static final SizeBounds DEFAULT_RESERVE = new SizeBounds(10_000, Long.MAX_VALUE);

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.]{1,100}(\\[[0-9]+/[0-9]+])?");
    private static final long LARGEST_BLOCK = 1L << 30;
    private static final int MAX_STREAMS = 1_000;
    private static final BigInteger MAX_IDS = BigInteger.valueOf(Long.MAX_VALUE);
    private static final BigInteger LAST_ORDINAL = MAX_IDS.subtract(BigInteger.ONE);

    public SequenceSpec {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(order, "order");
        Objects.requireNonNull(block, "block");
        Objects.requireNonNull(reserve, "reserve");
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "must be 1 to 100 letters, digits, '_' or '.': sequence name='" + name + "'");
        }
        if (increment == 0) {
            throw new IllegalArgumentException("must not be 0: increment=0 sequence=" + name);
        }
        if (stripes < 1 || stripes > MAX_STRIPES) {
            throw new IllegalArgumentException(
                    "must be 1 to " + MAX_STRIPES + ": stripes=" + stripes + " sequence=" + name);
        }
        if (block.largest() > LARGEST_BLOCK) {
            throw new IllegalArgumentException(
                    "must be <= 2^30: block.largest=" + block.largest() + " sequence=" + name);
        }
        if (order == Order.TIME
                && (type != IdentityType.BIGINT
                        || start != 0
                        || increment != 1
                        || minimum != 0
                        || maximum != Long.MAX_VALUE - 1
                        || stripes != 1
                        || isStream(name))) {
            throw new IllegalArgumentException("is time-ordered, and so BIGINT from 0 up, of one stripe, and not"
                    + " interleaved: type=" + type + " start=" + start + " increment=" + increment + " minimum="
                    + minimum + " maximum=" + maximum + " stripes=" + stripes + " sequence=" + name
                    + "; use SequenceSpec.timeOrdered(name)");
        }
        if (stripes > 1 && isStream(name)) {
            throw new IllegalArgumentException("is interleaved, and cannot be striped as well: stripes=" + stripes
                    + " sequence=" + name + "; each stream has a partition of its own already");
        }
        if (minimum < type.lowest() || maximum > type.highest()) {
            throw new IllegalArgumentException("must lie within " + type + " (" + type.lowest() + " to "
                    + type.highest() + "): minimum=" + minimum + " maximum=" + maximum + " sequence=" + name);
        }
        if (start < minimum || start > maximum) {
            throw new IllegalArgumentException("must lie within minimum=" + minimum + " and maximum=" + maximum
                    + ": start=" + start + " sequence=" + name);
        }
        if (count(start, increment, minimum, maximum).compareTo(MAX_IDS) > 0) {
            throw new IllegalArgumentException("holds more than 2^63-1 ids; narrow minimum or maximum, or widen"
                    + " increment: start=" + start + " increment=" + increment + " minimum=" + minimum + " maximum="
                    + maximum + " sequence=" + name);
        }
    }

    /** Returns a sequence in process order, of one stripe, with the default sizes. */
    public SequenceSpec(String name, IdentityType type, long start, long increment, long minimum, long maximum) {
        this(name, type, start, increment, minimum, maximum, Order.PROCESS, 1, DEFAULT_BLOCK, DEFAULT_RESERVE);
    }

    /** Returns {@code name} as an ascending INT sequence: 1, 2, 3 ... up to 2^31-1. */
    public static SequenceSpec of(String name) {
        return new SequenceSpec(name, IdentityType.INT, 1, 1, 1, Integer.MAX_VALUE);
    }

    /**
     * Returns the sequence of a column of {@code type} that starts at {@code start}. In the direction of {@code increment}
     * its bound is the type's, or the last of 2^63-1 ids, which are more than are ever issued; the other bound is {@code start}.
     */
    public static SequenceSpec of(String name, IdentityType type, long start, long increment) {
        BigInteger last =
                BigInteger.valueOf(start).add(BigInteger.valueOf(increment).multiply(LAST_ORDINAL));
        return increment < 0
                ? new SequenceSpec(name, type, start, increment, within(type, last), start)
                : new SequenceSpec(name, type, start, increment, start, within(type, last));
    }

    private static long within(IdentityType type, BigInteger id) {
        return id.max(BigInteger.valueOf(type.lowest()))
                .min(BigInteger.valueOf(type.highest()))
                .longValueExact();
    }

    /**
     * Returns {@code name} as a sequence in {@link Order#TIME}. Its ids are between 0 and 2^63-2; the specification does not
     * tell which of them are issued.
     */
    public static SequenceSpec timeOrdered(String name) {
        return new SequenceSpec(name, IdentityType.BIGINT, 0, 1, 0, Long.MAX_VALUE - 1).withOrder(Order.TIME);
    }

    public SequenceSpec withBounds(long newMinimum, long newMaximum) {
        return new SequenceSpec(name, type, start, increment, newMinimum, newMaximum, order, stripes, block, reserve);
    }

    public SequenceSpec withOrder(Order newOrder) {
        return new SequenceSpec(name, type, start, increment, minimum, maximum, newOrder, stripes, block, reserve);
    }

    public SequenceSpec withStripes(int count) {
        return new SequenceSpec(name, type, start, increment, minimum, maximum, order, count, block, reserve);
    }

    /**
     * Limits how many ids a process claims at a time. With {@code withBlock(100, 100)} a process always claims 100, and
     * twice as many at once when it has no ids left.
     */
    public SequenceSpec withBlock(long smallest, long largest) {
        return new SequenceSpec(
                name,
                type,
                start,
                increment,
                minimum,
                maximum,
                order,
                stripes,
                new SizeBounds(smallest, largest),
                reserve);
    }

    /** Limits how many ids a datacenter is granted at a time. */
    public SequenceSpec withReserve(long smallest, long largest) {
        return new SequenceSpec(
                name,
                type,
                start,
                increment,
                minimum,
                maximum,
                order,
                stripes,
                block,
                new SizeBounds(smallest, largest));
    }

    /**
     * Refuses {@code true}, SQL Server's {@code CYCLE}, which begins again at the minimum and so issues ids twice.
     *
     * @throws IllegalArgumentException if {@code cycle} is true
     */
    public SequenceSpec withCycle(boolean cycle) {
        if (cycle) {
            throw new IllegalArgumentException("cannot be served: CYCLE of sequence " + name
                    + ". A cycle issues ids a second time, and Cassandra's INSERT would overwrite the rows that have"
                    + " them. Leave CYCLE out; the sequence ends with an error at "
                    + (increment < 0 ? minimum : maximum));
        }
        return this;
    }

    /**
     * Returns one of {@code of} interleaved streams of this sequence. Of the sequence 1, 2, 3 ... stream 1 of 3 issues 1, 4,
     * 7 ... and stream 2 of 3 issues 2, 5, 8 ... Each stream is a sequence of its own, named {@code name[id/of]}, in a
     * partition of its own.
     *
     * @param id from 1 to {@code of}
     * @param of at most 1,000
     */
    public SequenceSpec interleave(int id, int of) {
        if (of < 1 || of > MAX_STREAMS || id < 1 || id > of) {
            throw new IllegalArgumentException("must be 1 <= id <= of <= " + MAX_STREAMS + ": interleave(" + id + ", "
                    + of + ") of sequence " + name);
        }
        if (isStream(name)) {
            throw new IllegalArgumentException("is interleaved already: sequence " + name);
        }
        return new SequenceSpec(
                name + "[" + id + "/" + of + "]",
                type,
                Math.addExact(start, Math.multiplyExact(increment, id - 1L)),
                Math.multiplyExact(increment, (long) of),
                minimum,
                maximum,
                order,
                stripes,
                block,
                reserve);
    }

    /** Whether this is the name of an interleaved stream. */
    public static boolean isStream(String name) {
        return name.endsWith("]");
    }

    /** Returns the number of interleaved streams of which this is one; 0 if it is not a stream. */
    public int streams() {
        return isStream(name) ? Integer.parseInt(name.substring(name.lastIndexOf('/') + 1, name.length() - 1)) : 0;
    }

    /**
     * Returns the sequence of which this is a stream.
     *
     * @throws IllegalArgumentException if this was not returned by {@link #interleave}
     */
    public SequenceSpec interleaved() {
        int id = Integer.parseInt(name.substring(name.lastIndexOf('[') + 1, name.lastIndexOf('/')));
        int of = streams();
        SequenceSpec base = new SequenceSpec(
                name.substring(0, name.lastIndexOf('[')),
                type,
                Math.subtractExact(start, Math.multiplyExact(increment / Math.max(1, of), id - 1L)),
                increment / Math.max(1, of),
                minimum,
                maximum);
        SequenceSpec stream = base.interleave(id, of);
        if (stream.start != start || stream.increment != increment) {
            throw new IllegalArgumentException("must be what interleave(" + id + ", " + of + ") returns: start=" + start
                    + " increment=" + increment + " sequence=" + name);
        }
        return base;
    }

    /** Returns how many ids the sequence holds, from 1 to 2^63-1. */
    public long count() {
        return count(start, increment, minimum, maximum).longValueExact();
    }

    /**
     * Returns the id at {@code ordinal}.
     *
     * @param ordinal from 0 to {@link #count()} - 1
     */
    public long idAt(long ordinal) {
        // Exact, although the intermediate product may wrap: the result lies within minimum..maximum.
        return start + ordinal * increment;
    }

    /**
     * Returns the first ordinal whose id is not before {@code id} in the sequence's direction. It is negative if {@code id}
     * is before {@code start}, and may be larger than {@link #count()}.
     */
    public BigInteger ordinalOf(long id) {
        BigInteger distance = BigInteger.valueOf(id).subtract(BigInteger.valueOf(start));
        BigInteger[] parts = distance.divideAndRemainder(BigInteger.valueOf(increment));
        boolean beyond = parts[1].signum() != 0 && parts[1].signum() == Long.signum(increment);
        return beyond ? parts[0].add(BigInteger.ONE) : parts[0];
    }

    private static BigInteger count(long start, long increment, long minimum, long maximum) {
        BigInteger last = BigInteger.valueOf(increment < 0 ? minimum : maximum);
        return last.subtract(BigInteger.valueOf(start))
                .divide(BigInteger.valueOf(increment))
                .add(BigInteger.ONE);
    }
}
