package dev.cassidy.jdbc;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequencesConfig;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the connections of one URL and credentials share: the driver's session, the IdentitySession around it once
 * Cassidy's keyspaces exist, and the prepared statements. Safe for use by many threads.
 */
final class SharedSession implements AutoCloseable {

    private static final int MOST_PREPARED = 1_000;

    private final CqlSession plain;
    private final SequencesConfig config;
    private final CqlIdentifier globalKeyspace;
    private volatile @Nullable IdentitySession identity;

    private final Map<PreparedKey, PreparedStatement> prepared = new LinkedHashMap<>(64, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<PreparedKey, PreparedStatement> eldest) {
            return size() > MOST_PREPARED;
        }
    };

    /** The same text prepared without the IdentitySession would never have its identity filled. */
    private record PreparedKey(String cql, boolean identity) {}

    private SharedSession(CqlSession plain, ConnectionSettings settings) {
        this.plain = plain;
        this.config = SequencesConfig.defaults().withGlobalKeyspace(settings.globalKeyspace());
        this.globalKeyspace = CqlIdentifier.fromInternal(settings.globalKeyspace());
    }

    static SharedSession open(ConnectionSettings settings) throws SQLException {
        CqlSession plain = SessionOpener.open(settings);
        try {
            return new SharedSession(plain, settings);
        } catch (IllegalArgumentException e) {
            plain.closeAsync();
            throw SqlErrors.connecting(e, settings);
        }
    }

    /** Returns the driver's own session, for whatever cannot insert. */
    CqlSession plain() {
        return plain;
    }

    /**
     * Returns the session for statements that may insert: it fills identities where Cassidy's keyspaces exist; where
     * they do not, no table can be registered and plain tables must work all the same.
     */
    CqlSession writing() {
        IdentitySession known = identity;
        if (known != null) {
            return known;
        }
        // From the driver's own view of the schema, so that a cluster without Cassidy pays nothing for it.
        if (plain.getMetadata().getKeyspace(globalKeyspace).isEmpty()) {
            return plain;
        }
        try {
            return identity();
        } catch (SequenceException.SchemaMissing e) {
            return plain;
        }
    }

    /**
     * Returns the session that fills identities.
     *
     * @throws SequenceException.SchemaMissing saying how Cassidy's keyspaces come to be
     */
    IdentitySession identity() {
        IdentitySession known = identity;
        return known != null ? known : openIdentity();
    }

    private synchronized IdentitySession openIdentity() {
        IdentitySession known = identity;
        if (known == null) {
            known = IdentitySession.wrap(plain, config);
            identity = known;
        }
        return known;
    }

    /** Prepares {@code cql} once for each of the two sessions. */
    PreparedStatement prepare(CqlSession session, String cql) {
        PreparedKey key = new PreparedKey(cql, session instanceof IdentitySession);
        synchronized (prepared) {
            PreparedStatement known = prepared.get(key);
            if (known != null) {
                return known;
            }
        }
        PreparedStatement fresh = session.prepare(SimpleStatement.newInstance(cql));
        synchronized (prepared) {
            prepared.put(key, fresh);
        }
        return fresh;
    }

    boolean isClosed() {
        return plain.isClosed();
    }

    @Override
    public synchronized void close() {
        IdentitySession known = identity;
        if (known != null) {
            known.close();
        } else {
            plain.close();
        }
    }
}
