package dev.cassidy.boot;

import dev.cassidy.jdbc.CassidyDriver;
import dev.cassidy.sequence.cassandra.Sequences;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The sequences that the application has open: those of its CqlSessions, named after their beans, and those of its JDBC
 * connections, named {@code jdbc}. Safe for use by many threads.
 */
final class UsedSequences implements AutoCloseable {

    private static final String JDBC = "jdbc";

    private final IdentityHashMap<Sequences, String> names = new IdentityHashMap<>();
    private final List<Listener> listeners = new ArrayList<>();
    private final Runnable ended;

    private record Listener(BiConsumer<String, Sequences> opened, Consumer<Sequences> closing) {}

    UsedSequences() {
        ended = CassidyDriver.onSequences(sequences -> opened(JDBC, sequences), this::closing);
    }

    /** @param name is followed by a number if others have it already, as with a second pool */
    synchronized void opened(String name, Sequences sequences) {
        String free = name;
        for (int i = 2; names.containsValue(free); i++) {
            free = name + '-' + i;
        }
        names.put(sequences, free);
        for (Listener listener : listeners) {
            listener.opened().accept(free, sequences);
        }
    }

    synchronized void closing(Sequences sequences) {
        if (names.remove(sequences) != null) {
            listeners.forEach(listener -> listener.closing().accept(sequences));
        }
    }

    /** Tells of those that are open already, and of those to come; must not wait. */
    synchronized void listen(BiConsumer<String, Sequences> opened, Consumer<Sequences> closing) {
        listeners.add(new Listener(opened, closing));
        names.forEach((sequences, name) -> opened.accept(name, sequences));
    }

    /** Returns the open ones, by their names. */
    synchronized Map<String, Sequences> all() {
        Map<String, Sequences> all = new TreeMap<>();
        names.forEach((sequences, name) -> all.put(name, sequences));
        return all;
    }

    @Override
    public void close() {
        ended.run();
    }
}
