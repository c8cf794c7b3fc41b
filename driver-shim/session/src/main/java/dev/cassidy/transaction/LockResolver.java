package dev.cassidy.transaction;

import dev.cassidy.async.Timer;
import dev.cassidy.table.TableWrites;
import dev.cassidy.transaction.RecordStore.Look;
import dev.cassidy.transaction.RowChange.Kind;
import dev.cassidy.transaction.TransactionRecord.State;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;

/**
 * Ends transactions whose locks are met, by their records: what is committed is written, what is aborted is released. So a process that
 * stopped holds nobody up. Safe for use by many threads; nothing blocks.
 */
public final class LockResolver {

    private static final long FIRST_PAUSE_MILLIS = 4;
    private static final long LONGEST_PAUSE_MILLIS = 250;

    /**
     * How long a writer waits in all, before it aborts who holds the row; and for each row of that transaction, which are locked one after
     * the other. Only throughput depends on it.
     */
    private static final long PATIENCE_MILLIS = 1_000;

    private static final long PATIENCE_MILLIS_OF_ROW = 20;

    private final RecordStore records;
    private final RowStore rows;
    private final Timer timer;
    private final RandomGenerator random;
    private final RowWriter writer;
    private final TransactionFigures figures;

    /** What became of a lock. */
    public enum Met {
        /** The row is not held by it any more, as far as is known: read it, or try, again. */
        FREED,
        /** Its transaction is not committed: the standing values count, and a placeholder is no row. */
        PENDING
    }

    public LockResolver(RecordStore records, RowStore rows, Timer timer, RandomGenerator random) {
        this(records, rows, timer, random, new TransactionFigures());
    }

    /** @param figures counts the locks that are met */
    public LockResolver(
            RecordStore records, RowStore rows, Timer timer, RandomGenerator random, TransactionFigures figures) {
        this.records = records;
        this.rows = rows;
        this.timer = timer;
        this.random = random;
        this.writer = new RowWriter(rows);
        this.figures = figures;
    }

    /** A lock that is met, and by whom. */
    private record Meeting(TableWrites table, Map<String, ByteBuffer> key, LockMark lock, boolean isReader) {

        UUID id() {
            return lock.transaction();
        }

        boolean isOf(RowChange row) {
            return row.key().equals(key)
                    && row.table().keyspace().equals(table.keyspace())
                    && row.table().table().equals(table.table());
        }
    }

    /**
     * Ends the transaction that holds a row, if it is committed or aborted.
     *
     * @param key as {@link RowChange#key}
     * @param mark a lock that the row has shown
     * @param abortPending whether a pending transaction is aborted: true only for those who write the row. Those who only read it take the
     *     standing values where they cannot, or may not, write
     * @return a stage that fails if it cannot be told, or this row, if it is committed, cannot be written now
     */
    public CompletionStage<Met> met(
            TableWrites table, Map<String, ByteBuffer> key, ByteBuffer mark, boolean abortPending) {
        Meeting meeting = new Meeting(table, key, LockMark.of(mark), !abortPending);
        return look(meeting)
                .thenCompose(found -> abortPending && isPending(found) ? abort(meeting) : endIfOver(meeting, found))
                .thenApply(this::counted);
    }

    private Met counted(Met met) {
        figures.met(met == Met.FREED ? TransactionFigures.Lock.FREED : TransactionFigures.Lock.PENDING);
        return met;
    }

    /**
     * A reader needs no order: the record is at a majority before the first lock, and COMMITTED is before the commit is acknowledged. So
     * the standing values count while a majority says PENDING.
     */
    private CompletionStage<Optional<Look>> look(Meeting meeting) {
        return records.look(meeting.table().home(), meeting.id(), !meeting.isReader());
    }

    private static boolean isPending(Optional<Look> found) {
        return found.isPresent() && found.get().state() == State.PENDING;
    }

    private CompletionStage<Met> endIfOver(Meeting meeting, Optional<Look> found) {
        return switch (found.map(Look::state).orElse(State.ABORTED)) {
            case COMMITTED ->
                records.read(meeting.table().home(), meeting.id()).thenCompose(record -> {
                    if (record.isEmpty()) {
                        return release(meeting);
                    }
                    return record.get().state() == State.COMMITTED
                            ? forward(meeting, record.get())
                            : CompletableFuture.completedFuture(Met.PENDING);
                });
            case ABORTED -> release(meeting);
            case PENDING -> CompletableFuture.completedFuture(Met.PENDING);
        };
    }

    /**
     * As {@link #met}, for those who write the row: waits for a transaction that is pending, with growing pauses, and then aborts it: for about
     * a second, and for longer if it has many rows.
     *
     * @return a stage that completes when the writer may try again. It may meet another lock, or this one if the outcome of its release
     *     is not known; so callers limit how often they try
     */
    public CompletionStage<Void> free(TableWrites table, Map<String, ByteBuffer> key, ByteBuffer mark) {
        return free(table, key, mark, Deadline.NONE);
    }

    /** As the other; when the deadline is over, the transaction is left alone that is pending. */
    CompletionStage<Void> free(TableWrites table, Map<String, ByteBuffer> key, ByteBuffer mark, Deadline deadline) {
        return free(new Meeting(table, key, LockMark.of(mark), false), FIRST_PAUSE_MILLIS, 0, deadline);
    }

    private CompletionStage<Void> free(Meeting meeting, long pause, long waited, Deadline deadline) {
        // Those who wait must not keep a record busy that one of them has to abort: a read in order is a round of
        // Paxos.
        return records.look(meeting.table().home(), meeting.id(), false).thenCompose(found -> {
            if (!isPending(found)) {
                return look(meeting).thenCompose(now -> endIfOver(meeting, now)).thenAccept(this::counted);
            }
            if (deadline.isOver()) {
                return CompletableFuture.completedFuture(null);
            }
            if (waited >= patience(found.map(Look::rows).orElse(0)).toMillis()) {
                return abort(meeting).thenAccept(this::counted);
            }
            long millis = random.nextLong(pause / 2, pause + 1);
            return timer.after(Duration.ofMillis(millis))
                    .thenCompose(over ->
                            free(meeting, Math.min(2 * pause, LONGEST_PAUSE_MILLIS), waited + millis, deadline));
        });
    }

    /** Returns how long others leave the transaction of so many rows alone, from when they meet it. */
    public static Duration patience(int rows) {
        return Duration.ofMillis(PATIENCE_MILLIS + PATIENCE_MILLIS_OF_ROW * rows);
    }

    private CompletionStage<Met> abort(Meeting meeting) {
        return records.end(meeting.table().home(), meeting.id(), State.ABORTED)
                .thenCompose(outcome -> outcome.then(
                        () -> release(meeting),
                        // It has just ended, and another look tells how.
                        state -> look(meeting).thenCompose(found -> endIfOver(meeting, found)),
                        // Nothing may be released while it may still be committed.
                        cause -> CompletableFuture.completedFuture(Met.PENDING)));
    }

    /** A release of unknown outcome is repeated by whoever meets the lock again. To a reader, the standing values are those that count. */
    private CompletionStage<Met> release(Meeting meeting) {
        return rows.release(meeting.table(), meeting.key(), meeting.lock())
                .handle((outcome, failure) -> {
                    if (failure == null) {
                        return CompletableFuture.completedFuture(Met.FREED);
                    }
                    return meeting.isReader()
                            ? CompletableFuture.completedFuture(Met.PENDING)
                            : CompletableFuture.<Met>failedFuture(failure);
                })
                .thenCompose(met -> met);
    }

    private CompletionStage<Met> forward(Meeting meeting, TransactionRecord record) {
        if (record.changes().stream().noneMatch(meeting::isOf)) {
            // Its removal would destroy what others may still have.
            return CompletableFuture.failedFuture(new IllegalStateException("transaction " + meeting.id()
                    + " is committed, and what this node was told of its record lacks a row that it holds, of table "
                    + meeting.table().name()
                    + ": nodes have lost what they acknowledged. Repair keyspace of table transactions"));
        }
        return forward(record).thenCompose(open -> {
            Throwable why = open.entrySet().stream()
                    .filter(row -> meeting.isOf(row.getKey()))
                    .map(Map.Entry::getValue)
                    .findFirst()
                    .orElse(null);
            if (why == null) {
                return CompletableFuture.completedFuture(Met.FREED);
            }
            return meeting.isReader() && rows.isMissingRight(why)
                    ? CompletableFuture.completedFuture(Met.PENDING)
                    : CompletableFuture.failedFuture(why);
        });
    }

    /**
     * Writes all rows of a committed transaction that are not written yet, as far as they can be written now, and then removes its record. A
     * row that does not show its lock was written before: every lock was known to be there when it was committed, and a free mark is
     * written after the values, and after the rows of drawn ids. So these are not written any more when no lock is left: a record may come
     * back, as whatever is deleted, from a node that was down for long, and what has been deleted meanwhile must not come with it.
     *
     * @return the rows that are not known to be written, each with why; empty if all are
     */
    CompletionStage<Map<RowChange, Throwable>> forward(TransactionRecord record) {
        Map<RowChange, Long> micros = new ConcurrentHashMap<>();
        Map<RowChange, Throwable> open = new ConcurrentHashMap<>();
        List<RowChange> fresh = new ArrayList<>();
        List<RowChange> locked = new ArrayList<>();
        record.changes().forEach(row -> (row.kind() == Kind.FRESH ? fresh : locked).add(row));
        return RowWriter.each(locked, row -> readTime(record, row, micros), open)
                .thenCompose(read -> {
                    if (!micros.isEmpty()) {
                        fresh.forEach(row -> micros.put(row, 0L));
                    }
                    return writer.write(micros);
                })
                .thenCompose(unwritten -> {
                    open.putAll(unwritten);
                    return open.isEmpty()
                            ? records.remove(record.home(), record.id()).handle((removed, failure) -> open)
                            : CompletableFuture.completedFuture(open);
                });
    }

    private CompletionStage<?> readTime(TransactionRecord record, RowChange row, Map<RowChange, Long> micros) {
        ByteBuffer lock = record.mark(row).toBytes();
        return rows.read(row.table(), row.key()).thenAccept(held -> {
            if (lock.equals(held.mark())) {
                micros.put(row, held.micros());
            }
        });
    }

    /**
     * Ends a transaction now: aborts it if it is pending, and writes or releases all its rows. Its record is removed if it was committed. That
     * of an aborted one stays, so that its own process, if it does not know how its commit ended, can tell that it is aborted.
     *
     * @param home the datacenter that decides; empty if all do
     * @return the state that it had at the end; empty if there is no record, or if it is not known
     */
    public CompletionStage<Optional<State>> resolve(String home, UUID id) {
        return records.read(home, id).thenCompose(found -> {
            if (found.isEmpty()) {
                return CompletableFuture.completedFuture(Optional.empty());
            }
            TransactionRecord record = found.get();
            return switch (record.state()) {
                case COMMITTED ->
                    forward(record).thenCompose(open -> open.values().stream()
                            .findFirst()
                            .map(CompletableFuture::<Optional<State>>failedFuture)
                            .orElseGet(() -> CompletableFuture.completedFuture(Optional.of(State.COMMITTED))));
                case ABORTED -> releaseAll(record).thenApply(done -> Optional.of(State.ABORTED));
                case PENDING ->
                    records.end(home, id, State.ABORTED)
                            .thenCompose(outcome -> outcome.then(
                                    () -> releaseAll(record).thenApply(done -> Optional.of(State.ABORTED)),
                                    state -> resolve(home, id),
                                    cause -> CompletableFuture.completedFuture(Optional.<State>empty())));
            };
        });
    }

    /**
     * Removes the record of an aborted transaction, after its rows are released. Only for one whose process has ended: see {@link #resolve}.
     *
     * @return whether the record is known to be removed, or was missing
     */
    public CompletionStage<Boolean> forget(String home, UUID id) {
        return records.read(home, id).thenCompose(found -> {
            if (found.isEmpty()) {
                return CompletableFuture.completedFuture(true);
            }
            TransactionRecord record = found.get();
            if (record.state() != State.ABORTED) {
                return CompletableFuture.completedFuture(false);
            }
            return releaseAll(record)
                    .thenCompose(released -> released
                            ? records.removeAborted(home, id)
                                    .thenApply(outcome -> outcome.then(() -> true, Optional::isEmpty, cause -> false))
                            : CompletableFuture.completedFuture(false));
        });
    }

    private CompletionStage<Boolean> releaseAll(TransactionRecord record) {
        return releaseAll(record, record.changes());
    }

    /**
     * Releases locks of a transaction that is not committed and cannot be any more.
     *
     * @return whether all are known not to be there
     */
    CompletionStage<Boolean> releaseAll(TransactionRecord record, List<RowChange> locked) {
        AtomicBoolean known = new AtomicBoolean(true);
        return RowWriter.all(RowWriter.partitions(locked), partition -> releaseInTurn(record, partition, 0, known))
                .handle((all, failure) -> failure == null && known.get());
    }

    /** Returns a stage that ends with another one, or when a second is over. The other one goes on. */
    public CompletionStage<Void> orSoon(CompletionStage<?> work) {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        var unused = work.whenComplete((done, failure) -> ended.complete(null));
        if (!ended.isDone()) {
            timer.schedule(() -> ended.complete(null), Duration.ofMillis(PATIENCE_MILLIS));
        }
        return ended;
    }

    /** One after the other: conditional statements of one partition, sent at once, make each other start again. */
    private CompletionStage<?> releaseInTurn(
            TransactionRecord record, List<RowChange> partition, int next, AtomicBoolean known) {
        if (next == partition.size()) {
            return CompletableFuture.completedFuture(null);
        }
        RowChange row = partition.get(next);
        return rows.release(row.table(), row.key(), record.mark(row))
                .handle((outcome, failure) -> {
                    if (failure != null || outcome instanceof WriteOutcome.Unknown<?>) {
                        known.set(false);
                    }
                    return releaseInTurn(record, partition, next + 1, known);
                })
                .thenCompose(rest -> rest);
    }
}
