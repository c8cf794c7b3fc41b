package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Looks tables up in the driver's schema metadata, or in {@code system_schema} if the metadata is switched off or does
 * not yet have a table that another client has just created. Never blocks.
 */
final class TableShapes {

    private static final int MAX_REMEMBERED = 1_000;

    private record TableName(String keyspace, String table) {}

    private final CqlSession session;

    // Without metadata only. A stale shape is harmless: the types of a key cannot be altered, and if a table was
    // dropped and created again, the server refuses what does not fit.
    private final Map<TableName, TableShape> queried = new ConcurrentHashMap<>();

    TableShapes(CqlSession session) {
        this.session = session;
    }

    /** Looks a table up; empty if there is none. */
    CompletionStage<Optional<TableShape>> find(String keyspace, String table) {
        Optional<TableMetadata> metadata = session.getMetadata()
                .getKeyspace(CqlIdentifier.fromInternal(keyspace))
                .flatMap(found -> found.getTable(CqlIdentifier.fromInternal(table)));
        if (metadata.isPresent()) {
            return CompletableFuture.completedFuture(Optional.of(new TableShape.FromMetadata(metadata.get())));
        }
        TableName name = new TableName(keyspace, table);
        TableShape known = queried.get(name);
        if (known != null && !session.isSchemaMetadataEnabled()) {
            return CompletableFuture.completedFuture(Optional.of(known));
        }
        return query(name);
    }

    /** Looks a table up in the cluster's schema; empty if there is none. */
    CompletionStage<Optional<TableShape>> findNow(String keyspace, String table) {
        return query(new TableName(keyspace, table));
    }

    private CompletionStage<Optional<TableShape>> query(TableName name) {
        SimpleStatement columns = SimpleStatement.newInstance(
                        "SELECT column_name, kind, type FROM system_schema.columns WHERE keyspace_name = ? AND"
                                + " table_name = ?",
                        name.keyspace,
                        name.table)
                .setIdempotent(true);
        return session.executeAsync(columns)
                .thenCompose(page -> rows(page, new ArrayList<>()))
                .thenApply(rows -> rows.isEmpty() ? Optional.empty() : Optional.of(remember(name, rows)));
    }

    private TableShape remember(TableName name, List<Row> rows) {
        TableShape shape = TableShape.FromRows.of(rows);
        if (queried.size() >= MAX_REMEMBERED) {
            queried.clear();
        }
        queried.put(name, shape);
        return shape;
    }

    private static CompletionStage<List<Row>> rows(AsyncResultSet page, List<Row> before) {
        page.currentPage().forEach(before::add);
        return page.hasMorePages()
                ? page.fetchNextPage().thenCompose(next -> rows(next, before))
                : CompletableFuture.completedFuture(before);
    }
}
