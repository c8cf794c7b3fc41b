package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.sequence.cassandra.InternalAccess;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The tables of the schema. The cluster is asked, because the driver's view of the schema lags. Names are internal ones.
 */
record StoredTables(SharedSession session) {

    /** Returns the id of a table; empty if it does not exist. */
    Optional<UUID> id(String keyspace, String table) {
        return Optional.ofNullable(session.plain()
                        .execute(SimpleStatement.newInstance(
                                "SELECT id FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?",
                                keyspace,
                                table))
                        .one())
                .map(row -> row.getUuid("id"));
    }

    /**
     * Returns what T-SQL has said of a table; empty if that was nothing, if the table does not exist, or on a cluster without
     * Cassidy.
     */
    Optional<TableDefinition> definition(String keyspace, String table) throws SQLException {
        Optional<UUID> id = id(keyspace, table);
        return id.isPresent() && session.writing() instanceof IdentitySession identities
                ? InternalAccess.tables(identities.sequences())
                        .definitionAsync(keyspace, table, id.get())
                        .toCompletableFuture()
                        .join()
                : Optional.empty();
    }

    /** Returns a table's columns. */
    Set<String> columns(String keyspace, String table) {
        Set<String> columns = new HashSet<>();
        for (Row row : session.plain()
                .execute(SimpleStatement.newInstance(
                        "SELECT column_name FROM system_schema.columns WHERE keyspace_name = ? AND table_name = ?",
                        keyspace,
                        table))) {
            columns.add(String.valueOf(row.getString("column_name")));
        }
        return columns;
    }

    /** @param timeout null for the connection's */
    boolean hasRows(String keyspace, String table, @Nullable Duration timeout) {
        return session.plain()
                        .execute(SimpleStatement.newInstance("SELECT * FROM " + Identifiers.toCql(keyspace) + "."
                                        + Identifiers.toCql(table) + " LIMIT 1")
                                .setTimeout(timeout))
                        .one()
                != null;
    }

    /** Returns whether the table had one of some columns, which was dropped. */
    boolean wereDropped(String keyspace, String table, List<ColumnDefinition> columns) {
        for (Row row : session.plain()
                .execute(SimpleStatement.newInstance(
                        "SELECT column_name FROM system_schema.dropped_columns WHERE keyspace_name = ? AND table_name = ?",
                        keyspace,
                        table))) {
            String name = row.getString("column_name");
            if (columns.stream().anyMatch(column -> column.name().equals(name))) {
                return true;
            }
        }
        return false;
    }
}
