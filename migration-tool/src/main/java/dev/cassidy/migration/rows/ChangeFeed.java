package dev.cassidy.migration.rows;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** What a source remembers of the rows that were inserted, updated and deleted since a version. */
public interface ChangeFeed {

    /** Returns the version that the source has now; empty if it tracks no changes. */
    OptionalLong version(Connection connection) throws SQLException;

    /** Returns the oldest version since which a table's changes are all known; empty if they are not tracked. */
    OptionalLong oldest(Connection connection, RowTable table) throws SQLException;

    /**
     * Returns the version since which a table's changes will all be known; empty if they are not tracked, or if the source
     * cannot be asked.
     */
    default OptionalLong begin(Connection connection, RowTable table) {
        try {
            return oldest(connection, table).isPresent() ? version(connection) : OptionalLong.empty();
        } catch (SQLException e) {
            // What stands in for SQL Server may not have it.
            return OptionalLong.empty();
        }
    }

    /**
     * Returns the query for the rows of a table that changed after a version, each once. Its first columns are those of
     * {@link RowTable#columns}, as they are now, all NULL for a row that is gone. The columns of the source's primary key follow,
     * in its order, of every row.
     */
    String changed(RowTable table, long after);

    /** Returns the feed of an engine; empty if there is none. */
    static Optional<ChangeFeed> of(String engine) {
        return engine.startsWith("SQL Server") ? Optional.of(new SqlServerChangeTracking()) : Optional.empty();
    }

    /** Returns the names of a table's primary key. */
    static List<String> key(RowTable table) {
        return table.source().primaryKey();
    }
}
