package dev.cassidy.insert;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Remembers how the most used statements were read: a statement that is not used while two generations fill up is forgotten. Long
 * statements, and those that cannot be read without an exception, are read each time. Safe for use by many threads; never
 * blocks.
 */
public final class RecentStatements<V> {

    private static final int GENERATION = 1_000;
    private static final int LONGEST_TEXT = 10_000;

    private final Function<String, V> read;
    private volatile Map<String, V> young = new ConcurrentHashMap<>();
    private volatile Map<String, V> old = Map.of();

    /** @param read gives equal results for equal statements, and never null */
    public RecentStatements(Function<String, V> read) {
        this.read = read;
    }

    /** Returns the result for {@code text}; throws what reading it throws. */
    public V of(String text) {
        V known = young.get(text);
        if (known != null) {
            return known;
        }
        known = old.get(text);
        if (known == null) {
            known = read.apply(text);
        }
        if (text.length() <= LONGEST_TEXT) {
            remember(text, known);
        }
        return known;
    }

    private void remember(String text, V value) {
        // Two threads may both begin a generation; a statement that is forgotten too early is read again.
        if (young.size() >= GENERATION) {
            old = young;
            young = new ConcurrentHashMap<>();
        }
        young.put(text, value);
    }
}
