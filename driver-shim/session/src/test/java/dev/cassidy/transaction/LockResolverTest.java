package dev.cassidy.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.definition.RowMark;
import dev.cassidy.table.TableWrites;
import dev.cassidy.transaction.LockResolver.Met;
import dev.cassidy.transaction.RowChange.Kind;
import dev.cassidy.transaction.TransactionRecord.State;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rows that cannot be written for long. */
class LockResolverTest {

    private static final TableWrites TABLE = new TableWrites("k", "t", "dc1", null, false);
    private static final UUID ID = new UUID(1, 2);
    private static final LockMark LOCK = new LockMark(ID, false);

    private final World world = new World(1);
    private final Storage storage = new Storage(world);
    private final RecordStore records = new MemoryRecords(world, world.new Client(1_000), storage, PlantedBug.NONE);

    /** Rows that take nothing, and whether for want of a right. */
    private final Set<Integer> broken = new HashSet<>();

    private boolean missingRight;

    private final RowStore rows =
            new Breaking(new MemoryRows(world, world.new Client(1_000), storage, PlantedBug.NONE, Set.of()));

    private final LockResolver resolver = new LockResolver(records, rows, world, world.random);

    /** Some rows cannot be written. */
    private class Breaking implements RowStore {

        private final RowStore all;

        Breaking(RowStore all) {
            this.all = all;
        }

        private <T> CompletionStage<T> unlessBroken(Map<String, ByteBuffer> key, Supplier<CompletionStage<T>> what) {
            return broken.contains(key.get("id").getInt(0))
                    ? CompletableFuture.failedFuture(new World.Fault("broken"))
                    : what.get();
        }

        @Override
        public CompletionStage<WriteOutcome<List<Map<String, ByteBuffer>>>> together(List<RowChange> changes) {
            return all.together(changes);
        }

        @Override
        public CompletionStage<WriteOutcome<Void>> fresh(List<RowChange> changes) {
            return all.fresh(changes);
        }

        @Override
        public CompletionStage<WriteOutcome<Map<String, ByteBuffer>>> lock(RowChange row, LockMark mark) {
            return all.lock(row, mark);
        }

        @Override
        public CompletionStage<WriteOutcome<Map<String, ByteBuffer>>> release(
                TableWrites table, Map<String, ByteBuffer> key, LockMark mark) {
            return unlessBroken(key, () -> all.release(table, key, mark));
        }

        @Override
        public CompletionStage<HeldRow> read(TableWrites table, Map<String, ByteBuffer> key) {
            return all.read(table, key);
        }

        @Override
        public CompletionStage<Void> write(RowChange row, long micros) {
            return unlessBroken(row.key(), () -> all.write(row, micros));
        }

        @Override
        public CompletionStage<Void> free(RowChange row, long micros) {
            return unlessBroken(row.key(), () -> all.free(row, micros));
        }

        @Override
        public boolean isMissingRight(Throwable failure) {
            return missingRight;
        }
    }

    private static Map<String, ByteBuffer> key(int id) {
        return Map.of("id", ByteBuffer.allocate(4).putInt(0, id));
    }

    private static RowChange change(Kind kind, int id) {
        return new RowChange(
                TABLE,
                key(id),
                1,
                Map.of(),
                kind,
                Map.of("a", ByteBuffer.allocate(4).putInt(0, 10 * id)));
    }

    private Map<String, ByteBuffer> stored(int id) {
        return storage.readInOrder(MemoryRows.key(TABLE, key(id)));
    }

    private boolean isWritten(int id) {
        Map<String, ByteBuffer> row = stored(id);
        return LockMark.isFree(row.get(RowMark.COLUMN))
                && row.containsKey("a")
                && row.get("a").getInt(0) == 10 * id;
    }

    private void record(State state, RowChange... changes) {
        storage.records.put(ID, new TransactionRecord(ID, "dc1", state, "a test", Instant.EPOCH, List.of(changes)));
    }

    /** Rows that the transaction holds. */
    @BeforeEach
    void hold() {
        for (int id = 1; id <= 3; id++) {
            String row = MemoryRows.key(TABLE, key(id));
            storage.write(row, Map.of(RowMark.COLUMN, LOCK.toBytes()), storage.nextBallot(row));
        }
        world.run();
    }

    private CompletableFuture<Met> met(int id, boolean abortPending) {
        CompletableFuture<Met> met =
                resolver.met(TABLE, key(id), LOCK.toBytes(), abortPending).toCompletableFuture();
        world.run();
        return met;
    }

    @Test
    void shouldFreeTheRowsThatCanBeWritten() {
        record(
                State.COMMITTED,
                change(Kind.UPDATE, 1),
                change(Kind.UPDATE, 2),
                change(Kind.UPDATE, 3),
                change(Kind.FRESH, 4));
        broken.add(2);

        assertThat(met(1, false)).isCompletedWithValue(Met.FREED);
        assertThat(List.of(isWritten(1), isWritten(3), isWritten(4))).containsOnly(true);
        assertThat(met(2, false)).isCompletedExceptionally();
        assertThat(met(2, true)).isCompletedExceptionally();
        assertThat(storage.records).as("for the row that is not written").containsKey(ID);

        broken.clear();
        assertThat(met(2, false)).isCompletedWithValue(Met.FREED);
        assertThat(isWritten(2)).isTrue();
        assertThat(storage.records).isEmpty();
    }

    /** Some node may still have what the others have lost. */
    @Test
    void shouldKeepARecordThatLacksTheRowThatItHolds() {
        record(State.COMMITTED, change(Kind.UPDATE, 2));

        assertThat(met(1, true)).isCompletedExceptionally();
        assertThat(storage.records).containsKey(ID);
        assertThat(stored(1).get(RowMark.COLUMN)).isEqualTo(LOCK.toBytes());
    }

    /** They have no lock that would show that they are missing. */
    @Test
    void shouldKeepAllLocksWhileARowOfADrawnIdIsMissing() {
        record(State.COMMITTED, change(Kind.UPDATE, 1), change(Kind.FRESH, 4));
        broken.add(4);

        assertThat(met(1, false)).isCompletedExceptionally();
        assertThat(stored(1).get(RowMark.COLUMN)).isEqualTo(LOCK.toBytes());
        assertThat(storage.records).containsKey(ID);
    }

    @Test
    void shouldGiveTheStandingValuesToAReaderThatMayNotWrite() {
        broken.add(1);
        missingRight = true;
        record(State.COMMITTED, change(Kind.UPDATE, 1));
        assertThat(met(1, false)).isCompletedWithValue(Met.PENDING);
        assertThat(met(1, true)).isCompletedExceptionally();
    }

    @Test
    void shouldGiveTheStandingValuesToAReaderThatCannotRelease() {
        broken.add(1);
        record(State.ABORTED, change(Kind.UPDATE, 1));
        assertThat(met(1, false)).isCompletedWithValue(Met.PENDING);
        assertThat(met(1, true)).isCompletedExceptionally();
        assertThat(met(2, false)).isCompletedWithValue(Met.FREED);
        assertThat(LockMark.isFree(stored(2).get(RowMark.COLUMN))).isTrue();
    }

    /** Conditional statements of one partition make each other start again. */
    @Test
    void shouldReleaseOneRowOfAPartitionAfterTheOther() {
        record(
                State.ABORTED,
                Stream.of(1, 2, 3, 4, 5)
                        .map(id -> new RowChange(
                                TABLE,
                                Map.of("id", ByteBuffer.allocate(4).putInt(0, id % 2)),
                                1,
                                Map.of(),
                                id == 5 ? Kind.CHECK : Kind.DELETE,
                                Map.of()))
                        .toArray(RowChange[]::new));
        List<CompletableFuture<WriteOutcome<Map<String, ByteBuffer>>>> sent = new ArrayList<>();
        List<Integer> partitions = new ArrayList<>();
        LockResolver releasing = new LockResolver(
                records,
                new Breaking(null) {
                    @Override
                    public CompletionStage<WriteOutcome<Map<String, ByteBuffer>>> release(
                            TableWrites table, Map<String, ByteBuffer> key, LockMark mark) {
                        CompletableFuture<WriteOutcome<Map<String, ByteBuffer>>> answer = new CompletableFuture<>();
                        partitions.add(key.get("id").getInt(0));
                        sent.add(answer);
                        return answer;
                    }
                },
                world,
                world.random);

        CompletableFuture<Boolean> forgotten = releasing.forget("dc1", ID).toCompletableFuture();
        world.run();

        assertThat(partitions).containsExactly(1, 0);
        sent.get(0).completeExceptionally(new World.Fault("one that fails"));
        sent.get(1).complete(new WriteOutcome.Applied<>());
        assertThat(partitions).containsExactly(1, 0, 1, 0);
        sent.get(2).complete(new WriteOutcome.Applied<>());
        sent.get(3).complete(new WriteOutcome.Applied<>());
        assertThat(partitions).containsExactly(1, 0, 1, 0, 1);
        sent.get(4).complete(new WriteOutcome.Applied<>());
        assertThat(forgotten).isCompletedWithValue(false);
        assertThat(storage.records).containsKey(ID);
    }

    /** A transaction of many rows locks them one after the other. */
    @Test
    void shouldWaitLongerForATransactionOfManyRows() {
        assertThat(LockResolver.patience(2)).hasMillis(1_040);
        assertThat(LockResolver.patience(2_000)).hasMillis(41_000);
        List<Long> pauses = new ArrayList<>();
        LockResolver waiting = new LockResolver(
                records,
                rows,
                (task, delay) -> {
                    pauses.add(delay.toMillis());
                    world.schedule(task, delay);
                },
                world.random);
        RowChange[] changes = IntStream.rangeClosed(1, 100)
                .mapToObj(id -> change(Kind.UPDATE, id))
                .toArray(RowChange[]::new);
        record(State.PENDING, changes);

        CompletableFuture<Void> freed =
                waiting.free(TABLE, key(1), LOCK.toBytes()).toCompletableFuture();
        world.run();

        assertThat(freed).isCompleted();
        assertThat(pauses.stream().mapToLong(Long::longValue).sum()).isBetween(3_000L, 3_250L);
        assertThat(storage.records.get(ID).state()).isEqualTo(State.ABORTED);
        assertThat(LockMark.isFree(stored(1).get(RowMark.COLUMN))).isTrue();
    }

    @Test
    void shouldLeaveATransactionAloneWhenTheDeadlineIsOver() {
        record(State.PENDING, change(Kind.UPDATE, 1));
        AtomicInteger asked = new AtomicInteger();

        CompletableFuture<Void> freed = resolver.free(TABLE, key(1), LOCK.toBytes(), () -> asked.incrementAndGet() > 3)
                .toCompletableFuture();
        world.run();

        assertThat(freed).isCompleted();
        assertThat(asked).hasValue(4);
        assertThat(storage.records.get(ID).state()).isEqualTo(State.PENDING);
    }
}
