package dev.cassidy.sequence.cassandra;

import dev.cassidy.sequence.Projection;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.OptionalLong;

/** The reason why a sequence needs attention before its ids run out. */
public sealed interface HeadroomAlarm {

    String sequence();

    /** Returns a text of one line. */
    String message();

    /**
     * More of the space is used than a threshold allows.
     *
     * @param threshold the highest one that was passed, in percent
     * @param usedPercent of the space
     * @param next the first id that has not been granted to a datacenter; empty if there is none
     * @param last the last id of the sequence
     * @param projection when nothing is left to grant
     */
    record Used(String sequence, int threshold, double usedPercent, OptionalLong next, long last, Projection projection)
            implements HeadroomAlarm {
        @Override
        public String message() {
            return String.format(
                    Locale.ROOT,
                    "sequence %s: %.1f %% of its ids are used (alarm at %d %%): next=%s last=%d projected end: %s",
                    sequence,
                    usedPercent,
                    threshold,
                    next.isPresent() ? next.getAsLong() : "none",
                    last,
                    describe(projection));
        }
    }

    /**
     * The space is projected to end soon.
     *
     * @param threshold in days
     * @param daysLeft fewer than the threshold
     * @param usedPercent of the space
     * @param next the first id that has not been granted to a datacenter; empty if there is none
     * @param last the last id of the sequence
     * @param projection when nothing is left to grant
     */
    record EndsSoon(
            String sequence,
            int threshold,
            long daysLeft,
            double usedPercent,
            OptionalLong next,
            long last,
            Projection projection)
            implements HeadroomAlarm {
        @Override
        public String message() {
            return String.format(
                    Locale.ROOT,
                    "sequence %s: has ids for %d days (alarm below %d): %.1f %% are used, next=%s last=%d projected end:"
                            + " %s",
                    sequence,
                    daysLeft,
                    threshold,
                    usedPercent,
                    next.isPresent() ? next.getAsLong() : "none",
                    last,
                    describe(projection));
        }
    }

    /**
     * The datacenter would not last as long as configured if it were cut off: few ids are left, or the use of ids has grown
     * faster than the reserve.
     *
     * @param reserved the ids in its reserve
     * @param lasts how long they last at the rate of the busiest hour of seven days
     * @param isolation how long they should last
     */
    record ReserveShort(String sequence, String datacenter, long reserved, Duration lasts, Duration isolation)
            implements HeadroomAlarm {
        @Override
        public String message() {
            return "sequence " + sequence + ": cut off from the others, datacenter " + datacenter + " would last "
                    + hours(lasts) + " and not " + hours(isolation) + " (isolation): it has " + reserved
                    + " ids in reserve";
        }
    }

    /**
     * The datacenter's reserve has to be refilled, but the global level does not answer.
     *
     * @param reserved the ids that are left until it answers
     * @param reason the driver's message
     */
    record RefillUnreachable(String sequence, String datacenter, long reserved, String reason)
            implements HeadroomAlarm {
        @Override
        public String message() {
            return "sequence " + sequence + ": datacenter " + datacenter + " cannot be refilled, since too few of the"
                    + " global keyspace's replicas answer; it has " + reserved + " ids in reserve: " + reason;
        }
    }

    private static String hours(Duration time) {
        return String.format(Locale.ROOT, "%.1f h", time.toSeconds() / 3_600.0);
    }

    private static String describe(Projection projection) {
        if (!projection.note().isEmpty()) {
            return projection.note();
        }
        return projection.end().map(HeadroomAlarm::day).orElse("")
                + String.format(Locale.ROOT, " (at %.0f a day)", Math.max(projection.perDay7(), projection.perDay28()));
    }

    private static String day(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC).toLocalDate().toString();
    }
}
