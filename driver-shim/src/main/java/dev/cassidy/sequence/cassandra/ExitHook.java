package dev.cassidy.sequence.cassandra;

import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives unused ids back when the process ends without closing what it opened, as programs on a JDBC driver do. There is
 * one hook for the whole process; it keeps no instance from being collected.
 */
final class ExitHook {

    static final ExitHook INSTANCE = new ExitHook();

    private static final Logger LOG = LoggerFactory.getLogger(ExitHook.class);

    /** The sender of SIGTERM sends SIGKILL next; a few ids are not worth being killed for. */
    private static final Duration MOST = Duration.ofSeconds(2);

    private final Map<Sequences, Boolean> open = new WeakHashMap<>();
    private boolean registered;

    private ExitHook() {}

    synchronized void add(Sequences sequences) {
        if (!registered) {
            registered = true;
            try {
                Runtime.getRuntime().addShutdownHook(new Thread(this::closeAll, "cassidy-exit"));
            } catch (IllegalStateException exiting) {
                LOG.debug("opened while the process ends: its ids will not be given back", exiting);
            }
        }
        open.put(sequences, true);
        CheckpointHook.register();
    }

    synchronized void remove(Sequences sequences) {
        open.remove(sequences);
    }

    private void closeAll() {
        forEachOpen(sequences -> sequences.close(MOST));
    }

    /** In parallel, since each may have to wait for Cassandra. */
    void forEachOpen(Consumer<Sequences> step) {
        Sequences[] left;
        synchronized (this) {
            left = open.keySet().toArray(Sequences[]::new);
        }
        Arrays.stream(left).parallel().forEach(step);
    }
}
