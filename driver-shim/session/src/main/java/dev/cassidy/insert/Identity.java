package dev.cassidy.insert;

import java.util.Objects;

/**
 * A column that takes the ids of a sequence. All names are in their internal form: case-exact and unquoted.
 *
 * @param byDefault whether it is a column of the primary key with DEFAULT NEXT VALUE FOR the sequence; false if it is
 *     registered as the table's identity
 */
public record Identity(String keyspace, String table, String column, String sequence, boolean byDefault) {
    public Identity {
        Objects.requireNonNull(keyspace, "keyspace");
        Objects.requireNonNull(table, "table");
        Objects.requireNonNull(column, "column");
        Objects.requireNonNull(sequence, "sequence");
    }

    /** A registered one. */
    public Identity(String keyspace, String table, String column, String sequence) {
        this(keyspace, table, column, sequence, false);
    }
}
