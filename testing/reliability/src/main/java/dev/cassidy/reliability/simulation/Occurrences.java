package dev.cassidy.reliability.simulation;

import java.util.EnumMap;
import java.util.Map;

/** Counts what happens in one schedule. */
final class Occurrences {

    private final Map<Occurrence, Long> counts = new EnumMap<>(Occurrence.class);

    void count(Occurrence occurrence) {
        counts.merge(occurrence, 1L, Long::sum);
    }

    Map<Occurrence, Long> counts() {
        return Map.copyOf(counts);
    }
}
