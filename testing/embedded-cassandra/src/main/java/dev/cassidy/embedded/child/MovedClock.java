package dev.cassidy.embedded.child;

import org.apache.cassandra.utils.Clock;

/**
 * The machine's clock, moved by {@code -Dcassidy.embedded.clockOffset} milliseconds, for {@code -Dcassandra.clock}. The clock of
 * durations is that of the machine.
 */
public final class MovedClock implements Clock {

    private final long offsetMillis;

    /** Cassandra makes it, by its name. */
    public MovedClock() {
        offsetMillis = Long.getLong("cassidy.embedded.clockOffset", 0L);
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public long currentTimeMillis() {
        return System.currentTimeMillis() + offsetMillis;
    }
}
