package dev.cassidy.snowflake.protocol;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The limits of one lease that the store has acknowledged and that have not been read back yet, the lowest first. A node that
 * is killed may forget a limit until it has stood. For one caller at a time.
 */
final class Limits {

    /**
     * A limit that was acknowledged, with when it was first sent and when it was acknowledged, both by the monotonic clock.
     */
    private record Written(long tsHigh, long sentAt, long acknowledgedAt) {

        boolean hasStood(long now, Duration standing) {
            return now - acknowledgedAt >= standing.toNanos();
        }

        /**
         * Whether a read still proves it. Later, a second node may have been killed, and have forgotten the write of a
         * process that did not know of this one. Such a process has what it wrote read back within the same time.
         */
        boolean isInTime(long now, Duration standing) {
            return standing.isZero() || now - sentAt <= standing.multipliedBy(2).toNanos();
        }
    }

    private final Deque<Written> written = new ArrayDeque<>();
    private boolean stood;

    void acknowledged(long tsHigh, long sentAt, long now) {
        written.addLast(new Written(tsHigh, sentAt, now));
    }

    /** Every limit so far is on the nodes' disks: they forget nothing. */
    void stand() {
        stood = true;
        written.clear();
    }

    /** Whether the nodes do not forget any more that the number is this process's. */
    boolean haveStood() {
        return stood;
    }

    /** Returns the highest limit that the store was seen to have, whether it can be forgotten or not; -1 for none. */
    long highest() {
        return written.isEmpty() ? -1 : written.getLast().tsHigh();
    }

    /** Whether a read would prove a limit now. */
    boolean canBeProved(long now, Duration standing) {
        return written.stream().anyMatch(each -> each.hasStood(now, standing) && each.isInTime(now, standing));
    }

    /** Returns how long it takes until the next limit has stood; negative if one has, and {@code standing} if none is to. */
    Duration untilOneHasStood(long now, Duration standing) {
        return written.isEmpty()
                ? standing
                : standing.minusNanos(now - written.getFirst().acknowledgedAt());
    }

    /**
     * Returns the highest limit that a read has proved; -1 for none. It, and every lower one, is not waited for any more.
     *
     * @param tsHigh the limit that the store has with the lease's token
     * @param asked when the read was sent
     * @param answered when the answer came
     */
    long proved(long tsHigh, long asked, long answered, Duration standing) {
        long proved = -1;
        for (Written each : written) {
            if (each.tsHigh() <= tsHigh && each.hasStood(asked, standing) && each.isInTime(answered, standing)) {
                proved = each.tsHigh();
            }
        }
        long highest = proved;
        written.removeIf(each -> each.tsHigh() <= highest || !each.isInTime(answered, standing));
        stood |= proved >= 0;
        return proved;
    }
}
