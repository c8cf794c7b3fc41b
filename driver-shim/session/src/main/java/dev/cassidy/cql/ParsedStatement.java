package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.insert.CqlChange;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Renamed;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A statement, as far as it was parsed.
 *
 * @param insert the insert that it is; empty for any other statement
 * @param batched the tables that the inserts of a BEGIN BATCH write to
 * @param changes what the statement changes, in any keyspace
 * @param renamed the columns that it renames
 */
record ParsedStatement(
        Optional<CqlInsert> insert, List<CqlInsert.Table> batched, List<CqlChange> changes, Optional<Renamed> renamed) {

    /** Returns a statement as its user wrote it. */
    static String text(BatchableStatement<?> statement) {
        return statement instanceof BoundStatement bound
                ? bound.getPreparedStatement().getQuery()
                : ((SimpleStatement) statement).getQuery();
    }

    static ParsedStatement of(String cql) {
        Optional<CqlInsert> insert = CqlInsert.recognise(cql);
        return new ParsedStatement(
                insert,
                insert.isPresent() ? List.of() : CqlInsert.tablesOfBatch(cql),
                CqlChange.of(cql),
                Renamed.of(cql));
    }

    /**
     * Returns the keyspace of the insert's table; null for the session's own, and for a statement that is no insert.
     *
     * @param unqualified that of a table which is named without one
     */
    @Nullable
    String keyspace(@Nullable String unqualified) {
        return insert.flatMap(CqlInsert::keyspace).orElse(insert.isEmpty() ? null : unqualified);
    }

    /** Returns the tables of a BEGIN BATCH, in the given keyspace where the statement names none. */
    List<CqlInsert.Table> batched(@Nullable String unqualified) {
        return batched.stream()
                .map(table -> table.keyspace() == null ? new CqlInsert.Table(unqualified, table.name()) : table)
                .toList();
    }
}
