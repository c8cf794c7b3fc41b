package dev.cassidy.counter.protocol;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which counters cannot be settled. Each is logged once, until it is settled or fails otherwise. Safe for many threads. */
final class Troubles {

    private static final Logger LOG = LoggerFactory.getLogger(Troubles.class);

    /** So many are remembered. */
    private static final int MOST = 1_000;

    private record Key(String counter, String actor) {}

    @GuardedBy("this")
    private final Map<Key, Unsettled> found = new LinkedHashMap<>();

    void failed(String counter, String actor, Throwable cause) {
        Unsettled trouble = new Unsettled(counter, actor, String.valueOf(cause.getMessage()));
        synchronized (this) {
            Key key = new Key(counter, actor);
            if (trouble.equals(found.get(key)) || (found.size() == MOST && !found.containsKey(key))) {
                return;
            }
            found.put(key, trouble);
        }
        LOG.warn(
                "counter '{}' cannot be settled for the dead process of slot {}; other counters are, and it is tried"
                        + " again in the janitor's next turn: {}",
                counter,
                actor,
                trouble.why());
    }

    synchronized void settled(String counter, String actor) {
        found.remove(new Key(counter, actor));
    }

    synchronized List<Unsettled> all() {
        return List.copyOf(found.values());
    }
}
