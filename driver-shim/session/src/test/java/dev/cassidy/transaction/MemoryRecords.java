package dev.cassidy.transaction;

import dev.cassidy.definition.RowMark;
import dev.cassidy.transaction.TransactionRecord.State;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** A client's view of the records. */
final class MemoryRecords implements RecordStore {

    private final World world;
    private final World.Client client;
    private final Storage storage;
    private final PlantedBug bug;

    MemoryRecords(World world, World.Client client, Storage storage, PlantedBug bug) {
        this.world = world;
        this.client = client;
        this.storage = storage;
        this.bug = bug;
    }

    private Optional<State> state(UUID id) {
        return Optional.ofNullable(seen(id)).map(TransactionRecord::state);
    }

    /** What two replicas of three have. */
    private TransactionRecord seen(UUID id) {
        TransactionRecord record = storage.records.get(id);
        if (record == null) {
            TransactionRecord removed = storage.removedPartly.get(id);
            return removed != null && world.random.nextBoolean() ? removed : null;
        }
        if (!storage.createdPartly.contains(id) || world.random.nextBoolean()) {
            return record;
        }
        // A compare-and-set that found it has made a majority know the state, and nothing else.
        return record.state() == State.PENDING
                ? null
                : new TransactionRecord(id, record.home(), record.state(), "", Instant.EPOCH, List.of());
    }

    @Override
    public CompletionStage<WriteOutcome<Void>> create(TransactionRecord pending) {
        Supplier<WriteOutcome<Void>> effect = () -> {
            storage.records.put(pending.id(), pending);
            storage.ghosts.put(pending.id(), pending);
            return new WriteOutcome.Applied<>();
        };
        if (bug == PlantedBug.LOCK_BEFORE_RECORD) {
            world.later(effect::get);
            return CompletableFuture.completedFuture(new WriteOutcome.Applied<>());
        }
        return client.call(effect, cause -> {
            if (world.random.nextBoolean()) {
                // On one replica, as far as it was executed.
                storage.createdPartly.add(pending.id());
            }
            return CompletableFuture.completedFuture(
                    bug == PlantedBug.RECORD_PERHAPS_CREATED
                            ? new WriteOutcome.Applied<>()
                            : new WriteOutcome.Unknown<>(cause));
        });
    }

    @Override
    public CompletionStage<WriteOutcome<Optional<State>>> end(String home, UUID id, State state) {
        CompletionStage<WriteOutcome<Optional<State>>> ended = client.evaluatedAgain(() -> {
            Optional<State> now = state(id);
            storage.committing.remove(id);
            boolean anyhow = bug == PlantedBug.ABORTED_WITHOUT_CONDITION && state == State.ABORTED && now.isPresent();
            if (!anyhow && !now.equals(Optional.of(State.PENDING))) {
                return new WriteOutcome.Refused<>(now);
            }
            storage.state(id, state);
            if (state == State.COMMITTED) {
                storage.committing.add(id);
                storage.committed(storage.ghosts.get(id).changes());
            }
            if (bug == PlantedBug.RECORD_REMOVED_EARLY && state == State.COMMITTED) {
                storage.records.remove(id);
            }
            return new WriteOutcome.Applied<>();
        });
        ended = ended.thenApply(this::mistaken);
        if (state != State.COMMITTED) {
            return ended;
        }
        return ended.thenApply(outcome -> {
            if (outcome instanceof WriteOutcome.Applied) {
                storage.committing.remove(id);
            }
            if (!(outcome instanceof WriteOutcome.Unknown)) {
                return outcome;
            }
            return switch (bug) {
                case WRITTEN_BEFORE_COMMITTED -> new WriteOutcome.Applied<>();
                case UNKNOWN_COMMIT_TAKEN_AS_ABORTED -> new WriteOutcome.Refused<>(Optional.of(State.ABORTED));
                default -> outcome;
            };
        });
    }

    private WriteOutcome<Optional<State>> mistaken(WriteOutcome<Optional<State>> outcome) {
        if (!(outcome instanceof WriteOutcome.Refused<Optional<State>> refused)) {
            return outcome;
        }
        boolean taken = refused.found().isEmpty()
                ? bug == PlantedBug.MISSING_RECORD_TAKEN_AS_ABORTED
                : bug == PlantedBug.COMMITTED_RECORD_RELEASED && refused.found().get() == State.COMMITTED;
        return taken ? new WriteOutcome.Refused<>(Optional.of(State.ABORTED)) : outcome;
    }

    @Override
    public CompletionStage<Void> remove(String home, UUID id) {
        return client.call(
                () -> {
                    storage.records.remove(id);
                    storage.removedPartly.remove(id);
                    return null;
                },
                cause -> {
                    TransactionRecord removed = storage.records.remove(id);
                    if (removed != null) {
                        storage.removedPartly.put(id, removed);
                    }
                    return CompletableFuture.failedFuture(cause);
                });
    }

    @Override
    public CompletionStage<WriteOutcome<Optional<State>>> removeAborted(String home, UUID id) {
        return client.conditional(() -> {
            Optional<State> now = state(id);
            if (!now.equals(Optional.of(State.ABORTED))) {
                return new WriteOutcome.Refused<>(now);
            }
            storage.records.remove(id);
            return new WriteOutcome.Applied<>();
        });
    }

    @Override
    public CompletionStage<Optional<Look>> look(String home, UUID id, boolean inOrder) {
        return client.call(
                () -> {
                    TransactionRecord record = standing(id);
                    if (inOrder) {
                        storage.committing.remove(id);
                    }
                    return Optional.ofNullable(record)
                            .map(found -> new Look(
                                    storage.committing.contains(id) && world.random.nextBoolean()
                                            ? State.PENDING
                                            : found.state(),
                                    found.changes().size()));
                },
                CompletableFuture::failedFuture);
    }

    @Override
    public CompletionStage<Optional<TransactionRecord>> read(String home, UUID id) {
        return client.call(
                () -> {
                    TransactionRecord record = standing(id);
                    storage.committing.remove(id);
                    if (record != null
                            && record.state() == State.COMMITTED
                            && bug == PlantedBug.FRESH_ROWS_WRITTEN_WITHOUT_A_LOCK) {
                        record.changes().stream()
                                .filter(row -> row.kind() == RowChange.Kind.FRESH)
                                .forEach(row -> storage.write(
                                        MemoryRows.key(row.table(), row.key()),
                                        Map.of(RowMark.COLUMN, Storage.FREE),
                                        RowMark.FRESH_MICROS));
                    }
                    return Optional.ofNullable(record);
                },
                CompletableFuture::failedFuture);
    }

    private TransactionRecord standing(UUID id) {
        TransactionRecord record = seen(id);
        TransactionRecord ghost = storage.ghosts.get(id);
        return record == null && ghost != null && bug == PlantedBug.LOCK_WITHOUT_RECORD_TAKEN_AS_COMMITTED
                ? new TransactionRecord(
                        id, ghost.home(), State.COMMITTED, ghost.holder(), ghost.created(), ghost.changes())
                : record;
    }
}
