package dev.cassidy.sequence.protocol;

import java.time.Duration;

/** How long a datacenter must be able to issue ids alone: less and less as the space runs out. */
public final class Isolation {

    private Isolation() {}

    /**
     * Returns {@code configured} while more than a tenth of the space is free; then 6 hours at most, and one hour
     * once less than a fiftieth is.
     *
     * @param free the ordinals that no datacenter has been granted
     * @param space the ordinals that there are in all
     */
    public static Duration of(Duration configured, long free, long space) {
        if (free < space / 50) {
            return shorter(configured, Duration.ofHours(1));
        }
        return free < space / 10 ? shorter(configured, Duration.ofHours(6)) : configured;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
