package dev.cassidy.counter.store;

/**
 * The versions of one actor's rows: an epoch in the upper 32 bits, and a number within the epoch in the lower 32. Each
 * lease of a slot is an epoch of its own, so a row has one writer. A row's version is its write timestamp too.
 *
 * <p>Numbers 1, 2, 3 ... are increments. Number 0 is the epoch's base, which holds the sum of the increments that were
 * folded; the last number is the base's bookend. Version 0 and {@link #LAST} are the base and the bookend of all epochs
 * that were settled.
 */
public final class Versions {

    /** The base of all settled epochs. */
    public static final long SETTLED = 0;

    /** The bookend of {@link #SETTLED}. */
    public static final long LAST = Long.MAX_VALUE;

    /** The last epoch that is leased; {@link #LAST} lies behind all its versions. */
    public static final int LAST_EPOCH = Integer.MAX_VALUE - 1;

    /** The last number of an increment within its epoch. */
    public static final long LAST_NUMBER = 0xFFFF_FFFEL;

    private static final long NUMBERS = 0xFFFF_FFFFL;

    private Versions() {}

    /** Returns the version of an increment. */
    public static long of(int epoch, long number) {
        if (number < 1 || number > LAST_NUMBER) {
            throw new IllegalArgumentException("must be from 1 to " + LAST_NUMBER + ": number=" + number);
        }
        return base(epoch) | number;
    }

    /** Returns the version of an epoch's base. */
    public static long base(int epoch) {
        if (epoch < 1 || epoch > LAST_EPOCH) {
            throw new IllegalArgumentException("must be from 1 to " + LAST_EPOCH + ": epoch=" + epoch);
        }
        return (long) epoch << 32;
    }

    /** Returns the version of an epoch's bookend, which is the epoch's last version. */
    public static long bookend(int epoch) {
        return base(epoch) | NUMBERS;
    }

    public static int epoch(long version) {
        return (int) (version >>> 32);
    }

    /** Returns the number within the epoch. */
    public static long number(long version) {
        return version & NUMBERS;
    }

    /** Returns whether the version is that of an increment, neither a base nor a bookend. */
    public static boolean isIncrement(long version) {
        long number = number(version);
        return version > 0 && number != 0 && number != NUMBERS;
    }

    /** Returns whether the version is that of a bookend. */
    public static boolean isBookend(long version) {
        return version > 0 && number(version) == NUMBERS;
    }
}
