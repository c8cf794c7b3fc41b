package dev.cassidy.sequence;

import java.util.List;

/**
 * When a sequence raises an alarm about the ids that are left.
 *
 * @param usedPercent percentages of the space, each from 1 to 100, ascending; an alarm is raised when one is passed
 * @param daysLeft an alarm is raised when the space is projected to end in fewer days; 0 for never
 */
public record AlarmThresholds(List<Integer> usedPercent, int daysLeft) {

    public AlarmThresholds {
        usedPercent = List.copyOf(usedPercent);
        int before = 0;
        for (int percent : usedPercent) {
            if (percent <= before || percent > 100) {
                throw new IllegalArgumentException("must be from 1 to 100 and ascending: usedPercent=" + usedPercent);
            }
            before = percent;
        }
        if (daysLeft < 0) {
            throw new IllegalArgumentException("must be >= 0: daysLeft=" + daysLeft);
        }
    }

    /** Returns 50, 70, 85 and 95 %, and 180 days. */
    public static AlarmThresholds defaults() {
        return new AlarmThresholds(List.of(50, 70, 85, 95), 180);
    }
}
