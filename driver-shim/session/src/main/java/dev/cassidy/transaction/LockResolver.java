package dev.cassidy.transaction;

import dev.cassidy.async.Timer;
import dev.cassidy.table.TableWrites;
import dev.cassidy.transaction.RowChange.Kind;
import dev.cassidy.transaction.TransactionRecord.State;
import java.nio.ByteBuffer;
import java.time.Duration;
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

    /** How long a writer waits in all, before it aborts who holds the row. Only throughput depends on it. */
    private static final long PATIENCE_MILLIS = 1_000;

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

    /**
     * Ends the transaction that holds a row, if it is committed or aborted.
     *
     * @param key as {@link RowChange#key}
     * @param mark a lock that the row has shown
     * @param abortPending whether a pending transaction is aborted: true only for those who write the row
     * @return a stage that fails if it cannot be told, or what is committed cannot be written now
     */
    public CompletionStage<Met> met(
            TableWrites table, Map<String, ByteBuffer> key, ByteBuffer mark, boolean abortPending) {
        return look(table, key, mark, abortPending).thenApply(this::counted);
    }

    private Met counted(Met met) {
        figures.met(met == Met.FREED ? TransactionFigures.Lock.FREED : TransactionFigures.Lock.PENDING);
        return met;
    }

    private CompletionStage<Met> look(
            TableWrites table, Map<String, ByteBuffer> key, ByteBuffer mark, boolean abortPending) {
        LockMark lock = LockMark.of(mark);
        return records.read(table.home(), lock.transaction()).thenCompose(found -> {
            State state = found.map(TransactionRecord::state).orElse(State.ABORTED);
            if (state == State.COMMITTED) {
                return forward(found.orElseThrow()).thenApply(written -> Met.FREED);
            }
            if (state == State.ABORTED) {
                return release(table, key, lock);
            }
            return abortPending ? abort(table, key, lock) : CompletableFuture.completedFuture(Met.PENDING);
        });
    }

    /**
     * As {@link #met}, for those who write the row: waits for about a second for a transaction that is pending, with growing pauses, and then
     * aborts it.
     *
     * @return a stage that completes when the writer may try again. It may meet another lock, or this one if the outcome of its release
     *     is not known; so callers limit how often they try
     */
    public CompletionStage<Void> free(TableWrites table, Map<String, ByteBuffer> key, ByteBuffer mark) {
        return free(table, key, mark, FIRST_PAUSE_MILLIS, 0);
    }

    private CompletionStage<Void> free(
            TableWrites table, Map<String, ByteBuffer> key, ByteBuffer mark, long pause, long waited) {
        boolean waitedEnough = waited >= PATIENCE_MILLIS;
        return look(table, key, mark, waitedEnough).thenCompose(met -> {
            if (met == Met.FREED || waitedEnough) {
                counted(met);
                return CompletableFuture.completedFuture(null);
            }
            long millis = random.nextLong(pause / 2, pause + 1);
            return timer.after(Duration.ofMillis(millis))
                    .thenCompose(
                            over -> free(table, key, mark, Math.min(2 * pause, LONGEST_PAUSE_MILLIS), waited + millis));
        });
    }

    private CompletionStage<Met> abort(TableWrites table, Map<String, ByteBuffer> key, LockMark lock) {
        return records.end(table.home(), lock.transaction(), State.ABORTED)
                .thenCompose(outcome -> outcome.then(
                        () -> release(table, key, lock),
                        // It has just ended, and another look tells how.
                        state -> look(table, key, lock.toBytes(), false),
                        // Nothing may be released while it may still be committed.
                        cause -> CompletableFuture.completedFuture(Met.PENDING)));
    }

    /** A release of unknown outcome is repeated by whoever meets the lock again. */
    private CompletionStage<Met> release(TableWrites table, Map<String, ByteBuffer> key, LockMark lock) {
        return rows.release(table, key, lock).thenApply(outcome -> Met.FREED);
    }

    /**
     * Writes all rows of a committed transaction that are not written yet, and removes its record. A row that does not show its lock was
     * written before: every lock was known to be there when it was committed, and a free mark is written after the values.
     */
    private CompletionStage<Void> forward(TransactionRecord record) {
        Map<RowChange, Long> micros = new ConcurrentHashMap<>();
        return RowWriter.all(record.changes(), row -> readTime(record, row, micros))
                .thenCompose(read -> writer.write(micros))
                .thenCompose(written -> records.remove(record.home(), record.id(), State.COMMITTED)
                        .handle((removed, failure) -> null));
    }

    private CompletionStage<?> readTime(TransactionRecord record, RowChange row, Map<RowChange, Long> micros) {
        if (row.kind() == Kind.FRESH) {
            return CompletableFuture.completedFuture(micros.put(row, 0L));
        }
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
                case COMMITTED -> forward(record).thenApply(done -> Optional.of(State.COMMITTED));
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
                            ? records.remove(home, id, State.ABORTED)
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
        return RowWriter.all(
                        locked.stream().filter(row -> row.kind() != Kind.FRESH).toList(),
                        row -> rows.release(row.table(), row.key(), record.mark(row))
                                .thenAccept(outcome -> {
                                    if (outcome instanceof WriteOutcome.Unknown<?>) {
                                        known.set(false);
                                    }
                                }))
                .handle((all, failure) -> failure == null && known.get());
    }
}
