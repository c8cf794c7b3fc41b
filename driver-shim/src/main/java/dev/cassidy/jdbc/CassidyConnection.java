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
import java.sql.Array;
import java.sql.Blob;
import java.sql.ClientInfoStatus;
import java.sql.Clob;
import java.sql.DatabaseMetaData;
import java.sql.NClob;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLWarning;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Struct;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A JDBC connection: state of its own on a session that it shares. Cheap to open and to close. Used by one thread at a
 * time, as JDBC connections are.
 */
final class CassidyConnection extends UnservedConnection {

    private static final Logger LOG = LoggerFactory.getLogger(CassidyConnection.class);
    static final List<String> CLIENT_INFO = List.of("ApplicationName", "ClientHostname", "ClientUser");
    private static final Duration NO_TIMEOUT = Duration.ZERO;

    private final Set<CassidyStatement> statements =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
    private final Cancellation committing = new Cancellation();
    private final Warnings warnings = new Warnings();
    private final Properties clientInfo = new Properties();
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
    private final IdentityInsert identityInsert;

    /** Of the keyspace that the URL names, whatever is used later. */
    private final VersionedTables versioned;

    CassidyConnection(SharedSessions.Lease lease) {
        this.lease = lease;
        this.opened = lease.settings();
        this.identityInsert = new IdentityInsert(opened.identityInsert());
        this.versioned = opened.versioned();
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

    int openStatements() {
        return statements.size();
    }

    void closed(CassidyStatement statement) {
        statements.remove(statement);
    }

    IdentityInsert identityInsert() {
        return identityInsert;
    }

    VersionedTables versioned() {
        return versioned;
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
        return opened(new CassidyPreparedStatement(
                this, parse(sql, text -> lease.session().script(text)), keys));
    }

    /** A text with its values within hardly ever comes twice. */
    TsqlScript parse(@Nullable String sql) throws SQLException {
        return parse(
                sql, text -> TsqlScript.parse(text, new Tables(lease.session().plain())));
    }

    private TsqlScript parse(@Nullable String sql, Function<String, TsqlScript> read) throws SQLException {
        requireOpen();
        if (sql == null) {
            throw new SQLException("must be the text of a statement: sql=null", SqlStates.BAD_ARGUMENT);
        }
        TsqlScript script;
        try {
            script = read.apply(sql);
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
            } else if (step instanceof TsqlStep.CreateTable create) {
                texts.add(create.cql());
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

    /** Takes the note back: it was a conditional write, and was not applied. */
    void wroteNothing() {
        sentSinceCommit -= autoCommit ? 0 : 1;
    }

    /** After a failure the writes are kept: commit again sends the same rows with the same ids, rollback drops them. */
    @Override
    public void commit() throws SQLException {
        requireOpen();
        if (!transaction.isEmpty()) {
            committing.begin();
            try {
                transaction.commit(session().plain(), timeout(Duration.ZERO), committing);
            } catch (RuntimeException e) {
                throw SqlErrors.of(e);
            } finally {
                committing.end();
            }
        }
        // Last: if the commit fails, a rollback has still to tell of what was sent at once.
        sentSinceCommit = 0;
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
        throw savepoint("Connection.rollback(Savepoint)");
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
    public void setSchema(@Nullable String schema) throws SQLException {
        requireOpen();
        if (schema == null) {
            throw new SQLException("must not be null: schema", SqlStates.BAD_ARGUMENT);
        }
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
                + " consistency=" + session().consistency() + ". The level is remembered and has no effect"));
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

    /** The column decides on the type, so any name is accepted. */
    @Override
    public Array createArrayOf(String typeName, @Nullable Object @Nullable [] elements) throws SQLException {
        requireOpen();
        if (elements == null) {
            throw new SQLException("must not be null: elements", SqlStates.BAD_ARGUMENT);
        }
        return HeldArray.of(typeName, elements);
    }

    /** For a tuple, or for a user-defined type: its fields in the order of the type. */
    @Override
    public Struct createStruct(String typeName, @Nullable Object @Nullable [] attributes) throws SQLException {
        requireOpen();
        if (attributes == null) {
            throw new SQLException("must not be null: attributes", SqlStates.BAD_ARGUMENT);
        }
        return new HeldStruct(typeName, Arrays.asList(attributes.clone()));
    }

    @Override
    public Blob createBlob() throws SQLException {
        requireOpen();
        return new HeldBlob(new byte[0]);
    }

    @Override
    public Clob createClob() throws SQLException {
        return createNClob();
    }

    @Override
    public NClob createNClob() throws SQLException {
        requireOpen();
        return new HeldClob("");
    }

    @Override
    public void setTypeMap(@Nullable Map<String, Class<?>> map) throws SQLException {
        requireOpen();
        Unserved.requireEmpty(map);
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
            session.executeAsync(probe.setTimeout(timeout(Duration.ofSeconds(seconds))))
                    .toCompletableFuture()
                    .join();
            return true;
        } catch (CompletionException | IllegalStateException e) {
            // Nothing to tell: the caller asked whether, not why.
            return false;
        }
    }

    /**
     * Bounds each request, as the query timeout does, whichever is shorter. The connection stays usable when it has passed:
     * there is no socket of its own that could be out of step.
     */
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

    /** JDBC's own three names are kept for whoever asks the connection; Cassandra has no place for them. */
    @Override
    public void setClientInfo(String name, @Nullable String value) throws SQLClientInfoException {
        if (closed) {
            throw new SQLClientInfoException(
                    "The connection is closed",
                    SqlStates.CONNECTION_CLOSED,
                    Map.of(String.valueOf(name), ClientInfoStatus.REASON_UNKNOWN));
        }
        if (!CLIENT_INFO.contains(String.valueOf(name))) {
            warnings.add(Warnings.general(
                    "Client info is not kept: " + name + "; the names are " + String.join(", ", CLIENT_INFO)));
        } else if (value == null) {
            clientInfo.remove(name);
        } else {
            clientInfo.setProperty(name, value);
        }
    }

    /** What {@code properties} does not name is cleared, as JDBC has it. */
    @Override
    public void setClientInfo(@Nullable Properties properties) throws SQLClientInfoException {
        for (String name : CLIENT_INFO) {
            setClientInfo(name, null);
        }
        if (properties != null) {
            for (String name : properties.stringPropertyNames()) {
                setClientInfo(name, properties.getProperty(name));
            }
        }
    }

    @Override
    public @Nullable String getClientInfo(@Nullable String name) throws SQLException {
        requireOpen();
        return name == null ? null : clientInfo.getProperty(name);
    }

    @Override
    public Properties getClientInfo() throws SQLException {
        requireOpen();
        Properties copy = new Properties();
        copy.putAll(clientInfo);
        return copy;
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

    /** Closes from any thread: what runs on the connection ends with SQLState HY008. Asks nobody, so it needs no executor. */
    @Override
    public void abort(@Nullable Executor executor) {
        if (!closed) {
            closed = true;
            List.copyOf(statements).forEach(CassidyStatement::abort);
            committing.cancel();
            lease.release();
        }
    }

    /**
     * Also gives the {@link CqlSession}, which is shared: never close it. As {@link IdentitySession} only where Cassidy's
     * keyspaces exist.
     */
    @Override
    public <T> T unwrap(@Nullable Class<T> type) throws SQLException {
        if (type == null || type.isInstance(this) || !isWrapperFor(type)) {
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
    public boolean isWrapperFor(@Nullable Class<?> type) {
        return type != null && (type.isInstance(this) || type.isAssignableFrom(IdentitySession.class));
    }

    @Override
    public String toString() {
        return "CassidyConnection[" + opened + (closed ? ", closed]" : "]");
    }
}
