package dev.cassidy.counter;

import java.util.List;
import java.util.Map;

/**
 * What was removed from a keyspace. Functions are named as {@code crdt_sum(bigint)}.
 *
 * @param removed what is gone
 * @param kept what something else needs and so is still there, with Cassandra's reason, which names what needs it
 */
public record CrdtFunctionsRemoved(List<String> removed, Map<String, String> kept) {

    public CrdtFunctionsRemoved {
        removed = List.copyOf(removed);
        kept = Map.copyOf(kept);
    }
}
