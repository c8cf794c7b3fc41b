package dev.cassidy.transaction;

import dev.cassidy.transaction.CommitResult.Committed;
import dev.cassidy.transaction.CommitResult.Conflict;
import dev.cassidy.transaction.CommitResult.InDoubt;
import dev.cassidy.transaction.CommitResult.Reason;
import dev.cassidy.transaction.RowChange.Kind;
import dev.cassidy.transaction.TransactionRecord.State;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One commit under a record. Its steps follow each other, so that nothing is used by two threads at a time. */
final class Commit {

    /**
     * After this time, from its beginning, nobody can tell from a missing record how a transaction ended. Others remove those of aborted
     * ones, and a record may come back, after much longer times: {@link TransactionRecord#KEPT}, and three hours.
     */
    private static final Duration LONGEST = Duration.ofHours(1);

    private final TransactionRecord record;
    private final RecordStore records;
    private final RowStore rows;
    private final LockResolver resolver;
    private final RowWriter writer;
    private final InstantSource clock;
    private final int maxMeetings;
    private final Deadline deadline;

    /** The rows that are locked, in the global order. */
    private final List<RowChange> toLock;

    /** Those whose lock was sent; its outcome may be unknown. */
    private final List<RowChange> sent = new ArrayList<>();

    /** The write timestamp of each lock. */
    private final Map<RowChange, Long> micros = new ConcurrentHashMap<>();

    Commit(
            TransactionRecord record,
            RecordStore records,
            RowStore rows,
            LockResolver resolver,
            InstantSource clock,
            int maxMeetings,
            Deadline deadline) {
        this.record = record;
        this.records = records;
        this.rows = rows;
        this.resolver = resolver;
        this.writer = new RowWriter(rows);
        this.clock = clock;
        this.maxMeetings = maxMeetings;
        this.deadline = deadline;
        this.toLock = record.changes().stream()
                .filter(row -> row.kind() != Kind.FRESH)
                .toList();
        if (toLock.isEmpty()) {
            throw new IllegalArgumentException("must lock a row: nobody else would find its record: " + record.id());
        }
    }

    /** The record must be known to be there before the first lock: a lock without one is of a transaction that is over. */
    CompletionStage<CommitResult> run() {
        if (deadline.isOver()) {
            return CompletableFuture.completedFuture(Conflict.late(toLock.get(0)));
        }
        return records.create(record)
                .handle((outcome, failure) -> outcome == null
                        ? TransactionFailedException.<CommitResult>stage(failure)
                        : outcome.then(
                                () -> lock(0, 0),
                                found -> TransactionFailedException.<CommitResult>stage(
                                        new IllegalStateException("a record was refused that has no condition")),
                                this::unknownRecord))
                .thenCompose(done -> done);
    }

    /** No lock was sent, and none will be. Left alone, the record would look like one of a process that has stopped. */
    private CompletionStage<CommitResult> unknownRecord(Throwable cause) {
        var unused = records.remove(record.home(), record.id());
        return TransactionFailedException.stage(cause);
    }

    // ---- locks

    private CompletionStage<CommitResult> lock(int next, int meetings) {
        if (next == toLock.size()) {
            return readTimes();
        }
        RowChange row = toLock.get(next);
        if (deadline.isOver()) {
            return conflicting(Conflict.late(row));
        }
        if (meetings == 0) {
            sent.add(row);
        }
        return rows.lock(row, record.mark(row))
                .handle((outcome, failure) -> outcome == null
                        ? abort(() -> TransactionFailedException.stage(failure))
                        : outcome.then(
                                () -> lock(next + 1, 0),
                                found -> refused(next, meetings, new Found(row, found)),
                                cause -> unknownLock(cause)))
                .thenCompose(done -> done);
    }

    private CompletionStage<CommitResult> unknownLock(Throwable cause) {
        // It may turn up later. It must then be a lock of an aborted transaction: one without a record is.
        return abort(() -> TransactionFailedException.stage(cause));
    }

    private CompletionStage<CommitResult> refused(int next, int meetings, Found found) {
        RowChange row = found.row();
        ByteBuffer lock = found.lock();
        if (lock == null) {
            Conflict conflict = found.conflict();
            return conflicting(
                    conflict != null
                            ? conflict
                            : new Conflict(
                                    row, Reason.CHANGED, "the row has changed since it was read: " + row.name()));
        }
        if (LockMark.of(lock).transaction().equals(record.id())) {
            return unknownLock(new IllegalStateException("a lock was sent twice: " + row.name()));
        }
        if (meetings >= maxMeetings) {
            return conflicting(Conflict.held(row, maxMeetings));
        }
        return resolver.free(row.table(), row.key(), lock, deadline)
                .handle((freed, failure) -> failure == null
                        ? lock(next, meetings + 1)
                        : abort(() -> TransactionFailedException.stage(failure)))
                .thenCompose(done -> done);
    }

    private CompletionStage<CommitResult> conflicting(Conflict conflict) {
        return abort(() -> CompletableFuture.completedFuture(conflict.of(record.id())));
    }

    private CompletionStage<CommitResult> readTimes() {
        return RowWriter.all(toLock, this::readTime)
                .handle((read, failure) -> {
                    if (failure != null) {
                        return abort(() -> TransactionFailedException.stage(failure));
                    }
                    if (micros.size() < toLock.size()) {
                        return conflicting(aborted());
                    }
                    // The last moment: what was sent decides, whatever the time is.
                    return deadline.isOver() ? conflicting(Conflict.late(toLock.get(toLock.size() - 1))) : decide();
                })
                .thenCompose(done -> done);
    }

    private CompletionStage<Void> readTime(RowChange row) {
        ByteBuffer lock = record.mark(row).toBytes();
        return rows.read(row.table(), row.key()).thenAccept(held -> {
            if (lock.equals(held.mark())) {
                micros.put(row, held.micros());
            }
        });
    }

    private Conflict aborted() {
        return new Conflict(
                toLock.get(0), Reason.ABORTED, "another writer waited for a row of this transaction, and aborted it");
    }

    // ---- the decision

    /** The commit point. */
    private CompletionStage<CommitResult> decide() {
        return records.end(record.home(), record.id(), State.COMMITTED)
                .handle((outcome, failure) -> outcome == null
                        ? abort(() -> TransactionFailedException.stage(failure))
                        : outcome.then(this::write, this::ended, this::settle))
                .thenCompose(done -> done);
    }

    /**
     * Follows from the state that the record has, after this has tried to commit it. The record is gone if it was committed and others
     * have written all rows: a coordinator that finished the proposal may have looked at its condition once more. Nobody else removes
     * the record of an aborted transaction, unless it is very old.
     */
    private CompletionStage<CommitResult> ended(Optional<State> state) {
        if (state.isPresent()) {
            return switch (state.get()) {
                case COMMITTED -> write();
                case ABORTED ->
                    releaseThen(
                            true,
                            () -> CompletableFuture.completedFuture(aborted().of(record.id())));
                case PENDING -> doubt(new IllegalStateException("a record was not changed that is pending"));
            };
        }
        return isVeryOld()
                ? doubt(new IllegalStateException(
                        "the transaction took longer than an hour, and its record has been removed"))
                : CompletableFuture.completedFuture(committed(true));
    }

    private boolean isVeryOld() {
        return clock.instant().isAfter(record.created().plus(LONGEST));
    }

    /**
     * The outcome of the commit is unknown. Only a compare-and-set tells: a read may come before a proposal that is under way, and a
     * proposal looks at its condition again.
     */
    private CompletionStage<CommitResult> settle(Throwable cause) {
        return records.end(record.home(), record.id(), State.ABORTED)
                .handle((outcome, failure) -> outcome == null
                        ? doubt(cause)
                        : outcome.then(() -> aborted(cause), this::ended, unknown -> doubt(cause)))
                .thenCompose(done -> done);
    }

    /**
     * This has just aborted its record. While that was pending, nobody may have let a lock go. So if one is gone, the record had been
     * committed, and what was read is older than its removal: as from a node that knows of neither, where the tombstone is taken for purgeable
     * because clocks differ by hours.
     */
    private CompletionStage<CommitResult> aborted(Throwable cause) {
        if (isVeryOld()) {
            return doubt(cause);
        }
        micros.clear();
        return RowWriter.all(toLock, this::readTime)
                .handle((read, failure) -> failure == null && micros.size() == toLock.size()
                        ? releaseThen(true, () -> TransactionFailedException.<CommitResult>stage(cause))
                        : doubt(cause))
                .thenCompose(done -> done);
    }

    private CompletionStage<CommitResult> doubt(Throwable cause) {
        return CompletableFuture.completedFuture(new InDoubt(record.id(), cause));
    }

    private CommitResult committed(boolean complete) {
        Map<RowChange, Long> ofLocks = new HashMap<>();
        toLock.forEach(row -> {
            Long time = micros.get(row);
            if (time != null) {
                ofLocks.put(row, time);
            }
        });
        return new Committed(record.id(), complete, ofLocks);
    }

    // ---- what follows

    private CompletionStage<CommitResult> write() {
        for (RowChange row : record.changes()) {
            if (row.kind() == Kind.FRESH) {
                micros.put(row, 0L);
            }
        }
        return writer.write(micros).thenApply(open -> {
            if (open.isEmpty()) {
                // Nobody waits for it: whoever finds the record first writes the rows again.
                var unused = records.remove(record.home(), record.id());
            }
            return committed(open.isEmpty());
        });
    }

    /**
     * Gives up before the commit was sent, or when it certainly was not executed. Nobody else commits, so that the locks may be released
     * even if it is not known whether the record says ABORTED. But if it says COMMITTED, it was executed after all.
     */
    private CompletionStage<CommitResult> abort(Supplier<CompletionStage<CommitResult>> result) {
        return records.end(record.home(), record.id(), State.ABORTED)
                .handle((outcome, failure) -> outcome == null
                        ? releaseThen(false, result)
                        : outcome.then(
                                () -> releaseThen(true, result),
                                state -> isCommitted(state) ? forward() : releaseThen(state.isPresent(), result),
                                cause -> releaseThen(false, result)))
                .thenCompose(done -> done);
    }

    /** Reads the locks again, of which this may not know all. */
    private CompletionStage<CommitResult> forward() {
        return resolver.forward(record).thenApply(open -> committed(open.isEmpty()));
    }

    private static boolean isCommitted(Optional<State> state) {
        return state.isPresent() && state.get() == State.COMMITTED;
    }

    /** Locks that cannot be released soon do not keep the caller waiting: whoever meets one releases it. */
    private CompletionStage<CommitResult> releaseThen(
            boolean isAborted, Supplier<CompletionStage<CommitResult>> result) {
        return resolver.orSoon(release(isAborted)).thenCompose(released -> result.get());
    }

    /** @param isAborted whether the record is known to say so */
    private CompletionStage<@Nullable Void> release(boolean isAborted) {
        return resolver.releaseAll(record, sent).handle((released, failure) -> {
            if (isAborted && failure == null && released) {
                var unused = records.removeAborted(record.home(), record.id());
            }
            return null;
        });
    }
}
