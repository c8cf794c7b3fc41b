package dev.cassidy.transaction;

import dev.cassidy.transaction.CommitResult.Committed;
import dev.cassidy.transaction.CommitResult.Conflict;
import dev.cassidy.transaction.CommitResult.InDoubt;
import dev.cassidy.transaction.CommitResult.Reason;
import dev.cassidy.transaction.RowChange.Kind;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Commits changes of rows of exact tables, all or none. Rows of one partition are one conditional batch. Others are locked by their marks,
 * one after the other, under a record whose compare-and-set to COMMITTED is the commit; then their values are written.
 *
 * <p>The idea is that of Percolator (Peng and Dabek, OSDI 2010) and of ScalarDB's consensus commit (Yamada et al., VLDB 2023): locks in the
 * rows, and a state that anybody who meets a lock can settle. It differs in this: the row keeps its old values beside a one-column lock
 * while the new ones are in the record, and they are written plainly at the lock's own write timestamp, so that anybody may repeat it.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
public final class Committer {

    /** How many locks of others one row may show, one after the other, before the transaction gives up. */
    private static final int MAX_MEETINGS = 32;

    /** How often rows are sent that only add, until it is known that they are written. */
    private static final int ADDITION_TRIES = 3;

    private final RecordStore records;
    private final RowStore rows;
    private final LockResolver resolver;
    private final Supplier<UUID> ids;
    private final InstantSource clock;
    private final String holder;
    private final TransactionFigures figures;

    /**
     * @param ids gives a random id to each transaction
     * @param clock tells operators when a transaction began
     * @param holder who makes these transactions, for operators
     */
    public Committer(
            RecordStore records,
            RowStore rows,
            LockResolver resolver,
            Supplier<UUID> ids,
            InstantSource clock,
            String holder) {
        this(records, rows, resolver, ids, clock, holder, new TransactionFigures());
    }

    /** As the other, and {@code figures} counts the commits, without those that have nothing to do. */
    public Committer(
            RecordStore records,
            RowStore rows,
            LockResolver resolver,
            Supplier<UUID> ids,
            InstantSource clock,
            String holder,
            TransactionFigures figures) {
        this.records = records;
        this.rows = rows;
        this.resolver = resolver;
        this.ids = ids;
        this.clock = clock;
        this.holder = holder;
        this.figures = figures;
    }

    /**
     * Makes all changes, or none.
     *
     * @param changes each of another row, of tables with one home
     * @return how it ended. A stage that fails has certainly written nothing: by {@link TransactionFailedException}, whose cause is what
     *     happened; or by IllegalArgumentException if two changes are of one row, or tables differ in who decides
     */
    public CompletionStage<CommitResult> commit(List<RowChange> changes) {
        return commit(changes, Deadline.NONE);
    }

    /**
     * As the other, and gives up when the deadline is over before the commit is sent. Requests that are under way then are waited for, each
     * for as long as the session lets it take.
     */
    public CompletionStage<CommitResult> commit(List<RowChange> changes, Deadline deadline) {
        return changes.isEmpty()
                ? CompletableFuture.completedFuture(new Committed(null, true))
                : run(changes, deadline).whenComplete((result, failure) -> figures.ended(result));
    }

    private CompletionStage<CommitResult> run(List<RowChange> changes, Deadline deadline) {
        List<RowChange> given = new ArrayList<>(changes);
        Collections.sort(given, RowChange.GLOBAL_ORDER);
        try {
            check(given);
        } catch (IllegalArgumentException e) {
            return CompletableFuture.failedFuture(e);
        }
        List<RowChange> ordered;
        try {
            ordered = rows.admitted(given);
        } catch (RuntimeException e) {
            return TransactionFailedException.stage(e);
        }
        if (ordered.stream().allMatch(row -> row.kind() == Kind.FRESH)) {
            // Without a row that can be locked there is no record, which nobody else would find.
            boolean canHaveRecord = !ordered.stream().allMatch(RowChange::isAddition);
            if (!canHaveRecord) {
                return add(ordered, ADDITION_TRIES, null);
            }
            if (!rows.isOneWrite(ordered)) {
                return byRecord(withALock(ordered), deadline);
            }
            return rows.fresh(ordered)
                    .handle((outcome, failure) -> failure != null && rows.isTooLarge(failure)
                            ? byRecord(withALock(ordered), deadline)
                            : ofOne(outcome, failure))
                    .thenCompose(done -> done);
        }
        RowChange first = ordered.get(0);
        if (ordered.stream().allMatch(row -> row.kind() != Kind.FRESH && row.isOfSamePartition(first))) {
            return together(ordered, 0, deadline);
        }
        return byRecord(ordered, deadline);
    }

    /**
     * Sends rows that only add, which may be repeated, until it is known that they are written. They tell nobody afterwards whether they are
     * there.
     *
     * @param doubt why it is not known of the tries before; null if nothing was written
     */
    private CompletionStage<CommitResult> add(List<RowChange> additions, int tries, @Nullable Throwable doubt) {
        return rows.fresh(additions)
                .handle((outcome, failure) -> {
                    Throwable unknown = outcome instanceof WriteOutcome.Unknown<?> none ? none.cause() : doubt;
                    if (outcome instanceof WriteOutcome.Applied<?> || unknown == null) {
                        return ofOne(outcome, failure);
                    }
                    return tries > 1
                            ? add(additions, tries - 1, unknown)
                            : CompletableFuture.<CommitResult>completedFuture(new InDoubt(null, unknown));
                })
                .thenCompose(done -> done);
    }

    private CompletionStage<CommitResult> byRecord(List<RowChange> ordered, Deadline deadline) {
        TransactionRecord record;
        try {
            record = new TransactionRecord(
                    ids.get(), home(ordered), TransactionRecord.State.PENDING, holder, clock.instant(), ordered);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
        Commit commit = new Commit(record, records, rows, resolver, clock, MAX_MEETINGS, deadline);
        return ordered.stream().noneMatch(RowChange::isAddition)
                ? commit.run()
                : rows.proveAdditions(ordered)
                        .handle((proved, failure) -> failure == null
                                ? commit.run()
                                : TransactionFailedException.<CommitResult>stage(failure))
                        .thenCompose(done -> done);
    }

    /** The nodes that order the rows which are locked: who meets a lock looks for its record there. */
    private static String home(List<RowChange> ordered) {
        return ordered.stream()
                .filter(row -> !row.isAddition())
                .findFirst()
                .orElse(ordered.get(0))
                .table()
                .home();
    }

    /**
     * Makes the first row one that is locked: without a lock, nobody would find the record of rows of drawn ids. If this is aborted, the row
     * is deleted, so that the first write of a drawn id would not show any more. It is not repeated: these rows are too many for that again.
     */
    private static List<RowChange> withALock(List<RowChange> fresh) {
        List<RowChange> rows = new ArrayList<>(fresh);
        int at = 0;
        while (rows.get(at).isAddition()) {
            at++;
        }
        RowChange first = rows.get(at);
        rows.set(
                at,
                new RowChange(
                        first.table(),
                        first.key(),
                        first.partitionColumns(),
                        Map.of(),
                        Kind.INSERT,
                        first.values(),
                        first.tableId()));
        return rows;
    }

    private static void check(List<RowChange> ordered) {
        for (int i = 1; i < ordered.size(); i++) {
            RowChange row = ordered.get(i);
            RowChange before = ordered.get(i - 1);
            if (row.isOfSameRow(before)) {
                throw new IllegalArgumentException("must have one change for each row: " + row.name());
            }
        }
        // What is added to counters has no order.
        List<RowChange> inOrder =
                ordered.stream().filter(row -> !row.isAddition()).toList();
        for (int i = 1; i < inOrder.size(); i++) {
            RowChange row = inOrder.get(i);
            RowChange before = inOrder.get(i - 1);
            if (!row.table().home().equals(before.table().home())) {
                throw new IllegalArgumentException(
                        "one transaction must have tables whose writes are ordered by the same nodes: table "
                                + before.table().name() + " is written "
                                + before.table().deciders() + ", table "
                                + row.table().name() + " "
                                + row.table().deciders());
            }
        }
    }

    private CompletionStage<CommitResult> together(List<RowChange> ordered, int meetings, Deadline deadline) {
        if (deadline.isOver()) {
            return CompletableFuture.completedFuture(Conflict.late(ordered.get(0)));
        }
        return rows.together(ordered)
                .handle((outcome, failure) -> {
                    if (outcome instanceof WriteOutcome.Refused<List<Map<String, @Nullable ByteBuffer>>> refused) {
                        return refused(ordered, refused.found(), meetings, deadline);
                    }
                    if (failure != null && rows.isTooLarge(failure)) {
                        return byRecord(ordered, deadline);
                    }
                    return ofOne(outcome, failure);
                })
                .thenCompose(done -> done);
    }

    /** The result of a commit that is one write. */
    private static CompletionStage<CommitResult> ofOne(@Nullable WriteOutcome<?> outcome, @Nullable Throwable failure) {
        if (outcome == null) {
            return TransactionFailedException.stage(failure);
        }
        return CompletableFuture.completedFuture(
                outcome instanceof WriteOutcome.Unknown<?> unknown
                        ? new InDoubt(null, unknown.cause())
                        : new Committed(null, true));
    }

    private CompletionStage<CommitResult> refused(
            List<RowChange> ordered, List<Map<String, @Nullable ByteBuffer>> shown, int meetings, Deadline deadline) {
        Found held = null;
        for (int i = 0; i < ordered.size(); i++) {
            Found found = new Found(ordered.get(i), shown.get(i));
            if (found.lock() != null) {
                held = found;
            } else {
                Conflict conflict = found.conflict();
                if (conflict != null) {
                    return CompletableFuture.completedFuture(conflict);
                }
            }
        }
        if (held == null) {
            return CompletableFuture.completedFuture(new Conflict(
                    ordered.get(0),
                    Reason.CHANGED,
                    "a row has changed since it was read: " + ordered.get(0).name()));
        }
        if (meetings >= MAX_MEETINGS) {
            return CompletableFuture.completedFuture(Conflict.held(held.row(), MAX_MEETINGS));
        }
        ByteBuffer lock = held.lock();
        RowChange row = held.row();
        return lock == null
                ? together(ordered, meetings + 1, deadline)
                : resolver.free(row.table(), row.key(), lock, deadline)
                        .handle((freed, failure) -> failure == null
                                ? together(ordered, meetings + 1, deadline)
                                : TransactionFailedException.<CommitResult>stage(failure))
                        .thenCompose(done -> done);
    }
}
