package dev.cassidy.tsql;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.UnsupportedSqlException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells what the schema has, for statements that mean one thing in T-SQL and another in CQL. All names are internal ones; a
 * null keyspace is the session's own. Implementations are safe for use by many threads.
 */
public interface Schema {

    /** Nothing is known: such a statement is read as T-SQL. */
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

    /**
     * Reads again what is known of a table, before a statement is refused because of it: another session may have changed the
     * table a moment ago. At most once a second for each table.
     */
    default void readAgain(CqlInsert.Table table) {}

    /** Returns whether the keyspace has a user-defined type of that name: {@code money} need not be T-SQL's. */
    boolean isType(@Nullable String keyspace, String type);

    /** Returns whether {@code column.field} is a field of the table, even if the column has the table's name. */
    boolean isField(CqlInsert.Table table, String column, String field);

    /** Returns whether the table has all the columns, exactly so named; also if the schema tells nothing. */
    default boolean hasAll(CqlInsert.Table table, List<String> columns) {
        return true;
    }

    /** Returns whether the table is known and has the column. */
    default boolean isColumn(CqlInsert.Table table, String column) {
        return false;
    }

    /** Returns whether the table is known and the column contains texts, which {@code +} joins. */
    default boolean isText(CqlInsert.Table table, String column) {
        return false;
    }

    /** Returns the columns of the table's primary key, as statements name them; none if the table is not known. */
    default List<String> namedKey(CqlInsert.Table table) {
        return List.of();
    }

    /** Returns whether a column is in the primary key by a twin: by what its collation takes for equal. */
    default boolean hasTwin(CqlInsert.Table table, String column) {
        return false;
    }

    /**
     * Returns whether T-SQL has made the table that exists now, so that words of both languages have T-SQL's meaning in what
     * changes it. May ask the cluster.
     */
    default boolean isTsql(CqlInsert.Table table) {
        return false;
    }

    /** Returns whether an index of the column serves LIKE, so that the statement can stay as it is. */
    default boolean servesLike(CqlInsert.Table table, String column) {
        return false;
    }

    /**
     * Returns the columns, by internal name, that an INSERT without a column list gives values, in their order; none if
     * it is not known.
     */
    default List<String> insertedColumns(CqlInsert.Table table) {
        return List.of();
    }

    /**
     * Returns what DEFAULT stands for as the value of a column, as CQL; NULL if the column has no default.
     *
     * @throws UnsupportedSqlException for a default that gives each row another value that the server cannot make
     */
    default String defaultOf(CqlInsert.Table table, String column) {
        throw new UnsupportedSqlException("SET " + column + " = DEFAULT", "write the value");
    }

    /** Returns the columns of a table in the order in which T-SQL has declared them; none if T-SQL has not made it. */
    default List<Selected> selectedColumns(CqlInsert.Table table) {
        return List.of();
    }

    /**
     * A column of {@code SELECT *}.
     *
     * @param column its internal name
     * @param label the name as it was declared
     */
    record Selected(String column, String label) {}

    /** Returns whether a SELECT that has no form in CQL may be served in the client: it can be read, and there is what serves it. */
    default boolean mayAssist(String select) {
        return false;
    }

    /** As {@link #mayAssist}, of an UPDATE, DELETE, MERGE or INSERT ... SELECT. */
    default boolean mayAssistChange(String change) {
        return false;
    }

    /** Returns the columns of a table to which statements add, and which they set to nothing; internal names. */
    default Set<String> countedColumns(CqlInsert.Table table) {
        return Set.of();
    }

    /** Returns the exact name of the only table whose name differs in case alone; otherwise the name as it is given. */
    default String tableLike(@Nullable String keyspace, String name) {
        return name;
    }

    /** Returns the exact name of the table's only column whose name differs in case alone; otherwise as it is given. */
    default String columnLike(CqlInsert.Table table, String name) {
        return name;
    }
}
