package dev.cassidy.jdbc;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.cql.GeneratedKeys;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlWrite;
import dev.cassidy.insert.Identity;
import dev.cassidy.insert.TsqlScript;
import dev.cassidy.insert.TsqlStep;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLWarning;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs the steps of one script, in order, for one statement. */
final class ScriptRunner {

    private static final Set<String> READS = Set.of("SELECT", "LIST", "DESCRIBE", "DESC");
    private static final Set<String> NO_INSERTS =
            Set.of("UPDATE", "DELETE", "TRUNCATE", "CREATE", "ALTER", "DROP", "GRANT", "REVOKE");
    private static final Set<String> SCHEMA_CHANGES = Set.of("CREATE", "ALTER", "DROP");
    private static final Set<String> ROW_WRITES = Set.of("INSERT", "UPDATE", "DELETE");

    private final CassidyConnection connection;
    private final SharedSession session;
    private final Tables tables;
    private final Binder binder;
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
        this.tables = new Tables(session.plain());
        this.binder = new Binder(session, pageSize, timeout, warnings);
        this.keyRequest = keyRequest;
        this.warnings = warnings;
    }

    /** Returns whether the step gives rows, for all that can be told before it runs. */
    static boolean mayGiveRows(TsqlStep step) {
        if (step instanceof TsqlStep.Cql cql) {
            return READS.contains(cql.keyword()) || cql.keyword().equals("BEGIN") || isConditional(cql);
        }
        if (step instanceof TsqlStep.Insert insert) {
            return !insert.output().isEmpty() || insert.rows().get(0).insert().isConditional();
        }
        return step instanceof TsqlStep.SelectIdentity;
    }

    /** Returns whether the step gives rows and no count. */
    static boolean givesRowsAlone(TsqlStep step) {
        return step instanceof TsqlStep.SelectIdentity
                || (step instanceof TsqlStep.Cql cql && READS.contains(cql.keyword()))
                || (step instanceof TsqlStep.Insert insert && !insert.output().isEmpty());
    }

    /** Returns whether the step gives a count, be it hidden. */
    static boolean givesCount(TsqlStep step) {
        return !givesRowsAlone(step) && !(step instanceof TsqlStep.SetNoCount) && !(step instanceof TsqlStep.Ignored);
    }

    private static boolean isConditional(TsqlStep.Cql step) {
        return CqlWrite.recognise(step.text()).filter(CqlWrite::isConditional).isPresent();
    }

    /**
     * What a script gave.
     *
     * @param keys those of the last insert, as SQL Server's driver gives them: of its every row, and none if it has none
     */
    record Ran(List<StepResult> results, List<GeneratedKeys.Key> keys) {}

    /** @param parameters by the script's {@code ?}; null for one that was never set */
    Ran run(TsqlScript script, List<@Nullable Parameter> parameters) throws SQLException {
        List<StepResult> results = new ArrayList<>();
        List<GeneratedKeys.Key> keys = List.of();
        boolean countsHidden = false;
        for (TsqlStep step : script.steps()) {
            if (step instanceof TsqlStep.SetNoCount noCount) {
                countsHidden = noCount.on();
            } else if (step instanceof TsqlStep.Ignored ignored) {
                warnings.accept(Warnings.general("Has no bearing on Cassandra and was left out: " + ignored.text()));
            } else {
                StepResult result = run(step, parameters);
                results.add(countsHidden && !result.isQuery() ? result.withCountHidden() : result);
                if (step instanceof TsqlStep.Insert) {
                    keys = result.keys();
                }
            }
        }
        return new Ran(results, keys);
    }

    private StepResult run(TsqlStep step, List<@Nullable Parameter> parameters) throws SQLException {
        try {
            if (step instanceof TsqlStep.Cql cql) {
                return run(cql, parameters);
            }
            if (step instanceof TsqlStep.Insert insert) {
                return run(insert, parameters);
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

    // ---- CQL as it is

    private StepResult run(TsqlStep.Cql step, List<@Nullable Parameter> parameters) throws SQLException {
        String keyword = step.keyword();
        if (keyword.equals("INSERT") && keyRequest.requested()) {
            throw Unserved.feature(
                    "INSERT JSON gives no generated keys; name the columns: INSERT INTO t (...) VALUES (...)");
        }
        Binder.Text text = Binder.Text.of(step);
        CqlSession target = target(step);
        if (READS.contains(keyword)) {
            return execute(target, binder.bind(target, text, parameters), keyword);
        }
        Transaction transaction = connection.transaction();
        if (transaction != null) {
            if (ROW_WRITES.contains(keyword)) {
                IdentitySession.Filled filled = forCommit(target, text, parameters);
                transaction.add(filled);
                return StepResult.inserted(1, filled.keys().keys());
            }
            requireOutsideTransactions(keyword);
        }
        return execute(target, binder.bind(target, text, parameters), keyword);
    }

    private CqlSession target(TsqlStep.Cql step) throws SQLException {
        return NO_INSERTS.contains(step.keyword()) || READS.contains(step.keyword())
                ? session.plain()
                : session.writing();
    }

    private void requireOutsideTransactions(String keyword) throws SQLException {
        if (keyword.equals("TRUNCATE") || keyword.equals("BEGIN")) {
            throw Unserved.feature(keyword + " cannot wait for a commit, and a rollback could not undo it: run it with"
                    + " setAutoCommit(true), or connect with transactions=immediate");
        }
        warnings.accept(Warnings.general(keyword + " takes effect at once; a rollback will not undo it"));
    }

    private StepResult execute(CqlSession target, Statement<?> statement, String keyword) {
        if (!READS.contains(keyword)) {
            connection.wroteAtOnce();
        }
        ResultSet result;
        try {
            result = target.execute(statement);
        } finally {
            // Also where it failed: its outcome may be unknown.
            if (SCHEMA_CHANGES.contains(keyword)) {
                session.schemaChanged();
            }
        }
        result.getExecutionInfo().getWarnings().forEach(text -> warnings.accept(Warnings.general(text)));
        List<GeneratedKeys.Key> keys = GeneratedKeys.of(result).keys();
        ColumnDefinitions columns = result.getColumnDefinitions();
        if (columns.contains("[applied]")) {
            return StepResult.inserted(result.wasApplied() ? 1 : 0, keys).withRows(new Cursor.Server(result));
        }
        if (columns.size() > 0) {
            return StepResult.query(new Cursor.Server(result));
        }
        // A change of the schema counts no rows.
        return StepResult.inserted(ROW_WRITES.contains(keyword) || keyword.equals("BEGIN") ? 1 : 0, keys);
    }

    // ---- inserts

    private StepResult run(TsqlStep.Insert step, List<@Nullable Parameter> parameters) throws SQLException {
        CqlSession target = target(step.rows().get(0).insert());
        if (step.output().isEmpty()) {
            return remember(write(target, step, parameters));
        }
        OutputClause output = new OutputClause(step, tables);
        StepResult result = remember(write(target, step, parameters));
        return result.asQuery(output.rows(result.keys(), parameters));
    }

    private StepResult remember(StepResult result) {
        List<GeneratedKeys.Key> keys = result.keys();
        connection.rememberIdentity(
                keys.isEmpty() ? null : keys.get(keys.size() - 1).id());
        return result;
    }

    private StepResult write(CqlSession target, TsqlStep.Insert step, List<@Nullable Parameter> parameters)
            throws SQLException {
        Transaction transaction = connection.transaction();
        if (transaction != null) {
            return keep(transaction, target, step, parameters);
        }
        if (step.rows().size() == 1) {
            return execute(
                    target, binder.bind(target, text(target, step.rows().get(0), parameters), parameters), "INSERT");
        }
        if (step.rows().get(0).insert().isConditional()) {
            throw Unserved.feature("IF NOT EXISTS with several rows of VALUES is not served: Cassandra decides on one"
                    + " partition at a time; insert the rows one by one");
        }
        // As in SQL Server, all rows come to be, or none; and of two rows with one key the later must win.
        Transaction rows = new Transaction();
        StepResult kept = keep(rows, target, step, parameters);
        Statement<?> statement = rows.statement(target.getContext().getTimestampGenerator());
        execute(session.plain(), statement.setTimeout(binder.timeout()), "INSERT");
        return kept;
    }

    /** Returns the session for an insert; refuses what it could not give the keys of, before anything is sent. */
    private CqlSession target(CqlInsert insert) throws SQLException {
        if (keyRequest.requested()) {
            IdentitySession identities = session.identity();
            Identity identity = identity(identities, insert).orElseThrow(() -> notRegistered(insert));
            keyRequest.check(identity.column(), insert.table(), tables.columns(insert));
            return identities;
        }
        CqlSession target = session.writing();
        if (!(target instanceof IdentitySession) && tables.leavesKeyOut(insert)) {
            // Throws, saying how Cassidy's keyspaces come to be.
            return session.identity();
        }
        return target;
    }

    private static Optional<Identity> identity(IdentitySession identities, CqlInsert insert) {
        return identities
                .catalog()
                .find(insert.keyspace().orElse(null), insert.table())
                .toCompletableFuture()
                .join();
    }

    private Binder.Text text(CqlSession target, TsqlStep.Row row, List<@Nullable Parameter> parameters) {
        CqlInsert insert = row.insert();
        // Asked only where it matters.
        boolean newRow = row.parameters().stream().anyMatch(index -> isNull(parameters.get(index)))
                && target instanceof IdentitySession identities
                && identity(identities, insert)
                        .map(Identity::column)
                        .filter(column -> isGenerated(column, row, parameters) && tables.isNewWithANew(column, insert))
                        .isPresent();
        return Binder.Text.of(row, newRow);
    }

    private static boolean isGenerated(String column, TsqlStep.Row row, List<@Nullable Parameter> parameters) {
        CqlInsert.Value value = row.insert().value(column).orElse(new CqlInsert.Value.Null());
        return value instanceof CqlInsert.Value.Null
                || (value instanceof CqlInsert.Value.Marker marker
                        && isNull(parameters.get(row.parameters().get(marker.index()))));
    }

    private static boolean isNull(@Nullable Parameter parameter) {
        return parameter != null && parameter.value() == null;
    }

    private SQLException notRegistered(CqlInsert insert) {
        String table = tables.qualified(insert);
        return new SQLSyntaxErrorException(
                "Generated keys were asked of table " + table + ", which has no registered identity column; nothing was"
                        + " inserted. Register it: java -jar migration-tool/target/migration-tool.jar register --table "
                        + table + " --column " + tables.soleKey(insert).orElse("<identity column>")
                        + " --start <n>; or execute without asking for keys",
                SqlStates.SYNTAX_OR_RULE);
    }

    // ---- transactions

    private StepResult keep(
            Transaction transaction, CqlSession target, TsqlStep.Insert step, List<@Nullable Parameter> parameters)
            throws SQLException {
        List<IdentitySession.Filled> rows = new ArrayList<>();
        List<GeneratedKeys.Key> keys = new ArrayList<>();
        for (TsqlStep.Row row : step.rows()) {
            IdentitySession.Filled filled = forCommit(target, text(target, row, parameters), parameters);
            rows.add(filled);
            keys.addAll(filled.keys().keys());
        }
        // After the last one was made: a statement that fails half way leaves nothing behind.
        rows.forEach(transaction::add);
        return StepResult.inserted(rows.size(), keys);
    }

    /** Returns a write that waits for the commit; its identity is drawn now. */
    private IdentitySession.Filled forCommit(CqlSession target, Binder.Text text, List<@Nullable Parameter> parameters)
            throws SQLException {
        CqlWrite write = CqlWrite.recognise(text.cql())
                .orElseThrow(() -> Unserved.feature("Not recognised as one CQL write, so it cannot wait for a commit;"
                        + " run it with setAutoCommit(true): " + text.cql()));
        requireBatchable(write);
        Binder.Text sent = text;
        if (!text.markers().isEmpty() && !write.isTimestamped()) {
            List<Integer> markers = new ArrayList<>(text.markers());
            markers.add(write.timestampMarkerIndex(), Binder.AT_COMMIT);
            sent = new Binder.Text(write.withTimestampMarker(), markers, text.newRow());
        }
        BatchableStatement<?> statement = binder.bind(target, sent, parameters);
        return target instanceof IdentitySession identities
                ? identities.fillAsync(statement).toCompletableFuture().join()
                : new IdentitySession.Filled(statement, new GeneratedKeys(List.of()));
    }

    private void requireBatchable(CqlWrite write) throws SQLException {
        if (write.isConditional()) {
            throw Unserved.feature("A conditional write cannot wait for a commit, its answer is needed now: run it with"
                    + " setAutoCommit(true), or connect with transactions=immediate");
        }
        if (tables.hasCounters(write)) {
            throw Unserved.feature("A counter's update cannot be in one batch with other writes: run it with"
                    + " setAutoCommit(true), or connect with transactions=immediate");
        }
    }

    // ---- entries of a batch

    /** A request that a batch may send while earlier ones are under way. */
    record Request(CqlSession target, Statement<?> statement, boolean insert) {}

    /**
     * Returns the one request that the script amounts to; empty if it is more than that, or if its order among others
     * would be lost. A plain write is stamped here, in the order of the batch: of two to one row the later must win,
     * whichever is sent first once its identity is known.
     */
    Optional<Request> request(TsqlScript script, List<@Nullable Parameter> parameters) throws SQLException {
        if (script.steps().size() != 1 || connection.transaction() != null) {
            return Optional.empty();
        }
        TsqlStep step = script.steps().get(0);
        if (mayGiveRows(step)) {
            return Optional.empty();
        }
        if (step instanceof TsqlStep.Insert insert && insert.rows().size() == 1) {
            TsqlStep.Row row = insert.rows().get(0);
            CqlSession target = target(row.insert());
            return Optional.of(new Request(target, stamped(target, text(target, row, parameters), parameters), true));
        }
        if (step instanceof TsqlStep.Cql cql && ROW_WRITES.contains(cql.keyword())) {
            CqlSession target = target(cql);
            return Optional.of(new Request(target, stamped(target, Binder.Text.of(cql), parameters), false));
        }
        return Optional.empty();
    }

    private Statement<?> stamped(CqlSession target, Binder.Text text, List<@Nullable Parameter> parameters)
            throws SQLException {
        return binder.bind(target, text, parameters)
                .setQueryTimestamp(target.getContext().getTimestampGenerator().next());
    }

    /** A failure completes the stage with whatever the driver or the IdentitySession gave. */
    CompletionStage<StepResult> send(Request request) {
        connection.wroteAtOnce();
        return request.target()
                .executeAsync(request.statement())
                .thenApply(result ->
                        StepResult.inserted(1, GeneratedKeys.of(result).keys()));
    }

    void remember(Request request, StepResult result) {
        if (request.insert()) {
            remember(result);
        }
    }

    // ---- metadata

    /** Returns what the first step that reads will give; empty if none does. Prepares it, and runs nothing. */
    List<Column> resultColumns(TsqlScript script) throws SQLException {
        try {
            for (TsqlStep step : script.steps()) {
                if (step instanceof TsqlStep.Cql cql && cql.keyword().equals("SELECT")) {
                    return Column.of(
                            session.prepare(session.plain(), cql.text()).getResultSetDefinitions());
                }
                if (step instanceof TsqlStep.SelectIdentity select) {
                    return connection.lastIdentity(select).columns();
                }
                if (step instanceof TsqlStep.Insert insert && !insert.output().isEmpty()) {
                    return new OutputClause(insert, tables).columns();
                }
            }
            return List.of();
        } catch (RuntimeException e) {
            throw SqlErrors.of(e);
        }
    }

    /** Returns the parameters of the script, in its own order. Prepares what has any, and runs nothing. */
    List<Column> parameterColumns(TsqlScript script) throws SQLException {
        List<Column> columns =
                new ArrayList<>(Collections.nCopies(script.parameterCount(), Column.of("", DataTypes.TEXT)));
        try {
            for (TsqlStep step : script.steps()) {
                if (step instanceof TsqlStep.Cql cql) {
                    binder.describe(target(cql), Binder.Text.of(cql), columns);
                } else if (step instanceof TsqlStep.Insert insert) {
                    for (TsqlStep.Row row : insert.rows()) {
                        binder.describe(target(row.insert()), Binder.Text.of(row, false), columns);
                    }
                }
            }
            return columns;
        } catch (RuntimeException e) {
            throw SqlErrors.of(e);
        }
    }
}
