package dev.cassidy.tsql;

import dev.cassidy.insert.CqlInsert;
import org.jspecify.annotations.Nullable;

/**
 * An object of the schema that may exist or not. Names are internal ones.
 *
 * @param keyspace null for the session's own
 * @param table of a column or an index; null for other objects
 */
public record SchemaObject(
        Kind kind, @Nullable String keyspace, @Nullable String table, String name) {

    /** What an object is. */
    public enum Kind {
        TABLE,
        COLUMN,
        INDEX,
        SEQUENCE,
        /** A table or a sequence. */
        ANY,
        /** What Cassandra never has, such as a view, a procedure or a foreign key. */
        NOTHING
    }

    SchemaObject(Kind kind, CqlInsert.Table named) {
        this(kind, named.keyspace(), null, named.name());
    }
}
