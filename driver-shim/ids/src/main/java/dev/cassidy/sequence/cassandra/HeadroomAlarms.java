package dev.cassidy.sequence.cassandra;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Which alarms of one sequence were raised already. One look at a time. */
final class HeadroomAlarms {

    /** An alarm is raised when one of them is passed. */
    private static final List<Integer> USED_PERCENT = List.of(50, 70, 85, 95);

    /** An alarm is raised when the ids are projected to end in fewer days. */
    private static final int DAYS_LEFT = 180;

    /** A date that varies around the threshold must not raise one alarm a day. */
    private static final long CLEARLY_PERCENT = 110;

    /** Right before each refill the reserve is short for a moment. */
    private static final int LOOKS = 2;

    private final Duration isolation;
    private final String datacenter;
    private int passed;
    private boolean endsSoon;
    private int shortLooks;
    private boolean unreachable;

    HeadroomAlarms(Duration isolation, String datacenter) {
        this.isolation = isolation;
        this.datacenter = datacenter;
    }

    /** Returns what was passed since the last look: the highest threshold only, and again if it was below since. */
    synchronized List<HeadroomAlarm> look(Sighting sighting) {
        List<HeadroomAlarm> alarms = new ArrayList<>();
        used(sighting).ifPresent(alarms::add);
        endsSoon(sighting).ifPresent(alarms::add);
        reserveShort(sighting).ifPresent(alarms::add);
        unreachable(sighting).ifPresent(alarms::add);
        return alarms;
    }

    private Optional<HeadroomAlarm> used(Sighting sighting) {
        double used = sighting.usedPercent();
        int highest = USED_PERCENT.stream()
                .filter(threshold -> threshold <= used)
                .max(Integer::compare)
                .orElse(0);
        boolean news = highest > passed;
        passed = highest;
        return news
                ? Optional.of(new HeadroomAlarm.Used(
                        sighting.spec().name(), highest, used, sighting.next(), sighting.last(), sighting.projection()))
                : Optional.empty();
    }

    private Optional<HeadroomAlarm> endsSoon(Sighting sighting) {
        OptionalLong days = sighting.projection().daysLeft(sighting.at());
        if (days.isEmpty() || days.getAsLong() * 100 >= DAYS_LEFT * CLEARLY_PERCENT) {
            endsSoon = false;
        }
        if (endsSoon || days.isEmpty() || days.getAsLong() >= DAYS_LEFT) {
            return Optional.empty();
        }
        endsSoon = true;
        return Optional.of(new HeadroomAlarm.EndsSoon(
                sighting.spec().name(),
                DAYS_LEFT,
                days.getAsLong(),
                sighting.usedPercent(),
                sighting.next(),
                sighting.last(),
                sighting.projection()));
    }

    private Optional<HeadroomAlarm> reserveShort(Sighting sighting) {
        Duration lasts = sighting.lasts().orElse(isolation);
        shortLooks = lasts.compareTo(isolation) < 0 ? shortLooks + 1 : 0;
        return shortLooks == LOOKS
                ? Optional.of(new HeadroomAlarm.ReserveShort(
                        sighting.spec().name(), datacenter, sighting.reserved(), lasts, isolation))
                : Optional.empty();
    }

    private Optional<HeadroomAlarm> unreachable(Sighting sighting) {
        boolean news = sighting.refillRefused().isPresent() && !unreachable;
        unreachable = sighting.refillRefused().isPresent();
        return news
                ? Optional.of(new HeadroomAlarm.RefillUnreachable(
                        sighting.spec().name(),
                        datacenter,
                        sighting.reserved(),
                        sighting.refillRefused().orElse("")))
                : Optional.empty();
    }
}
