package dev.cassidy.transaction.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.definition.RowMark;
import dev.cassidy.table.TableWrites;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What the nodes have of a table, when rows of a committed transaction cannot be written to it.
 *
 * @param id empty if there is no such table
 * @param columns their internal names
 */
record PresentTable(Optional<UUID> id, Set<String> columns) {

    /**
     * Asks a node, once all agree on the schema. The driver's view of it may lag or be switched off, and nothing that is committed may be
     * left out because of that.
     *
     * @return a stage that fails if they do not agree now
     */
    static CompletionStage<PresentTable> of(CqlSession session, TableWrites table) {
        return session.checkSchemaAgreementAsync()
                .thenCompose(agreed -> agreed
                        ? read(session, table)
                        : CompletableFuture.failedFuture(new IllegalStateException(
                                "the nodes do not agree on the schema, so that it is not known whether table "
                                        + table.name() + " is still there")));
    }

    private static CompletionStage<PresentTable> read(CqlSession session, TableWrites table) {
        return session.executeAsync(of("SELECT id FROM system_schema.tables", table))
                .thenCompose(tables -> session.executeAsync(of("SELECT column_name FROM system_schema.columns", table))
                        .thenCompose(columns -> names(columns, new LinkedHashSet<>()))
                        .thenApply(columns -> new PresentTable(
                                Optional.ofNullable(tables.one()).map(row -> row.getUuid("id")), columns)));
    }

    private static SimpleStatement of(String select, TableWrites table) {
        return SimpleStatement.newInstance(
                        select + " WHERE keyspace_name = ? AND table_name = ?", table.keyspace(), table.table())
                .setIdempotent(true);
    }

    private static CompletionStage<Set<String>> names(AsyncResultSet page, Set<String> names) {
        for (Row row : page.currentPage()) {
            names.add(row.getString("column_name"));
        }
        return page.hasMorePages()
                ? page.fetchNextPage().thenCompose(next -> names(next, names))
                : CompletableFuture.completedFuture(names);
    }

    /** Returns whether rows may be held in it. */
    boolean hasMarks() {
        return id.isPresent() && columns.contains(RowMark.COLUMN);
    }

    /** Returns whether it is the table of counters of this id, which is not known if it is null. */
    boolean isOfCounters(@Nullable UUID expected) {
        return id.isPresent() && (expected == null || expected.equals(id.get()));
    }

    /** Returns whether it is the table of this id, which is not known if it is null. */
    boolean is(@Nullable UUID expected) {
        return hasMarks() && (expected == null || expected.equals(id.orElse(null)));
    }
}
