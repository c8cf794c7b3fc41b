package dev.cassidy.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.definition.RowMark;
import dev.cassidy.table.TableWrites;
import dev.cassidy.transaction.CommitResult.Committed;
import dev.cassidy.transaction.CommitResult.InDoubt;
import dev.cassidy.transaction.RowChange.Kind;
import dev.cassidy.transaction.TransactionRecord.State;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Answers to the commit that are too rare for the simulation. */
class CommitTest {

    private static final TableWrites TABLE = new TableWrites("k", "t", "dc1", null, false);

    private final World world = new World(1);
    private final Storage storage = new Storage(world);
    private final MemoryRows rows = new MemoryRows(world, world.new Client(1_000), storage, PlantedBug.NONE, Set.of());
    private Instant now = Instant.EPOCH;

    private static Map<String, ByteBuffer> key(int id) {
        return Map.of("id", ByteBuffer.allocate(4).putInt(0, id));
    }

    private static RowChange set(int id, int value) {
        return new RowChange(
                TABLE,
                key(id),
                1,
                Map.of(),
                Kind.UPDATE,
                Map.of("a", ByteBuffer.allocate(4).putInt(0, value)));
    }

    private Map<String, ByteBuffer> stored(int id) {
        return storage.readInOrder(MemoryRows.key(TABLE, key(id)));
    }

    private boolean isCreationUnknown;

    @BeforeEach
    void create() {
        for (int id = 1; id <= 2; id++) {
            storage.write(MemoryRows.key(TABLE, key(id)), Map.of(RowMark.COLUMN, Storage.FREE), 1);
        }
    }

    /** @param answer to the statement that makes the record COMMITTED, which is given the records and the id */
    private CommitResult commit(BiFunction<RecordStore, UUID, CompletionStage<WriteOutcome<Optional<State>>>> answer) {
        RecordStore records = new RecordStore() {
            private final RecordStore all = new MemoryRecords(world, world.new Client(1_000), storage, PlantedBug.NONE);

            @Override
            public CompletionStage<WriteOutcome<Void>> create(TransactionRecord pending) {
                return all.create(pending)
                        .thenApply(made ->
                                isCreationUnknown ? new WriteOutcome.Unknown<>(new World.Fault("no answer")) : made);
            }

            @Override
            public CompletionStage<WriteOutcome<Optional<State>>> end(String home, UUID id, State state) {
                return state == State.COMMITTED ? answer.apply(all, id) : all.end(home, id, state);
            }

            @Override
            public CompletionStage<Void> remove(String home, UUID id) {
                return all.remove(home, id);
            }

            @Override
            public CompletionStage<WriteOutcome<Optional<State>>> removeAborted(String home, UUID id) {
                return all.removeAborted(home, id);
            }

            @Override
            public CompletionStage<Optional<TransactionRecord>> read(String home, UUID id) {
                return all.read(home, id);
            }
        };
        InstantSource clock = () -> now;
        CompletableFuture<CommitResult> result = new Committer(
                        records,
                        rows,
                        new LockResolver(records, rows, world, world.random),
                        UUID::randomUUID,
                        clock,
                        "a test")
                .commit(List.of(set(1, 7), set(2, 8)))
                .toCompletableFuture();
        world.run();
        return result.join();
    }

    /** A roll-forward by others, who remove the record. */
    private CompletionStage<?> rolledForward(RecordStore records, UUID id) {
        return records.end("dc1", id, State.COMMITTED)
                .thenCompose(ended -> new LockResolver(records, rows, world, world.random).resolve("dc1", id));
    }

    @Test
    void shouldTakeAMissingRecordAsCommitted() {
        CommitResult result = commit((records, id) ->
                rolledForward(records, id).thenApply(done -> new WriteOutcome.Refused<>(Optional.empty())));

        assertThat(result).isInstanceOf(Committed.class);
        assertThat(stored(2).get("a").getInt(0)).isEqualTo(8);
    }

    /** Others remove records of aborted transactions too, after days. */
    @Test
    void shouldNotKnowAfterAVeryLongTime() {
        CommitResult result = commit((records, id) -> {
            now = now.plus(Duration.ofDays(2));
            return CompletableFuture.completedFuture(new WriteOutcome.Refused<>(Optional.empty()));
        });

        assertThat(result).isInstanceOf(InDoubt.class);
    }

    /** Nobody may have let a lock go of a transaction that was pending until now. */
    @Test
    void shouldNotKnowIfARecordIsPendingWhoseRowsAreWritten() {
        CommitResult result = commit((records, id) -> {
            TransactionRecord stale = storage.records.get(id);
            return rolledForward(records, id).thenApply(done -> {
                storage.records.put(id, stale);
                return new WriteOutcome.Unknown<>(new World.Fault("no answer"));
            });
        });

        assertThat(result).isInstanceOf(InDoubt.class);
        assertThat(stored(1).get("a").getInt(0)).isEqualTo(7);
    }

    @Test
    void shouldLeaveNothingOfARecordThatIsNotKnownToBeMade() {
        isCreationUnknown = true;

        assertThatThrownBy(() -> commit((records, id) -> records.end("dc1", id, State.COMMITTED)))
                .hasCauseInstanceOf(TransactionFailedException.class);
        assertThat(storage.ghosts).hasSize(1);
        assertThat(storage.records).isEmpty();
        assertThat(LockMark.isFree(stored(1).get(RowMark.COLUMN))).isTrue();
    }

    /** The commit was said not to have been executed, and it was. */
    @Test
    void shouldWriteWhatIsCommittedWhenItCannotBeAborted() {
        CommitResult result = commit((records, id) -> records.end("dc1", id, State.COMMITTED)
                .thenCompose(ended -> CompletableFuture.failedFuture(new World.Fault("not executed"))));

        assertThat(result).isInstanceOfSatisfying(Committed.class, committed -> {
            assertThat(committed.id())
                    .isEqualTo(storage.ghosts.keySet().iterator().next());
            assertThat(committed.complete()).isTrue();
        });
        assertThat(stored(1).get("a").getInt(0)).isEqualTo(7);
        assertThat(stored(2).get("a").getInt(0)).isEqualTo(8);
        assertThat(LockMark.isFree(stored(2).get(RowMark.COLUMN))).isTrue();
    }

    /** To batches of new rows. */
    private final Deque<CompletionStage<WriteOutcome<Void>>> answers = new ArrayDeque<>();

    /** Refuses every batch that has no answer. */
    private CommitResult commitWithoutBatches(List<RowChange> changes) {
        RowStore small = new RowStore() {
            @Override
            public CompletionStage<WriteOutcome<List<Map<String, ByteBuffer>>>> together(List<RowChange> all) {
                return CompletableFuture.failedFuture(new World.Fault("too large"));
            }

            @Override
            public CompletionStage<WriteOutcome<Void>> fresh(List<RowChange> all) {
                return answers.isEmpty()
                        ? CompletableFuture.failedFuture(new World.Fault("too large"))
                        : answers.remove();
            }

            @Override
            public CompletionStage<WriteOutcome<Map<String, ByteBuffer>>> lock(RowChange row, LockMark mark) {
                return rows.lock(row, mark);
            }

            @Override
            public CompletionStage<WriteOutcome<Map<String, ByteBuffer>>> release(
                    TableWrites table, Map<String, ByteBuffer> key, LockMark mark) {
                return rows.release(table, key, mark);
            }

            @Override
            public CompletionStage<HeldRow> read(TableWrites table, Map<String, ByteBuffer> key) {
                return rows.read(table, key);
            }

            @Override
            public CompletionStage<Void> write(RowChange row, long micros) {
                return rows.write(row, micros);
            }

            @Override
            public CompletionStage<Void> free(RowChange row, long micros) {
                return rows.free(row, micros);
            }

            @Override
            public boolean isTooLarge(Throwable failure) {
                return failure.getMessage().equals("too large");
            }
        };
        RecordStore records = new MemoryRecords(world, world.new Client(1_000), storage, PlantedBug.NONE);
        CompletableFuture<CommitResult> result = new Committer(
                        records,
                        small,
                        new LockResolver(records, small, world, world.random),
                        UUID::randomUUID,
                        () -> now,
                        "a test")
                .commit(changes)
                .toCompletableFuture();
        world.run();
        return result.join();
    }

    @Test
    void shouldGoByARecordIfABatchIsTooLarge() {
        Map<String, ByteBuffer> value = Map.of("a", ByteBuffer.allocate(4).putInt(0, 3));
        assertThat(commitWithoutBatches(List.of(
                        new RowChange(TABLE, key(11), 1, Map.of(), Kind.FRESH, value),
                        new RowChange(TABLE, key(12), 1, Map.of(), Kind.FRESH, value))))
                .isInstanceOfSatisfying(
                        Committed.class, committed -> assertThat(committed.id()).isNotNull());
        assertThat(stored(11).get("a")).isEqualTo(value.get("a"));
        assertThat(LockMark.isFree(stored(11).get(RowMark.COLUMN))).isTrue();
        assertThat(stored(12).get("a")).isEqualTo(value.get("a"));
        assertThat(storage.ghosts.values().iterator().next().changes())
                .extracting(RowChange::kind)
                .as("a lock that leads to the record")
                .containsExactly(Kind.INSERT, Kind.FRESH);

        storage.ghosts.clear();
        assertThat(commitWithoutBatches(List.of(set(1, 5)))).isInstanceOf(Committed.class);
        assertThat(storage.ghosts).hasSize(1);
        assertThat(stored(1).get("a").getInt(0)).isEqualTo(5);
    }

    /** The table of counters sorts before the others, and its rows can neither be locked nor say where the record is. */
    @Test
    void shouldWriteWhatItAddsToCountersByARecordOfItsRows() {
        RowChange added = RowChange.addition(new TableWrites("a", "t", "", null, false), "row/hits", "actor", 1, 5);
        Map<String, ByteBuffer> value = Map.of("a", ByteBuffer.allocate(4).putInt(0, 3));
        RowChange fresh = new RowChange(TABLE, key(11), 1, Map.of(), Kind.FRESH, value);
        for (List<RowChange> changes : List.of(List.of(set(1, 5), added), List.of(fresh, added))) {
            storage.ghosts.clear();
            assertThat(commitWithoutBatches(changes))
                    .isInstanceOfSatisfying(Committed.class, committed -> assertThat(committed.complete())
                            .isTrue());
            TransactionRecord record = storage.ghosts.values().iterator().next();
            assertThat(record.home()).isEqualTo("dc1");
            assertThat(record.changes().get(0).isAddition()).isTrue();
            assertThat(record.changes().get(0).kind()).isEqualTo(Kind.FRESH);
            assertThat(record.changes().get(1).kind()).isNotEqualTo(Kind.FRESH);
            assertThat(storage.readInOrder(MemoryRows.key(added.table(), added.key()))
                            .get("increment")
                            .getLong(0))
                    .isEqualTo(5);
        }
    }

    /** Nobody would find a record without a lock. */
    @Test
    void shouldRefuseToAddToMoreCountersThanABatchTakes() {
        RowChange added = RowChange.addition(TABLE, "row/hits", "actor", 1, 5);

        assertThatThrownBy(() -> commitWithoutBatches(List.of(added)))
                .hasCauseInstanceOf(TransactionFailedException.class);
        assertThat(storage.ghosts).isEmpty();
    }

    /** To repeat it changes nothing, and nothing but a repetition tells; what fails then proves nothing of the first try. */
    @Test
    void shouldSendAgainWhatOnlyAddsUntilItIsKnownToBeWritten() {
        List<RowChange> added = List.of(RowChange.addition(TABLE, "row/hits", "actor", 1, 5));
        WriteOutcome<Void> unknown = new WriteOutcome.Unknown<>(new World.Fault("no answer"));
        WriteOutcome<Void> applied = new WriteOutcome.Applied<>();

        answers.add(CompletableFuture.completedFuture(unknown));
        answers.add(CompletableFuture.failedFuture(new World.Fault("no connection")));
        answers.add(CompletableFuture.completedFuture(applied));
        assertThat(commitWithoutBatches(added)).isInstanceOf(Committed.class);

        answers.add(CompletableFuture.completedFuture(unknown));
        answers.add(CompletableFuture.failedFuture(new World.Fault("no connection")));
        answers.add(CompletableFuture.failedFuture(new World.Fault("no connection")));
        assertThat(commitWithoutBatches(added)).isInstanceOf(InDoubt.class);
        assertThat(answers).isEmpty();

        answers.add(CompletableFuture.failedFuture(new World.Fault("no connection")));
        assertThatThrownBy(() -> commitWithoutBatches(added)).hasCauseInstanceOf(TransactionFailedException.class);
    }

    private CommitResult commitBy(Deadline deadline, RowStore store, List<RowChange> changes) {
        RecordStore records = new MemoryRecords(world, world.new Client(1_000), storage, PlantedBug.NONE);
        CompletableFuture<CommitResult> result = new Committer(
                        records,
                        store,
                        new LockResolver(records, store, world, world.random),
                        UUID::randomUUID,
                        () -> now,
                        "a test")
                .commit(changes, deadline)
                .toCompletableFuture();
        world.run();
        assertThat(result).isDone();
        return result.join();
    }

    /** The deadline may be over before each step until the commit is sent: before the record, each lock, and what reads the locks. */
    @Test
    void shouldWriteNothingIfTheDeadlineIsOverBeforeTheCommit() {
        for (int steps = 0; steps < 4; steps++) {
            assertThat(late(steps, set(1, 7), set(2, 8))).as(steps + " steps").isTrue();
            assertThat(storage.records).isEmpty();
            for (int id = 1; id <= 2; id++) {
                assertThat(stored(id).get("a")).isNull();
                assertThat(LockMark.isFree(stored(id).get(RowMark.COLUMN))).isTrue();
            }
        }
        assertThat(late(4, set(1, 7), set(2, 8))).isFalse();
        assertThat(stored(1).get("a").getInt(0)).isEqualTo(7);
    }

    @Test
    void shouldNotWriteOnePartitionAfterTheDeadline() {
        assertThat(late(0, set(1, 7))).isTrue();
        assertThat(stored(1).get("a")).isNull();
        assertThat(late(1, set(1, 7))).isFalse();
        assertThat(stored(1).get("a").getInt(0)).isEqualTo(7);
    }

    /** @param steps how many are made before the deadline is over */
    private boolean late(int steps, RowChange... changes) {
        AtomicInteger asked = new AtomicInteger();
        CommitResult result = commitBy(() -> asked.incrementAndGet() > steps, rows, List.of(changes));
        return result instanceof CommitResult.Conflict conflict && conflict.reason() == CommitResult.Reason.LATE;
    }

    /** Whoever is told that nothing was written does not wait for nodes that do not answer. */
    @Test
    void shouldNotWaitForLocksThatCannotBeReleased() {
        List<RowChange> changes = List.of(set(1, 7), set(3, 8));
        CommitResult result = commitBy(Deadline.NONE, new Unreleasing(), changes);

        assertThat(result).isInstanceOfSatisfying(CommitResult.Conflict.class, missing -> assertThat(missing.reason())
                .isEqualTo(CommitResult.Reason.MISSING));
        assertThat(LockMark.isLock(stored(1).get(RowMark.COLUMN))).isTrue();
        assertThat(storage.records.values())
                .extracting(TransactionRecord::state)
                .containsExactly(State.ABORTED);
    }

    /** A node that takes no answer back. */
    private final class Unreleasing implements RowStore {
        @Override
        public CompletionStage<WriteOutcome<List<Map<String, ByteBuffer>>>> together(List<RowChange> all) {
            return rows.together(all);
        }

        @Override
        public CompletionStage<WriteOutcome<Void>> fresh(List<RowChange> all) {
            return rows.fresh(all);
        }

        @Override
        public CompletionStage<WriteOutcome<Map<String, ByteBuffer>>> lock(RowChange row, LockMark mark) {
            return rows.lock(row, mark);
        }

        @Override
        public CompletionStage<WriteOutcome<Map<String, ByteBuffer>>> release(
                TableWrites table, Map<String, ByteBuffer> key, LockMark mark) {
            return new CompletableFuture<>();
        }

        @Override
        public CompletionStage<HeldRow> read(TableWrites table, Map<String, ByteBuffer> key) {
            return rows.read(table, key);
        }

        @Override
        public CompletionStage<Void> write(RowChange row, long micros) {
            return rows.write(row, micros);
        }

        @Override
        public CompletionStage<Void> free(RowChange row, long micros) {
            return rows.free(row, micros);
        }
    }
}
