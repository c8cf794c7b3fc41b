package dev.cassidy.migration.assess;

import java.util.List;
import java.util.Optional;

/**
 * By which way a statement reaches its rows, and what that costs.
 *
 * @param table with its keyspace, as CQL writes it
 * @param nodes about how many nodes are asked; 0 for the replicas of the given keys alone, and where it is not known
 * @param cost in words; empty for KEY and PARTITION
 * @param refusal why it is refused for what it costs, and what to do; empty if it is not
 * @param tableByKey the definition of a table by which it would be cheap; empty if it is, or there is none
 * @param indexes the definitions of the indexes that would serve it together; empty if it needs none, or none would
 * @param texts the columns of type text that are compared by value, as part of the key or in WHERE, and not as the old database
 *     compares them
 */
public record Access(
        String table,
        Kind kind,
        int nodes,
        String cost,
        String refusal,
        Optional<String> tableByKey,
        List<String> indexes,
        List<String> texts) {

    /** From the cheapest to the dearest. */
    public enum Kind {
        /** Each row by its primary key. */
        KEY("key"),
        /** Rows of one partition, or of a list of them. */
        PARTITION("partition"),
        /** Nodes all over the cluster. */
        FAN_OUT("fan-out"),
        /** Neither a key nor an index. */
        REFUSED("refused"),
        /** Only the tables could tell. */
        UNKNOWN("unknown");

        private final String shown;

        Kind(String shown) {
            this.shown = shown;
        }

        @Override
        public String toString() {
            return shown;
        }
    }

    public Access {
        texts = List.copyOf(texts);
    }

    /** Returns the same with indexes that would serve it. */
    Access with(List<String> proposed) {
        return new Access(table, kind, nodes, cost, refusal, tableByKey, proposed, texts);
    }
}
