package dev.cassidy.sequence.store;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * How many ordinals are claimed from a reserve in an hour: the current one, and the busiest hour of each of the last
 * seven days. The claims write it along, so it costs no statement of its own.
 *
 * @param hour hours since 1970-01-01T00:00Z
 * @param claimed in that hour so far
 * @param dailyPeaks the busiest hour of that day and the six before it, newest first; the current hour is not in it
 */
public record Usage(long hour, long claimed, List<Long> dailyPeaks) {

    private static final int DAYS = 7;
    private static final int HOURS_A_DAY = 24;

    public static final Usage NONE = new Usage(0, 0, Collections.nCopies(DAYS, 0L));

    public Usage {
        dailyPeaks = List.copyOf(dailyPeaks);
        if (dailyPeaks.size() != DAYS) {
            throw new IllegalArgumentException("must be " + DAYS + ": days=" + dailyPeaks.size());
        }
    }

    /** Returns this with {@code count} more claimed in {@code now}, an hour since 1970. */
    public Usage plus(long count, long now) {
        // Clocks of processes differ by minutes; a clock that was a day ahead must not stop the counting for a day.
        boolean sameHour = now <= hour && now > hour - HOURS_A_DAY;
        if (sameHour) {
            return new Usage(hour, Math.addExact(claimed, count), dailyPeaks);
        }
        List<Long> peaks = new ArrayList<>(dailyPeaks);
        peaks.set(0, Math.max(peaks.get(0), claimed));
        long days = Math.max(0, now / HOURS_A_DAY - hour / HOURS_A_DAY);
        for (long day = 0; day < Math.min(days, DAYS); day++) {
            peaks.remove(DAYS - 1);
            peaks.add(0, 0L);
        }
        return new Usage(now, count, peaks);
    }

    /** Returns the most that was claimed in an hour of the last seven days. */
    public long peakHourly() {
        return Math.max(claimed, Collections.max(dailyPeaks));
    }

    /** Returns this as numbers for the store: the hour, its count, the peaks; empty for {@link #NONE}. */
    public List<Long> toList() {
        if (equals(NONE)) {
            return List.of();
        }
        List<Long> numbers = new ArrayList<>(List.of(hour, claimed));
        numbers.addAll(dailyPeaks);
        return numbers;
    }

    /** Reads what {@link #toList} wrote; an empty list is {@link #NONE}. */
    public static Usage of(List<Long> numbers) {
        return numbers.isEmpty() ? NONE : new Usage(numbers.get(0), numbers.get(1), numbers.subList(2, numbers.size()));
    }
}
