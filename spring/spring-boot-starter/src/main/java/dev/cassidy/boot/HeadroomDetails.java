package dev.cassidy.boot;

import dev.cassidy.sequence.cassandra.SequenceHeadroom;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What the health endpoint tells of the sequences: figures of the last look, so a health check sends nothing.
 *
 * @param exhausted whether a sequence has no ids left to grant and none in reserve
 * @param sequences by session, and then by name
 */
record HeadroomDetails(boolean exhausted, Map<String, Object> sequences) {

    static HeadroomDetails of(UsedSequences used) {
        Map<String, Object> sessions = new LinkedHashMap<>();
        boolean[] exhausted = {false};
        used.all().forEach((session, sequences) -> {
            Map<String, Object> details = new LinkedHashMap<>();
            for (SequenceHeadroom seen : sequences.lastHeadroom()) {
                details.put(seen.sequence(), details(seen));
                exhausted[0] |= seen.next().isEmpty() && seen.reserved() == 0;
            }
            sessions.put(session, details);
        });
        return new HeadroomDetails(exhausted[0], sessions);
    }

    private static Map<String, Object> details(SequenceHeadroom seen) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("free", String.format(Locale.ROOT, "%.2f %%", seen.freePercent()));
        details.put("reserved", seen.reserved());
        seen.end().ifPresent(end -> details.put("projectedEnd", end.toString()));
        details.put("seen", seen.at().toString());
        return details;
    }
}
