package dev.cassidy.jdbc.session;

import dev.cassidy.definition.TableDefinition;
import dev.cassidy.table.ColumnDefault;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** What T-SQL has said of tables. Names are internal ones. Safe for use by many threads; all may read the cluster. */
public interface DeclaredTables {

    /**
     * Returns what was said of the table that has an id.
     *
     * @throws UnreadDeclarations if that is not known
     */
    Optional<TableDefinition> definition(String keyspace, String table, UUID id);

    /**
     * As {@link #definition}, for a statement that only reads: nothing is said where Cassidy's keyspaces cannot be used at all, for
     * instance because the role may not read them.
     *
     * @throws UnreadDeclarations if they do not answer now
     */
    Optional<TableDefinition> definitionForReads(String keyspace, String table, UUID id);

    /** As {@link #definition}, for metadata: of what cannot be read, nothing is said. */
    Optional<TableDefinition> knownDefinition(String keyspace, String table, UUID id);

    /**
     * Returns the defaults of a table's columns.
     *
     * @throws UnreadDeclarations if they are not known
     */
    List<ColumnDefault> defaults(String keyspace, String table);

    /** Reads what is declared of a table again, at most once a second; what cannot be read stays as it is known. */
    void readAgain(String keyspace, String table);

    /** Returns whether no table has values that must be unique; false also if that is not known without a read. */
    boolean areNoneUnique();

    /** Returns whether no column of a table has a twin; false also if that is not known without a read. */
    boolean areNoneTwinned();

    /** Returns whether no column of a table counts; false also if that is not known without a read. */
    boolean areNoneCounted();

    /** Returns what was said last of a table of a name, as far as it is known without a read. */
    Optional<TableDefinition> cachedDefinition(String keyspace, String table);

    /** Returns whether a table is declared small, as far as that is known without a read; false where nothing can be read. */
    boolean isSmall(String keyspace, String table, UUID id);

    /** Returns the identity column of a table. */
    Optional<String> identity(String keyspace, String table);
}
