package dev.cassidy.jdbc.session;

import dev.cassidy.sequence.cassandra.Sequences;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The sequences that the connections of a process have open, and who wants to know of them. Safe for use by many threads.
 */
public final class OpenSequences {

    private final List<Sequences> open = new ArrayList<>();
    private final List<Listener> listeners = new ArrayList<>();

    private record Listener(Consumer<Sequences> opened, Consumer<Sequences> closing) {}

    /**
     * Tells of those that are open already, and of those to come. A listener is called under a lock, so that it learns of each
     * opening before the closing: it must not wait.
     *
     * @return ends it
     */
    public synchronized Runnable listen(Consumer<Sequences> opened, Consumer<Sequences> closing) {
        Listener listener = new Listener(opened, closing);
        listeners.add(listener);
        open.forEach(opened);
        return () -> remove(listener);
    }

    private synchronized void remove(Listener listener) {
        listeners.remove(listener);
    }

    synchronized void opened(Sequences sequences) {
        open.add(sequences);
        listeners.forEach(listener -> listener.opened().accept(sequences));
    }

    synchronized void closing(Sequences sequences) {
        if (open.remove(sequences)) {
            listeners.forEach(listener -> listener.closing().accept(sequences));
        }
    }
}
