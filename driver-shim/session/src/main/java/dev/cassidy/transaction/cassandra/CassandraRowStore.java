package dev.cassidy.transaction.cassandra;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.ColumnDefinition;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import dev.cassidy.async.Stages;
import dev.cassidy.definition.RowMark;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.table.TableWrites;
import dev.cassidy.transaction.HeldRow;
import dev.cassidy.transaction.LockMark;
import dev.cassidy.transaction.RowChange;
import dev.cassidy.transaction.RowChange.Kind;
import dev.cassidy.transaction.RowStore;
import dev.cassidy.transaction.WriteOutcome;
import dev.cassidy.transaction.cassandra.Statements.Cql;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Rows of exact tables in CQL. */
final class CassandraRowStore implements RowStore {

    private static final String APPLIED = "[applied]";
    private static final String SET_MARK = RowMark.COLUMN + " = ?";

    private final CqlSession session;
    private final Statements statements;
    private final Statements counting;
    private final Supplier<UUID> ids;

    /** The tables of counters that were proven to be written by this role. */
    private final Set<String> proven = ConcurrentHashMap.newKeySet();

    /** @param ids gives random ids */
    CassandraRowStore(CqlSession session, Statements statements, Supplier<UUID> ids) {
        this(session, statements, statements, ids);
    }

    /** As the other, with statements of another role, perhaps, for what is {@linkplain RowChange#addition added} to counters. */
    CassandraRowStore(CqlSession session, Statements statements, Statements counting, Supplier<UUID> ids) {
        this.session = session;
        this.statements = statements;
        this.counting = counting;
        this.ids = ids;
    }

    @Override
    public List<RowChange> admitted(List<RowChange> changes) {
        return changes.stream().map(this::admitted).toList();
    }

    private RowChange admitted(RowChange row) {
        TableMetadata table = known(row.table()).orElse(null);
        if (row.isAddition()) {
            // After the commit it would be left out, as what belongs to a table that is gone.
            return metadata(row.table()).getId().map(row::withTableId).orElse(row);
        }
        if (table == null) {
            return row;
        }
        // A lock that one replica has would be seen by some and not by others, for good.
        Object readRepair = table.getOptions().get(CqlIdentifier.fromInternal("read_repair"));
        if (String.valueOf(readRepair).equalsIgnoreCase("none")) {
            throw new IllegalStateException("table " + row.table().name()
                    + " has read_repair = 'NONE', and a transaction needs reads that make replicas agree: ALTER TABLE "
                    + name(row.table()) + " WITH read_repair = 'BLOCKING'");
        }
        return table.getId().map(row::withTableId).orElse(row);
    }

    // ---- one write

    @Override
    public CompletionStage<WriteOutcome<List<Map<String, @Nullable ByteBuffer>>>> together(List<RowChange> rows) {
        ByteBuffer free = LockMark.free(ids.get());
        return guarded(() -> statements
                .bindAll(rows.stream().map(row -> conditional(row, free)).toList())
                .thenCompose(bound -> statements.conditional(
                        one(bound, BatchType.UNLOGGED), rows.get(0).table()))
                .thenApply(outcome -> map(outcome, found -> byRow(rows, found))));
    }

    /** One statement shows no key, and a batch shows the keys of the rows that are there. */
    private static List<Map<String, @Nullable ByteBuffer>> byRow(List<RowChange> rows, List<Row> found) {
        if (rows.size() == 1) {
            return List.of(first(found));
        }
        Map<List<@Nullable ByteBuffer>, Map<String, @Nullable ByteBuffer>> byKey = new HashMap<>();
        Collection<String> key = rows.get(0).key().keySet();
        for (Row row : found) {
            Map<String, @Nullable ByteBuffer> columns = columns(row);
            byKey.put(key.stream().map(columns::get).collect(Collectors.toCollection(ArrayList::new)), columns);
        }
        return rows.stream()
                .map(row -> byKey.getOrDefault(new ArrayList<>(row.key().values()), Map.of()))
                .toList();
    }

    /** @param free the mark of the row afterwards */
    private Cql conditional(RowChange row, ByteBuffer free) {
        Values values = new Values();
        String text;
        if (row.kind() == Kind.INSERT) {
            text = insert(row, values, columns(metadata(row.table())), RowMark.FREE) + " IF NOT EXISTS";
        } else if (row.kind() == Kind.DELETE) {
            text = "DELETE FROM " + name(row.table()) + where(row.key(), values);
        } else {
            Map<String, @Nullable ByteBuffer> set =
                    row.kind() == Kind.REPLACE ? allColumns(row, columns(metadata(row.table()))) : row.values();
            String assigned = set(set, values) + SET_MARK;
            values.add(free);
            text = "UPDATE " + name(row.table()) + " SET " + assigned + where(row.key(), values);
        }
        return values.of(row.kind() == Kind.INSERT ? text : text + ifAsExpected(row, values));
    }

    @Override
    public CompletionStage<WriteOutcome<Void>> fresh(List<RowChange> rows) {
        return guarded(() -> statements
                .bindAll(rows.stream().map(this::fresh).toList())
                .thenCompose(bound -> (rows.stream().allMatch(RowChange::isAddition) ? counting : statements)
                        .plain(one(bound, BatchType.LOGGED), leading(rows).table())
                        .handle((written, failure) -> failure == null
                                ? CompletableFuture.<WriteOutcome<Void>>completedFuture(new WriteOutcome.Applied<>())
                                : Statements.<Void>ofFailure(failure))
                        .thenCompose(stage -> stage)));
    }

    private static RowChange leading(List<RowChange> rows) {
        return rows.stream().filter(row -> !row.isAddition()).findFirst().orElse(rows.get(0));
    }

    @Override
    public CompletionStage<?> proveAdditions(List<RowChange> rows) {
        CompletionStage<?> all = CompletableFuture.completedFuture(null);
        for (RowChange row : rows) {
            String name = name(row.table());
            if (row.isAddition() && !proven.contains(name)) {
                // It names no row.
                all = all.thenCompose(before -> counting.plain(
                                new Cql("DELETE FROM " + name + " WHERE type IN ()", List.of()), row.table()))
                        .thenApply(done -> proven.add(name));
            }
        }
        return all;
    }

    @Override
    public boolean isOneWrite(List<RowChange> rows) {
        return (counting.isOfSameSession(statements) || areAlike(rows, RowChange::isAddition))
                && areAlike(rows, row -> row.table().home());
    }

    private static boolean areAlike(List<RowChange> rows, Function<RowChange, Object> what) {
        return rows.stream().map(what).distinct().count() < 2;
    }

    private Cql fresh(RowChange row) {
        return row.isAddition() ? addition(row) : fresh(row, new Values(), columns(metadata(row.table())));
    }

    private static Cql addition(RowChange row) {
        Values values = new Values();
        return values.of(insert(row, values, row.values().keySet(), null) + " USING TIMESTAMP " + RowMark.FRESH_MICROS);
    }

    private static Cql fresh(RowChange row, Values values, Collection<String> columns) {
        return values.of(insert(row, values, columns, RowMark.FREE) + " USING TIMESTAMP " + RowMark.FRESH_MICROS);
    }

    private static Statement<?> one(List<BoundStatement> bound, BatchType type) {
        return bound.size() == 1
                ? bound.get(0)
                : BatchStatement.newInstance(type, List.<BatchableStatement<?>>copyOf(bound));
    }

    // ---- locks

    @Override
    public CompletionStage<WriteOutcome<Map<String, @Nullable ByteBuffer>>> lock(RowChange row, LockMark mark) {
        return guarded(() -> {
            Values values = new Values();
            if (!row.kind().needsRow()) {
                values.addAll(row.key().values());
                values.add(mark.toBytes());
                return first(
                        values.of("INSERT INTO " + name(row.table()) + " ("
                                + names(row.key().keySet()) + ", " + RowMark.COLUMN + ") VALUES ("
                                + "?, ".repeat(row.key().size()) + "?) IF NOT EXISTS"),
                        row.table());
            }
            values.add(mark.toBytes());
            String text = "UPDATE " + name(row.table()) + " SET " + RowMark.COLUMN + " = ?" + where(row.key(), values)
                    + ifAsExpected(row, values);
            return first(values.of(text), row.table());
        });
    }

    @Override
    public CompletionStage<WriteOutcome<Map<String, @Nullable ByteBuffer>>> release(
            TableWrites table, Map<String, ByteBuffer> key, LockMark mark) {
        return unlessGone(
                table,
                () -> {
                    Values values = new Values();
                    if (!mark.isPlaceholder()) {
                        values.add(LockMark.free(mark.transaction()));
                    }
                    String text = (mark.isPlaceholder()
                                    ? "DELETE FROM " + name(table)
                                    : "UPDATE " + name(table) + " SET " + SET_MARK)
                            + where(key, values) + " IF " + RowMark.COLUMN + " = ?";
                    values.add(mark.toBytes());
                    return first(values.of(text), table);
                },
                new WriteOutcome.Refused<>(Map.of()));
    }

    /** Gives a row another mark, if it has one that is expected. */
    CompletionStage<WriteOutcome<Map<String, @Nullable ByteBuffer>>> mark(
            TableWrites table, Map<String, ByteBuffer> key, ByteBuffer expected, ByteBuffer mark) {
        return guarded(() -> {
            Values values = new Values();
            values.add(mark);
            String text = "UPDATE " + name(table) + " SET " + SET_MARK + where(key, values) + " IF " + RowMark.COLUMN
                    + " = ?";
            values.add(expected);
            return first(values.of(text), table);
        });
    }

    private CompletionStage<WriteOutcome<Map<String, @Nullable ByteBuffer>>> first(Cql cql, TableWrites table) {
        return statements.conditional(cql, table).thenApply(outcome -> map(outcome, CassandraRowStore::first));
    }

    @Override
    public CompletionStage<HeldRow> read(TableWrites table, Map<String, ByteBuffer> key) {
        return unlessGone(
                table,
                () -> {
                    Values values = new Values();
                    String text = "SELECT " + RowMark.COLUMN + ", writetime(" + RowMark.COLUMN + ") FROM " + name(table)
                            + where(key, values);
                    return statements.plain(values.of(text), table).thenApply(CassandraRowStore::held);
                },
                new HeldRow(null, 0));
    }

    private static HeldRow held(AsyncResultSet rows) {
        Row row = rows.one();
        ByteBuffer mark = row == null ? null : row.getBytesUnsafe(0);
        return row == null || mark == null ? new HeldRow(null, 0) : new HeldRow(mark, row.getLong(1));
    }

    // ---- what is committed

    @Override
    public CompletionStage<Void> write(RowChange row, long micros) {
        if (row.isAddition()) {
            return add(row);
        }
        // A row without a lock does not tell of itself that it is of another table.
        boolean isAnother = row.kind() == Kind.FRESH
                && row.tableId() != null
                && known(row.table())
                        .flatMap(TableMetadata::getId)
                        .filter(row.tableId()::equals)
                        .isEmpty();
        return isAnother
                ? writeToPresent(row, micros)
                : orElse(
                        () -> write(row, micros, columns(metadata(row.table()))),
                        failure -> writeToPresent(row, micros));
    }

    /** What belongs to a table of counters that is gone counts for nobody. */
    private CompletionStage<Void> add(RowChange row) {
        Supplier<CompletionStage<Void>> written =
                () -> counting.plain(addition(row), row.table()).thenApply(done -> null);
        boolean isSame = row.tableId() == null
                || known(row.table())
                        .flatMap(TableMetadata::getId)
                        .filter(row.tableId()::equals)
                        .isPresent();
        Supplier<CompletionStage<Boolean>> isThere =
                () -> PresentTable.of(session, row.table()).thenApply(present -> present.isOfCounters(row.tableId()));
        return isSame
                ? orElse(written, failure -> isThere.get()
                        .thenCompose(there -> there
                                ? CompletableFuture.<Void>failedFuture(failure)
                                : CompletableFuture.<Void>completedFuture(null)))
                : isThere.get()
                        .thenCompose(there -> there ? written.get() : CompletableFuture.<Void>completedFuture(null));
    }

    /** Leaves out what is gone. A row that shows its lock is of this table, whatever its id is. */
    private CompletionStage<Void> writeToPresent(RowChange row, long micros) {
        return PresentTable.of(session, row.table()).thenCompose(present -> {
            if (!(row.kind() == Kind.FRESH ? present.is(row.tableId()) : present.hasMarks())) {
                return CompletableFuture.completedFuture(null);
            }
            Map<String, @Nullable ByteBuffer> values = new LinkedHashMap<>(row.values());
            values.keySet().retainAll(present.columns());
            if (row.kind() == Kind.UPDATE && values.isEmpty()) {
                return CompletableFuture.completedFuture(null);
            }
            RowChange left = new RowChange(
                    row.table(), row.key(), row.partitionColumns(), Map.of(), row.kind(), values, row.tableId());
            return write(left, micros, present.columns());
        });
    }

    private CompletionStage<Void> write(RowChange row, long micros, Collection<String> columns) {
        Values values = new Values();
        if (row.kind() == Kind.FRESH) {
            return done(fresh(row, values, columns), row);
        }
        String at = " USING TIMESTAMP ?";
        if (row.kind() == Kind.INSERT || row.kind() == Kind.REPLACE) {
            String text = insert(row, values, columns, null) + at;
            values.add(bytes(micros));
            return done(values.of(text), row);
        }
        values.add(bytes(micros));
        return done(
                values.of(
                        row.kind() == Kind.DELETE
                                ? "DELETE FROM " + name(row.table()) + at + where(row.key(), values)
                                : "UPDATE " + name(row.table()) + at + " SET " + withoutComma(set(row.values(), values))
                                        + where(row.key(), values)),
                row);
    }

    @Override
    public CompletionStage<Void> free(RowChange row, long micros) {
        return unlessGone(
                row.table(),
                () -> {
                    Values values = new Values();
                    values.add(bytes(micros));
                    values.add(LockMark.free(micros));
                    return done(
                            values.of("UPDATE " + name(row.table()) + " USING TIMESTAMP ? SET " + SET_MARK
                                    + where(row.key(), values)),
                            row);
                },
                null);
    }

    /** @param gone what it is if there is no such table any more, or it has no marks */
    private <T extends @Nullable Object> CompletionStage<T> unlessGone(
            TableWrites table, Supplier<CompletionStage<T>> what, @Nullable T gone) {
        return orElse(what, failure -> PresentTable.of(session, table)
                .thenCompose(present -> present.hasMarks()
                        ? CompletableFuture.failedFuture(failure)
                        : CompletableFuture.completedFuture(gone)));
    }

    /** @param otherwise what is done if the first fails because of the table, perhaps */
    private static <T extends @Nullable Object> CompletionStage<T> orElse(
            Supplier<CompletionStage<T>> what, Function<Throwable, CompletionStage<T>> otherwise) {
        return guarded(what)
                .handle((done, failure) -> {
                    if (failure == null) {
                        return CompletableFuture.completedFuture(done);
                    }
                    Throwable cause = Stages.cause(failure);
                    return mayBeOfTable(cause) ? otherwise.apply(cause) : CompletableFuture.<T>failedFuture(cause);
                })
                .thenCompose(stage -> stage);
    }

    /** What the driver and its ordering say before they send anything is no DriverException. */
    private static boolean mayBeOfTable(Throwable failure) {
        return !(failure instanceof UnauthorizedException)
                && (failure instanceof QueryValidationException || !(failure instanceof DriverException));
    }

    private CompletionStage<Void> done(Cql cql, RowChange row) {
        return statements.plain(cql, row.table()).thenApply(written -> null);
    }

    @Override
    public boolean isMissingRight(Throwable failure) {
        return Stages.cause(failure) instanceof UnauthorizedException;
    }

    /** By {@code batch_size_fail_threshold}: the node has looked at nothing but the batch. */
    @Override
    public boolean isTooLarge(Throwable failure) {
        Throwable cause = Stages.cause(failure);
        return cause instanceof InvalidQueryException
                && String.valueOf(cause.getMessage()).contains("Batch too large");
    }

    // ---- parts of statements

    /** The values of a statement, in the order in which its text names them. */
    private static final class Values {

        private final List<@Nullable ByteBuffer> all = new ArrayList<>();

        void add(@Nullable ByteBuffer value) {
            all.add(value);
        }

        void addAll(Collection<? extends @Nullable ByteBuffer> values) {
            all.addAll(values);
        }

        Cql of(String text) {
            return new Cql(text, all);
        }
    }

    /**
     * @param table the names of its columns
     * @param mark a literal; null to leave the mark as it is
     */
    private static String insert(RowChange row, Values values, Collection<String> table, @Nullable String mark) {
        Map<String, @Nullable ByteBuffer> columns = allColumns(row, table);
        values.addAll(row.key().values());
        values.addAll(columns.values());
        List<String> all = new ArrayList<>(row.key().keySet());
        all.addAll(columns.keySet());
        return "INSERT INTO " + name(row.table()) + " (" + names(all) + (mark == null ? "" : ", " + RowMark.COLUMN)
                + ") VALUES (" + withoutComma("?, ".repeat(all.size())) + (mark == null ? "" : ", " + mark) + ")";
    }

    /** Returns all columns that are not of the key, without the mark, and with null for those that are not given. */
    private static Map<String, @Nullable ByteBuffer> allColumns(RowChange row, Collection<String> table) {
        Map<String, @Nullable ByteBuffer> columns = new LinkedHashMap<>();
        for (String column : table) {
            if (!column.equals(RowMark.COLUMN) && !row.key().containsKey(column)) {
                columns.put(column, row.values().get(column));
            }
        }
        // What the driver's view of the schema does not have yet, the server may.
        columns.putAll(row.values());
        return columns;
    }

    /** Returns the names of all columns; an exact table has no static ones. */
    private static List<String> columns(TableMetadata table) {
        return table.getColumns().keySet().stream()
                .map(CqlIdentifier::asInternal)
                .toList();
    }

    private TableMetadata metadata(TableWrites table) {
        return known(table)
                .orElseThrow(() -> new IllegalStateException(
                        "table " + table.name() + " of a transaction is not in the driver's view of the schema"));
    }

    private Optional<TableMetadata> known(TableWrites table) {
        return session.getMetadata()
                .getKeyspace(CqlIdentifier.fromInternal(table.keyspace()))
                .flatMap(keyspace -> keyspace.getTable(CqlIdentifier.fromInternal(table.table())));
    }

    private static String ifAsExpected(RowChange row, Values values) {
        // One that is expected is free.
        boolean isHeld = row.expected().containsKey(RowMark.COLUMN);
        StringBuilder condition = new StringBuilder(isHeld ? " IF " : " IF " + RowMark.IS_FREE);
        row.expected().forEach((column, value) -> {
            condition
                    .append(condition.length() == " IF ".length() ? "" : " AND ")
                    .append(Identifiers.toCql(column))
                    .append(" = ?");
            values.add(value);
        });
        return condition.toString();
    }

    /** Each assignment with a comma after it. */
    private static String set(Map<String, @Nullable ByteBuffer> columns, Values values) {
        StringBuilder set = new StringBuilder();
        columns.forEach((column, value) -> {
            set.append(Identifiers.toCql(column)).append(" = ?, ");
            values.add(value);
        });
        return set.toString();
    }

    private static String where(Map<String, ByteBuffer> key, Values values) {
        values.addAll(key.values());
        return key.keySet().stream()
                .map(column -> Identifiers.toCql(column) + " = ?")
                .collect(Collectors.joining(" AND ", " WHERE ", ""));
    }

    private static String withoutComma(String list) {
        return list.substring(0, list.length() - 2);
    }

    private static String names(Collection<String> columns) {
        return columns.stream().map(Identifiers::toCql).collect(Collectors.joining(", "));
    }

    private static String name(TableWrites table) {
        return Identifiers.toCql(table.keyspace()) + "." + Identifiers.toCql(table.table());
    }

    private static ByteBuffer bytes(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).flip();
    }

    private static Map<String, @Nullable ByteBuffer> first(List<Row> found) {
        return found.isEmpty() ? Map.of() : columns(found.get(0));
    }

    private static Map<String, @Nullable ByteBuffer> columns(Row row) {
        Map<String, @Nullable ByteBuffer> columns = new HashMap<>();
        for (ColumnDefinition column : row.getColumnDefinitions()) {
            String name = column.getName().asInternal();
            if (!name.equals(APPLIED)) {
                columns.put(name, row.getBytesUnsafe(column.getName()));
            }
        }
        return Collections.unmodifiableMap(columns);
    }

    private static <A, B> WriteOutcome<B> map(WriteOutcome<A> outcome, Function<A, B> found) {
        return outcome.then(
                WriteOutcome.Applied<B>::new,
                rows -> new WriteOutcome.Refused<>(found.apply(rows)),
                WriteOutcome.Unknown<B>::new);
    }

    /** What is thrown before anything is sent is a failure of the stage. */
    private static <T> CompletionStage<T> guarded(Supplier<CompletionStage<T>> what) {
        try {
            return what.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
