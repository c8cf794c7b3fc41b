package dev.cassidy.cluster;

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
public final class ExitHook {

    public static final ExitHook INSTANCE = new ExitHook();

    private static final Logger LOG = LoggerFactory.getLogger(ExitHook.class);

    /** The sender of SIGTERM sends SIGKILL next; a few ids are not worth being killed for. */
    private static final Duration MOST = Duration.ofSeconds(2);

    private final Map<ProcessBound, Boolean> open = new WeakHashMap<>();
    private boolean registered;

    private ExitHook() {}

    public synchronized void add(ProcessBound instance) {
        if (!registered) {
            registered = true;
            try {
                Runtime.getRuntime().addShutdownHook(new Thread(this::closeAll, "cassidy-exit"));
            } catch (IllegalStateException exiting) {
                LOG.debug("opened while the process ends: its ids will not be given back", exiting);
            }
        }
        open.put(instance, true);
        CheckpointHook.register();
    }

    public synchronized void remove(ProcessBound instance) {
        open.remove(instance);
    }

    private void closeAll() {
        forEachOpen(instance -> instance.close(MOST));
    }

    /** In parallel, since each may have to wait for Cassandra. */
    void forEachOpen(Consumer<ProcessBound> step) {
        ProcessBound[] left;
        synchronized (this) {
            left = open.keySet().toArray(ProcessBound[]::new);
        }
        Arrays.stream(left).parallel().forEach(step);
    }
}
