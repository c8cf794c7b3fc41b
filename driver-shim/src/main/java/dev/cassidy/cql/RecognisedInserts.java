package dev.cassidy.cql;

import dev.cassidy.insert.CqlInsert;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Remembers what texts were recognised as, the most used of them: a text that is not asked for while two generations
 * fill up is forgotten. Never blocks.
 */
final class RecognisedInserts {

    private static final int GENERATION = 1_000;
    private static final int LONGEST_TEXT = 10_000;

    private volatile Map<String, Optional<CqlInsert>> young = new ConcurrentHashMap<>();
    private volatile Map<String, Optional<CqlInsert>> old = Map.of();

    Optional<CqlInsert> of(String cql) {
        Optional<CqlInsert> known = young.get(cql);
        if (known != null) {
            return known;
        }
        known = old.get(cql);
        if (known == null) {
            known = CqlInsert.recognise(cql);
        }
        if (cql.length() <= LONGEST_TEXT) {
            remember(cql, known);
        }
        return known;
    }

    private void remember(String cql, Optional<CqlInsert> insert) {
        // Two threads may both begin a generation; what is forgotten too early is recognised again.
        if (young.size() >= GENERATION) {
            old = young;
            young = new ConcurrentHashMap<>();
        }
        young.put(cql, insert);
    }
}
