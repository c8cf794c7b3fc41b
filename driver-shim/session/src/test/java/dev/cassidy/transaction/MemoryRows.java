package dev.cassidy.transaction;

import dev.cassidy.definition.RowMark;
import dev.cassidy.table.TableWrites;
import dev.cassidy.transaction.RowChange.Kind;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A client's view of the rows. */
final class MemoryRows implements RowStore {

    static final Set<String> COLUMNS = Set.of("a", "b", "t", RowMark.COLUMN);

    private final World world;
    private final World.Client client;
    private final Storage storage;
    private final PlantedBug bug;

    /** Rows of drawn ids whose transaction this client has begun. */
    private final Set<String> own;

    /** Locks that a planted bug takes as there. */
    private final Map<String, HeldRow> believed = new HashMap<>();

    MemoryRows(World world, World.Client client, Storage storage, PlantedBug bug, Set<String> own) {
        this.world = world;
        this.client = client;
        this.storage = storage;
        this.bug = bug;
        this.own = own;
    }

    static String key(TableWrites table, Map<String, ByteBuffer> key) {
        StringBuilder name = new StringBuilder(table.name());
        key.values().forEach(bytes -> name.append('/').append(bytes.getInt(bytes.position())));
        return name.toString();
    }

    private static String key(RowChange row) {
        return key(row.table(), row.key());
    }

    @Override
    public CompletionStage<WriteOutcome<List<Map<String, ByteBuffer>>>> together(List<RowChange> rows) {
        return client.conditional(() -> {
            List<Map<String, ByteBuffer>> found = new ArrayList<>();
            boolean holds = true;
            for (RowChange row : rows) {
                Map<String, ByteBuffer> live = storage.readInOrder(key(row));
                found.add(live);
                holds &= holds(row, live);
            }
            if (!holds) {
                return new WriteOutcome.Refused<>(found);
            }
            long ballot = storage.nextBallot(key(rows.get(0)));
            ByteBuffer free = unlessTheSame(storage.anotherFree());
            rows.forEach(row -> {
                Map<String, ByteBuffer> columns = columns(row);
                if (columns != null) {
                    columns.put(RowMark.COLUMN, row.kind() == Kind.INSERT ? Storage.FREE : free);
                }
                storage.write(key(row), columns, ballot);
            });
            storage.committed(rows);
            return new WriteOutcome.Applied<>();
        });
    }

    private ByteBuffer unlessTheSame(ByteBuffer free) {
        return bug == PlantedBug.ONE_FREE_MARK ? Storage.FREE : free;
    }

    private boolean holds(RowChange row, Map<String, ByteBuffer> live) {
        if (!row.kind().needsRow()) {
            return live.isEmpty();
        }
        return LockMark.isFree(live.get(RowMark.COLUMN))
                && (bug == PlantedBug.EXPECTED_VALUES_LEFT_OUT
                        || row.expected().entrySet().stream()
                                .filter(column -> bug != PlantedBug.MARK_NOT_EXPECTED
                                        || !column.getKey().equals(RowMark.COLUMN))
                                .allMatch(column -> Objects.equals(column.getValue(), live.get(column.getKey()))));
    }

    /** Null is a deletion. */
    private static Map<String, ByteBuffer> columns(RowChange row) {
        if (row.kind() == Kind.DELETE) {
            return null;
        }
        Map<String, ByteBuffer> columns = new LinkedHashMap<>();
        if (row.kind().writesAllColumns()) {
            for (String column : COLUMNS) {
                if (!column.equals(RowMark.COLUMN)) {
                    columns.put(column, null);
                }
            }
        }
        columns.putAll(row.values());
        return columns;
    }

    @Override
    public CompletionStage<WriteOutcome<Void>> fresh(List<RowChange> rows) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<WriteOutcome<Map<String, ByteBuffer>>> lock(RowChange row, LockMark mark) {
        believed.remove(key(row));
        CompletionStage<WriteOutcome<Map<String, ByteBuffer>>> locked = client.conditional(() -> {
            Map<String, ByteBuffer> live = storage.readInOrder(key(row));
            if (!holds(row, live)) {
                return new WriteOutcome.Refused<>(live);
            }
            long ballot = storage.nextBallot(key(row));
            if (bug == PlantedBug.CHECKED_TOO_EARLY && row.kind() == Kind.CHECK) {
                believed.put(key(row), new HeldRow(mark.toBytes(), ballot));
            } else {
                storage.write(key(row), Map.of(RowMark.COLUMN, mark.toBytes()), ballot);
            }
            return new WriteOutcome.Applied<>();
        });
        if (bug != PlantedBug.UNKNOWN_LOCK_TAKEN_AS_APPLIED) {
            return locked;
        }
        return locked.thenApply(outcome -> {
            if (!(outcome instanceof WriteOutcome.Unknown)) {
                return outcome;
            }
            believed.put(key(row), new HeldRow(mark.toBytes(), storage.nextBallot(key(row))));
            return new WriteOutcome.Applied<>();
        });
    }

    @Override
    public CompletionStage<WriteOutcome<Map<String, ByteBuffer>>> release(
            TableWrites table, Map<String, ByteBuffer> key, LockMark mark) {
        String name = key(table, key);
        return client.conditional(() -> {
            Map<String, ByteBuffer> live = storage.readInOrder(name);
            if (bug != PlantedBug.RELEASED_WITHOUT_CONDITION && !mark.toBytes().equals(live.get(RowMark.COLUMN))) {
                return new WriteOutcome.Refused<>(live);
            }
            storage.write(
                    name,
                    mark.isPlaceholder()
                            ? null
                            : Map.of(RowMark.COLUMN, unlessTheSame(LockMark.free(mark.transaction()))),
                    storage.nextBallot(name));
            return new WriteOutcome.Applied<>();
        });
    }

    @Override
    public CompletionStage<HeldRow> read(TableWrites table, Map<String, ByteBuffer> key) {
        String name = key(table, key);
        HeldRow believedRow = believed.remove(name);
        if (believedRow != null) {
            return CompletableFuture.completedFuture(believedRow);
        }
        return client.call(() -> storage.held(name, Set.of(RowMark.COLUMN)), CompletableFuture::failedFuture);
    }

    /** As {@link RowClaims.Marks} says. */
    CompletionStage<WriteOutcome<Map<String, ByteBuffer>>> mark(
            TableWrites table, Map<String, ByteBuffer> key, ByteBuffer expected, ByteBuffer mark) {
        String name = key(table, key);
        boolean claims = LockMark.isClaim(mark);
        return client.<Map<String, ByteBuffer>>evaluatedAgain(() -> {
                    Map<String, ByteBuffer> live = storage.readInOrder(name);
                    if (!mayMark(expected, live, claims)) {
                        return new WriteOutcome.Refused<>(bug == PlantedBug.OWN_CLAIM_NOT_RECOGNISED ? Map.of() : live);
                    }
                    storage.write(name, Map.of(RowMark.COLUMN, mark), storage.nextBallot(name));
                    storage.claimed.putIfAbsent(mark, world.now());
                    return new WriteOutcome.Applied<>();
                })
                .thenApply(outcome -> claims
                                && outcome instanceof WriteOutcome.Unknown
                                && bug == PlantedBug.UNKNOWN_CLAIM_TAKEN_AS_SET
                        ? new WriteOutcome.Applied<>()
                        : outcome);
    }

    private boolean mayMark(ByteBuffer expected, Map<String, ByteBuffer> live, boolean claims) {
        boolean anyhow = claims
                ? bug == (live.isEmpty() ? PlantedBug.CLAIMED_WHAT_IS_GONE : PlantedBug.CLAIMED_WITHOUT_CONDITION)
                : bug == PlantedBug.CLAIM_TAKEN_BACK_WITHOUT_CONDITION;
        return anyhow || expected.equals(live.get(RowMark.COLUMN));
    }

    /** A statement of its own, of a row that is there. It leaves the mark as it is. */
    CompletionStage<WriteOutcome<Map<String, ByteBuffer>>> statement(RowChange row) {
        return client.conditional(() -> {
            Map<String, ByteBuffer> live = storage.readInOrder(key(row));
            if (!holds(row, live)) {
                return new WriteOutcome.Refused<>(live);
            }
            storage.write(key(row), row.values(), storage.nextBallot(key(row)));
            return new WriteOutcome.Applied<>();
        });
    }

    /** What a statement of the application reads. */
    CompletionStage<Map<String, ByteBuffer>> query(
            TableWrites table, Map<String, ByteBuffer> key, Set<String> columns) {
        return client.call(() -> storage.read(key(table, key), columns), CompletableFuture::failedFuture);
    }

    @Override
    public CompletionStage<Void> write(RowChange row, long micros) {
        Map<String, ByteBuffer> columns = columns(row);
        if (row.kind() == Kind.FRESH) {
            if (bug == PlantedBug.FRESH_ROWS_NOT_ROLLED_FORWARD && !own.contains(key(row))) {
                return CompletableFuture.completedFuture(null);
            }
            columns.put(RowMark.COLUMN, Storage.FREE);
            CompletionStage<Void> written = plain(
                    key(row),
                    columns,
                    bug == PlantedBug.FRESH_AT_THE_PRESENT_TIME ? storage.someTime() : RowMark.FRESH_MICROS);
            return bug == PlantedBug.FRESH_ROWS_NOT_AWAITED ? CompletableFuture.completedFuture(null) : written;
        }
        if (bug == PlantedBug.MARK_WITH_VALUES && columns != null) {
            return CompletableFuture.completedFuture(null);
        }
        CompletionStage<Void> written = plain(key(row), columns, at(micros));
        return bug == PlantedBug.OWN_VALUES_NOT_AWAITED && columns != null
                ? CompletableFuture.completedFuture(null)
                : written;
    }

    private long at(long micros) {
        return bug == PlantedBug.WRITTEN_AT_ANOTHER_TIME ? storage.someTime() : micros;
    }

    @Override
    public CompletionStage<Void> free(RowChange row, long micros) {
        Map<String, ByteBuffer> columns = new LinkedHashMap<>();
        if (bug == PlantedBug.MARK_WITH_VALUES && row.kind() != Kind.CHECK) {
            columns.putAll(Objects.requireNonNull(columns(row)));
        }
        columns.put(RowMark.COLUMN, unlessTheSame(LockMark.free(micros)));
        return plain(key(row), columns, at(micros));
    }

    private CompletionStage<Void> plain(String key, Map<String, ByteBuffer> columns, long micros) {
        return client.call(
                () -> {
                    storage.write(key, columns, micros);
                    return null;
                },
                cause -> {
                    if (world.random.nextBoolean()) {
                        storage.writePartly(key, columns, micros);
                    }
                    return CompletableFuture.failedFuture(cause);
                });
    }
}
