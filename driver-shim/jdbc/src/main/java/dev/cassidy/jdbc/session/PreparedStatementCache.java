package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.SchemaChangeListenerBase;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.ViewMetadata;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.insert.CqlInsert;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a session has prepared, until the schema changes: a statement that was prepared for a column's earlier type
 * would encode its values as that type, and Cassandra stores such bytes without an error. An insert that was prepared
 * before its table's identity was registered has no place for the id, so it is prepared again after the registration.
 * Safe for use by many threads.
 */
final class PreparedStatementCache extends SchemaChangeListenerBase {

    private static final int MAX_STATEMENTS = 1_000;

    /** The same statement prepared without the IdentitySession would never have its identity filled. */
    private record Key(String cql, boolean identity) {}

    /** @param unregistered the insert, if its table had no registered identity when it was prepared */
    private record Prepared(
            PreparedStatement statement, @Nullable CqlInsert unregistered) {}

    private final Map<Key, Prepared> prepared = new LinkedHashMap<>(64, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Prepared> eldest) {
            return size() > MAX_STATEMENTS;
        }
    };

    /** Statements that the server refused with a marker for each literal; written under the lock of {@link #prepared}. */
    private final Set<String> uncertain = ConcurrentHashMap.newKeySet();

    /** Written under the lock of {@link #prepared}. */
    private volatile int schema;

    /** Returns a number that changes with the schema. */
    int schema() {
        return schema;
    }

    /**
     * Prepares {@code cql} once for each kind of session and each schema; do not set a page size on it.
     *
     * @param recognised the statement as an insert; asked for only where that matters
     * @param refusal throws if the statement must not be prepared
     */
    PreparedStatement prepare(
            CqlSession session,
            String cql,
            Supplier<Optional<CqlInsert>> recognised,
            BiConsumer<CqlSession, String> refusal,
            Preparing preparing)
            throws SQLException {
        Key key = new Key(cql, session instanceof IdentitySession);
        while (true) {
            int current;
            Prepared known;
            synchronized (prepared) {
                known = prepared.get(key);
                current = schema;
            }
            if (known != null && !isRegistered(session, known.unregistered())) {
                return known.statement();
            }
            refusal.accept(session, cql);
            // Looked up before it is prepared: if it is registered in between, the next use prepares it again.
            CqlInsert insert =
                    session instanceof IdentitySession ? recognised.get().orElse(null) : null;
            CqlInsert unregistered = isRegistered(session, insert) ? null : insert;
            // The driver has its own cache of equal requests, and keeps it when a table changes. The page size is for
            // bound statements, which set it again each time; here it makes the request a different one, and is not
            // sent.
            PreparedStatement fresh = preparing.await(
                    session.prepareAsync(SimpleStatement.newInstance(cql).setPageSize(1 + current)));
            synchronized (prepared) {
                if (current == schema) {
                    prepared.put(key, new Prepared(fresh, unregistered));
                    return fresh;
                }
            }
        }
    }

    /** Costs nothing once this is so; until then it asks at most once a second. */
    private static boolean isRegistered(CqlSession session, @Nullable CqlInsert insert) {
        return insert != null
                && session instanceof IdentitySession identities
                && identities
                        .catalog()
                        .find(insert.keyspace().orElse(null), insert.table())
                        .toCompletableFuture()
                        .join()
                        .isPresent();
    }

    /** Returns whether the server refused the statement although it takes it with fewer markers. */
    boolean isUncertain(String cql) {
        return uncertain.contains(cql);
    }

    /**
     * Remembers that the server refuses the statement, until the schema changes.
     *
     * @param schema the number before the server refused it
     */
    void uncertain(String cql, int schema) {
        synchronized (prepared) {
            if (uncertain.size() >= MAX_STATEMENTS) {
                uncertain.clear();
            }
            if (schema == this.schema) {
                uncertain.add(cql);
            }
        }
    }

    /** To be called after a change of the schema, because the driver reports it a second later. */
    void schemaChanged() {
        synchronized (prepared) {
            schema = (schema + 1) % Integer.MAX_VALUE;
            prepared.clear();
            uncertain.clear();
        }
    }

    @Override
    public void onKeyspaceUpdated(KeyspaceMetadata current, KeyspaceMetadata previous) {
        schemaChanged();
    }

    @Override
    public void onKeyspaceDropped(KeyspaceMetadata keyspace) {
        schemaChanged();
    }

    @Override
    public void onTableCreated(TableMetadata table) {
        schemaChanged();
    }

    @Override
    public void onTableDropped(TableMetadata table) {
        schemaChanged();
    }

    @Override
    public void onTableUpdated(TableMetadata current, TableMetadata previous) {
        schemaChanged();
    }

    @Override
    public void onUserDefinedTypeCreated(UserDefinedType type) {
        schemaChanged();
    }

    @Override
    public void onUserDefinedTypeDropped(UserDefinedType type) {
        schemaChanged();
    }

    @Override
    public void onUserDefinedTypeUpdated(UserDefinedType current, UserDefinedType previous) {
        schemaChanged();
    }

    @Override
    public void onViewCreated(ViewMetadata view) {
        schemaChanged();
    }

    @Override
    public void onViewDropped(ViewMetadata view) {
        schemaChanged();
    }

    @Override
    public void onViewUpdated(ViewMetadata current, ViewMetadata previous) {
        schemaChanged();
    }
}
