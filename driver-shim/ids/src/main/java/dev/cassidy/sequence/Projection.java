package dev.cassidy.sequence;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * When nothing will be left to grant, if ids are used at the recent rate. The rate is the larger one of two: over the last
 * 7 days, and over the last 28 days or since the first grant.
 *
 * <p>The rates are computed from the dates of the grants. A grant may last for weeks. If it is the only one in its period,
 * or was made in a stripe's first days, what has not been claimed of it is subtracted. If there are several grants and older
 * ones, a similar reserve existed when the period began, so they count in full. The error of a grant that lasts for 14 days
 * or longer is small, since it is at most a twentieth of what was free.
 *
 * @param perDay7 ordinals used per day, over the last 7 days
 * @param perDay28 ordinals used per day, over the last 28 days
 * @param end when nothing is left to grant; empty if it cannot be computed, for the reason in {@code note}
 * @param note why there is no end, or that the end has been reached; otherwise empty
 */
public record Projection(double perDay7, double perDay28, Optional<Instant> end, String note) {

    private static final Duration SHORTEST = Duration.ofDays(1);
    private static final double FARTHEST_DAYS = 36_525;

    /**
     * A grant and its date.
     *
     * @param count the ordinals that were granted
     */
    public record Dated(Instant at, long count) {}

    /**
     * Every grant to one stripe of one datacenter.
     *
     * @param unclaimed the granted ordinals that no process has claimed yet; 0 if unknown
     */
    public record Stream(List<Dated> grants, long unclaimed) {
        public Stream {
            grants = List.copyOf(grants);
        }
    }

    /**
     * Computes the projection from all grants.
     *
     * @param free the ordinals that no datacenter has been granted
     */
    public static Projection of(List<Stream> streams, long free, Instant now) {
        Optional<Instant> first = streams.stream()
                .flatMap(stream -> stream.grants().stream())
                .map(Dated::at)
                .min(Instant::compareTo);
        if (first.isEmpty()) {
            return none(0, 0, "never granted");
        }
        Duration age = Duration.between(first.get(), now);
        double week = perDay(streams, Duration.ofDays(7), age, now);
        double fourWeeks = perDay(streams, Duration.ofDays(28), age, now);
        if (free == 0) {
            return new Projection(week, fourWeeks, Optional.of(now), "used up");
        }
        if (age.compareTo(SHORTEST) < 0) {
            return none(0, 0, "less than a day old");
        }
        double days = free / Math.max(week, fourWeeks);
        if (Double.isInfinite(days)) {
            return none(week, fourWeeks, "not used in 28 days");
        }
        return days > FARTHEST_DAYS
                ? none(week, fourWeeks, "past 100 years")
                : new Projection(week, fourWeeks, Optional.of(now.plus(hours(days), ChronoUnit.HOURS)), "");
    }

    private static Projection none(double perDay7, double perDay28, String note) {
        return new Projection(perDay7, perDay28, Optional.empty(), note);
    }

    private static long hours(double days) {
        return (long) (days * 24);
    }

    private static double perDay(List<Stream> streams, Duration window, Duration age, Instant now) {
        Instant from = now.minus(window);
        double used =
                streams.stream().mapToDouble(stream -> usedSince(stream, from)).sum();
        Duration elapsed = age.compareTo(window) < 0 ? age : window;
        // Not divided by next to nothing: within the first day nothing is projected from it anyway.
        return used / Math.max(1.0 / 24, elapsed.toSeconds() / (double) SHORTEST.toSeconds());
    }

    private static double usedSince(Stream stream, Instant from) {
        List<Dated> recent = stream.grants().stream()
                .filter(grant -> grant.at().isAfter(from))
                .toList();
        double granted = recent.stream().mapToDouble(Dated::count).sum();
        boolean steady = recent.size() >= 2 && recent.size() < stream.grants().size();
        return steady ? granted : Math.max(0, granted - stream.unclaimed());
    }

    /** Returns the number of full days from {@code now} to the end; empty if there is no end. */
    public OptionalLong daysLeft(Instant now) {
        return end.isPresent()
                ? OptionalLong.of(Math.max(0, Duration.between(now, end.get()).toDays()))
                : OptionalLong.empty();
    }
}
