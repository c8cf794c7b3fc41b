package dev.cassidy.tsql;

import dev.cassidy.insert.CqlInsert;
import org.jspecify.annotations.Nullable;

/**
 * Tells what the schema has, for texts that mean one thing in T-SQL and another in CQL. All names are internal ones; a
 * null keyspace is the session's own. Implementations are safe for use by many threads and never block.
 */
public interface Schema {

    /** Nothing is known: such a text is read as T-SQL. */
    Schema UNKNOWN = new Schema() {
        @Override
        public boolean isType(@Nullable String keyspace, String type) {
            return false;
        }

        @Override
        public boolean isField(CqlInsert.Table table, String column, String field) {
            return false;
        }
    };

    /** Returns whether the keyspace has a user-defined type of that name: {@code money} need not be T-SQL's. */
    boolean isType(@Nullable String keyspace, String type);

    /** Returns whether {@code column.field} is a field of the table, even if the column has the table's name. */
    boolean isField(CqlInsert.Table table, String column, String field);
}
