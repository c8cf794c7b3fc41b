package dev.cassidy.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.definition.RowMark;
import dev.cassidy.table.TableWrites;
import dev.cassidy.transaction.LockResolver.Met;
import dev.cassidy.transaction.RowChange.Kind;
import dev.cassidy.transaction.TransactionFigures.Lock;
import dev.cassidy.transaction.TransactionFigures.Outcome;
import dev.cassidy.transaction.TransactionRecord.State;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TransactionFiguresTest {

    private static final TableWrites TABLE = new TableWrites("k", "t", "dc1", null, false);

    private static final CompletionStage<WriteOutcome<Optional<State>>> UNKNOWN =
            CompletableFuture.completedFuture(new WriteOutcome.Unknown<>(new World.Fault("unknown")));

    private final World world = new World(1);
    private final Storage storage = new Storage(world);
    private final TransactionFigures figures = new TransactionFigures();

    private RecordStore records() {
        return new MemoryRecords(world, world.new Client(1_000), storage, PlantedBug.NONE);
    }

    private CompletableFuture<CommitResult> commit(RecordStore records, RowChange... changes) {
        RowStore rows = rows();
        LockResolver resolver = new LockResolver(records, rows, world, world.random, figures);
        CompletableFuture<CommitResult> result = new Committer(
                        records, rows, resolver, UUID::randomUUID, InstantSource.system(), "x", figures)
                .commit(List.of(changes))
                .toCompletableFuture();
        world.run();
        return result;
    }

    private RowStore rows() {
        return new MemoryRows(world, world.new Client(1_000), storage, PlantedBug.NONE, Set.of());
    }

    private LockResolver resolver() {
        return new LockResolver(records(), rows(), world, world.random, figures);
    }

    private static ByteBuffer bytes(int value) {
        return ByteBuffer.allocate(4).putInt(0, value);
    }

    private static Map<String, ByteBuffer> key(int id) {
        return Map.of("id", bytes(id));
    }

    private static RowChange set(int id, int from, int to) {
        return new RowChange(TABLE, key(id), 1, Map.of("a", bytes(from)), Kind.UPDATE, Map.of("a", bytes(to)));
    }

    @BeforeEach
    void create() {
        for (int id = 1; id <= 2; id++) {
            Map<String, ByteBuffer> columns = new HashMap<>();
            columns.put("a", bytes(0));
            columns.put(RowMark.COLUMN, Storage.FREE);
            storage.write(MemoryRows.key(TABLE, key(id)), columns, 1);
        }
    }

    private List<Long> ended() {
        return Stream.of(Outcome.values()).map(figures::ended).toList();
    }

    @Test
    void shouldCountHowCommitsEnd() {
        assertThat(commit(records())).isCompleted();
        assertThat(ended()).as("nothing to do").containsExactly(0L, 0L, 0L, 0L);

        assertThat(commit(records(), set(1, 0, 1), set(2, 0, 1)).join()).isInstanceOf(CommitResult.Committed.class);
        assertThat(commit(records(), set(1, 1, 2)).join()).isInstanceOf(CommitResult.Committed.class);
        assertThat(ended()).containsExactly(2L, 0L, 0L, 0L);

        assertThat(commit(records(), set(1, 0, 2), set(2, 0, 2)).join()).isInstanceOf(CommitResult.Conflict.class);
        assertThat(ended()).containsExactly(2L, 1L, 0L, 0L);

        assertThat(commit(new Answering(records(), UNKNOWN), set(1, 2, 3), set(2, 1, 3))
                        .join())
                .isInstanceOf(CommitResult.InDoubt.class);
        assertThat(ended()).containsExactly(2L, 1L, 1L, 0L);

        assertThat(commit(records(), set(1, 2, 3), set(1, 2, 4))).isCompletedExceptionally();
        assertThat(ended()).containsExactly(2L, 1L, 1L, 1L);
    }

    /** However often a writer looks again while it waits. */
    @Test
    void shouldCountALockOnce() {
        assertThat(commit(new Answering(records(), new CompletableFuture<>()), set(1, 0, 1), set(2, 0, 1)))
                .isNotDone();
        ByteBuffer mark = storage.readInOrder(MemoryRows.key(TABLE, key(1))).get(RowMark.COLUMN);
        assertThat(LockMark.isLock(mark)).isTrue();

        CompletableFuture<Met> read = resolver().met(TABLE, key(1), mark, false).toCompletableFuture();
        world.run();
        assertThat(read).isCompletedWithValue(Met.PENDING);
        assertThat(figures.locksMet(Lock.PENDING)).isEqualTo(1);
        assertThat(figures.locksMet(Lock.FREED)).isZero();

        CompletableFuture<Void> freed = resolver().free(TABLE, key(1), mark).toCompletableFuture();
        world.run();
        assertThat(freed).isCompleted();
        assertThat(figures.locksMet(Lock.PENDING)).isEqualTo(1);
        assertThat(figures.locksMet(Lock.FREED)).isEqualTo(1);
    }

    /** Changes no state. */
    private record Answering(RecordStore records, CompletionStage<WriteOutcome<Optional<State>>> answer)
            implements RecordStore {

        @Override
        public CompletionStage<WriteOutcome<Void>> create(TransactionRecord pending) {
            return records.create(pending);
        }

        @Override
        public CompletionStage<WriteOutcome<Optional<State>>> end(String home, UUID id, State state) {
            return answer;
        }

        @Override
        public CompletionStage<Void> remove(String home, UUID id) {
            return records.remove(home, id);
        }

        @Override
        public CompletionStage<WriteOutcome<Optional<State>>> removeAborted(String home, UUID id) {
            return records.removeAborted(home, id);
        }

        @Override
        public CompletionStage<Optional<TransactionRecord>> read(String home, UUID id) {
            return records.read(home, id);
        }
    }
}
