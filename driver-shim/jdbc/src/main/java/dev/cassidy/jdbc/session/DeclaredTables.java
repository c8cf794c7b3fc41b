package dev.cassidy.jdbc.session;

import dev.cassidy.definition.TableDefinition;
import java.util.Optional;
import java.util.UUID;

/** What T-SQL has said of tables. Names are internal ones. Safe for use by many threads; both may read the cluster. */
public interface DeclaredTables {

    /** Returns what was said of the table that has an id. */
    Optional<TableDefinition> definition(String keyspace, String table, UUID id);

    /** Returns the identity column of a table. */
    Optional<String> identity(String keyspace, String table);
}
