package dev.cassidy.insert;

import java.util.Objects;

/**
 * The identity of a table: the column that takes the ids of a sequence. All names are in their internal form:
 * case-exact and unquoted.
 */
public record Identity(String keyspace, String table, String column, String sequence) {
    public Identity {
        Objects.requireNonNull(keyspace, "keyspace");
        Objects.requireNonNull(table, "table");
        Objects.requireNonNull(column, "column");
        Objects.requireNonNull(sequence, "sequence");
    }
}
