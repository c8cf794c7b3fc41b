package dev.cassidy.reliability.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** When a process could not read its reserve. One object for each process. */
final class FailedReads {

    /**
     * @param outage the same number for reads between which none succeeded
     * @param at in nanoseconds
     */
    private record Failure(int outage, long at) {}

    private final List<Failure> failures = new ArrayList<>();
    private int outage;

    void succeeded() {
        outage++;
    }

    void failed(long now) {
        failures.add(new Failure(outage, now));
    }

    /** Returns how many there are. */
    int count() {
        return failures.size();
    }

    /** Whether reads after the first {@code count} failed for so long, without one between them that succeeded. */
    boolean lastedAfter(int count, Duration time) {
        for (int i = count, first = count; i < failures.size(); i++) {
            if (failures.get(i).outage() != failures.get(first).outage()) {
                first = i;
            }
            if (failures.get(i).at() - failures.get(first).at() >= time.toNanos()) {
                return true;
            }
        }
        return false;
    }
}
