package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.ColumnDefinition;
import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Tells in which keyspace the server looks for a table that a statement names without one. Of a prepared statement this is the
 * keyspace of its preparation: USE may have come since, and another session may have prepared it. All that judges statements
 * asks here. Never blocks. Safe for use by many threads.
 */
final class StatementKeyspace {

    private static final int MAX_REMEMBERED = 1_000;

    /** In place of the keyspace of a statement that names all of its keyspaces. */
    private static final String NONE = "";

    private final CqlSession session;
    private final OwnKeyspaces own;

    /** What {@link #byId} has found. */
    private final Map<Key, String> known = new ConcurrentHashMap<>();

    /** What identifies a prepared statement; the id alone is a digest of CQL that comes from users. */
    private record Key(ByteBuffer id, String cql) {}

    StatementKeyspace(CqlSession session, OwnKeyspaces own) {
        this.session = session;
        this.own = own;
    }

    /**
     * Of a statement that is about to be sent.
     *
     * @param given that of the statement, or of its batch; a bound statement does not use it
     * @return null if the server would refuse an unqualified name, or if nothing shows where the statement was prepared
     */
    @Nullable
    String of(BatchableStatement<?> statement, @Nullable CqlIdentifier given) {
        return statement instanceof BoundStatement bound ? of(bound.getPreparedStatement()) : ofText(given);
    }

    /**
     * Of a statement that is about to be sent or prepared as text.
     *
     * @param given that of the statement or request; null for the session's own
     * @return null if the server would refuse an unqualified name
     */
    @Nullable
    String ofText(@Nullable CqlIdentifier given) {
        return Optional.ofNullable(given)
                .or(session::getKeyspace)
                .map(CqlIdentifier::asInternal)
                .orElse(null);
    }

    /** Of a prepared statement; null if it names all its keyspaces, or if nothing shows where it was prepared. */
    @Nullable
    String of(PreparedStatement prepared) {
        if (prepared instanceof FilledPreparedStatement filled) {
            return filled.insert().keyspace();
        }
        ColumnDefinitions variables = prepared.getVariableDefinitions();
        if (variables.size() > 0 && isSingle(prepared.getQuery())) {
            // Every variable of a single statement is of its one table.
            return variables.get(0).getKeyspace().asInternal();
        }
        Key key = new Key(prepared.getId(), prepared.getQuery());
        String found = known.get(key);
        if (found == null) {
            found = byId(prepared);
            if (found == null) {
                // The driver may not know the keyspace yet.
                return null;
            }
            if (known.size() >= MAX_REMEMBERED) {
                known.clear();
            }
            known.put(key, found);
        }
        return found.equals(NONE) ? null : found;
    }

    /** Returns whether a statement surely is no BEGIN BATCH; one that begins with a comment may be one. */
    private static boolean isSingle(String cql) {
        int first = cql.charAt(0) | ' ';
        return first >= 'a' && first <= 'z' && first != 'b';
    }

    /** Tries the names that may be it; those of the variables are all it takes where the driver does not know the schema. */
    private @Nullable String byId(PreparedStatement prepared) {
        Set<String> names = new LinkedHashSet<>();
        names.add(NONE);
        for (ColumnDefinition variable : prepared.getVariableDefinitions()) {
            names.add(variable.getKeyspace().asInternal());
        }
        session.getKeyspace().map(CqlIdentifier::asInternal).ifPresent(names::add);
        session.getMetadata().getKeyspaces().keySet().forEach(name -> names.add(name.asInternal()));
        names.addAll(own.known());
        return names.stream()
                .filter(name -> isPreparedIn(name, prepared))
                .findFirst()
                .orElse(null);
    }

    /**
     * Cassandra's id of a statement that names a table without a keyspace is the digest of the keyspace in which it was prepared
     * and its CQL; that of any other statement is the digest of the CQL alone.
     */
    private static boolean isPreparedIn(String keyspace, PreparedStatement prepared) {
        byte[] hashed = (keyspace + prepared.getQuery()).getBytes(StandardCharsets.UTF_8);
        try {
            return prepared.getId()
                    .equals(ByteBuffer.wrap(MessageDigest.getInstance("MD5").digest(hashed)));
        } catch (NoSuchAlgorithmException e) {
            return false;
        }
    }
}
