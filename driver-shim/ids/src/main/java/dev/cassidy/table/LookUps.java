package dev.cassidy.table;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongSupplier;

/**
 * When names that are not known were looked up last: each at most once a second. The names come from statements, so only a
 * limited number is remembered. Safe for use by many threads.
 */
final class LookUps<K> {

    static final int MAX_NAMES = 10_000;
    static final Duration PAUSE = Duration.ofSeconds(1);

    private final LongSupplier nanoTime;
    private final ConcurrentMap<K, Long> begun = new ConcurrentHashMap<>();

    LookUps(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Returns whether to look the name up now; then it was looked up now. */
    boolean begin(K name) {
        long now = nanoTime.getAsLong();
        Long before = begun.get(name);
        if (before != null && now - before < PAUSE.toNanos()) {
            return false;
        }
        if (before == null && begun.size() >= MAX_NAMES) {
            // One look too many, of names that were looked up just now, does no harm.
            begun.clear();
        }
        begun.put(name, now);
        return true;
    }

    /** Returns how many names are remembered. */
    int size() {
        return begun.size();
    }
}
