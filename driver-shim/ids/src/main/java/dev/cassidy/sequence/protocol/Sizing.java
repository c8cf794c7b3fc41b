package dev.cassidy.sequence.protocol;

import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SizeBounds;
import dev.cassidy.sequence.store.Ledger;
import dev.cassidy.sequence.store.Reserve;
import java.time.Duration;

/**
 * Decides how much to take. A process's block lasts about ten minutes at the observed rate, so that a crash loses
 * little; a datacenter's reserve outlasts its isolation at the observed peak. The bounds of the space take precedence
 * over all others, down to 1, so that reserves do not use up a small sequence.
 *
 * <p>Rate: an exponentially weighted moving average with a time constant of 60 s. Blocks start at their smallest size, grow
 * at most fourfold and shrink at most by half a claim, and double when they are used up within seconds and callers had to
 * wait.
 *
 * <p>One instance for one allocator, called by one claim at a time.
 */
final class Sizing {

    /** A process that needs no more in ten minutes holds no more than this: a block, and half of the one before it. */
    private static final long SLOW = 64;

    private static final double TIME_CONSTANT_SECONDS = 60;
    private static final double BLOCK_SECONDS = 600;

    /** A block that was used up sooner was too small; one that lasted longer was not what callers waited for. */
    private static final double HASTE_SECONDS = 10;

    /** A grant that is this many blocks spares the global level; it also keeps a block below an eighth of the reserve. */
    private static final long BLOCKS_A_GRANT = 16;

    private final long space;
    private final SizeBounds block;
    private final SizeBounds reserve;
    private final int stripes;
    private final Duration isolation;
    private final double reserveThreshold;
    private double rate;
    private long last;
    private long before;
    private boolean started;

    Sizing(SequenceSpec spec, Duration isolation, double reserveThreshold) {
        this.space = spec.count();
        this.block = spec.block();
        this.reserve = spec.reserve();
        this.stripes = spec.stripes();
        this.isolation = isolation;
        this.reserveThreshold = reserveThreshold;
        restart();
    }

    /** Forgets the rate: the ids were given back because no caller used them. */
    void restart() {
        rate = 0;
        last = block.smallest();
        started = false;
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
        long target = powerOfTwoNear(rate * BLOCK_SECONDS, block.largest());
        if (target <= SLOW) {
            target = Math.min(target, SLOW / 2);
        }
        target = Math.max(last / 2, Math.min(target, last * 4));
        if (starved && seconds < HASTE_SECONDS) {
            target = Math.max(target, last * 2);
        }
        last = block.clamp(target);
        return last;
    }

    /** Returns how many ids are used in {@code duration} at the observed rate. */
    long usedIn(Duration duration) {
        return (long) Math.min(1L << 61, rate * duration.toNanos() / 1e9);
    }

    /** Returns {@code wanted} within what the datacenter holds and the sequence still has. */
    long withinSpace(long wanted, Reserve held) {
        long free = Math.max(0, space - held.highest());
        long most = Math.min(held.remaining() / 8, Math.max(free, held.remaining()) / 10_000);
        return Math.max(1, Math.min(wanted, most));
    }

    /** Whether the stripe should request its next range: what it has would not outlast the isolation. */
    boolean wantsGrant(long wanted, Reserve held) {
        long free = Math.max(0, space - held.highest());
        return held.upcoming() == null
                && (held.remaining() < reserveThreshold * target(held, free) || held.remaining() / 8 < wanted);
    }

    /** Returns how much to request from the global level; all reserves stay within a tenth of the free space. */
    long grant(long wanted, Reserve held, Ledger ledger) {
        long free = ledger.free().size();
        // Twice: a stripe has a current and an upcoming range.
        long most = Math.max(1, free / 10 / 2 / Math.max(1, ledger.datacenters()) / stripes);
        long missing = target(held, free) - held.remaining();
        return Math.min(most, reserve.clamp(Math.max(missing, wanted * BLOCKS_A_GRANT)));
    }

    private long target(Reserve held, long free) {
        double hours = isolation(free).toSeconds() / 3600.0 / reserveThreshold;
        return reserve.clamp((long) (hours * held.usage().peakHourly()));
    }

    /** How long a datacenter must last alone: less and less as the space runs out. */
    Duration isolation(long free) {
        return Isolation.of(isolation, free, space);
    }

    private static long powerOfTwoNear(double value, long largest) {
        if (!(value > 1)) {
            return 1;
        }
        return Long.highestOneBit((long) Math.min(value * Math.sqrt(2), (double) largest));
    }
}
