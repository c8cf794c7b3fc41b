package dev.cassidy.jdbc;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.cql.GeneratedKeys;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.error.Warnings;
import dev.cassidy.jdbc.run.BatchRunner;
import dev.cassidy.jdbc.run.Cancellation;
import dev.cassidy.jdbc.run.ConnectionState;
import dev.cassidy.jdbc.run.CurrentDays;
import dev.cassidy.jdbc.run.Cursor;
import dev.cassidy.jdbc.run.KeyRequest;
import dev.cassidy.jdbc.run.ScriptParser;
import dev.cassidy.jdbc.run.ScriptRunner;
import dev.cassidy.jdbc.run.StepResult;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.tsql.TsqlScript;
import dev.cassidy.tsql.TsqlStep;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A statement of literal SQL. Its results come in the order of SQL Server: an update count for each statement that
 * writes, unless SET NOCOUNT ON hides it, and a result set for each that reads. Used by one thread at a time.
 */
class CassidyStatement implements Statement, WrapsNothing {

    /** How many rows a scrollable result keeps in memory, unless the application says by maxRows how many it wants. */
    private static final long SCROLLED_ROWS = 10_000;

    private final CassidyConnection connection;
    private final Warnings warnings = new Warnings();
    private final Cancellation cancellation = new Cancellation();
    private final List<BatchRunner.Entry> batch = new ArrayList<>();
    private final Deque<StepResult> pending = new ArrayDeque<>();
    private @Nullable StepResult current;
    private @Nullable CassidyResultSet currentRows;
    private List<GeneratedKeys.Key> keys = List.of();

    /** Of the last run; the next one is almost always of the same kind. */
    private @Nullable ScriptRunner runner;

    private @Nullable Column keysColumn;

    private Duration queryTimeout = Duration.ZERO;
    private int fetchSize;
    private long maxRows;
    private int maxFieldSize;
    private boolean poolable;
    private boolean closeOnCompletion;
    private boolean scrollable;
    private volatile boolean closed;

    CassidyStatement(CassidyConnection connection) throws SQLException {
        this.connection = connection;
        this.fetchSize = connection.state().session().fetchSize();
    }

    final void requireOpen() throws SQLException {
        if (closed) {
            throw new SQLException("The statement is closed", SqlStates.SEQUENCE_OF_CALLS);
        }
        connection.state().requireOpen();
    }

    /** Makes the results scrollable; for a statement that has not run. */
    final void makeScrollable() {
        scrollable = true;
    }

    final CassidyConnection connection() {
        return connection;
    }

    final void warn(SQLWarning warning) {
        warnings.add(warning);
    }

    final ScriptRunner runner(KeyRequest keyRequest) throws SQLException {
        // Rows beyond maxRows would be fetched for nothing.
        int pageSize = maxRows == 0 ? fetchSize : (int) Math.min(fetchSize, maxRows);
        Duration timeout = connection.state().timeout(queryTimeout);
        ScriptRunner known = runner;
        if (known == null || !known.isFor(connection.state().session(), pageSize, timeout, keyRequest)) {
            known = new ScriptRunner(connection.state(), pageSize, timeout, keyRequest, warnings::add, cancellation);
            runner = known;
        }
        return known;
    }

    private void run(TsqlScript script, List<@Nullable Parameter> parameters, KeyRequest keyRequest)
            throws SQLException {
        startRun();
        if (script.steps().isEmpty()) {
            throw new SQLException("The SQL string holds no statement", SqlStates.SYNTAX_OR_RULE);
        }
        TsqlScript sent = rewritten(script);
        cancellation.begin();
        try {
            ScriptRunner.Ran ran = runner(keyRequest).run(sent, parameters);
            keys = ran.keys();
            pending.addAll(ran.results());
        } finally {
            cancellation.end();
        }
    }

    /** Returns the script with the current day where it gives a column of dates the current time. */
    TsqlScript rewritten(TsqlScript script) throws SQLException {
        return CurrentDays.of(script, connection.state().session().tables(), Instant::now);
    }

    private void startRun() throws SQLException {
        requireOpen();
        warnings.clear();
        closeCurrent();
        pending.clear();
        current = null;
        keys = List.of();
    }

    private void closeCurrent() throws SQLException {
        CassidyResultSet open = currentRows;
        currentRows = null;
        if (open != null) {
            open.close();
        }
    }

    final boolean execute(TsqlScript script, List<@Nullable Parameter> parameters, KeyRequest keyRequest)
            throws SQLException {
        run(script, parameters, keyRequest);
        return advance();
    }

    final ResultSet executeQuery(TsqlScript script, List<@Nullable Parameter> parameters) throws SQLException {
        // Before it runs: otherwise its writes would stay although the caller gets an exception.
        SharedSession session = connection.state().session();
        if (!mayGiveRows(script, session)) {
            throw new SQLException(
                    "The statement gives no result set; run it with executeUpdate or execute",
                    SqlStates.SEQUENCE_OF_CALLS);
        }
        run(script, parameters, KeyRequest.NONE);
        while (!pending.isEmpty()) {
            StepResult result = pending.remove();
            if (result.rows() != null) {
                current = result;
                return open(result.rows(), result.selection());
            }
        }
        throw new SQLException("The statement gave no result set", SqlStates.SEQUENCE_OF_CALLS);
    }

    private static boolean mayGiveRows(TsqlScript script, SharedSession session) {
        for (TsqlStep step : script.steps()) {
            if (ScriptRunner.mayGiveRows(step, session)) {
                return true;
            }
        }
        return false;
    }

    final long executeLargeUpdate(TsqlScript script, List<@Nullable Parameter> parameters, KeyRequest keyRequest)
            throws SQLException {
        if (givesOnlyRows(script)) {
            throw new SQLException(
                    "The statement gives a result set; run it with executeQuery or execute",
                    SqlStates.SEQUENCE_OF_CALLS);
        }
        run(script, parameters, keyRequest);
        // The last count, as in SQL Server's driver; what follows it is left for getMoreResults.
        int last = 0;
        for (StepResult result : pending) {
            last += result.isQuery() ? 0 : 1;
        }
        while (last > 0) {
            StepResult result = pending.remove();
            if (!result.isQuery()) {
                last--;
                current = result;
            }
        }
        return current == null ? 0 : current.count();
    }

    private static boolean givesOnlyRows(TsqlScript script) {
        boolean rows = false;
        for (TsqlStep step : script.steps()) {
            if (step.outcome() == TsqlStep.Outcome.COUNT) {
                return false;
            }
            rows |= step.outcome() == TsqlStep.Outcome.ROWS;
        }
        return rows;
    }

    private boolean advance() throws SQLException {
        closeCurrent();
        do {
            current = pending.poll();
        } while (current != null && current.hidden());
        if (current == null || !current.isQuery() || current.rows() == null) {
            return false;
        }
        open(current.rows(), current.selection());
        return true;
    }

    private CassidyResultSet open(Cursor rows, TsqlStep.@Nullable Selection selection) {
        Cursor cursor = scrollable ? new Cursor.Scrolled(rows, Math.max(SCROLLED_ROWS, maxRows)) : rows;
        CassidyResultSet opened = new CassidyResultSet(this, cursor, selection, maxRows, fetchSize);
        currentRows = opened;
        return opened;
    }

    final void resultClosed(CassidyResultSet result) throws SQLException {
        if (currentRows == result) {
            currentRows = null;
            if (closeOnCompletion && pending.isEmpty()) {
                close();
            }
        }
    }

    private static List<@Nullable Parameter> none(TsqlScript script) throws SQLException {
        if (script.parameterCount() > 0) {
            throw new SQLException(
                    "The statement has " + script.parameterCount() + " parameters; use prepareStatement",
                    SqlStates.WRONG_PARAMETERS);
        }
        return List.of();
    }

    @Override
    public boolean execute(String sql) throws SQLException {
        return executeText(sql, KeyRequest.NONE);
    }

    @Override
    public boolean execute(String sql, int autoGeneratedKeys) throws SQLException {
        return executeText(sql, KeyRequest.flag(autoGeneratedKeys));
    }

    @Override
    public boolean execute(String sql, int[] columnIndexes) throws SQLException {
        return executeText(sql, KeyRequest.indexes(columnIndexes));
    }

    @Override
    public boolean execute(String sql, String[] columnNames) throws SQLException {
        return executeText(sql, KeyRequest.names(columnNames));
    }

    private boolean executeText(String sql, KeyRequest keyRequest) throws SQLException {
        requireOpen();
        TsqlScript script = ScriptParser.parse(sql, connection.state());
        return execute(script, none(script), keyRequest);
    }

    @Override
    public ResultSet executeQuery(String sql) throws SQLException {
        requireOpen();
        TsqlScript script = ScriptParser.parse(sql, connection.state());
        return executeQuery(script, none(script));
    }

    @Override
    public int executeUpdate(String sql) throws SQLException {
        return Math.toIntExact(executeLargeUpdate(sql));
    }

    @Override
    public int executeUpdate(String sql, int autoGeneratedKeys) throws SQLException {
        return Math.toIntExact(executeLargeUpdate(sql, autoGeneratedKeys));
    }

    @Override
    public int executeUpdate(String sql, int[] columnIndexes) throws SQLException {
        return Math.toIntExact(executeLargeUpdate(sql, columnIndexes));
    }

    @Override
    public int executeUpdate(String sql, String[] columnNames) throws SQLException {
        return Math.toIntExact(executeLargeUpdate(sql, columnNames));
    }

    @Override
    public long executeLargeUpdate(String sql) throws SQLException {
        return updateText(sql, KeyRequest.NONE);
    }

    @Override
    public long executeLargeUpdate(String sql, int autoGeneratedKeys) throws SQLException {
        return updateText(sql, KeyRequest.flag(autoGeneratedKeys));
    }

    @Override
    public long executeLargeUpdate(String sql, int[] columnIndexes) throws SQLException {
        return updateText(sql, KeyRequest.indexes(columnIndexes));
    }

    @Override
    public long executeLargeUpdate(String sql, String[] columnNames) throws SQLException {
        return updateText(sql, KeyRequest.names(columnNames));
    }

    private long updateText(String sql, KeyRequest keyRequest) throws SQLException {
        requireOpen();
        TsqlScript script = ScriptParser.parse(sql, connection.state());
        return executeLargeUpdate(script, none(script), keyRequest);
    }

    @Override
    public void addBatch(String sql) throws SQLException {
        requireOpen();
        ConnectionState state = connection.state();
        SharedSession session = state.session();
        long schema = session.schema();
        TsqlScript script = ScriptParser.parse(sql, state);
        addBatch(
                script,
                () -> rewritten(
                        session == state.session() && schema == session.schema()
                                ? script
                                : ScriptParser.parse(sql, state)),
                none(script));
    }

    /** @param reading what reads the same statement when its turn comes */
    final void addBatch(TsqlScript script, BatchRunner.Reading reading, List<@Nullable Parameter> parameters)
            throws SQLException {
        boolean uses = false;
        boolean reads = false;
        for (TsqlStep step : script.steps()) {
            uses |= step instanceof TsqlStep.Use;
            reads |= step.outcome() == TsqlStep.Outcome.ROWS;
        }
        if (uses) {
            throw Unserved.feature("USE is not served in a batch: run it before the batch, call setSchema, or name the"
                    + " keyspace: keyspace.table");
        }
        // Here, not after it has run: the caller would think that its writes failed, and write again.
        if (reads) {
            throw new SQLException(
                    "A batch cannot hold a statement that gives a result set; for the keys of its inserts, prepare"
                            + " with RETURN_GENERATED_KEYS and read getGeneratedKeys after executeBatch",
                    SqlStates.SEQUENCE_OF_CALLS);
        }
        batch.add(new BatchRunner.Entry(reading, parameters));
    }

    @Override
    public void clearBatch() throws SQLException {
        requireOpen();
        batch.clear();
    }

    @Override
    public int[] executeBatch() throws SQLException {
        long[] counts = executeLargeBatch();
        int[] narrow = new int[counts.length];
        for (int i = 0; i < counts.length; i++) {
            narrow[i] = Math.toIntExact(counts[i]);
        }
        return narrow;
    }

    @Override
    public long[] executeLargeBatch() throws SQLException {
        return executeBatch(KeyRequest.NONE);
    }

    final long[] executeBatch(KeyRequest keyRequest) throws SQLException {
        startRun();
        List<BatchRunner.Entry> entries = List.copyOf(batch);
        // Removed whatever the result, so that a statement that failed once does not send its rows again.
        batch.clear();
        BatchRunner.Outcome outcome;
        cancellation.begin();
        try {
            outcome = new BatchRunner(runner(keyRequest), cancellation).run(entries);
        } catch (RuntimeException e) {
            throw SqlErrors.of(e);
        } finally {
            cancellation.end();
        }
        keys = outcome.keys();
        BatchUpdateException failure = outcome.failure();
        if (failure != null) {
            throw failure;
        }
        return outcome.counts().stream().mapToLong(Long::longValue).toArray();
    }

    @Override
    public ResultSet getGeneratedKeys() throws SQLException {
        requireOpen();
        return new CassidyResultSet(this, keysCursor(keys), null, 0, fetchSize);
    }

    private Column keysColumn(GeneratedKeys.Key key, DataType type) {
        Column known = keysColumn;
        if (known == null
                || !known.label().equals(key.column())
                || !known.type().equals(type)
                || !known.keyspace().equals(key.keyspace())
                || !known.table().equals(key.table())) {
            known = new Column(key.column(), type, key.keyspace(), key.table());
            keysColumn = known;
        }
        return known;
    }

    private Cursor keysCursor(List<GeneratedKeys.Key> keys) {
        if (keys.isEmpty()) {
            return new Cursor.Keys(Column.of("GENERATED_KEYS", DataTypes.BIGINT), List.of());
        }
        GeneratedKeys.Key first = keys.get(0);
        IdentityType type = first.type();
        for (GeneratedKeys.Key key : keys) {
            type = key.type() == type ? type : IdentityType.BIGINT;
        }
        List<List<Object>> rows = new ArrayList<>(keys.size());
        for (GeneratedKeys.Key key : keys) {
            rows.add(List.of(value(key.id(), type)));
        }
        return new Cursor.Keys(keysColumn(first, type(type)), rows);
    }

    /** Returns the id as the driver's codec for the type would. */
    private static Object value(long id, IdentityType type) {
        return switch (type) {
            case SMALLINT -> (short) id;
            case INT -> (int) id;
            case BIGINT -> id;
        };
    }

    private static DataType type(IdentityType type) {
        return switch (type) {
            case SMALLINT -> DataTypes.SMALLINT;
            case INT -> DataTypes.INT;
            case BIGINT -> DataTypes.BIGINT;
        };
    }

    @Override
    public @Nullable ResultSet getResultSet() throws SQLException {
        requireOpen();
        return currentRows;
    }

    @Override
    public int getUpdateCount() throws SQLException {
        return Math.toIntExact(getLargeUpdateCount());
    }

    @Override
    public long getLargeUpdateCount() throws SQLException {
        requireOpen();
        return current == null || current.isQuery() ? -1 : current.count();
    }

    @Override
    public boolean getMoreResults() throws SQLException {
        requireOpen();
        return advance();
    }

    @Override
    public boolean getMoreResults(int what) throws SQLException {
        requireOpen();
        if (what == KEEP_CURRENT_RESULT) {
            currentRows = null;
        } else if (what != CLOSE_CURRENT_RESULT && what != CLOSE_ALL_RESULTS) {
            throw new SQLException(
                    "must be one of Statement.CLOSE_CURRENT_RESULT, KEEP_CURRENT_RESULT, CLOSE_ALL_RESULTS: current="
                            + what,
                    SqlStates.BAD_ARGUMENT);
        }
        return advance();
    }

    @Override
    public Connection getConnection() throws SQLException {
        requireOpen();
        return connection;
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
    public int getQueryTimeout() throws SQLException {
        requireOpen();
        return Math.toIntExact(queryTimeout.toSeconds());
    }

    @Override
    public void setQueryTimeout(int seconds) throws SQLException {
        requireOpen();
        requireNotNegative("queryTimeout", seconds);
        queryTimeout = Duration.ofSeconds(seconds);
    }

    @Override
    public int getFetchSize() throws SQLException {
        requireOpen();
        return fetchSize;
    }

    @Override
    public void setFetchSize(int rows) throws SQLException {
        requireOpen();
        requireNotNegative("fetchSize", rows);
        fetchSize = rows == 0 ? connection.state().session().fetchSize() : rows;
    }

    @Override
    public int getMaxRows() throws SQLException {
        // A larger limit than an int can say is none to a caller who counts in ints.
        return (int) Math.min(getLargeMaxRows(), Integer.MAX_VALUE);
    }

    @Override
    public void setMaxRows(int rows) throws SQLException {
        setLargeMaxRows(rows);
    }

    @Override
    public long getLargeMaxRows() throws SQLException {
        requireOpen();
        return maxRows;
    }

    @Override
    public void setLargeMaxRows(long rows) throws SQLException {
        requireOpen();
        requireNotNegative("maxRows", rows);
        maxRows = rows;
    }

    @Override
    public int getMaxFieldSize() throws SQLException {
        requireOpen();
        return maxFieldSize;
    }

    @Override
    public void setMaxFieldSize(int bytes) throws SQLException {
        requireOpen();
        if (bytes != 0) {
            throw Unserved.feature("Values are never cut: maxFieldSize=" + bytes);
        }
        maxFieldSize = bytes;
    }

    private static void requireNotNegative(String name, long value) throws SQLException {
        if (value < 0) {
            throw new SQLException("must be >= 0: " + name + "=" + value, SqlStates.BAD_ARGUMENT);
        }
    }

    @Override
    public void setFetchDirection(int direction) throws SQLException {
        requireOpen();
        if (direction != ResultSet.FETCH_FORWARD && !scrollable) {
            throw Unserved.feature("A result set runs forward only: fetch direction=" + direction);
        }
    }

    @Override
    public int getFetchDirection() throws SQLException {
        requireOpen();
        return ResultSet.FETCH_FORWARD;
    }

    @Override
    public int getResultSetConcurrency() throws SQLException {
        requireOpen();
        return ResultSet.CONCUR_READ_ONLY;
    }

    @Override
    public int getResultSetType() throws SQLException {
        requireOpen();
        return scrollable ? ResultSet.TYPE_SCROLL_INSENSITIVE : ResultSet.TYPE_FORWARD_ONLY;
    }

    @Override
    public int getResultSetHoldability() throws SQLException {
        requireOpen();
        return ResultSet.HOLD_CURSORS_OVER_COMMIT;
    }

    /** There are no JDBC escapes ({@code {ts ...}}) in CQL, so there is nothing to switch. */
    @Override
    public void setEscapeProcessing(boolean on) throws SQLException {
        requireOpen();
    }

    @Override
    public void setCursorName(String name) throws SQLException {
        throw Unserved.method("Statement.setCursorName(String)");
    }

    /**
     * From another thread: ends the execution, or the fetching of a page, that waits for the cluster, with SQLState HY008.
     * A write that was sent is not recalled. Does nothing when nothing runs.
     */
    @Override
    public void cancel() throws SQLException {
        requireOpen();
        cancellation.cancel();
    }

    /** As {@link #cancel()}, of a statement that may be closed. */
    final void abort() {
        cancellation.cancel();
    }

    @Override
    public void setPoolable(boolean on) throws SQLException {
        requireOpen();
        poolable = on;
    }

    @Override
    public boolean isPoolable() throws SQLException {
        requireOpen();
        return poolable;
    }

    @Override
    public void closeOnCompletion() throws SQLException {
        requireOpen();
        closeOnCompletion = true;
    }

    @Override
    public boolean isCloseOnCompletion() throws SQLException {
        requireOpen();
        return closeOnCompletion;
    }

    @Override
    public void close() throws SQLException {
        if (!closed) {
            closed = true;
            cancellation.cancel();
            pending.clear();
            batch.clear();
            currentRows = null;
            connection.closed(this);
        }
    }

    @Override
    public boolean isClosed() throws SQLException {
        return closed || connection.isClosed();
    }
}
