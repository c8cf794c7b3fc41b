package dev.cassidy.assist.eval;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoField;
import java.util.List;

/**
 * Moments as the times that clocks show, which is what DATETIME2 and its like have. In autumn clocks show each time of one hour twice,
 * and Cassandra stores which of the two it was. So that H2 does not take them for one, the later one has a nanosecond more: no type of
 * T-SQL has more than seven digits, so no statement can give it. Functions see times without it. A time that a statement gives or
 * calculates is the first one, as everywhere in the driver.
 */
final class Moments {

    private static final int LATER = 1;
    private static final int STEP = 100;

    private Moments() {}

    /** Returns what clocks show, with the mark of the later one of two. */
    static LocalDateTime shown(Instant moment, ZoneId zone) {
        LocalDateTime time = rounded(LocalDateTime.ofInstant(moment, zone), 7);
        List<ZoneOffset> offsets = zone.getRules().getValidOffsets(time);
        boolean later =
                offsets.size() == 2 && offsets.get(1).equals(zone.getRules().getOffset(moment));
        return later ? time.plusNanos(LATER) : time;
    }

    /** Returns the moment at which clocks show a time. */
    static Instant moment(LocalDateTime time, ZoneId zone) {
        LocalDateTime plain = plain(time);
        List<ZoneOffset> offsets = zone.getRules().getValidOffsets(plain);
        if (offsets.isEmpty()) {
            throw new NotEvaluatedException(
                    "The time " + plain + " beside a datetimeoffset",
                    "clocks in " + zone + " skip it",
                    "Write it with its offset");
        }
        return plain.toInstant(offsets.get(isLater(time) ? offsets.size() - 1 : 0));
    }

    /** Returns whether a time is the later one of the two at which clocks show it. */
    static boolean isLater(LocalDateTime time) {
        return nanos(time) % STEP == LATER;
    }

    /** Returns a time without the mark. */
    static LocalDateTime plain(LocalDateTime time) {
        return time.withNano(nanos(time) - nanos(time) % STEP);
    }

    /** Returns a time that was converted, with the mark of what it was converted from if it can have one. */
    static LocalDateTime marked(LocalDateTime converted, LocalDateTime from, ZoneId zone) {
        boolean later =
                isLater(from) && zone.getRules().getValidOffsets(converted).size() == 2;
        return later ? converted.plusNanos(LATER) : converted;
    }

    /** Returns a time with so many digits of a second, rounded. A mark goes. */
    static LocalDateTime rounded(LocalDateTime time, int digits) {
        int step = STEP;
        for (int i = digits; i < 7; i++) {
            step *= 10;
        }
        LocalDateTime up = time.plusNanos(step / 2);
        return up.withNano(nanos(up) - nanos(up) % step);
    }

    private static int nanos(LocalDateTime time) {
        return time.get(ChronoField.NANO_OF_SECOND);
    }
}
