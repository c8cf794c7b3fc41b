package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import com.datastax.oss.driver.api.core.cql.Statement;
import dev.cassidy.cluster.DriverThreads;
import dev.cassidy.cql.GeneratedKeys;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlWrite;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.error.Warnings;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.lwt.SentOnce;
import dev.cassidy.tsql.TsqlStep;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Sends the statements of one run of a script, with the ids that they lack; or prepares them for a commit. */
final class StatementSender {

    private static final Set<String> SCHEMA_CHANGES = Set.of("CREATE", "ALTER", "DROP");
    private static final GeneratedKeys NO_KEYS = new GeneratedKeys(List.of());

    private final ConnectionState connection;
    private final SharedSession session;
    private final Tables tables;
    private final Binder binder;
    private final Consumer<SQLWarning> warnings;
    private final Cancellation cancellation;

    StatementSender(
            ConnectionState connection,
            SharedSession session,
            Tables tables,
            Binder binder,
            Consumer<SQLWarning> warnings,
            Cancellation cancellation) {
        this.connection = connection;
        this.session = session;
        this.tables = tables;
        this.binder = binder;
        this.warnings = warnings;
        this.cancellation = cancellation;
    }

    StepResult execute(CqlSession target, Statement<?> statement, String keyword) throws SQLException {
        return execute(target, statement, keyword, false);
    }

    /**
     * Executes a conditional statement. If the driver's policies sent it again after an error, it would find its own
     * effect, and be reported as refused.
     */
    StepResult executeOnce(CqlSession target, Statement<?> statement, String keyword) throws SQLException {
        return execute(target, statement, keyword, true);
    }

    /**
     * Sends a conditional statement that inserts nothing, and returns its answer.
     *
     * @param statement whose values were {@link #looked} at
     * @throws SQLException that says, if so, that the statement may have been applied
     */
    AsyncResultSet once(Statement<?> statement, String keyword) throws SQLException {
        DriverThreads.refuseToWait();
        return answerOf(sendOnce(statement), keyword);
    }

    /**
     * Sends a conditional statement, and does not wait for its answer.
     *
     * @param statement whose values were {@link #looked} at
     */
    CompletableFuture<AsyncResultSet> sendOnce(Statement<?> statement) throws SQLException {
        cancellation.requireGoingOn();
        cancellation.writes();
        connection.countImmediateWrite();
        return SentOnce.execute(session.plain(), statement);
    }

    /**
     * Waits for the answer to {@link #sendOnce}.
     *
     * @throws SQLException that says, if so, that the statement may have been applied
     */
    AsyncResultSet answerOf(CompletableFuture<AsyncResultSet> sent, String keyword) throws SQLException {
        try {
            AsyncResultSet result = cancellation.await(sent, Cancellation.OUTCOME_UNKNOWN);
            warn(result.getExecutionInfo().getWarnings());
            if (!result.wasApplied()) {
                connection.discountImmediateWrite();
            }
            return result;
        } catch (SQLException e) {
            throw SqlServerErrors.ofVerb(keyword, SqlErrors.ofConditional(e));
        }
    }

    /** As {@link #executeOnce(CqlSession, Statement, String)}, of a statement that carries its id. */
    StepResult executeOnce(IdentitySession.Held held, String keyword) throws SQLException {
        DriverThreads.refuseToWait();
        return executeFilled(new IdentitySession.Filled(held.statement(), held.keys()), keyword, true);
    }

    private StepResult execute(CqlSession target, Statement<?> statement, String keyword, boolean once)
            throws SQLException {
        // Before anything is sent: afterwards the caller would not learn the outcome.
        DriverThreads.refuseToWait();
        return executeFilled(filled(target, statement), keyword, once);
    }

    private StepResult executeFilled(IdentitySession.Filled filled, String keyword, boolean once) throws SQLException {
        boolean reads = TsqlStep.Cql.reads(keyword);
        cancellation.requireGoingOn();
        if (!reads) {
            cancellation.writes();
            connection.countImmediateWrite();
        }
        AsyncResultSet result;
        try {
            result = cancellation.await(
                    once
                            ? SentOnce.execute(session.plain(), filled.statement())
                            : session.plain().executeAsync(filled.statement()),
                    reads ? Cancellation.READ_ALONE : Cancellation.OUTCOME_UNKNOWN);
        } catch (SQLException e) {
            throw SqlServerErrors.ofVerb(keyword, once ? SqlErrors.ofConditional(e) : e);
        } finally {
            // Also after a failure: the outcome may be unknown.
            if (SCHEMA_CHANGES.contains(keyword)) {
                session.schemaChanged();
            }
        }
        warn(result.getExecutionInfo().getWarnings());
        List<GeneratedKeys.Key> keys = result.wasApplied() ? filled.keys().keys() : List.of();
        ColumnDefinitions columns = result.getColumnDefinitions();
        if (columns.contains("[applied]")) {
            if (!result.wasApplied()) {
                connection.discountImmediateWrite();
            }
            return StepResult.inserted(result.wasApplied() ? 1 : 0, keys).withRows(cursor(result));
        }
        if (columns.size() > 0) {
            return StepResult.query(cursor(result));
        }
        // A change of the schema counts no rows.
        return StepResult.inserted(TsqlStep.Cql.writesRows(keyword) || keyword.equals("BEGIN") ? 1 : 0, keys);
    }

    /** Returns what reads by an index a value at a time. */
    IndexedReads indexedReads() {
        return new IndexedReads(session, binder, cancellation, warnings);
    }

    /** Waits for what was asked beside a statement. */
    AsyncResultSet await(CompletableFuture<AsyncResultSet> asked) throws SQLException {
        return cancellation.await(asked, Cancellation.READ_ALONE);
    }

    private Cursor cursor(AsyncResultSet result) {
        return new Cursor.Server(result, cancellation, warnings);
    }

    /** Returns what is sent through the plain session: the statement with the ids that it lacked. */
    private IdentitySession.Filled filled(CqlSession target, Statement<?> statement) throws SQLException {
        return target instanceof IdentitySession identities
                ? cancellation.awaitUnsent(told(identities.fillAsync(statement)), binder.timeout())
                : new IdentitySession.Filled(statement, NO_KEYS);
    }

    /** Returns a write that is not sent now, after its values were looked at as those of every write. */
    Statement<?> looked(Statement<?> statement) throws SQLException {
        return filled(session.writing(), statement).statement();
    }

    /** Passes the server's warnings on. */
    void warn(List<String> texts) {
        texts.forEach(text -> warnings.accept(Warnings.general(text)));
    }

    /** Warns that the statement does not wait for the transaction's commit. */
    void warnAtOnce(String what) {
        warnings.accept(Warnings.general(what + " takes effect at once; a rollback will not undo it"));
    }

    /** Refuses a statement that no rollback can undo, or warns of it. */
    void requireOutsideTransactions(String keyword) throws SQLException {
        if (keyword.equals("TRUNCATE") || keyword.equals("BEGIN")) {
            throw Unserved.feature(keyword + " cannot wait for a commit, and a rollback could not undo it: run it with"
                    + " setAutoCommit(true), or connect with transactions=immediate");
        }
        warnAtOnce(keyword);
    }

    // ---- for a commit

    /** Returns a write that waits for the commit; its identity is drawn now. */
    IdentitySession.Held forCommit(CqlSession target, Binder.Unbound text, List<@Nullable Parameter> parameters)
            throws SQLException {
        return forCommit(target, List.of(text), parameters).get(0);
    }

    /** As {@link #forCommit(CqlSession, Binder.Unbound, List)}, of all writes of one statement. */
    List<IdentitySession.Held> forCommit(
            CqlSession target, List<Binder.Unbound> texts, List<@Nullable Parameter> parameters) throws SQLException {
        List<BatchableStatement<?>> statements = new ArrayList<>();
        Transaction transaction = connection.transaction();
        for (Binder.Unbound text : texts) {
            CqlWrite write = write(text);
            if (transaction != null) {
                transaction.judges(new CqlInsert.Table(write.keyspace().orElse(null), write.table()), session);
            }
            statements.add(unsent(target, text, write, parameters));
        }
        return hold(target, statements);
    }

    /** Returns all writes of one statement with their ids and one time. None is sent yet, so one that is refused leaves nothing. */
    List<IdentitySession.Held> hold(CqlSession target, List<BatchableStatement<?>> statements) throws SQLException {
        return target instanceof IdentitySession identities
                ? cancellation.awaitUnsent(told(identities.holdAsync(statements)), binder.timeout())
                : statements.stream()
                        .<IdentitySession.Held>map(statement -> new IdentitySession.Held(statement, NO_KEYS))
                        .toList();
    }

    private CqlWrite write(Binder.Unbound text) throws SQLException {
        CqlWrite write = session.statements()
                .write(text.cql(), text.markers())
                .orElseThrow(() -> Unserved.feature("Not recognised as one CQL write, so it cannot wait for a commit;"
                        + " run it with setAutoCommit(true): " + text.cql()));
        requireBatchable(write);
        return write;
    }

    private BatchableStatement<?> unsent(
            CqlSession target, Binder.Unbound text, CqlWrite write, List<@Nullable Parameter> parameters)
            throws SQLException {
        Binder.Unbound sent = text;
        if (binder.isPrepared(text) && !write.isTimestamped()) {
            List<Integer> markers = new ArrayList<>(text.markers());
            markers.add(write.timestampMarkerIndex(), Binder.AT_COMMIT);
            sent = new Binder.Unbound(write.withTimestampMarker(), markers, text.newRow());
        }
        return binder.bind(target, sent, parameters);
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
    record Request(CqlSession target, Statement<?> statement, boolean insert) implements EntryWrite {}

    /**
     * Returns the write with its own timestamp: of two writes to one row the later must win, whichever is sent first
     * once its identity is known.
     */
    Statement<?> stamped(CqlSession target, Binder.Unbound text, List<@Nullable Parameter> parameters)
            throws SQLException {
        long now = target.getContext().getTimestampGenerator().next();
        return binder.bind(target, text, parameters, now);
    }

    /**
     * Returns the request with the id that it lacks, drawn after the id of the request before, whatever happened to
     * that one. So ids are in the order of the rows, even while a sequence is being opened or a block is claimed. Waits
     * for nothing.
     */
    CompletionStage<IdentitySession.Filled> fill(Request request, CompletionStage<?> before) {
        if (!(request.target() instanceof IdentitySession identities)) {
            return CompletableFuture.completedFuture(new IdentitySession.Filled(request.statement(), NO_KEYS));
        }
        // Almost always the id before is there.
        CompletionStage<IdentitySession.Filled> filled =
                before.toCompletableFuture().isDone()
                        ? identities.fillAsync(request.statement())
                        : before.handle((last, failure) -> identities.fillAsync(request.statement()))
                                .thenCompose(stage -> stage);
        Duration timeout = binder.timeout();
        CompletionStage<IdentitySession.Filled> told = told(filled);
        return timeout == null ? told : Cancellation.inTime(told, timeout);
    }

    /** The error of a refused insert says how to correct it on this cluster. */
    private <T> CompletionStage<T> told(CompletionStage<T> drawn) {
        return drawn.exceptionallyCompose(
                failure -> CompletableFuture.failedStage(SqlErrors.of(failure, session.commandLines())));
    }

    /** Returns what sends the inserts of one batch together. */
    InsertGroups groups() {
        return new InsertGroups(session.plain());
    }

    /** Counts a row that {@link #groups} have taken. */
    void countGrouped() {
        connection.countImmediateWrite();
    }

    /**
     * Sends what was filled, unless it is cancelled first. A failure completes the future with the error of the driver
     * or the IdentitySession; cancelling the future cancels the request.
     */
    CompletableFuture<StepResult> send(CompletionStage<IdentitySession.Filled> filling) {
        connection.countImmediateWrite();
        RowRequest request = new RowRequest();
        CompletableFuture<IdentitySession.Filled> filled = filling.toCompletableFuture();
        if (filled.isDone() && !filled.isCompletedExceptionally()) {
            request.send(session.plain(), filled.join());
        } else {
            var unused = filled.whenComplete((statement, failure) -> {
                if (failure == null) {
                    request.send(session.plain(), statement);
                } else {
                    request.completeExceptionally(failure);
                }
            });
        }
        return request;
    }
}
