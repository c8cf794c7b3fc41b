package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.definition.Twin;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.table.TableRegistry;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/**
 * A table as it was when a write to it was judged: the driver's view of it, what T-SQL says of it, and its identity column. The
 * write may be sent much later.
 *
 * @param seen empty if the driver does not know the table yet
 */
record JudgedTable(Optional<TableMetadata> seen, Optional<TableDefinition> definition, Optional<String> identity) {

    /** To be called before a write is bound and judged: what changes in between is then taken for a change. */
    static JudgedTable of(SharedSession session, CqlInsert.Table named) throws SQLException {
        String keyspace = SequenceStatements.keyspace(session.plain(), named.keyspace());
        Optional<TableMetadata> seen = session.plain()
                .getMetadata()
                .getKeyspace(CqlIdentifier.fromInternal(keyspace))
                .flatMap(found -> found.getTable(CqlIdentifier.fromInternal(named.name())));
        if (!(session.writing() instanceof IdentitySession identities)) {
            return new JudgedTable(seen, Optional.empty(), Optional.empty());
        }
        TableRegistry registry = InternalAccess.tables(identities.sequences());
        // The first question reads all contracts, and no later one reads any.
        Optional<String> identity = registry.identityAsync(keyspace, named.name())
                .toCompletableFuture()
                .join()
                .map(IdentityColumn::column);
        Optional<UUID> id = registry.areNoneDefined() ? Optional.empty() : seen.flatMap(TableMetadata::getId);
        return new JudgedTable(
                seen,
                id.flatMap(known -> registry.definitionAsync(keyspace, named.name(), known)
                        .toCompletableFuture()
                        .join()),
                identity);
    }

    /**
     * Returns whether a write that was judged by this has to be judged again.
     *
     * @param qualified the table's name, for messages
     * @param now the table as it is now
     * @throws SQLTransactionRollbackException if the write may mean something else now
     */
    boolean isChanged(String qualified, JudgedTable now) throws SQLException {
        if (!sameTable(now)) {
            throw refused(qualified + " was dropped" + (now.seen.isPresent() ? ", and created again," : ""));
        }
        if (!identity.equals(now.identity)) {
            throw refused("the identity column of " + qualified + " was registered, or removed,");
        }
        for (Map.Entry<CqlIdentifier, ColumnMetadata> each : columns().entrySet()) {
            // A value is bound as the type that its column had.
            ColumnMetadata column = now.columns().get(each.getKey());
            if (column != null && !column.getType().equals(each.getValue().getType())) {
                throw refused("column " + each.getKey() + " of " + qualified + " was given another type");
            }
        }
        requireTwinsStill(qualified, now);
        return !definition.equals(now.definition);
    }

    /**
     * Requires that a write has kept the twins beside columns that are kept now: whoever finds rows by them would not find its row.
     *
     * @param qualified the table's name, for messages
     * @param now the table as it is now
     * @throws SQLTransactionRollbackException if it has not
     */
    void requireTwinsStill(String qualified, JudgedTable now) throws SQLException {
        for (Map.Entry<String, Twin> each : now.twins().entrySet()) {
            Twin kept = twins().get(each.getKey());
            if (kept == null
                    || !kept.in(Twin.Place.BESIDE).equals(each.getValue().in(Twin.Place.BESIDE))) {
                throw refused("an index by which rows are compared by their collation was declared of column "
                        + each.getKey() + " of " + qualified);
            }
        }
    }

    /**
     * Returns what asks whether something else is declared of the table by now. It does no I/O, and may be asked by any thread.
     *
     * @param named the table
     */
    BooleanSupplier declaredAnew(SharedSession session, CqlInsert.Table named) throws SQLException {
        UUID id = seen.flatMap(TableMetadata::getId).orElse(null);
        if (id == null || !(session.writing() instanceof IdentitySession identities)) {
            return () -> false;
        }
        String keyspace = SequenceStatements.keyspace(session.plain(), named.keyspace());
        TableRegistry registry = InternalAccess.tables(identities.sequences());
        return () -> !registry.cachedDefinition(keyspace, named.name())
                .filter(known -> known.isOf(id) && !known.columns().isEmpty())
                .equals(definition);
    }

    private Map<String, Twin> twins() {
        return definition.map(TableDefinition::twinsBeside).orElse(Map.of());
    }

    /** A table that the driver did not know may be the same. */
    private boolean sameTable(JudgedTable now) {
        return seen.isEmpty() || seen.get().getId().equals(now.seen.flatMap(TableMetadata::getId));
    }

    private Map<CqlIdentifier, ColumnMetadata> columns() {
        return seen.map(TableMetadata::getColumns).orElse(Map.of());
    }

    private static SQLException refused(String change) {
        return new SQLTransactionRollbackException(
                "Nothing was committed: " + change
                        + " since this transaction wrote to it, or read it. Roll it back, and begin it again",
                SqlStates.CONFLICT);
    }

    /** Returns the error of a transaction whose tables are declared otherwise by now. */
    static SQLException changed() {
        return refused("the definition of a table has changed");
    }
}
