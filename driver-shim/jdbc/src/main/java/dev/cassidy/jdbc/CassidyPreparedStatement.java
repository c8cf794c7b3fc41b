package dev.cassidy.jdbc;

import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.plan.StatementPlan;
import dev.cassidy.jdbc.run.KeyRequest;
import dev.cassidy.jdbc.run.ScriptParser;
import dev.cassidy.jdbc.run.ScriptRunner;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.jdbc.value.ParameterCopies;
import dev.cassidy.tsql.TsqlScript;
import java.sql.ParameterMetaData;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A statement with parameters of its own: two statements with the same SQL share only what the cluster has prepared.
 * Its parameters stay after execute and addBatch, until they are set again or cleared. Prepared on the cluster when it
 * first runs, and only if it has parameters.
 */
final class CassidyPreparedStatement extends ParameterSetters {

    private final String sql;
    private final KeyRequest keys;
    private final List<@Nullable Parameter> parameters;
    private TsqlScript script;
    private SharedSession readFor;
    private long readAt;
    private boolean readToShow;
    private @Nullable TsqlScript rewritten;

    CassidyPreparedStatement(CassidyConnection connection, String sql, KeyRequest keys) throws SQLException {
        super(connection);
        this.sql = sql;
        this.keys = keys;
        this.readFor = connection.state().session();
        this.readAt = readFor.schema();
        this.readToShow = connection.state().showsPlans();
        this.script = ScriptParser.parsePrepared(sql, connection.state());
        this.parameters = new ArrayList<>(Collections.nCopies(script.parameterCount(), null));
    }

    @Override
    void set(int index, @Nullable Object value, @Nullable ZoneId zone) throws SQLException {
        requireOpen();
        if (index < 1 || index > parameters.size()) {
            throw new SQLException(
                    parameters.isEmpty()
                            ? "The statement has no parameters: parameter index=" + index
                            : "must be from 1 to " + parameters.size() + ": parameter index=" + index,
                    SqlStates.WRONG_PARAMETERS);
        }
        parameters.set(index - 1, new Parameter(ParameterCopies.of(value), zone));
    }

    /**
     * Reads the statement again if the schema has changed, or what is declared of tables: without a list of columns, for example,
     * its values would go into other columns.
     */
    private TsqlScript script() throws SQLException {
        SharedSession session = connection().state().session();
        long schema = session.schema();
        boolean toShow = connection().state().showsPlans();
        if (readFor != session || readAt != schema || readToShow != toShow) {
            script = ScriptParser.parsePrepared(sql, connection().state());
            readToShow = toShow;
            rewritten = null;
            readAt = schema;
            readFor = session;
        }
        return script;
    }

    /** Once for the tables of one keyspace and schema; again only while a table is not known. */
    @Override
    TsqlScript rewritten(TsqlScript given) throws SQLException {
        if (!given.hasTimes()) {
            return given;
        }
        TsqlScript known = rewritten;
        if (known == null || known.hasTimes()) {
            known = super.rewritten(given);
            rewritten = known;
        }
        return known;
    }

    @Override
    public void clearParameters() throws SQLException {
        requireOpen();
        Collections.fill(parameters, null);
    }

    @Override
    public boolean execute() throws SQLException {
        return execute(script(), parameters, keys);
    }

    @Override
    public ResultSet executeQuery() throws SQLException {
        return executeQuery(script(), parameters);
    }

    @Override
    public int executeUpdate() throws SQLException {
        return Math.toIntExact(executeLargeUpdate());
    }

    @Override
    public long executeLargeUpdate() throws SQLException {
        return executeLargeUpdate(script(), parameters, keys);
    }

    @Override
    public void addBatch() throws SQLException {
        requireOpen();
        addBatch(script(), () -> rewritten(script()), new ArrayList<>(parameters));
    }

    @Override
    public long[] executeLargeBatch() throws SQLException {
        return executeBatch(keys);
    }

    /** Null for a statement that reads nothing. */
    @Override
    public @Nullable ResultSetMetaData getMetaData() throws SQLException {
        requireOpen();
        TsqlScript current = rewritten(script());
        List<Column> columns = runner(keys).resultColumns(current);
        return columns.isEmpty()
                ? null
                : new ColumnsMetaData(
                        columns,
                        ScriptRunner.selection(current),
                        false,
                        connection().state().session());
    }

    @Override
    public ParameterMetaData getParameterMetaData() throws SQLException {
        requireOpen();
        return new ParametersMetaData(
                runner(keys).parameterColumns(rewritten(script())),
                connection().state().session());
    }

    /** Also how the statement is served: {@code unwrap(StatementPlan.class)}. */
    @Override
    public <T> T unwrap(@Nullable Class<T> type) throws SQLException {
        if (type == StatementPlan.class) {
            requireOpen();
            return type.cast(runner(keys).plan(sql));
        }
        return super.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(@Nullable Class<?> type) throws SQLException {
        return type == StatementPlan.class || super.isWrapperFor(type);
    }

    private static SQLException notHere(String method) {
        return new SQLException(
                "PreparedStatement has its SQL already: call " + method + "() without it", SqlStates.SEQUENCE_OF_CALLS);
    }

    @Override
    public boolean execute(String sql) throws SQLException {
        throw notHere("execute");
    }

    @Override
    public boolean execute(String sql, int autoGeneratedKeys) throws SQLException {
        throw notHere("execute");
    }

    @Override
    public boolean execute(String sql, int[] columnIndexes) throws SQLException {
        throw notHere("execute");
    }

    @Override
    public boolean execute(String sql, String[] columnNames) throws SQLException {
        throw notHere("execute");
    }

    @Override
    public ResultSet executeQuery(String sql) throws SQLException {
        throw notHere("executeQuery");
    }

    @Override
    public long executeLargeUpdate(String sql) throws SQLException {
        throw notHere("executeUpdate");
    }

    @Override
    public long executeLargeUpdate(String sql, int autoGeneratedKeys) throws SQLException {
        throw notHere("executeUpdate");
    }

    @Override
    public long executeLargeUpdate(String sql, int[] columnIndexes) throws SQLException {
        throw notHere("executeUpdate");
    }

    @Override
    public long executeLargeUpdate(String sql, String[] columnNames) throws SQLException {
        throw notHere("executeUpdate");
    }

    @Override
    public void addBatch(String sql) throws SQLException {
        throw notHere("addBatch");
    }
}
