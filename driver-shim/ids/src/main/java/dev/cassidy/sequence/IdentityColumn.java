package dev.cassidy.sequence;

import java.util.Objects;

/**
 * Which column of a table takes the ids of which sequence.
 *
 * @param keyspace the table's keyspace, in its internal (case-exact, unquoted) form
 * @param table the table, in its internal form
 * @param column the column, in its internal form
 * @param sequence the sequence's name
 */
public record IdentityColumn(String keyspace, String table, String column, String sequence) {
    public IdentityColumn {
        Objects.requireNonNull(keyspace, "keyspace");
        Objects.requireNonNull(table, "table");
        Objects.requireNonNull(column, "column");
        Objects.requireNonNull(sequence, "sequence");
    }
}
