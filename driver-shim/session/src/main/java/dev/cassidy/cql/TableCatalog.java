package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.async.Stages;
import dev.cassidy.insert.Identity;
import dev.cassidy.insert.IdentityCatalog;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.table.ColumnDefault;
import dev.cassidy.table.TableRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What is registered of the tables that a session's statements name, without a read where that is known. */
record TableCatalog(CqlSession session, TableRegistry tables, TableShapes shapes) implements IdentityCatalog {

    private static final CompletionStage<List<Identity>> NONE = CompletableFuture.completedFuture(List.of());

    @Override
    public CompletionStage<Optional<Identity>> find(@Nullable String keyspace, String table) {
        String resolved = keyspace == null ? keyspaceOr(null).orElse(null) : keyspace;
        if (resolved == null) {
            // Without a keyspace the server refuses the statement.
            return CompletableFuture.completedFuture(Optional.empty());
        }
        Optional<IdentityColumn> known = tables.cachedIdentity(resolved, table);
        if (known.isPresent()) {
            return CompletableFuture.completedFuture(Optional.of(identity(known.get())));
        }
        return tables.identityAsync(resolved, table).thenApply(column -> column.map(TableCatalog::identity));
    }

    @Override
    public CompletionStage<List<Identity>> drawn(@Nullable String keyspace, String table) {
        return Stages.thenCompose(find(keyspace, table), identity -> withKeys(identity, keyspace, table));
    }

    /** Adds the columns of the key that draw by their default. The defaults are known where the identity was looked up. */
    private CompletionStage<List<Identity>> withKeys(
            Optional<Identity> identity, @Nullable String keyspace, String table) {
        List<ColumnDefault> drawing = drawing(cachedDefaults(keyspace, table));
        if (drawing.isEmpty()) {
            return identity.isEmpty() ? NONE : CompletableFuture.completedFuture(List.of(identity.get()));
        }
        return shapes.find(drawing.get(0).keyspace(), table).thenApply(shape -> {
            List<String> key = shape.map(TableShape::primaryKey).orElse(List.of());
            List<Identity> all = new ArrayList<>(identity.stream().toList());
            for (ColumnDefault each : drawing) {
                if (key.contains(each.column())
                        && identity.filter(known -> known.column().equals(each.column()))
                                .isEmpty()) {
                    all.add(new Identity(each.keyspace(), table, each.column(), each.value(), true));
                }
            }
            return all;
        });
    }

    private static List<ColumnDefault> drawing(List<ColumnDefault> defaults) {
        return defaults.isEmpty()
                ? defaults
                : defaults.stream()
                        .filter(each -> each.kind() == ColumnDefault.Kind.NEXT_VALUE)
                        .toList();
    }

    /** Returns what inserts add to a row: the defaults of the table's columns, and the row's mark. */
    CompletionStage<List<ColumnDefault>> defaults(@Nullable String keyspace, String table) {
        Optional<String> resolved = keyspaceOr(keyspace);
        return resolved.isEmpty()
                ? CompletableFuture.completedFuture(List.of())
                : tables.addedAsync(resolved.get(), table);
    }

    /** As {@link #defaults}, as far as they are known without any I/O. */
    List<ColumnDefault> cachedDefaults(@Nullable String keyspace, String table) {
        return keyspaceOr(keyspace)
                .map(resolved -> tables.cachedDefaults(resolved, table))
                .orElse(List.of());
    }

    /** As {@link #drawn}, for a table that seems to have no such column, in case one was registered a moment ago. */
    CompletionStage<List<Identity>> drawnNow(String keyspace, String table) {
        return tables.identityNowAsync(keyspace, table)
                .thenCompose(column -> withKeys(column.map(TableCatalog::identity), keyspace, table));
    }

    /** As {@link #drawn}, as far as registrations are known without any I/O. */
    CompletionStage<List<Identity>> cachedDrawn(@Nullable String keyspace, String table) {
        return withKeys(cached(keyspace, table), keyspace, table);
    }

    /** Returns why a table may be registered without being known; empty if all registrations are known. */
    Optional<Throwable> incomplete() {
        return tables.identitiesIncomplete();
    }

    /** Returns what is known without any I/O. */
    Optional<Identity> cached(@Nullable String keyspace, String table) {
        return keyspaceOr(keyspace)
                .flatMap(resolved -> tables.cachedIdentity(resolved, table))
                .map(TableCatalog::identity);
    }

    /** Returns the keyspace, or the session's own in place of null. */
    Optional<String> keyspaceOr(@Nullable String keyspace) {
        return keyspace != null ? Optional.of(keyspace) : session.getKeyspace().map(CqlIdentifier::asInternal);
    }

    private static Identity identity(IdentityColumn column) {
        return new Identity(column.keyspace(), column.table(), column.column(), column.sequence());
    }
}
