package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.insert.Identity;
import dev.cassidy.insert.IdentityCatalog;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.table.ColumnDefault;
import dev.cassidy.table.TableRegistry;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What is registered of the tables that a session's statements name, without a read where that is known. */
record TableCatalog(CqlSession session, TableRegistry tables) implements IdentityCatalog {

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

    /** Returns the defaults of a table's columns. */
    CompletionStage<List<ColumnDefault>> defaults(@Nullable String keyspace, String table) {
        Optional<String> resolved = keyspaceOr(keyspace);
        return resolved.isEmpty()
                ? CompletableFuture.completedFuture(List.of())
                : tables.defaultsAsync(resolved.get(), table);
    }

    /** As {@link #defaults}, as far as they are known without any I/O. */
    List<ColumnDefault> cachedDefaults(@Nullable String keyspace, String table) {
        return keyspaceOr(keyspace)
                .map(resolved -> tables.cachedDefaults(resolved, table))
                .orElse(List.of());
    }

    /** As {@link #find}, for a table that seems to have no identity, in case it was registered a moment ago. */
    CompletionStage<Optional<Identity>> findNow(String keyspace, String table) {
        return tables.identityNowAsync(keyspace, table).thenApply(column -> column.map(TableCatalog::identity));
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
