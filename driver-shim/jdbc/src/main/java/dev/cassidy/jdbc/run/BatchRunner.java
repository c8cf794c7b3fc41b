package dev.cassidy.jdbc.run;

import dev.cassidy.cluster.DriverThreads;
import dev.cassidy.cql.GeneratedKeys;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.tsql.TsqlScript;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Runs a JDBC batch: every entry, whatever happens to the others, and many writes at a time. It is no transaction. Plain writes,
 * writes of single rows of exact tables, and everything else do not overlap: each of these kinds waits for the one before.
 */
public final class BatchRunner {

    private static final int UNDER_WAY = 128;

    /** How many rows may be under way or wait for others to go with. */
    private static final int ROWS = 8 * UNDER_WAY;

    /** Reads the script of an entry. */
    @FunctionalInterface
    public interface Reading {
        TsqlScript read() throws SQLException;
    }

    /**
     * One entry of the batch: a script and its parameters.
     *
     * @param reading asked when the entry's turn comes: its tables may be others than when it was added
     */
    public record Entry(Reading reading, List<@Nullable Parameter> parameters) {}

    /**
     * What a batch gave.
     *
     * @param failure null if every entry succeeded
     */
    public record Outcome(
            List<Long> counts,
            List<GeneratedKeys.Key> keys,
            @Nullable BatchUpdateException failure) {}

    /** @param grouped the row that went or will go together with others; null if it was sent by itself */
    private record Pending(
            int index,
            StatementSender.Request request,
            CompletableFuture<StepResult> result,
            InsertGroups.@Nullable Row grouped) {}

    private final ScriptRunner runner;
    private final Cancellation cancellation;
    private final InsertGroups groups;
    private final ParallelRows rows;
    private final Deque<Pending> underWay = new ArrayDeque<>();

    /** How many requests are under way that were sent by themselves. */
    private final AtomicInteger alone = new AtomicInteger();

    private final List<List<GeneratedKeys.Key>> keys = new ArrayList<>();
    private CompletionStage<?> lastFilled = CompletableFuture.completedFuture(null);
    /** By index, since an entry that was sent fails later than a following one that was not. */
    private final SortedMap<Integer, SQLException> failures = new TreeMap<>();

    private long[] counts = new long[0];

    public BatchRunner(ScriptRunner runner, Cancellation cancellation) {
        this.runner = runner;
        this.cancellation = cancellation;
        this.groups = runner.sender().groups();
        this.rows = new ParallelRows(cancellation);
    }

    public Outcome run(List<Entry> entries) {
        DriverThreads.refuseToWait();
        counts = new long[entries.size()];
        for (int i = 0; i < entries.size(); i++) {
            keys.add(List.of());
            try {
                cancellation.beginEntry();
                cancellation.requireGoingOn();
                start(i, entries.get(i));
            } catch (SQLException | RuntimeException e) {
                failed(i, SqlErrors.of(e));
            }
        }
        awaitAll();
        List<GeneratedKeys.Key> inOrder = new ArrayList<>(keys.size());
        keys.forEach(inOrder::addAll);
        return new Outcome(Arrays.stream(counts).boxed().toList(), inOrder, failures.isEmpty() ? null : batchFailure());
    }

    private void start(int index, Entry entry) throws SQLException {
        TsqlScript script = entry.reading().read();
        EntryWrite write = runner.request(script, entry.parameters()).orElse(null);
        if (write instanceof RowEntry row) {
            awaitPlain();
            rows.add(index, row);
            return;
        }
        awaitRows();
        if (write instanceof StatementSender.Request request) {
            while (underWay.size() == ROWS || (alone.get() >= UNDER_WAY && !underWay.isEmpty())) {
                awaitFirst();
                // A cancellation has ended that wait, and it holds for this entry too.
                cancellation.requireGoingOn();
            }
            CompletionStage<IdentitySession.Filled> filled = runner.sender().fill(request, lastFilled);
            if (request.target() instanceof IdentitySession) {
                lastFilled = filled;
            }
            underWay.add(send(index, request, filled));
            return;
        }
        // It may depend on what came before it.
        awaitPlain();
        ScriptRunner.Ran ran = runner.run(script, entry.parameters());
        succeeded(index, ran.results().stream().mapToLong(StepResult::count).sum(), ran.keys());
    }

    private Pending send(int index, StatementSender.Request request, CompletionStage<IdentitySession.Filled> filling) {
        CompletableFuture<IdentitySession.Filled> filled = filling.toCompletableFuture();
        // Almost every id is in memory. One that is not would make others wait.
        if (request.insert() && filled.isDone() && !filled.isCompletedExceptionally()) {
            InsertGroups.Row grouped = groups.add(filled.join()).orElse(null);
            if (grouped != null) {
                runner.sender().countGrouped();
                return new Pending(index, request, grouped.result(), grouped);
            }
        }
        CompletableFuture<StepResult> result = runner.sender().send(filling);
        alone.incrementAndGet();
        var unused = result.whenComplete((done, failure) -> alone.decrementAndGet());
        return new Pending(index, request, result, null);
    }

    private void awaitAll() {
        awaitPlain();
        awaitRows();
    }

    private void awaitRows() {
        for (ParallelRows.Outcome each : rows.finish()) {
            StepResult result = each.result();
            if (result != null) {
                succeeded(each.index(), result.count(), result.keys());
                runner.remember(each.entry(), result);
            } else {
                failed(each.index(), runner.failed(each.entry(), Objects.requireNonNull(each.failure())));
            }
        }
    }

    private void awaitPlain() {
        while (!underWay.isEmpty()) {
            awaitFirst();
        }
    }

    private void awaitFirst() {
        Pending first = underWay.remove();
        if (!first.result().isDone()) {
            sendWaiting(first.result());
        }
        try {
            StepResult result = cancellation.await(first.result(), Cancellation.OUTCOME_UNKNOWN);
            runner.sender().warn(result.warnings());
            succeeded(first.index(), result.count(), result.keys());
            runner.remember(first.request(), result);
        } catch (SQLException | RuntimeException e) {
            SQLException failure = SqlErrors.of(e);
            failure = first.request().insert() ? SqlServerErrors.ofVerb("INSERT", failure) : failure;
            InsertGroups.Row grouped = first.grouped();
            failed(
                    first.index(),
                    grouped == null ? failure : SqlErrors.ofRow(failure, grouped.id(), grouped.wentTogether()));
        }
    }

    private void sendWaiting(CompletableFuture<StepResult> oldest) {
        try {
            cancellation.requireGoingOn();
            groups.send(UNDER_WAY, oldest);
        } catch (SQLException cancelled) {
            groups.refuse(cancelled);
        }
    }

    private void succeeded(int index, long count, List<GeneratedKeys.Key> entryKeys) {
        counts[index] = count;
        keys.set(index, entryKeys);
    }

    private void failed(int index, SQLException cause) {
        counts[index] = Statement.EXECUTE_FAILED;
        failures.put(index, cause);
    }

    private BatchUpdateException batchFailure() {
        SQLException first = failures.values().iterator().next();
        BatchUpdateException exception = new BatchUpdateException(
                failures.size() + " of " + counts.length + " entries failed; the others were executed. First: "
                        + first.getMessage(),
                first.getSQLState(),
                first.getErrorCode(),
                counts,
                first);
        SQLException last = exception;
        for (SQLException failure : failures.values()) {
            // At the end of the chain: setNextException of the first would walk all of it each time.
            last.setNextException(failure);
            last = failure;
        }
        return exception;
    }
}
