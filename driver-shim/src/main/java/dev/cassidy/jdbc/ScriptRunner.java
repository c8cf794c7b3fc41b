package dev.cassidy.jdbc;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchStatementBuilder;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatementBuilder;
import com.datastax.oss.driver.api.core.cql.ColumnDefinition;
import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import com.datastax.oss.driver.api.core.cql.DefaultBatchType;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.CodecNotFoundException;
import com.datastax.oss.driver.api.core.type.codec.TypeCodec;
import dev.cassidy.cql.GeneratedKeys;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identity;
import dev.cassidy.insert.TsqlScript;
import dev.cassidy.insert.TsqlStep;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLWarning;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Runs the steps of one script, in order, for one statement. */
final class ScriptRunner {

    /** Statements that write rows; every other one without a result changes the schema, and counts none. */
    private static final Set<String> WRITES = Set.of("INSERT", "UPDATE", "DELETE", "BEGIN");

    /** What may be conditional; a false alarm costs a round trip of its own. */
    static final Pattern CONDITION = Pattern.compile("(?i)\\bIF\\b");

    private final CassidyConnection connection;
    private final SharedSession session;
    private final int pageSize;
    private final @Nullable Duration timeout;
    private final KeyRequest keyRequest;
    private final Consumer<SQLWarning> warnings;

    /** @param timeout null for the connection's requestTimeout */
    ScriptRunner(
            CassidyConnection connection,
            int pageSize,
            @Nullable Duration timeout,
            KeyRequest keyRequest,
            Consumer<SQLWarning> warnings)
            throws SQLException {
        this.connection = connection;
        this.session = connection.session();
        this.pageSize = pageSize;
        this.timeout = timeout;
        this.keyRequest = keyRequest;
        this.warnings = warnings;
    }

    /** @param parameters by the script's {@code ?}; null for one that was never set */
    List<StepResult> run(TsqlScript script, List<@Nullable Parameter> parameters) throws SQLException {
        List<StepResult> results = new ArrayList<>();
        boolean countsHidden = false;
        for (TsqlStep step : script.steps()) {
            if (step instanceof TsqlStep.SetNoCount noCount) {
                countsHidden = noCount.on();
            } else if (step instanceof TsqlStep.Ignored ignored) {
                warnings.accept(new SQLWarning("Has no bearing on Cassandra and was left out: " + ignored.text()));
            } else {
                StepResult result = result(step, parameters);
                results.add(countsHidden && !result.isQuery() ? result.withCountHidden() : result);
            }
        }
        return results;
    }

    private StepResult result(TsqlStep step, List<@Nullable Parameter> parameters) throws SQLException {
        try {
            if (step instanceof TsqlStep.Cql cql) {
                return cql(cql, parameters);
            }
            if (step instanceof TsqlStep.Insert insert) {
                return insert(insert, parameters);
            }
            if (step instanceof TsqlStep.SelectIdentity select) {
                return StepResult.query(connection.lastIdentity(select));
            }
            if (step instanceof TsqlStep.Use use) {
                connection.use(CqlIdentifier.fromInternal(use.keyspace()));
                return StepResult.written(0);
            }
            throw Unserved.feature(step.getClass().getSimpleName() + " is not served by Cassidy's JDBC driver");
        } catch (RuntimeException e) {
            throw SqlErrors.of(e);
        }
    }

    private StepResult cql(TsqlStep.Cql step, List<@Nullable Parameter> parameters) throws SQLException {
        if (step.keyword().equals("INSERT") && keyRequest.requested()) {
            throw Unserved.feature(
                    "INSERT JSON gives no generated keys; name the columns: INSERT INTO t (...) VALUES (...)");
        }
        boolean reads = step.keyword().equals("SELECT");
        CqlSession target = reads ? session.plain() : session.writing();
        ResultSet result = target.execute(statement(target, step.text(), step.parameters(), parameters, false));
        return result(result, step.keyword());
    }

    private StepResult result(ResultSet result, String keyword) {
        result.getExecutionInfo().getWarnings().forEach(text -> warnings.accept(new SQLWarning(text)));
        ColumnDefinitions columns = result.getColumnDefinitions();
        List<GeneratedKeys.Key> keys =
                keyword.equals("INSERT") ? GeneratedKeys.of(result).keys() : List.of();
        if (columns.contains("[applied]")) {
            return StepResult.inserted(result.wasApplied() ? 1 : 0, keys).withRows(new Cursor.Server(result));
        }
        if (columns.size() > 0) {
            return StepResult.query(new Cursor.Server(result));
        }
        return StepResult.inserted(WRITES.contains(keyword) ? 1 : 0, keys);
    }

    private StepResult insert(TsqlStep.Insert step, List<@Nullable Parameter> parameters) throws SQLException {
        CqlSession target = target(step.rows().get(0).insert());
        if (step.output().isEmpty()) {
            return remember(send(target, step, parameters));
        }
        List<Column> columns = outputColumns(step);
        StepResult result = remember(send(target, step, parameters));
        return result.asQuery(new Cursor.Listed(columns, outputRows(step, columns, result.keys(), parameters)));
    }

    private StepResult remember(StepResult result) {
        List<GeneratedKeys.Key> keys = result.keys();
        connection.rememberIdentity(
                keys.isEmpty() ? null : keys.get(keys.size() - 1).id());
        return result;
    }

    private StepResult send(CqlSession target, TsqlStep.Insert step, List<@Nullable Parameter> parameters)
            throws SQLException {
        if (step.rows().size() == 1) {
            return result(target.execute(statement(target, step.rows().get(0), parameters)), "INSERT");
        }
        if (step.rows().get(0).insert().isConditional()) {
            throw Unserved.feature("IF NOT EXISTS with several rows of VALUES is not served: Cassandra decides on one"
                    + " partition at a time; insert the rows one by one");
        }
        // Logged: as in SQL Server, all rows come to be, or none.
        BatchStatementBuilder batch = BatchStatement.builder(DefaultBatchType.LOGGED);
        for (TsqlStep.Row row : step.rows()) {
            batch.addStatement((BatchableStatement<?>) statement(target, row, parameters));
        }
        batch.setTimeout(timeout);
        ResultSet result = target.execute(batch.build());
        result.getExecutionInfo().getWarnings().forEach(text -> warnings.accept(new SQLWarning(text)));
        return StepResult.inserted(step.rows().size(), GeneratedKeys.of(result).keys());
    }

    private List<Column> outputColumns(TsqlStep.Insert step) throws SQLException {
        CqlInsert insert = step.rows().get(0).insert();
        TableMetadata table = table(insert)
                .orElseThrow(() -> new SQLSyntaxErrorException(
                        "Table " + connection.qualified(insert) + " does not exist", SqlStates.NO_TABLE));
        List<Column> columns = new ArrayList<>();
        for (TsqlStep.Output output : step.output()) {
            ColumnMetadata column = table.getColumn(CqlIdentifier.fromInternal(output.column()))
                    .orElseThrow(() -> new SQLSyntaxErrorException(
                            "OUTPUT names column '" + output.column() + "', which table " + connection.qualified(insert)
                                    + " has not",
                            SqlStates.NO_COLUMN));
            columns.add(new Column(
                    output.label(), column.getType(), table.getKeyspace().asInternal(), insert.table()));
            for (TsqlStep.Row row : step.rows()) {
                if (row.insert().value(output.column()).orElse(null) instanceof CqlInsert.Value.Term term) {
                    throw Unserved.feature("OUTPUT INSERTED." + output.column() + " is not served where the value is an"
                            + " expression (" + term.text() + "): give it as a parameter");
                }
            }
        }
        return columns;
    }

    /** What OUTPUT shows was sent by this very insert: the identity that was filled in, and the values it gave. */
    private List<List<@Nullable Object>> outputRows(
            TsqlStep.Insert step,
            List<Column> columns,
            List<GeneratedKeys.Key> keys,
            List<@Nullable Parameter> parameters)
            throws SQLException {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (int i = 0; i < step.rows().size(); i++) {
            List<@Nullable Object> values = new ArrayList<>();
            for (int j = 0; j < columns.size(); j++) {
                String name = step.output().get(j).column();
                boolean identity = i < keys.size() && keys.get(i).column().equals(name);
                Object value =
                        identity ? (Object) keys.get(i).id() : sent(step.rows().get(i), name, parameters);
                values.add(value == null ? null : converted(value, columns.get(j)));
            }
            rows.add(values);
        }
        return rows;
    }

    private static @Nullable Object sent(TsqlStep.Row row, String column, List<@Nullable Parameter> parameters) {
        CqlInsert.Value value = row.insert().value(column).orElse(null);
        if (value instanceof CqlInsert.Value.Marker marker) {
            Parameter parameter = parameters.get(row.parameters().get(marker.index()));
            return parameter == null ? null : parameter.value();
        }
        return value instanceof CqlInsert.Value.IntegerLiteral literal ? literal.value() : null;
    }

    private Object converted(Object value, Column column) throws SQLException {
        try {
            return new ToCql(ZoneId.systemDefault(), warnings).convert(value, column.type());
        } catch (Unfit e) {
            throw e.in("column " + column);
        }
    }

    /** A request that a batch may send while earlier ones are under way. */
    record Request(CqlSession target, Statement<?> statement, String keyword) {}

    /**
     * Returns the one request that the script amounts to; empty if it is more than that, or if its order among others
     * would be lost. Plain writes keep theirs: the driver stamps them in the order in which they are sent.
     */
    Optional<Request> request(TsqlScript script, List<@Nullable Parameter> parameters) throws SQLException {
        if (script.steps().size() != 1) {
            return Optional.empty();
        }
        TsqlStep step = script.steps().get(0);
        if (step instanceof TsqlStep.Insert insert
                && insert.rows().size() == 1
                && insert.output().isEmpty()
                && !insert.rows().get(0).insert().isConditional()) {
            CqlSession target = target(insert.rows().get(0).insert());
            return Optional.of(
                    new Request(target, statement(target, insert.rows().get(0), parameters), "INSERT"));
        }
        if (step instanceof TsqlStep.Cql cql
                && (cql.keyword().equals("UPDATE") || cql.keyword().equals("DELETE"))
                && !CONDITION.matcher(cql.text()).find()) {
            CqlSession target = session.writing();
            return Optional.of(new Request(
                    target, statement(target, cql.text(), cql.parameters(), parameters, false), cql.keyword()));
        }
        return Optional.empty();
    }

    /** A failure completes the stage with whatever the driver or the IdentitySession gave. */
    static CompletionStage<StepResult> send(Request request) {
        return request.target()
                .executeAsync(request.statement())
                .thenApply(result -> StepResult.inserted(
                        1,
                        request.keyword().equals("INSERT")
                                ? GeneratedKeys.of(result).keys()
                                : List.of()));
    }

    void remember(Request request, StepResult result) {
        if (request.keyword().equals("INSERT")) {
            remember(result);
        }
    }

    /** Returns what the first step that reads will give; empty if none does. Prepares it, and runs nothing. */
    List<Column> resultColumns(TsqlScript script) throws SQLException {
        for (TsqlStep step : script.steps()) {
            if (step instanceof TsqlStep.Cql cql && cql.keyword().equals("SELECT")) {
                try {
                    return Column.of(
                            session.prepare(session.plain(), cql.text()).getResultSetDefinitions());
                } catch (RuntimeException e) {
                    throw SqlErrors.of(e);
                }
            }
            if (step instanceof TsqlStep.SelectIdentity select) {
                return connection.lastIdentity(select).columns();
            }
            if (step instanceof TsqlStep.Insert insert && !insert.output().isEmpty()) {
                return outputColumns(insert);
            }
        }
        return List.of();
    }

    /** Returns the parameters of the script, in its own order. Prepares what has any, and runs nothing. */
    List<Column> parameterColumns(TsqlScript script) throws SQLException {
        List<Column> columns =
                new ArrayList<>(Collections.nCopies(script.parameterCount(), Column.of("", DataTypes.TEXT)));
        try {
            for (TsqlStep step : script.steps()) {
                if (step instanceof TsqlStep.Cql cql) {
                    CqlSession target = cql.keyword().equals("SELECT") ? session.plain() : session.writing();
                    parameterColumns(target, cql.text(), cql.parameters(), columns);
                } else if (step instanceof TsqlStep.Insert insert) {
                    for (TsqlStep.Row row : insert.rows()) {
                        CqlSession target = target(row.insert());
                        parameterColumns(target, row.insert().text(), row.parameters(), columns);
                    }
                }
            }
        } catch (RuntimeException e) {
            throw SqlErrors.of(e);
        }
        return columns;
    }

    private void parameterColumns(CqlSession target, String text, List<Integer> markers, List<Column> columns) {
        if (!markers.isEmpty()) {
            List<Column> definitions = Column.of(session.prepare(target, text).getVariableDefinitions());
            for (int i = 0; i < markers.size(); i++) {
                columns.set(markers.get(i), definitions.get(i));
            }
        }
    }

    /** Returns the session for an insert; refuses what it could not give the keys of, before anything is sent. */
    private CqlSession target(CqlInsert insert) throws SQLException {
        if (keyRequest.requested()) {
            IdentitySession identities = session.identity();
            Optional<Identity> identity = identities
                    .catalog()
                    .find(insert.keyspace().orElse(null), insert.table())
                    .toCompletableFuture()
                    .join();
            if (identity.isEmpty()) {
                throw notRegistered(insert);
            }
            keyRequest.check(identity.get().column(), insert.table(), tableColumns(insert));
            return identities;
        }
        CqlSession target = session.writing();
        if (!(target instanceof IdentitySession) && leavesKeyOut(insert)) {
            // Throws, saying how Cassidy's keyspaces come to be.
            return session.identity();
        }
        return target;
    }

    private SQLException notRegistered(CqlInsert insert) {
        String table = connection.qualified(insert);
        String column = table(insert)
                .filter(metadata -> metadata.getPrimaryKey().size() == 1)
                .map(metadata -> metadata.getPrimaryKey().get(0).getName().asInternal())
                .orElse("<identity column>");
        return new SQLSyntaxErrorException(
                "Generated keys were asked of table " + table + ", which has no registered identity column; nothing was"
                        + " inserted. Register it: java -jar migration-tool/target/migration-tool.jar register --table "
                        + table + " --column " + column
                        + " --start <n>; or execute without asking for keys",
                SqlStates.SYNTAX_OR_RULE);
    }

    private boolean leavesKeyOut(CqlInsert insert) {
        return !insert.isJson()
                && table(insert)
                        .filter(metadata -> !metadata.getPrimaryKey().stream().allMatch(key -> insert.columns()
                                .contains(key.getName().asInternal())))
                        .isPresent();
    }

    private Optional<TableMetadata> table(CqlInsert insert) {
        Optional<CqlIdentifier> keyspace = insert.keyspace()
                .map(CqlIdentifier::fromInternal)
                .or(() -> session.plain().getKeyspace());
        return keyspace.flatMap(name -> session.plain().getMetadata().getKeyspace(name))
                .flatMap(found -> found.getTable(CqlIdentifier.fromInternal(insert.table())));
    }

    private List<String> tableColumns(CqlInsert insert) {
        return table(insert)
                .map(metadata -> metadata.getColumns().keySet().stream()
                        .map(CqlIdentifier::asInternal)
                        .toList())
                .orElse(List.of());
    }

    private Statement<?> statement(CqlSession target, TsqlStep.Row row, List<@Nullable Parameter> parameters)
            throws SQLException {
        return statement(target, row.insert().text(), row.parameters(), parameters, true);
    }

    private Statement<?> statement(
            CqlSession target, String text, List<Integer> markers, List<@Nullable Parameter> parameters, boolean insert)
            throws SQLException {
        if (markers.isEmpty()) {
            // Not prepared: every literal text would take a place in the server's cache for good.
            return SimpleStatement.newInstance(text).setPageSize(pageSize).setTimeout(timeout);
        }
        PreparedStatement prepared = session.prepare(target, text);
        ColumnDefinitions definitions = prepared.getVariableDefinitions();
        BoundStatementBuilder bound = prepared.boundStatementBuilder();
        for (int i = 0; i < markers.size(); i++) {
            bound = bind(bound, i, definitions.get(i), markers.get(i), parameters.get(markers.get(i)), insert);
        }
        return bound.setPageSize(pageSize).setTimeout(timeout).build();
    }

    private BoundStatementBuilder bind(
            BoundStatementBuilder bound,
            int marker,
            ColumnDefinition definition,
            int index,
            @Nullable Parameter parameter,
            boolean insert)
            throws SQLException {
        if (parameter == null) {
            throw new SQLException(
                    "Parameter " + (index + 1) + " was never set; set it, to null if that is meant",
                    SqlStates.WRONG_PARAMETERS);
        }
        Object value = parameter.value();
        if (value == null) {
            // A null in an insert would write a tombstone; a new row has nothing that it could delete.
            return insert ? bound.unset(marker) : bound.setToNull(marker);
        }
        DataType type = definition.getType();
        String where = "parameter " + (index + 1) + " (" + Column.of(definition) + ")";
        try {
            TypeCodec<Object> codec =
                    session.plain().getContext().getCodecRegistry().codecFor(type);
            return bound.set(marker, new ToCql(parameter.zone(), warnings).convert(value, type), codec);
        } catch (Unfit e) {
            throw e.in(where);
        } catch (ClassCastException | IllegalArgumentException | CodecNotFoundException e) {
            throw Unfit.type(value, type.asCql(false, true)).in(where);
        }
    }
}
