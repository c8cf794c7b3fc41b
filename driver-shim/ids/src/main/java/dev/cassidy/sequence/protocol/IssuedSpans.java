package dev.cassidy.sequence.protocol;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Ordinals that a process has issued of a sequence: none of them is issued again. It
 * knows at most {@value #MAX_RUNS} runs, and forgets the lowest first. Safe for use by many threads.
 */
public final class IssuedSpans {

    static final int MAX_RUNS = 1_000;

    /** From where each run begins to where it ends, exclusive. Null while there is none, as in most processes. */
    @GuardedBy("this")
    private @Nullable TreeMap<Long, Long> runs;

    /** Adds the ordinals from {@code lo} to {@code hi}, exclusive. */
    public synchronized void add(long lo, long hi) {
        if (lo >= hi) {
            return;
        }
        TreeMap<Long, Long> all = runs == null ? new TreeMap<>() : runs;
        runs = all;
        long from = lo;
        long to = hi;
        // Blocks that a process claims alone follow each other, and are one run.
        Map.Entry<Long, Long> touching = all.floorEntry(to);
        while (touching != null && touching.getValue() >= from) {
            from = Math.min(from, touching.getKey());
            to = Math.max(to, touching.getValue());
            all.remove(touching.getKey());
            touching = all.floorEntry(to);
        }
        all.put(from, to);
        if (all.size() > MAX_RUNS) {
            all.pollFirstEntry();
        }
    }

    public synchronized boolean contains(long ordinal) {
        Map.Entry<Long, Long> run = runs == null ? null : runs.floorEntry(ordinal);
        return run != null && ordinal < run.getValue();
    }

    synchronized void clear() {
        runs = null;
    }
}
