package dev.cassidy.transaction.cassandra;

import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.type.codec.TypeCodecs;
import dev.cassidy.definition.RowMark;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.table.TableWrites;
import dev.cassidy.transaction.ChangesCodec;
import dev.cassidy.transaction.RecordStore;
import dev.cassidy.transaction.TransactionRecord;
import dev.cassidy.transaction.TransactionRecord.State;
import dev.cassidy.transaction.WriteOutcome;
import dev.cassidy.transaction.cassandra.Statements.Cql;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Records of transactions in CQL. */
final class CassandraRecordStore implements RecordStore {

    /** Into how many parts of the same size the tokens are divided. */
    static final int SLICES = 256;

    /**
     * The protocol timestamp of a removal without a condition: after all ballots, whatever the clocks. No record has its id again. Guardrails
     * look at USING TIMESTAMP alone.
     */
    private static final long LAST_MICROS = 1L << 62;

    private static final int AT_ONCE = 8;
    private static final String TABLE = "transactions";
    private static final String SUMMARIES =
            "SELECT id, state, holder, created, writetime(state) AS changed, rows FROM %s";

    private final Statements statements;
    private final Function<TableWrites, String> keyspace;

    CassandraRecordStore(Statements statements, Function<TableWrites, String> keyspace) {
        this.statements = statements;
        this.keyspace = keyspace;
    }

    @Override
    public CompletionStage<WriteOutcome<Void>> create(TransactionRecord pending) {
        ByteBuffer writes;
        TableWrites table;
        try {
            writes = ChangesCodec.encode(pending.changes());
            table = table(pending.home());
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
        // By its time, every compare-and-set comes after it, whatever the clocks.
        return at(
                        RowMark.FRESH_MICROS,
                        cql(
                                table,
                                "INSERT INTO %s (id, state, holder, created, rows, writes) VALUES (?, ?, ?, ?, ?, ?)",
                                uuid(pending.id()),
                                text(State.PENDING.name()),
                                text(pending.holder()),
                                TypeCodecs.TIMESTAMP.encode(pending.created(), ProtocolVersion.DEFAULT),
                                TypeCodecs.INT.encode(pending.changes().size(), ProtocolVersion.DEFAULT),
                                writes),
                        table)
                .handle((written, failure) -> failure == null
                        ? CompletableFuture.<WriteOutcome<Void>>completedFuture(new WriteOutcome.Applied<>())
                        : Statements.<Void>ofFailure(failure))
                .thenCompose(stage -> stage);
    }

    @Override
    public CompletionStage<WriteOutcome<Optional<State>>> end(String home, UUID id, State state) {
        return guarded(home, table -> conditional(
                        table,
                        "UPDATE %s SET state = ? WHERE id = ? IF state = 'PENDING'",
                        text(state.name()),
                        uuid(id))
                .thenApply(CassandraRecordStore::withState));
    }

    @Override
    public CompletionStage<Void> remove(String home, UUID id) {
        return guarded(home, table -> at(LAST_MICROS, cql(table, "DELETE FROM %s WHERE id = ?", uuid(id)), table)
                .thenApply(removed -> null));
    }

    @Override
    public CompletionStage<WriteOutcome<Optional<State>>> removeAborted(String home, UUID id) {
        return guarded(home, table -> conditional(table, "DELETE FROM %s WHERE id = ? IF state = 'ABORTED'", uuid(id))
                .thenApply(CassandraRecordStore::withState));
    }

    private CompletionStage<AsyncResultSet> at(long micros, Cql cql, TableWrites table) {
        return statements.bind(cql).thenCompose(bound -> statements.plain(bound.setQueryTimestamp(micros), table));
    }

    private static WriteOutcome<Optional<State>> withState(WriteOutcome<List<Row>> outcome) {
        return outcome.then(
                WriteOutcome.Applied<Optional<State>>::new,
                found -> new WriteOutcome.Refused<>(found.stream().findFirst().flatMap(CassandraRecordStore::state)),
                WriteOutcome.Unknown<Optional<State>>::new);
    }

    private static Optional<State> state(Row row) {
        return row.getColumnDefinitions().contains("state")
                ? Optional.ofNullable(row.getString("state")).map(State::valueOf)
                : Optional.empty();
    }

    @Override
    public CompletionStage<Optional<TransactionRecord>> read(String home, UUID id) {
        return guarded(home, table -> statements
                .inOrder(cql(table, "SELECT state, holder, created, writes FROM %s WHERE id = ?", uuid(id)), table)
                .thenApply(rows -> rows.stream().findFirst().map(row -> record(home, id, row))));
    }

    @Override
    public CompletionStage<Optional<Look>> look(String home, UUID id, boolean inOrder) {
        return guarded(home, table -> {
            Cql cql = cql(table, "SELECT state, rows FROM %s WHERE id = ?", uuid(id));
            CompletionStage<List<Row>> rows = inOrder
                    ? statements.inOrder(cql, table)
                    : statements.plain(cql, table).thenApply(Statements::page);
            return rows.thenApply(found -> found.stream().findFirst().flatMap(row -> state(row)
                    .map(state -> new Look(state, row.getInt("rows")))));
        });
    }

    private static TransactionRecord record(String home, UUID id, Row row) {
        // Of a record that is not known to be made, or has come back, a replica may have the state alone. It holds no
        // row.
        ByteBuffer writes = row.getByteBuffer("writes");
        Instant created = row.getInstant("created");
        String holder = row.getString("holder");
        return new TransactionRecord(
                id,
                home,
                State.valueOf(Objects.requireNonNull(row.getString("state"), "state")),
                holder == null ? "" : holder,
                created == null ? Instant.EPOCH : created,
                writes == null ? List.of() : ChangesCodec.decode(writes));
    }

    /** Reads all slices, some at the same time. */
    CompletionStage<List<TransactionSummary>> list(String home) {
        CompletionStage<List<TransactionSummary>> all = CompletableFuture.completedFuture(new ArrayList<>());
        for (int first = 0; first < AT_ONCE; first++) {
            all = all.thenCombine(slices(home, first, new ArrayList<>()), (list, more) -> {
                list.addAll(more);
                return list;
            });
        }
        return all;
    }

    private CompletionStage<List<TransactionSummary>> slices(String home, int next, List<TransactionSummary> all) {
        return next >= SLICES
                ? CompletableFuture.completedFuture(all)
                : slice(home, next).thenCompose(found -> {
                    all.addAll(found);
                    return slices(home, next + AT_ONCE, all);
                });
    }

    /**
     * Lists the records of a part of the table, at a majority: a query of all of it would pass so many tombstones that nodes refuse it.
     *
     * @param slice from 0 to {@link #SLICES} - 1
     */
    CompletionStage<List<TransactionSummary>> slice(String home, int slice) {
        if (!statements.isInMurmur3Order()) {
            // Tokens of another form: the first slice is everything.
            return slice > 0 ? CompletableFuture.completedFuture(List.of()) : slice(home, SUMMARIES);
        }
        long width = Long.MIN_VALUE / SLICES * -2;
        long from = Long.MIN_VALUE + slice * width;
        // No key has the lowest token.
        return slice(
                home,
                SUMMARIES + " WHERE token(id) > ? AND token(id) <= ?",
                number(from),
                number(slice == SLICES - 1 ? Long.MAX_VALUE : from + width));
    }

    private CompletionStage<List<TransactionSummary>> slice(String home, String text, @Nullable ByteBuffer... values) {
        return guarded(home, table -> statements
                .plain(cql(table, text, values), table)
                .thenCompose(page -> pages(page, new ArrayList<>())));
    }

    private static CompletionStage<List<TransactionSummary>> pages(AsyncResultSet page, List<TransactionSummary> all) {
        for (Row row : page.currentPage()) {
            String state = row.getString("state");
            UUID id = row.getUuid("id");
            if (id != null && state != null) {
                all.add(summary(id, State.valueOf(state), row));
            }
        }
        return page.hasMorePages()
                ? page.fetchNextPage().thenCompose(next -> pages(next, all))
                : CompletableFuture.completedFuture(all);
    }

    private static TransactionSummary summary(UUID id, State state, Row row) {
        String holder = row.getString("holder");
        Instant created = row.getInstant("created");
        int rows = row.getInt("rows");
        return state == State.PENDING
                ? new TransactionSummary(id, state, holder, created, rows)
                : new TransactionSummary(
                        id,
                        state,
                        holder,
                        created,
                        Instant.EPOCH.plus(row.getLong("changed"), ChronoUnit.MICROS),
                        rows);
    }

    private CompletionStage<WriteOutcome<List<Row>>> conditional(
            TableWrites table, String text, @Nullable ByteBuffer... values) {
        return statements.conditional(cql(table, text, values), table);
    }

    private static Cql cql(TableWrites table, String text, @Nullable ByteBuffer... values) {
        return new Cql(String.format(text, Identifiers.toCql(table.keyspace()) + "." + TABLE), Arrays.asList(values));
    }

    /** Statements on a record are ordered as those on the tables. */
    private TableWrites table(String home) {
        TableWrites level = new TableWrites("", TABLE, home, null, false);
        return new TableWrites(keyspace.apply(level), TABLE, home, null, false);
    }

    private <T> CompletionStage<T> guarded(String home, Function<TableWrites, CompletionStage<T>> what) {
        try {
            return what.apply(table(home));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static @Nullable ByteBuffer uuid(UUID id) {
        return TypeCodecs.UUID.encode(id, ProtocolVersion.DEFAULT);
    }

    private static @Nullable ByteBuffer number(long value) {
        return TypeCodecs.BIGINT.encode(value, ProtocolVersion.DEFAULT);
    }

    private static @Nullable ByteBuffer text(String value) {
        return TypeCodecs.TEXT.encode(value, ProtocolVersion.DEFAULT);
    }
}
