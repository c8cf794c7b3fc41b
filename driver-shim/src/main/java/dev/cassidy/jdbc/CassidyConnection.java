package dev.cassidy.jdbc;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.insert.TsqlScript;
import dev.cassidy.insert.TsqlStep;
import dev.cassidy.insert.UnsupportedSqlException;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLWarning;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A JDBC connection: state of its own on a session that it shares. Cheap to open and to close. Used by one thread at a
 * time, as JDBC connections are.
 */
final class CassidyConnection extends UnservedConnection {

    private static final Logger LOG = LoggerFactory.getLogger(CassidyConnection.class);
    private static final Duration NO_TIMEOUT = Duration.ZERO;

    private final Set<CassidyStatement> statements = Collections.newSetFromMap(new WeakHashMap<>());
    private final Warnings warnings = new Warnings();
    private final ConnectionSettings opened;
    private SharedSessions.Lease lease;
    private Duration networkTimeout = NO_TIMEOUT;
    private int isolation = TRANSACTION_READ_COMMITTED;
    private int holdability = ResultSet.HOLD_CURSORS_OVER_COMMIT;
    private final Transaction transaction = new Transaction();
    private int sentSinceCommit;
    private boolean autoCommit = true;
    private boolean readOnly;
    private volatile boolean closed;
    private @Nullable Long lastIdentity;

    CassidyConnection(SharedSessions.Lease lease) {
        this.lease = lease;
        this.opened = lease.settings();
    }

    void requireOpen() throws SQLException {
        if (closed) {
            throw new SQLNonTransientConnectionException("The connection is closed", SqlStates.CONNECTION_CLOSED);
        }
    }

    SharedSession session() throws SQLException {
        requireOpen();
        return lease.session();
    }

    ConnectionSettings settings() {
        return lease.settings();
    }

    /** Returns the shorter of the network timeout and {@code queryTimeout}; null if neither is set. */
    @Nullable
    Duration timeout(Duration queryTimeout) {
        if (queryTimeout.isZero()) {
            return networkTimeout.isZero() ? null : networkTimeout;
        }
        return networkTimeout.isZero() || queryTimeout.compareTo(networkTimeout) < 0 ? queryTimeout : networkTimeout;
    }

    void closed(CassidyStatement statement) {
        statements.remove(statement);
    }

    /** @param id null when the insert had no identity: SQL Server's drivers repeat the previous one there */
    void rememberIdentity(@Nullable Long id) {
        lastIdentity = id;
    }

    /** Returns the one row of SELECT SCOPE_IDENTITY(); null in it before the first identity insert. */
    Cursor lastIdentity(TsqlStep.SelectIdentity select) throws SQLException {
        DataType type =
                switch (select.type()) {
                    case NUMERIC -> settings().scopeIdentityIsDecimal() ? DataTypes.DECIMAL : DataTypes.BIGINT;
                    case BIGINT -> DataTypes.BIGINT;
                    case INT -> DataTypes.INT;
                    case SMALLINT -> DataTypes.SMALLINT;
                };
        List<@Nullable Object> row = new ArrayList<>();
        Long id = lastIdentity;
        try {
            row.add(id == null ? null : new ToCql(Temporals.zone(null), ignored -> {}).convert(id, type));
        } catch (Unfit e) {
            throw e.in("the last identity");
        }
        return new Cursor.Keys(Column.of(select.label(), type), List.of(row));
    }

    @Override
    public Statement createStatement() throws SQLException {
        return opened(new CassidyStatement(this));
    }

    private <S extends CassidyStatement> S opened(S statement) throws SQLException {
        requireOpen();
        statements.add(statement);
        return statement;
    }

    @Override
    public Statement createStatement(int type, int concurrency) throws SQLException {
        return createStatement(type, concurrency, holdability);
    }

    @Override
    public Statement createStatement(int type, int concurrency, int holding) throws SQLException {
        requireForwardOnly(type, concurrency, holding);
        return createStatement();
    }

    @Override
    public PreparedStatement prepareStatement(String sql) throws SQLException {
        return prepare(sql, KeyRequest.NONE);
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int autoGeneratedKeys) throws SQLException {
        return prepare(sql, KeyRequest.flag(autoGeneratedKeys));
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int[] columnIndexes) throws SQLException {
        return prepare(sql, KeyRequest.indexes(columnIndexes));
    }

    @Override
    public PreparedStatement prepareStatement(String sql, String[] columnNames) throws SQLException {
        return prepare(sql, KeyRequest.names(columnNames));
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int type, int concurrency) throws SQLException {
        return prepareStatement(sql, type, concurrency, holdability);
    }

    @Override
    public PreparedStatement prepareStatement(String sql, int type, int concurrency, int holding) throws SQLException {
        requireForwardOnly(type, concurrency, holding);
        return prepareStatement(sql);
    }

    private PreparedStatement prepare(String sql, KeyRequest keys) throws SQLException {
        return opened(new CassidyPreparedStatement(this, parse(sql), keys));
    }

    TsqlScript parse(@Nullable String sql) throws SQLException {
        requireOpen();
        if (sql == null) {
            throw new SQLException("must be the text of a statement: sql=null", SqlStates.BAD_ARGUMENT);
        }
        TsqlScript script;
        try {
            script = TsqlScript.parse(sql);
        } catch (UnsupportedSqlException e) {
            throw SqlErrors.of(e);
        }
        // What follows it would be prepared, and described, in the keyspace that it leaves.
        if (script.steps().size() > 1 && script.steps().stream().anyMatch(TsqlStep.Use.class::isInstance)) {
            throw Unserved.feature("USE is not served among other statements: run it on its own before them, call"
                    + " setSchema, or name the keyspace: keyspace.table");
        }
        return script;
    }

    private static void requireForwardOnly(int type, int concurrency, int holding) throws SQLException {
        if (type != ResultSet.TYPE_FORWARD_ONLY) {
            throw Unserved.feature("A result set runs forward only: ask for TYPE_FORWARD_ONLY, not type=" + type);
        }
        if (concurrency != ResultSet.CONCUR_READ_ONLY) {
            throw Unserved.feature(
                    "A result set is read-only: ask for CONCUR_READ_ONLY, not concurrency=" + concurrency);
        }
        requireHoldability(holding);
    }

    private static void requireHoldability(int holding) throws SQLException {
        if (holding != ResultSet.HOLD_CURSORS_OVER_COMMIT && holding != ResultSet.CLOSE_CURSORS_AT_COMMIT) {
            throw new SQLException(
                    "must be HOLD_CURSORS_OVER_COMMIT or CLOSE_CURSORS_AT_COMMIT: holdability=" + holding,
                    SqlStates.BAD_ARGUMENT);
        }
    }

    @Override
    public String nativeSQL(String sql) throws SQLException {
        List<String> texts = new ArrayList<>();
        for (TsqlStep step : parse(sql).steps()) {
            if (step instanceof TsqlStep.Cql cql) {
                texts.add(cql.text());
            } else if (step instanceof TsqlStep.Insert insert) {
                insert.rows().forEach(row -> texts.add(row.insert().text()));
            }
        }
        return String.join("; ", texts);
    }

    /** Turning it on commits what is open, as JDBC has it. */
    @Override
    public void setAutoCommit(boolean on) throws SQLException {
        requireOpen();
        if (on && !autoCommit) {
            commit();
        }
        autoCommit = on;
    }

    @Override
    public boolean getAutoCommit() throws SQLException {
        requireOpen();
        return autoCommit;
    }

    /** Returns what collects the writes; null when each is sent at once. */
    @Nullable
    Transaction transaction() {
        return autoCommit || !settings().buffersTransactions() ? null : transaction;
    }

    /** Notes a write that no rollback can undo. */
    void wroteAtOnce() {
        sentSinceCommit += autoCommit ? 0 : 1;
    }

    /** After a failure the writes are kept: commit again sends the same rows with the same ids, rollback drops them. */
    @Override
    public void commit() throws SQLException {
        requireOpen();
        sentSinceCommit = 0;
        if (!transaction.isEmpty()) {
            try {
                transaction.commit(session().plain(), timeout(Duration.ZERO));
            } catch (RuntimeException e) {
                throw SqlErrors.of(e);
            }
        }
    }

    /** Never throws on an open connection: it would hide the exception that the rollback is for. */
    @Override
    public void rollback() throws SQLException {
        requireOpen();
        transaction.clear();
        if (sentSinceCommit > 0) {
            SQLWarning warning =
                    Warnings.general(sentSinceCommit + " writes were sent at once and stay: rollback cannot undo them");
            LOG.warn("{}", warning.getMessage());
            warnings.add(warning);
            sentSinceCommit = 0;
        }
    }

    @Override
    public void rollback(Savepoint savepoint) throws SQLException {
        throw Unserved.method("Connection.rollback(Savepoint)");
    }

    @Override
    public DatabaseMetaData getMetaData() throws SQLException {
        requireOpen();
        return new CassidyDatabaseMetaData(this);
    }

    /** A hint, as JDBC has it: nothing is refused because of it. */
    @Override
    public void setReadOnly(boolean on) throws SQLException {
        requireOpen();
        readOnly = on;
    }

    @Override
    public boolean isReadOnly() throws SQLException {
        requireOpen();
        return readOnly;
    }

    @Override
    public void setCatalog(@Nullable String catalog) throws SQLException {
        requireOpen();
        if (catalog != null && !catalog.isEmpty()) {
            warnings.add(Warnings.general("Cassandra has no catalogs, a keyspace is a schema: setCatalog('" + catalog
                    + "') changes nothing; use setSchema"));
        }
    }

    @Override
    public @Nullable String getCatalog() throws SQLException {
        requireOpen();
        return null;
    }

    @Override
    public void setSchema(String schema) throws SQLException {
        requireOpen();
        CqlIdentifier keyspace;
        try {
            keyspace = CqlIdentifier.fromCql(schema);
        } catch (IllegalArgumentException e) {
            throw new SQLException(
                    "must be letters, digits and '_', or be quoted: keyspace='" + schema + "'",
                    SqlStates.BAD_ARGUMENT,
                    e);
        }
        use(keyspace);
    }

    /** Goes on in another keyspace: on a session of its own, since all users of a session share its keyspace. */
    void use(CqlIdentifier keyspace) throws SQLException {
        if (settings().keyspace().filter(keyspace::equals).isPresent()) {
            return;
        }
        if (!transaction.isEmpty()) {
            throw new SQLException(
                    transaction.size() + " writes wait for commit or rollback: the keyspace cannot change before",
                    SqlStates.SEQUENCE_OF_CALLS);
        }
        SharedSessions.Lease other = lease.withKeyspace(keyspace);
        lease.release();
        lease = other;
    }

    @Override
    public @Nullable String getSchema() throws SQLException {
        requireOpen();
        return settings().keyspace().map(CqlIdentifier::asInternal).orElse(null);
    }

    /** Every level is accepted and remembered, because pools and frameworks insist; Cassandra has none of them. */
    @Override
    public void setTransactionIsolation(int level) throws SQLException {
        requireOpen();
        switch (level) {
            case TRANSACTION_READ_UNCOMMITTED,
                    TRANSACTION_READ_COMMITTED,
                    TRANSACTION_REPEATABLE_READ,
                    TRANSACTION_SERIALIZABLE -> isolation = level;
            default ->
                throw new SQLException(
                        "must be one of Connection.TRANSACTION_READ_UNCOMMITTED, READ_COMMITTED, REPEATABLE_READ,"
                                + " SERIALIZABLE: isolation=" + level,
                        SqlStates.BAD_ARGUMENT);
        }
        warnings.add(Warnings.general("Cassandra has no isolation levels; what a statement sees is decided by"
                + " consistency=" + settings().consistency() + ". The level is remembered and has no effect"));
    }

    @Override
    public int getTransactionIsolation() throws SQLException {
        requireOpen();
        return isolation;
    }

    @Override
    public void setHoldability(int holding) throws SQLException {
        requireOpen();
        requireHoldability(holding);
        holdability = holding;
    }

    @Override
    public int getHoldability() throws SQLException {
        requireOpen();
        return holdability;
    }

    @Override
    public Map<String, Class<?>> getTypeMap() throws SQLException {
        requireOpen();
        return Map.of();
    }

    @Override
    public @Nullable SQLWarning getWarnings() throws SQLException {
        requireOpen();
        return warnings.first();
    }

    @Override
    public void clearWarnings() throws SQLException {
        requireOpen();
        warnings.clear();
    }

    @Override
    public boolean isValid(int seconds) throws SQLException {
        if (seconds < 0) {
            throw new SQLException("must be >= 0: timeout=" + seconds, SqlStates.BAD_ARGUMENT);
        }
        if (closed) {
            return false;
        }
        SimpleStatement probe = SimpleStatement.newInstance("SELECT key FROM system.local");
        try {
            CqlSession session = lease.session().plain();
            session.executeAsync(seconds == 0 ? probe : probe.setTimeout(Duration.ofSeconds(seconds)))
                    .toCompletableFuture()
                    .join();
            return true;
        } catch (CompletionException | IllegalStateException e) {
            // Nothing to tell: the caller asked whether, not why.
            return false;
        }
    }

    @Override
    public void setNetworkTimeout(@Nullable Executor executor, int milliseconds) throws SQLException {
        requireOpen();
        if (milliseconds < 0) {
            throw new SQLException("must be >= 0: networkTimeout=" + milliseconds, SqlStates.BAD_ARGUMENT);
        }
        networkTimeout = Duration.ofMillis(milliseconds);
    }

    @Override
    public int getNetworkTimeout() throws SQLException {
        requireOpen();
        return Math.toIntExact(networkTimeout.toMillis());
    }

    @Override
    public void setClientInfo(String name, @Nullable String value) {
        warnings.add(Warnings.general("Client info is not kept: " + name));
    }

    @Override
    public void setClientInfo(Properties properties) {
        properties.stringPropertyNames().forEach(name -> setClientInfo(name, null));
    }

    @Override
    public @Nullable String getClientInfo(String name) throws SQLException {
        requireOpen();
        return null;
    }

    @Override
    public Properties getClientInfo() throws SQLException {
        requireOpen();
        return new Properties();
    }

    @Override
    public void close() throws SQLException {
        if (closed) {
            return;
        }
        closed = true;
        for (CassidyStatement statement : List.copyOf(statements)) {
            statement.close();
        }
        lease.release();
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void abort(@Nullable Executor executor) {
        if (!closed) {
            closed = true;
            lease.release();
        }
    }

    /**
     * Also gives the {@link CqlSession}, which is shared: never close it. As {@link IdentitySession} only where Cassidy's
     * keyspaces exist.
     */
    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        if (type.isInstance(this) || !isWrapperFor(type)) {
            return Wrappers.unwrap(this, type);
        }
        SharedSession session = session();
        try {
            return type.cast(type.isAssignableFrom(CqlSession.class) ? session.writing() : session.identity());
        } catch (RuntimeException e) {
            throw SqlErrors.of(e);
        }
    }

    /** By the type alone: asks neither the cluster nor whether Cassidy's keyspaces exist. */
    @Override
    public boolean isWrapperFor(Class<?> type) {
        return type.isInstance(this) || type.isAssignableFrom(IdentitySession.class);
    }

    @Override
    public String toString() {
        return "CassidyConnection[" + opened + (closed ? ", closed]" : "]");
    }
}
