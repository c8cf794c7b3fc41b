package dev.cassidy.jdbc.session;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of statements that are evaluated in the client and come near to a bound, before one of them is refused: of each statement once
 * an hour, and once more if it comes nearer. Safe for use by many threads.
 */
public final class NearBounds {

    private static final Logger LOG = LoggerFactory.getLogger(NearBounds.class);

    private static final Duration AGAIN = Duration.ofHours(1);

    private static final int MAX_REMEMBERED = 1_000;

    private final LongSupplier nanoTime;

    /** When something was said of a statement, by it and the part of the bound; the ones that were said longest ago first. */
    private final Map<String, Long> said = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > MAX_REMEMBERED;
        }
    };

    NearBounds(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * Returns whether a warning is due; if so, it counts as said.
     *
     * @param statement by what the statement is known
     * @param percent which part of a bound it has passed
     */
    public synchronized boolean isDue(String statement, int percent) {
        String what = percent + " " + statement;
        long now = nanoTime.getAsLong();
        Long before = said.get(what);
        if (before != null && now - before < AGAIN.toNanos()) {
            return false;
        }
        said.remove(what);
        said.put(what, now);
        return true;
    }

    /** Logs a warning. */
    public void warn(String message) {
        LOG.warn("{}", message);
    }
}
