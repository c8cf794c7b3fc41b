package dev.cassidy.table;

import org.jspecify.annotations.Nullable;

/**
 * A table that another installation numbers, or is giving away.
 *
 * @param installation its global keyspace
 * @param movingTo the global keyspace of the installation to which the table is being moved; null if it is not
 */
public record ForeignTable(
        String keyspace,
        String table,
        String installation,
        @Nullable String movingTo) {

    /** Returns {@code keyspace.table}. */
    public String name() {
        return keyspace + "." + table;
    }
}
