package dev.cassidy.sequence;

import java.math.BigInteger;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * What a sequence promises, as SQL Server's IDENTITY and SEQUENCE state it. A sequence issues {@code start, start +
 * increment, ...} and ends before it would leave {@code minimum..maximum}; it never cycles.
 *
 * @param name letters, digits, {@code _} and {@code .}, at most 100 characters; by convention {@code keyspace.table}
 * @param type the integer type of the column that takes the ids
 * @param start the first id
 * @param increment the distance between two ids; negative for a descending sequence, never 0
 * @param minimum the lowest id that may be issued
 * @param maximum the highest id that may be issued
 */
public record SequenceSpec(String name, IdentityType type, long start, long increment, long minimum, long maximum) {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.]{1,100}");
    private static final BigInteger MOST = BigInteger.valueOf(Long.MAX_VALUE);

    public SequenceSpec {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(type, "type");
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "must be 1 to 100 letters, digits, '_' or '.': sequence name='" + name + "'");
        }
        if (increment == 0) {
            throw new IllegalArgumentException("must not be 0: increment=0 sequence=" + name);
        }
        if (minimum < type.lowest() || maximum > type.highest()) {
            throw new IllegalArgumentException("must lie within " + type + " (" + type.lowest() + " to "
                    + type.highest() + "): minimum=" + minimum + " maximum=" + maximum + " sequence=" + name);
        }
        if (start < minimum || start > maximum) {
            throw new IllegalArgumentException("must lie within minimum=" + minimum + " and maximum=" + maximum
                    + ": start=" + start + " sequence=" + name);
        }
        if (count(start, increment, minimum, maximum).compareTo(MOST) > 0) {
            throw new IllegalArgumentException("holds more than 2^63-1 ids; narrow minimum or maximum, or widen"
                    + " increment: start=" + start + " increment=" + increment + " minimum=" + minimum + " maximum="
                    + maximum + " sequence=" + name);
        }
    }

    /** Returns {@code name} as an ascending INT sequence: 1, 2, 3 ... up to 2^31-1. */
    public static SequenceSpec of(String name) {
        return new SequenceSpec(name, IdentityType.INT, 1, 1, 1, Integer.MAX_VALUE);
    }

    /**
     * Returns the sequence of a column of {@code type} that starts at {@code start}, with the widest bounds that the
     * type allows in the direction of {@code increment} and {@code start} as the bound behind it.
     */
    public static SequenceSpec of(String name, IdentityType type, long start, long increment) {
        return increment < 0
                ? new SequenceSpec(name, type, start, increment, type.lowest(), start)
                : new SequenceSpec(name, type, start, increment, start, type.highest());
    }

    public SequenceSpec withBounds(long newMinimum, long newMaximum) {
        return new SequenceSpec(name, type, start, increment, newMinimum, newMaximum);
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
     * Returns the first ordinal whose id does not lie before {@code id} in the sequence's direction; negative when
     * {@code id} lies before {@code start}. Not limited to {@link #count()}.
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
