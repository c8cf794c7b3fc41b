package dev.cassidy.transaction.cassandra;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Remembers a limited number of values by their text: the one that was not used for longest goes first. Safe for use by many threads. */
final class LastUsed<V> {

    private final Map<String, V> values;

    /** @param most how many are remembered */
    LastUsed(int most) {
        this.values = new LinkedHashMap<>(64, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
                return size() > most;
            }
        };
    }

    synchronized @Nullable V get(String text) {
        return values.get(text);
    }

    synchronized void put(String text, V value) {
        values.put(text, value);
    }
}
