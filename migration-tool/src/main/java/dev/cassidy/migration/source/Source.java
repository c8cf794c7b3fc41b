package dev.cassidy.migration.source;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.Finding;
import dev.cassidy.migration.error.MigrationException;
import java.math.BigInteger;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
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

    /** Opens a further connection with the same login, which may write, and which the caller closes. */
    Connection connectToWrite();

    /**
     * Returns how rows with ids of their own are inserted into a table with an identity column.
     *
     * @param quotedTable the table as SQL takes it
     */
    ExplicitIds explicitIds(String quotedTable);

    /**
     * How a session inserts rows with ids of their own.
     *
     * @param before statements that the session executes first
     * @param overriding what stands between the columns and VALUES; may be empty
     * @param after statements that the session executes last
     */
    record ExplicitIds(List<String> before, String overriding, List<String> after) {

        public ExplicitIds {
            before = List.copyOf(before);
            after = List.copyOf(after);
        }
    }

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
    default List<Reading> read(UnaryOperator<List<SourceColumn>> choose) {
        return read(choose, ScanLimit.ALWAYS);
    }

    /**
     * Does the same as {@link #read(UnaryOperator)}, and leaves maxima out that would read too much. What is left out stays the
     * same for as long as this source is open.
     *
     * @param limit which tables may be read from end to end
     */
    List<Reading> read(UnaryOperator<List<SourceColumn>> choose, ScanLimit limit);

    /** Returns all identity columns and SEQUENCE objects with their last values, from the catalogue alone. */
    Map<SourceColumn, Optional<BigInteger>> lastValues();

    /**
     * Returns the user's own tables, ordered by schema and name: columns, keys, indexes and foreign keys, of which the
     * catalogue shows what the login may see.
     *
     * @param chosen is asked with {@code schema.table}
     */
    List<SourceTable> tables(Predicate<String> chosen);

    /**
     * Returns how many rows tables have, by {@code schema.table}, as far as the catalogue has it: as good as its statistics, and read
     * once. No table is read for it.
     */
    Map<String, Long> tableSizes();

    /**
     * Returns what the user should know before anything is migrated: rights that are not known, rows that are hidden from
     * this login, and what does not move with the tables.
     *
     * @param chosen the columns that are migrated
     */
    List<Finding> findings(List<SourceColumn> chosen);

    /** Returns the fences of {@code columns}, of each the strictest; columns without one are left out. */
    Map<SourceColumn, Fence> fences(List<SourceColumn> columns);

    /**
     * Returns the statement that makes {@code next}, or the id after it, the next one that the source issues for {@code
     * column}, which may be a SEQUENCE object.
     */
    String reseed(SourceColumn column, BigInteger next);

    /**
     * Does the same as {@link #addFence(SourceColumn, BigInteger)}, by another name.
     *
     * @param name begins as the names of all fences of the column do
     */
    List<String> addFence(SourceColumn column, BigInteger last, String name);

    /**
     * Returns the statements that put a fence at {@code last} in the place of another one. The new one stands before the other
     * goes, so that no limit is forgotten if this ends in the middle.
     */
    default List<String> replaceFence(SourceColumn column, Fence fence, BigInteger last) {
        List<String> statements = new ArrayList<>(addFence(column, last, Fence.nameBeside(column, last, fence)));
        statements.addAll(dropFence(column, fence));
        return statements;
    }

    /** Returns the statements that make the source refuse ids of {@code column} beyond {@code last}. */
    default List<String> addFence(SourceColumn column, BigInteger last) {
        return addFence(column, last, Fence.name(column, last));
    }

    /** Returns the statements that remove a fence, also one that is there in part. */
    List<String> dropFence(SourceColumn column, Fence fence);

    /** Returns what a fence costs and what it does not stop in this engine, for the user to read before it is added. */
    String fenceNote();

    /**
     * Executes a statement that needs a lock on the table of {@code column}. While it waits for the lock, everybody who
     * comes later waits behind it: so it waits for {@code lockTimeout} at most, and is tried again.
     *
     * @param tries the most tries, at least 1
     * @param progress is told who blocks after each try
     * @throws MigrationException {@link ExitCode#SOURCE} after the last try, or if the statement fails
     */
    void change(SourceColumn column, String statement, Duration lockTimeout, int tries, Consumer<String> progress);

    @Override
    void close();
}
