package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatementBuilder;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.TypeCodec;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import dev.cassidy.async.Stages;
import dev.cassidy.definition.CountMark;
import dev.cassidy.definition.Reservations;
import dev.cassidy.definition.RowMark;
import dev.cassidy.definition.Twin;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.jdbc.error.SameError;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.overlay.Overlay;
import dev.cassidy.jdbc.overlay.PendingRow;
import dev.cassidy.jdbc.overlay.RowImage;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.table.TableWrites;
import dev.cassidy.transaction.CommitResult;
import dev.cassidy.transaction.Deadline;
import dev.cassidy.transaction.LockMark;
import dev.cassidy.transaction.RowChange;
import dev.cassidy.transaction.TransactionFailedException;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.sql.SQLNonTransientException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransactionRollbackException;
import java.sql.SQLTransientConnectionException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Commits the rows of exact tables that a transaction has written. */
final class ExactCommit {

    private static final int MAX_TRIES = 20;
    private static final long LONGEST_WAIT_MILLIS = 250;

    /** How many times the limit of one request a commit may take, and for how many of its rows once more. */
    private static final int REQUESTS = 6;

    private static final int ROWS_OF_REQUEST = 25;
    private static final Duration LONGEST_REQUEST = Duration.ofDays(1);

    private final SharedSession session;
    private final Cancellation cancellation;
    private final @Nullable Duration timeout;
    private final ExactRows rows;
    private final BooleanSupplier declaredAnew;
    private final Set<UUID> counted;
    private final LongSupplier nanoTime;

    /** What this transaction's own tries have left in rows that they had locked. */
    private final Set<ByteBuffer> ownMarks = new HashSet<>();

    /**
     * @param declaredAnew asks whether something else is declared of a table than that by which its changes were judged; once that is
     *     so, nothing more is locked, and nothing is written
     * @param counted the ids of rows to whose columns the transaction adds
     */
    ExactCommit(
            SharedSession session,
            Binder binder,
            Cancellation cancellation,
            BooleanSupplier declaredAnew,
            Set<UUID> counted) {
        this(session, binder, cancellation, declaredAnew, counted, System::nanoTime);
    }

    private ExactCommit(
            SharedSession session,
            Binder binder,
            Cancellation cancellation,
            BooleanSupplier declaredAnew,
            Set<UUID> counted,
            LongSupplier nanoTime) {
        this.declaredAnew = declaredAnew;
        this.counted = counted;
        this.session = session;
        this.cancellation = cancellation;
        this.timeout = binder.timeout();
        this.rows = new ExactRows(session, session.tables(), binder, cancellation);
        this.nanoTime = nanoTime;
    }

    /**
     * Returns how long a commit of so many rows may take before it is decided: longer than nodes that answer and others that hold its rows
     * should keep it. Requests have their own limit, so this one only ends what would go on with others.
     */
    private Duration limit(int rows) {
        Duration request = timeout == null
                ? session.plain()
                        .getContext()
                        .getConfig()
                        .getDefaultProfile()
                        .getDuration(DefaultDriverOption.REQUEST_TIMEOUT)
                : timeout;
        // A time of years is no time in nanoseconds.
        Duration longest = request.compareTo(LONGEST_REQUEST) < 0 ? request : LONGEST_REQUEST;
        return longest.multipliedBy(REQUESTS).plus(longest.multipliedBy(rows).dividedBy(ROWS_OF_REQUEST));
    }

    /** Returns whether nothing but rows was inserted whose ids were drawn for them: a logged batch writes them all, or none. */
    static boolean isFreshAlone(List<PendingRow> rows) {
        return rows.stream().allMatch(row -> row.isNothing() || row.fresh() != null);
    }

    private static boolean isReservation(RowChange row) {
        return Reservations.isOne(row.table().table());
    }

    /**
     * Commits.
     *
     * @param additions what the transaction adds to columns that count
     * @return a warning, if the rows are committed and not all of them are written yet; otherwise null
     * @throws SQLTransactionRollbackException if others have changed a row meanwhile; nothing was written
     * @throws SQLTimeoutException if it is not known whether the transaction is committed
     */
    @Nullable
    String commit(Overlay overlay, List<RowChange> additions) throws SQLException {
        requireOneOrder(overlay.all());
        Deadline time = Deadline.after(limit(overlay.size()).toNanos(), nanoTime);
        Deadline deadline = () -> declaredAnew.getAsBoolean() || time.isOver();
        CommitResult result = once(overlay, additions, deadline);
        for (int tries = 1; tries < MAX_TRIES && result instanceof CommitResult.Conflict conflict; tries++) {
            if (deadline.isOver() || !mayTryAgain(conflict, overlay, deadline)) {
                break;
            }
            pause(tries);
            result = once(overlay, additions, deadline);
        }
        if (result instanceof CommitResult.Conflict conflict) {
            throw declaredAnew.getAsBoolean() ? JudgedTable.changed() : conflict(conflict, overlay);
        }
        if (result instanceof CommitResult.InDoubt doubt) {
            throw doubt(doubt, overlay.isEmpty());
        }
        CommitResult.Committed committed = (CommitResult.Committed) result;
        return committed.complete()
                ? null
                : "transaction " + committed.id()
                        + " is committed, and not every node has taken its rows: whoever meets one of"
                        + " them writes the others";
    }

    /**
     * Returns whether the transaction, of which nothing was written, may be committed after all. SQL Server would have let a statement
     * wait for the others: it is run again on what they have left. That is the same to the application if all counts are the same,
     * and it has seen nothing of the rows but these.
     */
    private boolean mayTryAgain(CommitResult.Conflict conflict, Overlay overlay, Deadline deadline)
            throws SQLException {
        boolean holdsOn = conflict.id() != null && isHeldOn(LockMark.free(conflict.id()), overlay, conflict.row());
        return switch (conflict.reason()) {
            case HELD, ABORTED -> true;
            case CHANGED -> holdsOn || isReplayed(conflict.row(), overlay);
            // It has moved with its row, and the row's statements run again.
            case MISSING ->
                isReservation(conflict.row())
                        && (isReservedNow(conflict.row(), overlay, deadline) || isReplayed(conflict.row(), overlay));
            case EXISTS, LATE -> false;
        };
    }

    /**
     * A try that was aborted has left its own mark in the rows that it had locked. Its lock was taken under the mark that the transaction
     * holds the row by, and nothing came in between: so the transaction goes on holding the row by that mark.
     *
     * @return whether this row is one of them
     */
    private boolean isHeldOn(ByteBuffer left, Overlay overlay, RowChange refused) throws SQLException {
        ownMarks.add(left);
        boolean found = false;
        for (Overlay.Keyed each : overlay.keyed()) {
            PendingRow row = each.row();
            if (row.held() == null) {
                continue;
            }
            RowImage there = rows.image(row.writes(), each.key());
            Object mark = there == null ? null : there.value(RowMark.COLUMN);
            if (mark instanceof ByteBuffer now && !now.equals(row.held()) && ownMarks.contains(now)) {
                found |= change(row, overlay).isOfSameRow(refused);
                overlay.hold(row.writes(), each.key(), now);
            }
        }
        return found;
    }

    /** @param changed the row that others have changed */
    private boolean isReplayed(RowChange changed, Overlay overlay) throws SQLException {
        CodecRegistry codecs = session.plain().getContext().getCodecRegistry();
        for (Overlay.Keyed each : overlay.keyed()) {
            PendingRow row = each.row();
            if (!row.isReplayable() && !row.isNothing() && dependsOn(row, changed, overlay)) {
                return false;
            }
            if (row.isReplayable()) {
                RowImage now = rows.image(row.writes(), each.key());
                if (countsForAnother(row.before(), now)
                        || !overlay.replay(rows.table(row.writes()), each.key(), now, codecs)) {
                    return false;
                }
            }
        }
        // Run again, their statements may have given them other values.
        new Uniques(rows).requireOneHolderEach(overlay);
        return true;
    }

    /** What the transaction adds to a row stays with that row, also if another one is in its place by now. */
    private boolean countsForAnother(@Nullable RowImage before, @Nullable RowImage now) {
        return counts(before) && !counts(now);
    }

    private boolean counts(@Nullable RowImage row) {
        return row != null && row.value(CountMark.COLUMN) instanceof UUID id && counted.contains(id);
    }

    /** A reservation moves with the row that had the value before. */
    private boolean dependsOn(PendingRow row, RowChange changed, Overlay overlay) {
        return isReservation(changed)
                ? row.before() != null
                        && !overlay.table(row.writes(), rows::table).uniques().isEmpty()
                : change(row, overlay).isOfSameRow(changed);
    }

    /** At a random time, so that those that collided do not collide again. */
    private void pause(int tries) throws SQLException {
        long millis = ThreadLocalRandom.current().nextLong(Math.min(LONGEST_WAIT_MILLIS, 4L << tries) + 1);
        cancellation.pause(millis, Cancellation.NOTHING_SENT);
    }

    private CommitResult once(Overlay overlay, List<RowChange> additions, Deadline deadline) throws SQLException {
        List<RowChange> changes = new ArrayList<>();
        for (PendingRow row : overlay.all()) {
            if (!row.isNothing()) {
                changes.add(change(row, overlay));
            }
        }
        changes.addAll(new Uniques(rows).changes(overlay));
        changes.addAll(additions);
        return commit(changes, deadline);
    }

    /**
     * Reserves the value of a row, as it was, while not every row has its reservation. The row is as the transaction has read it then, so
     * that nothing has to run again.
     */
    private boolean isReservedNow(RowChange missed, Overlay overlay, Deadline deadline) throws SQLException {
        Uniques.Unreserved found = new Uniques(rows).unreserved(overlay, missed).orElse(null);
        if (found == null) {
            return false;
        }
        PendingRow row = found.row().row();
        TableMetadata table = rows.metadata(row.writes());
        RowImage before = Objects.requireNonNull(row.before());
        Map<String, ByteBuffer> key = key(table, before);
        Map<String, @Nullable ByteBuffer> expected = new LinkedHashMap<>();
        if (row.held() != null) {
            expected.put(RowMark.COLUMN, row.held());
        }
        for (ColumnMetadata column : table.getColumns().values()) {
            String name = column.getName().asInternal();
            if (found.columns().contains(name) && !key.containsKey(name)) {
                expected.put(name, encoded(column, before.value(name)));
            }
        }
        RowChange stays = new RowChange(
                row.writes(), key, table.getPartitionKey().size(), expected, RowChange.Kind.CHECK, Map.of());
        CommitResult result = commit(List.of(stays, found.reservation()), deadline);
        if (!(result instanceof CommitResult.Committed committed)) {
            return false;
        }
        if (row.held() != null) {
            Long micros = committed.micros().entrySet().stream()
                    .filter(each -> each.getKey().isOfSameRow(stays))
                    .map(Map.Entry::getValue)
                    .findFirst()
                    .orElse(null);
            if (micros == null) {
                return false;
            }
            overlay.hold(row.writes(), found.row().key(), LockMark.free(micros));
        }
        return true;
    }

    private CommitResult commit(List<RowChange> changes, Deadline deadline) throws SQLException {
        return cancellation.await(
                session.transactions()
                        .commit(changes, deadline)
                        .exceptionallyCompose(failure -> CompletableFuture.failedStage(failed(failure))),
                Cancellation.OUTCOME_UNKNOWN);
    }

    /** Certainly nothing was written. */
    private static SQLException failed(Throwable failure) {
        Throwable told = Stages.cause(failure);
        Throwable cause = told instanceof TransactionFailedException ? told.getCause() : told;
        if (cause == null) {
            return new SQLNonTransientException(told.getMessage(), SqlStates.TOO_LARGE, told);
        }
        SQLException error = SqlErrors.of(cause);
        return error instanceof SQLTransientException || error instanceof SQLTransientConnectionException
                ? new SQLTransactionRollbackException(
                        "The transaction was rolled back, and nothing was written: " + SqlErrors.brief(cause) + "."
                                + " Run it again",
                        SqlStates.CONFLICT,
                        error)
                : error;
    }

    private SQLException conflict(CommitResult.Conflict conflict, Overlay overlay) throws SQLException {
        RowChange row = conflict.row();
        if (conflict.reason() == CommitResult.Reason.MISSING || conflict.reason() == CommitResult.Reason.CHANGED) {
            Optional<SQLException> unreserved = isReservation(row)
                    ? new Uniques(rows).unreserved(overlay, row, session.commandLines())
                    : Optional.empty();
            if (unreserved.isPresent()) {
                return unreserved.get();
            }
        }
        if (conflict.reason() == CommitResult.Reason.EXISTS) {
            SQLException taken = new Uniques(rows).taken(overlay, row).orElse(null);
            return SameError.andAlso(
                    taken == null ? SqlServerErrors.duplicate(row.table().name(), shownKey(row)) : taken,
                    "The transaction was rolled back");
        }
        String limit = conflict.reason() == CommitResult.Reason.LATE
                ? " (after " + limit(overlay.size()).toMillis() + " ms: " + REQUESTS
                        + " times the limit of a request, and that of one for each " + ROWS_OF_REQUEST + " rows)"
                : "";
        return SqlServerErrors.deadlock("The transaction was rolled back, and nothing was written: " + conflict.why()
                + limit + ". Run it again");
    }

    /** As literals, which are recognised where messages may not show values. */
    private String shownKey(RowChange row) throws SQLException {
        CqlInsert.Table table =
                new CqlInsert.Table(row.table().keyspace(), row.table().table());
        Map<String, DataType> types = session.tables().types(table);
        List<String> shown = new ArrayList<>();
        row.key().forEach((stored, key) -> {
            String column = Twin.original(stored);
            // A twin's column has the value as it is written.
            ByteBuffer bytes = Objects.requireNonNullElse(row.values().get(column), key);
            TypeCodec<Object> codec = session.plain()
                    .getContext()
                    .getCodecRegistry()
                    // A table that was dropped meanwhile has no types.
                    .codecFor(types.getOrDefault(column, DataTypes.BLOB));
            Object value =
                    codec.decode(bytes.duplicate(), session.plain().getContext().getProtocolVersion());
            shown.add(column + "=" + codec.format(value));
        });
        return String.join(", ", shown);
    }

    private static SQLException doubt(CommitResult.InDoubt doubt, boolean onlyAdds) {
        if (onlyAdds) {
            return new SQLTimeoutException(
                    "It is not known whether what the transaction adds to columns that count counts: all of it does, or nothing. Do"
                            + " not run it again: it might count twice",
                    SqlStates.TIMEOUT,
                    doubt.cause());
        }
        return new SQLTimeoutException(
                "It is not known whether the transaction was committed: all of its rows are written, or none. "
                        + (doubt.id() == null
                                ? "Read them to find out"
                                : "cassidy transactions status " + doubt.id() + " tells which"),
                SqlStates.TIMEOUT,
                doubt.cause());
    }

    /** Two orders have no moment in common at which all rows are locked. */
    private static void requireOneOrder(List<PendingRow> rows) throws SQLException {
        Map<String, TableWrites> homes = new LinkedHashMap<>();
        for (PendingRow row : rows) {
            homes.putIfAbsent(row.writes().home(), row.writes());
        }
        if (homes.size() > 1) {
            throw Unserved.feature(
                    "One transaction over tables that are written by different datacenters is not served: "
                            + homes.values().stream()
                                    .map(writes -> writes.name() + " " + writes.deciders())
                                    .collect(Collectors.joining(", "))
                            + ". Nothing was written; give each a transaction of its own");
        }
    }

    // ---- changes

    private Map<String, ByteBuffer> key(TableMetadata table, RowImage row) {
        Map<String, ByteBuffer> key = new LinkedHashMap<>();
        for (ColumnMetadata column : table.getPrimaryKey()) {
            String name = column.getName().asInternal();
            key.put(name, Objects.requireNonNull(encoded(column, row.value(name))));
        }
        return key;
    }

    private RowChange change(PendingRow row, Overlay overlay) {
        TableMetadata table = rows.metadata(row.writes());
        Set<String> relied = new HashSet<>(row.relied());
        relied.addAll(Uniques.relied(row, overlay.table(row.writes(), rows::table)));
        RowImage before = row.before();
        if (counts(before)) {
            // What is written and what is counted is of the same row.
            relied.add(CountMark.COLUMN);
        }
        RowImage now = row.now();
        Map<String, ByteBuffer> key = key(table, Objects.requireNonNull(now == null ? before : now));
        RowChange.Kind kind = kind(row);
        Map<String, @Nullable ByteBuffer> expected = new LinkedHashMap<>();
        Map<String, @Nullable ByteBuffer> values = new LinkedHashMap<>();
        if (row.held() != null) {
            expected.put(RowMark.COLUMN, row.held());
        }
        for (ColumnMetadata column : table.getColumns().values()) {
            String name = column.getName().asInternal();
            if (key.containsKey(name) || name.equals(RowMark.COLUMN)) {
                continue;
            }
            if (before != null && relied.contains(name)) {
                expected.put(name, encoded(column, before.value(name)));
            }
            Object then = now == null ? null : now.value(name);
            boolean written = kind == RowChange.Kind.UPDATE
                    ? before != null && row.assigned().contains(name)
                    : kind != RowChange.Kind.DELETE && kind != RowChange.Kind.CHECK && then != null;
            if (written) {
                values.put(name, encoded(column, then));
            }
        }
        return new RowChange(row.writes(), key, table.getPartitionKey().size(), expected, kind, values);
    }

    private static RowChange.Kind kind(PendingRow row) {
        if (row.before() == null) {
            return row.fresh() == null ? RowChange.Kind.INSERT : RowChange.Kind.FRESH;
        }
        if (row.now() == null) {
            return RowChange.Kind.DELETE;
        }
        if (row.replaced()) {
            return RowChange.Kind.REPLACE;
        }
        return row.assigned().isEmpty() ? RowChange.Kind.CHECK : RowChange.Kind.UPDATE;
    }

    private @Nullable ByteBuffer encoded(ColumnMetadata column, @Nullable Object value) {
        TypeCodec<Object> codec =
                session.plain().getContext().getCodecRegistry().codecFor(column.getType());
        return value == null
                ? null
                : codec.encode(value, session.plain().getContext().getProtocolVersion());
    }

    // ---- rows of drawn ids

    /** Returns the inserts of rows whose ids were drawn for them, with the values that they have now. */
    List<BatchableStatement<?>> freshInserts(List<PendingRow> rows) throws SQLException {
        List<BatchableStatement<?>> inserts = new ArrayList<>();
        for (PendingRow row : rows) {
            BatchableStatement<?> fresh = row.fresh();
            if (fresh != null && row.now() != null) {
                inserts.add(row.changed() ? changed(row, row.now(), fresh) : fresh);
            }
        }
        return inserts;
    }

    private BatchableStatement<?> changed(PendingRow row, RowImage now, BatchableStatement<?> fresh)
            throws SQLException {
        CqlSession plain = session.plain();
        TableMetadata table = rows.metadata(row.writes());
        List<ColumnMetadata> columns = table.getColumns().values().stream()
                .filter(column -> now.value(column.getName().asInternal()) != null)
                .toList();
        String insert = "INSERT INTO " + Identifiers.toCql(row.writes().keyspace()) + "."
                + Identifiers.toCql(row.writes().table()) + " ("
                + columns.stream()
                        .map(column -> Identifiers.toCql(column.getName().asInternal()) + ", ")
                        .collect(Collectors.joining())
                + RowMark.COLUMN + ") VALUES (" + "?, ".repeat(columns.size()) + RowMark.FREE
                // A batch has no time for each of its statements.
                + ") USING TIMESTAMP " + RowMark.FRESH_MICROS;
        BoundStatementBuilder bound =
                cancellation.awaitPrepared(plain.prepareAsync(insert), timeout).boundStatementBuilder();
        for (int i = 0; i < columns.size(); i++) {
            bound = bound.setBytesUnsafe(
                    i,
                    encoded(columns.get(i), now.value(columns.get(i).getName().asInternal())));
        }
        return bound.setConsistencyLevel(fresh.getConsistencyLevel())
                .setQueryTimestamp(RowMark.FRESH_MICROS)
                .build();
    }
}
