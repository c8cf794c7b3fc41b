package dev.cassidy.lwt;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.NodeUnavailableException;
import com.datastax.oss.driver.api.core.RequestThrottlingException;
import com.datastax.oss.driver.api.core.auth.AuthenticationException;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverExecutionProfile;
import com.datastax.oss.driver.api.core.connection.ClosedConnectionException;
import com.datastax.oss.driver.api.core.connection.ConnectionInitException;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.servererrors.CASWriteUnknownException;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import com.datastax.oss.driver.api.core.servererrors.UnavailableException;
import com.datastax.oss.driver.api.core.servererrors.WriteTimeoutException;
import dev.cassidy.async.Stages;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Lightweight transactions at one serial level, fixed for life.
 *
 * <p>Paxos keeps its state per partition, and SERIAL and LOCAL_SERIAL ask different groups of replicas for it: two
 * levels on one partition may have no replica in common, and both may win. So a keyspace belongs to one instance, and
 * callers can never choose the level.
 *
 * <p>A statement that certainly was not sent, because there was no connection, is sent again within the time-out. So is
 * a read that met others' compare-and-sets: Cassandra lets a linearizable read time out at once if its round was
 * superseded. A write whose outcome is unknown is never sent again, neither here nor by the driver, whatever its
 * policies are: see {@link SentOnce}.
 *
 * <p>Safe for use by many threads. Nothing here blocks.
 */
public final class ConditionalStatements {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);

    private static final Duration LONGEST_PAUSE = Duration.ofMillis(200);

    private final CqlSession session;
    private final ConsistencyLevel serial;
    private final ConsistencyLevel commit;
    private final Duration timeout;
    private final LongSupplier nanoTime;
    private final ConcurrentMap<String, CompletionStage<PreparedStatement>> prepared = new ConcurrentHashMap<>();

    /** The default profile with the time-out of this; made at the first batch. */
    private volatile @Nullable DriverExecutionProfile withTimeout;

    private ConditionalStatements(
            CqlSession session,
            ConsistencyLevel serial,
            ConsistencyLevel commit,
            Duration timeout,
            LongSupplier nanoTime) {
        this.session = session;
        this.serial = serial;
        this.commit = commit;
        this.timeout = timeout;
        this.nanoTime = nanoTime;
    }

    /** Statements on keyspaces that every datacenter agrees on: SERIAL. */
    public static ConditionalStatements acrossDatacenters(CqlSession session, Duration timeout) {
        return new ConditionalStatements(
                session, ConsistencyLevel.SERIAL, ConsistencyLevel.QUORUM, timeout, System::nanoTime);
    }

    /** Statements on a keyspace that is replicated in the session's own datacenter only: LOCAL_SERIAL. */
    public static ConditionalStatements withinDatacenter(CqlSession session, Duration timeout) {
        return new ConditionalStatements(
                session, ConsistencyLevel.LOCAL_SERIAL, ConsistencyLevel.LOCAL_QUORUM, timeout, System::nanoTime);
    }

    /** One conditional statement, or one of the statements of a conditional batch. */
    public record Cas(String cql, List<Object> values) {
        public Cas(String cql, Object... values) {
            this(cql, List.of(values));
        }
    }

    /**
     * Executes the statements as one compare-and-set on one partition.
     *
     * @return a stage that fails only if certainly nothing was executed; else how it ended
     */
    public CompletionStage<CasOutcome> execute(Cas... statements) {
        // Only what follows the preparation can have touched a row, so only its errors can be an unknown outcome.
        return bind(statements).thenCompose(bound -> withRetries(
                        left -> SentOnce.execute(session, asCas(bound, left)), ConditionalStatements::hadNoConnection)
                .handle(ConditionalStatements::outcomeOf)
                .thenCompose(outcome -> outcome));
    }

    /**
     * Reads one partition in the order of its compare-and-sets: it sees every one that was acknowledged, and settles
     * one that was left half done. Needs as many replicas as a write, and may time out like one.
     */
    public CompletionStage<List<Row>> read(String cql, Object... values) {
        return readAt(serial, cql, values);
    }

    /** Reads at {@code consistency}, for what needs no order: lists, hints. */
    public CompletionStage<List<Row>> peek(ConsistencyLevel consistency, String cql, Object... values) {
        return readAt(consistency, cql, values);
    }

    /**
     * Writes to one partition without any condition or order, for hints: what nothing depends on, and does no harm twice.
     *
     * @return a stage that fails unless as many replicas as {@code consistency} demands have it
     */
    public CompletionStage<Void> note(ConsistencyLevel consistency, Cas... statements) {
        return bind(statements).thenCompose(bound -> withRetries(
                        left -> session.executeAsync(BatchStatement.newInstance(BatchType.UNLOGGED, List.copyOf(bound))
                                .setExecutionProfile(left.equals(timeout) ? profile() : profile(left))
                                .setConsistencyLevel(consistency)
                                .setIdempotent(true)),
                        ConditionalStatements::hadNoConnection)
                .thenAccept(written -> {}));
    }

    private CompletionStage<List<Row>> readAt(ConsistencyLevel consistency, String cql, Object... values) {
        return bindOne(new Cas(cql, values)).thenCompose(bound -> {
            BoundStatement statement = bound.setConsistencyLevel(consistency).setIdempotent(true);
            return withRetries(
                    left -> session.executeAsync(statement.setTimeout(left))
                            .thenCompose(ConditionalStatements::allRows),
                    ConditionalStatements::mayBeReadAgain);
        });
    }

    private Statement<?> asCas(List<BoundStatement> bound, Duration left) {
        Statement<?> statement = bound.size() == 1
                ? bound.get(0).setTimeout(left)
                // The driver, up to 4.19 at least, forgets a batch's own time-out, and heeds its profile's.
                : BatchStatement.newInstance(BatchType.UNLOGGED, List.copyOf(bound))
                        .setExecutionProfile(left.equals(timeout) ? profile() : profile(left));
        return statement.setSerialConsistencyLevel(serial).setConsistencyLevel(commit);
    }

    private DriverExecutionProfile profile() {
        DriverExecutionProfile known = withTimeout;
        if (known == null) {
            known = profile(timeout);
            withTimeout = known;
        }
        return known;
    }

    private DriverExecutionProfile profile(Duration limit) {
        return session.getContext()
                .getConfig()
                .getDefaultProfile()
                .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, limit);
    }

    private CompletionStage<List<BoundStatement>> bind(Cas... statements) {
        CompletionStage<List<BoundStatement>> all = CompletableFuture.completedFuture(new ArrayList<>());
        for (Cas statement : statements) {
            all = all.thenCombine(bindOne(statement), (list, bound) -> {
                list.add(bound);
                return list;
            });
        }
        return all;
    }

    private CompletionStage<BoundStatement> bindOne(Cas statement) {
        return prepare(statement.cql())
                .thenApply(ready -> ready.bind(statement.values().toArray()));
    }

    private CompletionStage<PreparedStatement> prepare(String cql) {
        CompletionStage<PreparedStatement> known = prepared.get(cql);
        if (known != null && !known.toCompletableFuture().isCompletedExceptionally()) {
            return known;
        }
        CompletionStage<PreparedStatement> fresh =
                withRetries(left -> session.prepareAsync(cql), ConditionalStatements::hadNoConnection);
        prepared.put(cql, fresh);
        return fresh;
    }

    /** @param send sends it once more, within what is left of the time-out */
    private <T> CompletionStage<T> withRetries(
            Function<Duration, CompletionStage<T>> send, Predicate<Throwable> mayBeSentAgain) {
        return attempt(send, mayBeSentAgain, timeout, nanoTime.getAsLong(), FIRST_PAUSE);
    }

    private <T> CompletionStage<T> attempt(
            Function<Duration, CompletionStage<T>> send,
            Predicate<Throwable> mayBeSentAgain,
            Duration left,
            long start,
            Duration pause) {
        return send.apply(left)
                .handle((answer, thrown) -> {
                    if (thrown == null) {
                        return CompletableFuture.completedFuture(answer);
                    }
                    Throwable cause = Stages.cause(thrown);
                    Duration leftThen =
                            timeout.minusNanos(nanoTime.getAsLong() - start).minus(pause);
                    // Sent with less than a quarter, a write would only end unknown.
                    if (!mayBeSentAgain.test(cause) || leftThen.compareTo(timeout.dividedBy(4)) < 0) {
                        return CompletableFuture.<T>failedFuture(cause);
                    }
                    Duration longer = pause.multipliedBy(2);
                    return after(pause)
                            .thenCompose(waited -> attempt(
                                    send,
                                    mayBeSentAgain,
                                    leftThen,
                                    start,
                                    longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE));
                })
                .thenCompose(stage -> stage);
    }

    private static CompletionStage<Void> after(Duration pause) {
        return CompletableFuture.runAsync(
                () -> {}, CompletableFuture.delayedExecutor(pause.toMillis(), TimeUnit.MILLISECONDS, Runnable::run));
    }

    /** Whether no node was sent anything: none had a connection, as for a second after one was lost. */
    private static boolean hadNoConnection(Throwable cause) {
        return cause instanceof AllNodesFailedException failed
                && errorsOf(failed).allMatch(SentOnce::tookNothing);
    }

    /** Whether a read was superseded by a compare-and-set, or never had or lost its connection, as to the answer of one. */
    private static boolean mayBeReadAgain(Throwable cause) {
        if (cause instanceof AllNodesFailedException failed) {
            return errorsOf(failed).allMatch(ConditionalStatements::mayBeReadAgain);
        }
        return cause instanceof NodeUnavailableException
                || cause instanceof ClosedConnectionException
                || cause instanceof WriteTimeoutException
                || cause instanceof CASWriteUnknownException;
    }

    static Stream<Throwable> errorsOf(AllNodesFailedException failed) {
        return failed.getAllErrors().values().stream().flatMap(List::stream);
    }

    private static CompletionStage<CasOutcome> outcomeOf(@Nullable AsyncResultSet rows, @Nullable Throwable thrown) {
        if (rows != null) {
            return CompletableFuture.completedFuture(
                    rows.wasApplied() ? new CasOutcome.Applied() : new CasOutcome.Refused(onePage(rows)));
        }
        Throwable cause = Stages.cause(Objects.requireNonNull(thrown));
        return certainlyNotExecuted(cause)
                ? CompletableFuture.failedFuture(cause)
                : CompletableFuture.completedFuture(new CasOutcome.Unknown(cause));
    }

    private static List<Row> onePage(AsyncResultSet rows) {
        List<Row> found = new ArrayList<>();
        rows.currentPage().forEach(found::add);
        return found;
    }

    private static CompletionStage<List<Row>> allRows(AsyncResultSet page) {
        List<Row> rows = onePage(page);
        if (!page.hasMorePages()) {
            return CompletableFuture.completedFuture(rows);
        }
        return page.fetchNextPage().thenCompose(ConditionalStatements::allRows).thenApply(rest -> {
            rows.addAll(rest);
            return rows;
        });
    }

    /**
     * Returns whether an error says that a conditional statement did nothing, and will not. Only what a coordinator says
     * before it proposes anything does, or what kept the request from being sent. A time-out, a closed connection, an
     * overloaded coordinator: all of them may hide a success.
     */
    public static boolean certainlyNotExecuted(Throwable cause) {
        if (cause instanceof AllNodesFailedException failed) {
            return errorsOf(failed).allMatch(ConditionalStatements::certainlyNotExecuted);
        }
        if (cause instanceof UnavailableException unavailable) {
            // At the serial level nothing was proposed yet. At the commit's level it was accepted already: the first
            // Paxos variant looks for live replicas once more before it commits.
            return unavailable.getConsistencyLevel().isSerial();
        }
        return cause instanceof QueryValidationException
                || SentOnce.tookNothing(cause)
                || cause instanceof RequestThrottlingException
                || cause instanceof ConnectionInitException
                || cause instanceof AuthenticationException;
    }
}
