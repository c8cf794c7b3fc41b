package dev.cassidy.transaction.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatementBuilder;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import dev.cassidy.async.Jitter;
import dev.cassidy.async.Stages;
import dev.cassidy.async.Timer;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.lwt.SentOnce;
import dev.cassidy.table.TableWrites;
import dev.cassidy.transaction.WriteOutcome;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Remembers what it has prepared, and sends statements at the level of their table. */
final class Statements {

    private static final int READ_TRIES = 4;

    /** There is one text for each set of columns that statements of an application assign, or rely on. */
    private static final int MAX_PREPARED = 1_000;

    private final CqlSession session;
    private final Ordering ordering;
    private final Timer timer;
    private final RandomGenerator random;
    private final LastUsed<CompletionStage<PreparedStatement>> prepared = new LastUsed<>(MAX_PREPARED);

    Statements(CqlSession session, Ordering ordering, Timer timer, RandomGenerator random) {
        this.session = session;
        this.ordering = ordering;
        this.timer = timer;
        this.random = random;
    }

    /** Returns whether both send by one session, and so with the rights of one role. */
    boolean isOfSameSession(Statements other) {
        return session.equals(other.session);
    }

    /** Returns whether tokens are numbers of 64 bits, as far as the driver knows. */
    boolean isInMurmur3Order() {
        return session.getMetadata()
                .getTokenMap()
                .map(tokens -> tokens.getPartitionerName().endsWith("Murmur3Partitioner"))
                .orElse(true);
    }

    /**
     * A text and its values.
     *
     * @param values in their native encoding, by position
     */
    record Cql(String text, List<@Nullable ByteBuffer> values) {}

    CompletionStage<BoundStatement> bind(Cql cql) {
        return prepare(cql.text()).thenApply(ready -> {
            BoundStatementBuilder builder = ready.boundStatementBuilder();
            for (int i = 0; i < cql.values().size(); i++) {
                ByteBuffer bytes = cql.values().get(i);
                builder = bytes == null ? builder.setToNull(i) : builder.setBytesUnsafe(i, bytes);
            }
            return builder.build();
        });
    }

    CompletionStage<List<BoundStatement>> bindAll(List<Cql> all) {
        CompletionStage<List<BoundStatement>> stage = CompletableFuture.completedFuture(new ArrayList<>());
        for (Cql cql : all) {
            stage = stage.thenCombine(bind(cql), (list, bound) -> {
                list.add(bound);
                return list;
            });
        }
        return stage;
    }

    /** Sends a conditional statement or batch once; what fails before it is sent is a failure of the stage. */
    CompletionStage<WriteOutcome<List<Row>>> conditional(Statement<?> statement, TableWrites table) {
        Statement<?> ordered;
        try {
            ordered = ordering.ordered(statement, table);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
        CompletionStage<AsyncResultSet> answer = SentOnce.execute(session, ordered);
        return answer.handle((rows, failure) -> rows == null
                        ? Statements.<List<Row>>ofFailure(Objects.requireNonNull(failure))
                        : CompletableFuture.completedFuture(outcomeOf(rows)))
                .thenCompose(stage -> stage);
    }

    private static WriteOutcome<List<Row>> outcomeOf(AsyncResultSet rows) {
        return rows.wasApplied() ? new WriteOutcome.Applied<>() : new WriteOutcome.Refused<>(page(rows));
    }

    CompletionStage<WriteOutcome<List<Row>>> conditional(Cql cql, TableWrites table) {
        return bind(cql).thenCompose(bound -> conditional(bound, table));
    }

    /** Sends a statement without a condition, which may be repeated. */
    CompletionStage<AsyncResultSet> plain(Statement<?> statement, TableWrites table) {
        return session.executeAsync(ordering.ordered(statement, table).setIdempotent(true));
    }

    CompletionStage<AsyncResultSet> plain(Cql cql, TableWrites table) {
        return bind(cql).thenCompose(bound -> plain(bound, table));
    }

    /**
     * Reads in the order of the conditional statements. Such a read fails when a compare-and-set supersedes it, so it is tried a few times.
     */
    CompletionStage<List<Row>> inOrder(Cql cql, TableWrites table) {
        return bind(cql).thenCompose(bound -> {
            Statement<?> ordered = ordering.ordered(bound, table).setIdempotent(true);
            ConsistencyLevel serial = ordered.getSerialConsistencyLevel();
            return read(
                    ordered.setConsistencyLevel(serial == null ? ConsistencyLevel.SERIAL : serial),
                    new Jitter(timer, random),
                    READ_TRIES);
        });
    }

    private CompletionStage<List<Row>> read(Statement<?> statement, Jitter jitter, int tries) {
        return session.executeAsync(statement)
                .thenApply(Statements::page)
                .handle((rows, failure) -> {
                    if (failure == null) {
                        return CompletableFuture.completedFuture(rows);
                    }
                    Throwable cause = Stages.cause(failure);
                    return tries <= 1 || cause instanceof QueryValidationException
                            ? CompletableFuture.<List<Row>>failedFuture(cause)
                            : jitter.pause().thenCompose(over -> read(statement, jitter, tries - 1));
                })
                .thenCompose(stage -> stage);
    }

    static <T> CompletionStage<WriteOutcome<T>> ofFailure(Throwable failure) {
        Throwable cause = Stages.cause(failure);
        return ConditionalStatements.certainlyNotExecuted(cause)
                ? CompletableFuture.failedFuture(cause)
                : CompletableFuture.completedFuture(new WriteOutcome.Unknown<>(cause));
    }

    static List<Row> page(AsyncResultSet rows) {
        List<Row> found = new ArrayList<>();
        rows.currentPage().forEach(found::add);
        return found;
    }

    private CompletionStage<PreparedStatement> prepare(String text) {
        CompletionStage<PreparedStatement> known = prepared.get(text);
        if (known != null && !known.toCompletableFuture().isCompletedExceptionally()) {
            return known;
        }
        CompletionStage<PreparedStatement> fresh = session.prepareAsync(text);
        prepared.put(text, fresh);
        return fresh;
    }
}
