package dev.cassidy.migration.source;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import java.sql.Connection;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * A database that is migrated, over one connection. Reading changes nothing there. An implementation serves one kind of
 * engine. Not safe for use by many threads.
 *
 * <p>Failures are {@link MigrationException} with
 * {@link ExitCode#SOURCE}.
 */
public interface Source extends AutoCloseable {

    /** Returns the engine's name as people know it, for example {@code SQL Server}. */
    String engine();

    SourceUrl url();

    /** Returns the connection of this source. It is read-only, and closed with the source. */
    Connection connection();

    /** Opens a further connection with the same login, read-only, which the caller closes. */
    Connection connect();

    /** Returns {@code name} as SQL takes it whatever its characters and its case. */
    String quote(String name);

    /** Returns a table as SQL takes it. */
    default String quoted(String schema, String table) {
        return quote(schema) + "." + quote(table);
    }

    /**
     * Reads the chosen identity columns as they are now.
     *
     * @param choose takes the columns that the catalogue shows, and returns those to read
     * @throws MigrationException {@link ExitCode#RISK} if one is
     *     changed or dropped meanwhile
     */
    List<Reading> read(UnaryOperator<List<SourceColumn>> choose);

    /**
     * Returns the user's own tables, ordered by schema and name: columns, keys, indexes and foreign keys, of which the
     * catalogue shows what the login may see.
     *
     * @param chosen is asked with {@code schema.table}
     */
    List<SourceTable> tables(Predicate<String> chosen);

    @Override
    void close();
}
