package dev.cassidy.counter.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;

/**
 * The id that Cassandra gives a table when it is created. Read anew each time, since the table may be dropped and created
 * at any time. Safe for use by many threads; nothing blocks.
 */
public final class TableId {

    private final PlainStatements statements;
    private final String keyspace;
    private final String table;

    public TableId(CqlSession session, CqlIdentifier keyspace, CqlIdentifier table, Duration timeout) {
        this.statements = new PlainStatements(session, timeout);
        this.keyspace = keyspace.asInternal();
        this.table = table.asInternal();
    }

    /** Returns the id; empty if there is no such table now. */
    public CompletionStage<Optional<UUID>> read() {
        return statements
                .read(
                        // A node's own table: there is one replica.
                        ConsistencyLevel.LOCAL_ONE,
                        "SELECT id FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?",
                        keyspace,
                        table)
                .thenApply(rows -> {
                    Row row = rows.one();
                    return row == null ? Optional.empty() : Optional.ofNullable(row.getUuid("id"));
                });
    }
}
