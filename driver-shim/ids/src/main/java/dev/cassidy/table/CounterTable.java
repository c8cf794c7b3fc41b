package dev.cassidy.table;

import java.util.Objects;
import java.util.UUID;

/**
 * What is declared of a table of counters.
 *
 * @param id of the table; another table that gets the name later is not declared by this
 * @param kind the name of the kind of counters, {@code FOLDED} for instance
 */
public record CounterTable(UUID id, String kind) {

    public CounterTable {
        Objects.requireNonNull(id, "id");
        if (kind.isEmpty()) {
            throw new IllegalArgumentException("must name a kind of counters: kind=''");
        }
    }
}
