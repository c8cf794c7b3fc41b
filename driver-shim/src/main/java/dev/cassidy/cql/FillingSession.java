package dev.cassidy.cql;

import com.datastax.dse.driver.api.core.cql.reactive.ReactiveResultSet;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.context.DriverContext;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.PrepareRequest;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metrics.Metrics;
import com.datastax.oss.driver.api.core.session.Request;
import com.datastax.oss.driver.api.core.type.reflect.GenericType;
import com.datastax.oss.driver.internal.core.util.concurrent.BlockingOperation;
import dev.cassidy.insert.Identity;
import dev.cassidy.insert.IdentityCatalog;
import dev.cassidy.insert.Rewrite;
import dev.cassidy.sequence.cassandra.Sequences;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Every request of a CqlSession passes through {@link #execute(Request, GenericType)}, whatever method it came by. */
final class FillingSession implements IdentitySession {

    private static final Logger LOG = LoggerFactory.getLogger(FillingSession.class);

    private final CqlSession session;
    private final Sequences sequences;
    private final boolean ownsSequences;
    private final SequencesCatalog catalog;
    private final Filler filler;

    FillingSession(CqlSession session, Sequences sequences, boolean ownsSequences, FreshRows freshRows) {
        this.session = session;
        this.sequences = sequences;
        this.ownsSequences = ownsSequences;
        this.catalog = new SequencesCatalog(session, sequences);
        this.filler = new Filler(session, catalog, new IdentitySource(sequences), freshRows);
    }

    @Override
    public IdentitySession withFreshRows(FreshRows freshRows) {
        return new FillingSession(session, sequences, ownsSequences, freshRows);
    }

    @Override
    public Sequences sequences() {
        return sequences;
    }

    @Override
    public CqlSession unwrap() {
        return session;
    }

    @Override
    public IdentityCatalog catalog() {
        return catalog;
    }

    @Override
    public CompletionStage<Filled> fillAsync(Statement<?> statement) {
        return filler.fill(statement);
    }

    @Override
    public CompletionStage<Held> holdAsync(BatchableStatement<?> statement) {
        return filler.hold(statement);
    }

    // The type that the caller names is that of what is returned.
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

    private ResultSet executeNow(Statement<?> statement) {
        Filled filled = await(filler.fill(statement));
        ResultSet result = session.execute(filled.statement());
        return filled.keys().isEmpty() ? result : new KeyedResultSet(result, keys(filled, result.wasApplied()));
    }

    private CompletionStage<AsyncResultSet> executeLater(Statement<?> statement) {
        return filler.fill(stamped(statement)).thenCompose(filled -> session.executeAsync(filled.statement())
                .thenApply(result -> filled.keys().isEmpty()
                        ? result
                        : new KeyedAsyncResultSet(result, keys(filled, result.wasApplied()))));
    }

    /**
     * Gives a statement at the call the write timestamp that the driver would give it when it is sent: of two writes to
     * one row the later must win, whichever is sent first once its identity is known. The server heeds it as it heeds the
     * driver's own, which every statement gets: not where the text has USING TIMESTAMP, nor for a conditional write.
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
        Optional<Identity> identity = await(filler.toPrepare(request.getQuery(), request.getKeyspace()));
        if (identity.isEmpty()) {
            return session.prepare(request);
        }
        Rewrite rewrite = filler.rewrite(request.getQuery(), identity.get());
        PreparedStatement sent = session.prepare(new RewrittenPrepareRequest(request, rewrite.withMarker()));
        return new IdentityPreparedStatement(sent, request.getQuery(), identity.get(), rewrite.markerIndex());
    }

    private CompletionStage<PreparedStatement> prepareLater(PrepareRequest request) {
        return filler.toPrepare(request.getQuery(), request.getKeyspace())
                .thenCompose(identity ->
                        identity.isEmpty() ? session.prepareAsync(request) : prepareLater(request, identity.get()));
    }

    private CompletionStage<PreparedStatement> prepareLater(PrepareRequest request, Identity identity) {
        Rewrite rewrite = filler.rewrite(request.getQuery(), identity);
        return session.prepareAsync(new RewrittenPrepareRequest(request, rewrite.withMarker()))
                .thenApply(sent ->
                        new IdentityPreparedStatement(sent, request.getQuery(), identity, rewrite.markerIndex()));
    }

    static void refuseDriverThreads() {
        BlockingOperation.checkNotDriverThread();
    }

    /** Waits for a stage and throws what it failed with. */
    static <T> T await(CompletionStage<T> stage) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        if (!future.isDone()) {
            // The answer may have to come from the very thread that would wait for it.
            refuseDriverThreads();
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
        // The sequences first: they hand back what they hold through the session.
        return closeSequences().thenCompose(closed -> session.closeAsync());
    }

    @Override
    public CompletionStage<Void> forceCloseAsync() {
        if (ownsSequences) {
            // In the background: they fail to hand anything back, and that must not delay the caller.
            CompletionStage<Void> unused = closeSequences();
        }
        return session.forceCloseAsync();
    }

    /** Closing sequences may wait for Cassandra, which a caller on a driver's thread must not. */
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
        return session.closeFuture();
    }

    @Override
    public String getName() {
        return session.getName();
    }

    @Override
    public Metadata getMetadata() {
        return session.getMetadata();
    }

    @Override
    public boolean isSchemaMetadataEnabled() {
        return session.isSchemaMetadataEnabled();
    }

    @Override
    public CompletionStage<Metadata> setSchemaMetadataEnabled(@Nullable Boolean newValue) {
        return session.setSchemaMetadataEnabled(newValue);
    }

    @Override
    public CompletionStage<Metadata> refreshSchemaAsync() {
        return session.refreshSchemaAsync();
    }

    @Override
    public CompletionStage<Boolean> checkSchemaAgreementAsync() {
        return session.checkSchemaAgreementAsync();
    }

    @Override
    public DriverContext getContext() {
        return session.getContext();
    }

    @Override
    public Optional<CqlIdentifier> getKeyspace() {
        return session.getKeyspace();
    }

    @Override
    public Optional<Metrics> getMetrics() {
        return session.getMetrics();
    }
}
