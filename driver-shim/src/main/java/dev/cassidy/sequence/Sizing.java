package dev.cassidy.sequence;

/**
 * How much to take. A process's block lasts about ten minutes at the observed rate, so that a crash loses little; the
 * space bounds win over the lower ones, down to 1, so that a small sequence is not reserved away.
 *
 * <p>Rate: an exponentially weighted moving average with a time constant of 60 s. Blocks start at 16, grow at most
 * fourfold and shrink at most by half a claim, and double when they are used up within seconds and callers had to wait.
 *
 * <p>One instance for one allocator, called by one claim at a time.
 */
final class Sizing {

    static final long SMALLEST = 64;
    static final long LARGEST = 1 << 20;
    static final long SMALLEST_GRANT = 10_000;
    private static final double TIME_CONSTANT_SECONDS = 60;
    private static final double BLOCK_SECONDS = 600;

    /** A block that was used up sooner was too small; one that lasted longer was not what callers waited for. */
    private static final double HASTE_SECONDS = 10;

    private final long space;
    private double rate;
    private long last = 4;
    private long before;
    private boolean started;

    /** @param space how many ids the sequence holds */
    Sizing(long space) {
        this.space = space;
    }

    /**
     * Returns the size that the rate asks for, before the bounds of the space.
     *
     * @param issued the ids issued since the previous call
     * @param nanos the monotonic time
     * @param starved whether a caller had to wait for this claim
     */
    long next(long issued, long nanos, boolean starved) {
        double seconds = started ? Math.max((nanos - before) / 1e9, 1e-3) : Double.POSITIVE_INFINITY;
        if (started) {
            double weight = 1 - Math.exp(-seconds / TIME_CONSTANT_SECONDS);
            rate += weight * (issued / seconds - rate);
        }
        started = true;
        before = nanos;
        long target = powerOfTwoNear(rate * BLOCK_SECONDS);
        target = Math.max(SMALLEST, Math.min(LARGEST, target));
        target = Math.min(target, last * 4);
        target = Math.max(target, last / 2);
        if (starved && seconds < HASTE_SECONDS) {
            target = Math.max(target, last * 2);
        }
        last = Math.min(LARGEST, target);
        return last;
    }

    /** Returns {@code wanted} within what the datacenter holds and the sequence still has. */
    long withinSpace(long wanted, Reserve reserve) {
        long free = Math.max(0, space - reserve.highest());
        long most = Math.min(reserve.remaining() / 8, Math.max(free, reserve.remaining()) / 10_000);
        return Math.max(1, Math.min(wanted, most));
    }

    /** Returns how much to ask of the global level: a multiple of the block, at most a tenth of the free space. */
    static long grant(long wanted, Span free) {
        long most = Math.max(1, free.size() / 10);
        return Math.min(most, Math.max(SMALLEST_GRANT, wanted * 16));
    }

    private static long powerOfTwoNear(double value) {
        if (!(value > 1)) {
            return 1;
        }
        return Long.highestOneBit((long) Math.min(value * Math.sqrt(2), LARGEST));
    }
}
