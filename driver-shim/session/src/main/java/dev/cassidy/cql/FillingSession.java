package dev.cassidy.cql;

import com.datastax.dse.driver.api.core.cql.reactive.ReactiveResultSet;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.PrepareRequest;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.session.Request;
import com.datastax.oss.driver.api.core.type.reflect.GenericType;
import dev.cassidy.async.Stages;
import dev.cassidy.cluster.DriverThreads;
import dev.cassidy.cluster.ForwardingSession;
import dev.cassidy.cluster.WrappingCloseStage;
import dev.cassidy.insert.IdentityCatalog;
import dev.cassidy.sequence.cassandra.InternalAccess;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.table.TableWrites;
import dev.cassidy.transaction.TransactionFigures;
import dev.cassidy.transaction.cassandra.DecidedRows;
import dev.cassidy.transaction.cassandra.Transactions;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fills identity columns before requests are sent. Each method of CqlSession that sends a request calls
 * {@link #execute(Request, GenericType)}.
 */
final class FillingSession extends ForwardingSession implements IdentitySession {

    private static final Logger LOG = LoggerFactory.getLogger(FillingSession.class);

    private final CqlSession session;
    private final Sequences sequences;
    private final boolean ownsSequences;
    private final ExplicitIds explicitIds;
    private final TableCatalog catalog;
    private final ColumnRules rules;
    private final Filler filler;
    private final InsertPreparer preparer;
    private final TableModes modes;
    private final UniqueGuard uniques;
    private final ExactConditions conditions;
    private final ExactWriter exactWriter;
    private final WrappingCloseStage closing;

    /** Opened when the first lock is met. */
    private @Nullable Transactions transactions;

    FillingSession(
            CqlSession session,
            Sequences sequences,
            boolean ownsSequences,
            ExplicitIds explicitIds,
            ExactConditions conditions) {
        super(session);
        this.session = session;
        this.sequences = sequences;
        this.ownsSequences = ownsSequences;
        this.explicitIds = Objects.requireNonNull(explicitIds, "explicitIds");
        TableShapes tables = new TableShapes(session);
        this.catalog = new TableCatalog(session, InternalAccess.tables(sequences), tables);
        OwnKeyspaces own = OwnKeyspaces.of(session, sequences.config());
        StatementKeyspace keyspaces = new StatementKeyspace(session, own);
        this.rules = new ColumnRules(session, catalog, keyspaces, this::prepareAsync, explicitIds == ExplicitIds.PASS);
        IdentitySource ids = new IdentitySource(sequences, explicitIds);
        Registration registration =
                new Registration(tables, catalog, ForeignTables.of(session, sequences.config(), System::nanoTime));
        DefaultEvaluator defaults =
                new DefaultEvaluator(session, catalog, tables, rules::stored, ids, InstantSource.system());
        IdentityLookup lookup =
                new IdentityLookup(own, catalog, registration, defaults, new Renames(catalog, rules::definition));
        this.modes = new TableModes(catalog, session);
        this.uniques = new UniqueGuard(keyspaces, catalog.tables());
        this.preparer = new InsertPreparer(keyspaces, lookup, registration, defaults, modes);
        this.filler =
                new Filler(session, tables, keyspaces, lookup, ids, registration, defaults, this::prepareAsync, modes);
        this.conditions = Objects.requireNonNull(conditions, "conditions");
        this.exactWriter = new ExactWriter(
                session,
                catalog,
                keyspaces,
                modes,
                filler,
                uniques,
                this::prepareAsync,
                this::fill,
                new DecidedRows(
                        session,
                        (statement, table) -> CompletableFuture.completedFuture(modes.inOrder(statement, table)),
                        () -> transactions().resolver()));
        this.closing = new WrappingCloseStage(this);
    }

    /** Returns the IdentitySession that a session is, or has behind proxies; null if there is none. */
    static @Nullable IdentitySession found(CqlSession session) {
        if (session instanceof IdentitySession same) {
            return same;
        }
        return IdentitySession.within(session)
                .map(inside -> Proxies.around(session, inside))
                .orElse(null);
    }

    @Override
    public IdentitySession withExplicitIds(ExplicitIds chosen) {
        return chosen == explicitIds ? this : new FillingSession(session, sequences, ownsSequences, chosen, conditions);
    }

    @Override
    public IdentitySession withExactConditions(ExactConditions chosen) {
        return chosen == conditions ? this : new FillingSession(session, sequences, ownsSequences, explicitIds, chosen);
    }

    private synchronized Transactions transactions() {
        Transactions known = transactions;
        if (known == null) {
            known = Transactions.of(
                    session,
                    InternalAccess.session(sequences),
                    new Transactions.Records(
                            sequences.config().globalKeyspace(),
                            sequences.config().datacenterKeyspace(),
                            sequences.localDatacenter()),
                    message -> new WriteModeException(message, true),
                    sequences.holder(),
                    new TransactionFigures());
            transactions = known;
        }
        return known;
    }

    @Override
    public Sequences sequences() {
        return sequences;
    }

    @Override
    public boolean writesPlainly() {
        return modes.areNone();
    }

    @Override
    public CompletionStage<Boolean> insertsFreshAsync(String keyspace, String table, String column) {
        return modes.insertsFresh(keyspace, table, column);
    }

    @Override
    public Statement<?> inOrder(Statement<?> statement, String keyspace, String table, String home) {
        return modes.inOrder(statement, new TableWrites(keyspace, table, home, null, false));
    }

    @Override
    public IdentityCatalog catalog() {
        return catalog;
    }

    @Override
    public CompletionStage<Filled> fillAsync(Statement<?> statement) {
        return fill(statement);
    }

    /** Values are refused before an id is drawn. */
    private CompletionStage<Filled> fill(Statement<?> statement) {
        if (rules.areNone()) {
            return filler.fill(statement);
        }
        try {
            Statement<?> now = rules.applyNow(statement);
            if (now == null) {
                return Stages.thenCompose(Stages.thenCompose(rules.apply(statement), filler::fill), this::judged);
            }
            CompletionStage<Filled> filled = filler.fill(now);
            // How to look at it was known, and so is this.
            return rules.askForFilled() ? Stages.thenCompose(filled, this::judged) : filled;
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** What was filled in has its rules too. */
    private CompletionStage<Filled> judged(Filled filled) {
        return rules.askForFilled()
                ? Stages.thenCompose(
                        rules.again(filled.statement()),
                        then -> CompletableFuture.completedFuture(new Filled(then, filled.keys())))
                : CompletableFuture.completedFuture(filled);
    }

    @Override
    public CompletionStage<List<Held>> holdAsync(List<? extends BatchableStatement<?>> statements) {
        return rules.areNone()
                ? filler.hold(statements)
                : Stages.thenCompose(Stages.thenCompose(rules.apply(statements, null), filler::hold), this::judged);
    }

    private CompletionStage<List<Held>> judged(List<Held> held) {
        return rules.askForFilled()
                ? rules.again(held.stream().map(Held::statement).toList(), null).thenApply(then -> {
                    List<Held> judged = new ArrayList<>(held.size());
                    for (int i = 0; i < held.size(); i++) {
                        judged.add(new Held(then.get(i), held.get(i).keys()));
                    }
                    return judged;
                })
                : CompletableFuture.completedFuture(held);
    }

    @Override
    public CompletionStage<List<BatchableStatement<?>>> judgeAsync(List<? extends BatchableStatement<?>> held) {
        return rules.judge(held);
    }

    // The caller names the type of the result.
    @SuppressWarnings("unchecked")
    @Override
    public <RequestT extends Request, ResultT> @Nullable ResultT execute(
            RequestT request, GenericType<ResultT> resultType) {
        if (request instanceof Statement<?> statement) {
            if (resultType.equals(Statement.SYNC)) {
                return (ResultT) executeNow(statement);
            }
            if (resultType.equals(Statement.ASYNC)) {
                return (ResultT) executeLater(statement);
            }
            if (resultType.getRawType() == ReactiveResultSet.class) {
                return (ResultT) KeyedReactiveResultSet.of(() -> executeLater(statement));
            }
            filler.refuse(statement, resultType.getRawType().getSimpleName());
        } else if (request instanceof PrepareRequest prepare) {
            if (resultType.equals(PrepareRequest.SYNC)) {
                return (ResultT) prepareNow(prepare);
            }
            if (resultType.equals(PrepareRequest.ASYNC)) {
                return (ResultT) prepareLater(prepare);
            }
        }
        return session.execute(request, resultType);
    }

    /** Returns whether the session adds the conditions that writes to exact tables lack. */
    private boolean addsConditions(Statement<?> statement) {
        return !modes.areNone() && ExactConditions.of(session, statement, conditions) == ExactConditions.ADDED;
    }

    private ResultSet executeNow(Statement<?> statement) {
        if (addsConditions(statement)) {
            Optional<ExactWriter.Answer> answer = await(exactWriter.execute(statement));
            if (answer.isPresent()) {
                ResultSet result = ConditionalResults.blocking(answer.get().result());
                return answer.get().keys().isEmpty()
                        ? result
                        : new KeyedResultSet(result, answer.get().keys());
            }
        }
        Filled filled = await(fill(statement));
        uniques.requireKept(statement);
        ResultSet result = session.execute(Proxies.like(statement, filled.statement()));
        return filled.keys().isEmpty() ? result : new KeyedResultSet(result, keys(filled, result.wasApplied()));
    }

    private CompletionStage<AsyncResultSet> executeLater(Statement<?> statement) {
        Statement<?> stamped = stamped(statement);
        return addsConditions(statement)
                ? exactWriter
                        .execute(stamped)
                        .thenCompose(answer -> answer.isEmpty()
                                ? sendLater(stamped)
                                : CompletableFuture.completedFuture(keyed(answer.get())))
                : sendLater(stamped);
    }

    private static AsyncResultSet keyed(ExactWriter.Answer answer) {
        return answer.keys().isEmpty() ? answer.result() : new KeyedAsyncResultSet(answer.result(), answer.keys());
    }

    private CompletionStage<AsyncResultSet> sendLater(Statement<?> statement) {
        return fill(statement).thenCompose(filled -> {
            uniques.requireKept(statement);
            return session.executeAsync(Proxies.like(statement, filled.statement()))
                    .thenApply(result -> filled.keys().isEmpty()
                            ? result
                            : new KeyedAsyncResultSet(result, keys(filled, result.wasApplied())));
        });
    }

    /**
     * Gives a statement at the call the write timestamp that the driver would give it when it is sent. Of two writes to
     * one row the later call must win, although the other may be sent later, once its identity is known. The server
     * treats this timestamp as it treats the one that the driver gives to every statement: it ignores the timestamp
     * where the statement has USING TIMESTAMP, and for a conditional write.
     */
    private Statement<?> stamped(Statement<?> statement) {
        return statement.getQueryTimestamp() == Statement.NO_DEFAULT_TIMESTAMP
                ? statement.setQueryTimestamp(
                        session.getContext().getTimestampGenerator().next())
                : statement;
    }

    private static GeneratedKeys keys(Filled filled, boolean applied) {
        return applied ? filled.keys() : GeneratedKeys.NONE;
    }

    private PreparedStatement prepareNow(PrepareRequest request) {
        Optional<RewrittenInsert> insert = await(preparer.rewrite(request));
        return insert.isEmpty()
                ? sendNow(request)
                : new FilledPreparedStatement(sendNow(insert.get().request()), insert.get());
    }

    private PreparedStatement sendNow(PrepareRequest request) {
        return Proxies.isProxy(session) ? session.prepare(Proxies.statement(request)) : session.prepare(request);
    }

    private CompletionStage<PreparedStatement> prepareLater(PrepareRequest request) {
        return preparer.rewrite(request)
                .thenCompose(insert -> insert.isEmpty()
                        ? sendLater(request)
                        : sendLater(insert.get().request())
                                .thenApply(sent -> new FilledPreparedStatement(sent, insert.get())));
    }

    private CompletionStage<PreparedStatement> sendLater(PrepareRequest request) {
        return Proxies.isProxy(session)
                ? session.prepareAsync(Proxies.statement(request))
                : session.prepareAsync(request);
    }

    /** Waits for a stage. Throws the cause of its failure. */
    static <T> T await(CompletionStage<T> stage) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        if (!future.isDone()) {
            // The answer may have to come from the same thread that would wait for it.
            DriverThreads.refuseToWait();
        }
        try {
            return future.join();
        } catch (CompletionException e) {
            Throwable cause = e.getCause();
            if (cause instanceof DriverException failure) {
                throw failure.copy();
            }
            if (cause instanceof RuntimeException failure) {
                throw failure;
            }
            throw e;
        }
    }

    @Override
    public CompletionStage<Void> closeAsync() {
        if (!ownsSequences) {
            return session.closeAsync();
        }
        // The sequences close first, since they return unused ids through the session.
        return closeSequences().thenCompose(closed -> session.closeAsync());
    }

    @Override
    public CompletionStage<Void> forceCloseAsync() {
        if (ownsSequences) {
            // In the background: the sequences fail to return their ids, which must not delay the caller.
            CompletionStage<Void> unused = closeSequences();
        }
        return session.forceCloseAsync();
    }

    /** Closes the sequences in another thread: closing may wait for Cassandra, which a driver's thread must not do. */
    private CompletionStage<Void> closeSequences() {
        return CompletableFuture.runAsync(sequences::close, task -> {
                    Thread thread = new Thread(task, "cassidy-close-sequences");
                    thread.setDaemon(true);
                    thread.start();
                })
                .exceptionally(failure -> {
                    LOG.debug("the sequences were not closed in order; what they held is a gap", failure);
                    return null;
                });
    }

    @Override
    public CompletionStage<Void> closeFuture() {
        return closing;
    }
}
