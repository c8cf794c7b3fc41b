package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.async.LookUps;
import dev.cassidy.insert.CqlInsert;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/**
 * The driver's view of the schema is about a second behind what other sessions change. Before a statement is refused because of
 * that view, the schema is read again, if it has the table: at most once a second for each table. Safe for use by many threads.
 */
final class SchemaLag {

    private final CqlSession session;
    private final LookUps<CqlInsert.Table> lookUps;

    SchemaLag(CqlSession session, LongSupplier nanoTime) {
        this.session = session;
        this.lookUps = new LookUps<>(nanoTime);
    }

    /** Waits until the view is as new as this call, or until a second has not passed since that was so. Never fails. */
    void catchUp(String keyspace, String table) {
        // The driver leaves them out of its view.
        if (keyspace.equals("system") || keyspace.startsWith("system_") || !session.isSchemaMetadataEnabled()) {
            return;
        }
        lookUps.lookUp(new CqlInsert.Table(keyspace, table), () -> session.executeAsync(SimpleStatement.newInstance(
                                        "SELECT id FROM system_schema.tables WHERE keyspace_name = ? AND table_name ="
                                                + " ?",
                                        keyspace,
                                        table)
                                .setIdempotent(true))
                        .thenCompose(found -> found.one() == null
                                ? CompletableFuture.completedFuture(null)
                                : session.refreshSchemaAsync()))
                .toCompletableFuture()
                .join();
    }
}
