package dev.cassidy.migration.rows;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatementBuilder;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.codec.TypeCodec;
import dev.cassidy.definition.Reservations;
import dev.cassidy.definition.RowMark;
import dev.cassidy.definition.UniqueKey;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.jdbc.overlay.Overlay;
import dev.cassidy.jdbc.overlay.RowImage;
import dev.cassidy.jdbc.overlay.UniqueValue;
import dev.cassidy.jdbc.overlay.UniqueValues;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.error.Pause;
import dev.cassidy.migration.target.OpenTransactions;
import dev.cassidy.table.TableWrites;
import dev.cassidy.transaction.CommitResult;
import dev.cassidy.transaction.LockMark;
import dev.cassidy.transaction.RowChange;
import dev.cassidy.transaction.TransactionFailedException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a table with a UNIQUE that is kept, and their reservations, while applications write both. Everything is read at a
 * majority of those who decide the table's writes, and what a transaction holds counts as it stands.
 *
 * <p>Each write gives a row's mark a time of its own, by which two reads tell whether the row was written between them. So what was read
 * between them was there together with the row. Nothing is changed on the ground of a read alone: see {@link #mend} and {@link
 * #mendReservation}. Blocks. Safe for use by many threads.
 */
final class UniqueRows {

    /** How often a row is looked at that is written all the time, and how often it is tried to mend it. */
    private static final int MAX_LOOKS = 50;

    private static final Duration RETRY_FOR = Duration.ofMinutes(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(250);
    private static final int TOKEN_SIZE = 17;

    /** What no column of a table is called. */
    private static final String WRITTEN = RowMark.COLUMN + "_written";

    private final CqlSession session;
    private final OpenTransactions transactions;
    private final TableMetadata metadata;
    private final TableWrites writes;
    private final TableWrites reservations;
    private final UniqueKey key;
    private final UniqueValues values;
    private final Overlay.Table table;
    private final List<String> keyColumns;

    /** Those of the constraint that are not of the key. */
    private final List<String> columns;

    private final PreparedStatement readRow;
    private final PreparedStatement readReservation;
    private final PreparedStatement tagFree;
    private final PreparedStatement tagUnmarked;

    UniqueRows(
            CqlSession session,
            OpenTransactions transactions,
            TableMetadata metadata,
            TableWrites writes,
            UniqueKey key) {
        this.session = session;
        this.transactions = transactions;
        this.metadata = metadata;
        this.writes = writes;
        this.reservations =
                new TableWrites(writes.keyspace(), key.reservations().table(), writes.home(), null, false);
        this.key = key;
        this.keyColumns = metadata.getPrimaryKey().stream()
                .map(column -> column.getName().asInternal())
                .toList();
        this.columns = key.columns().stream()
                .filter(column -> !keyColumns.contains(column))
                .toList();
        Map<String, DataType> types = metadata.getColumns().values().stream()
                .collect(Collectors.toMap(column -> column.getName().asInternal(), ColumnMetadata::getType));
        this.values = new UniqueValues(
                List.of(key),
                keyColumns,
                types,
                session.getContext().getCodecRegistry(),
                session.getContext().getProtocolVersion());
        this.table =
                new Overlay.Table(writes, keyColumns, metadata.getPartitionKey().size(), types, values);
        this.readRow = prepare(selectRows()
                + keyColumns.stream()
                        .map(column -> Identifiers.toCql(column) + " = ?")
                        .collect(Collectors.joining(" AND ", " WHERE ", "")));
        this.readReservation = prepare(selectReservations() + " WHERE " + Reservations.VALUE + " = ?");
        String tag = "UPDATE " + name(reservations) + " SET " + RowMark.COLUMN + " = ? WHERE " + Reservations.VALUE
                + " = ? IF " + Reservations.ROW + " = ? AND ";
        this.tagFree = prepare(tag + RowMark.IS_FREE);
        this.tagUnmarked = prepare(tag + RowMark.COLUMN + " = null");
    }

    private PreparedStatement prepare(String cql) {
        return session.prepare(cql);
    }

    TableMetadata metadata() {
        return metadata;
    }

    UniqueKey key() {
        return key;
    }

    // ---- what is read

    /** Returns the query of all rows. */
    String selectRows() {
        Set<String> names = new LinkedHashSet<>(keyColumns);
        names.addAll(columns);
        names.add(RowMark.COLUMN);
        return names.stream().map(Identifiers::toCql).collect(Collectors.joining(", ", "SELECT ", ", ")) + "writetime("
                + RowMark.COLUMN + ") AS " + WRITTEN + " FROM " + name(writes);
    }

    /** Returns the query of all reservations. */
    String selectReservations() {
        return "SELECT " + Reservations.VALUE + ", " + Reservations.ROW + ", " + RowMark.COLUMN + ", writetime("
                + RowMark.COLUMN + ") AS " + WRITTEN + " FROM " + name(reservations);
    }

    private static String name(TableWrites table) {
        return Identifiers.toCql(table.keyspace()) + "." + Identifiers.toCql(table.table());
    }

    /** Returns a query of rows as it is sent. */
    Statement<?> ofRows(Statement<?> statement) {
        return transactions.ordered(statement.setIdempotent(true), writes);
    }

    /** Returns a query of reservations as it is sent. */
    Statement<?> ofReservations(Statement<?> statement) {
        return transactions.ordered(statement.setIdempotent(true), reservations);
    }

    /** Returns a query of the reservation of a value, as it is sent. */
    Statement<?> ofReservation(ByteBuffer value) {
        return ofReservations(readReservation.bind(value));
    }

    /**
     * Returns a query of the row that a reservation names, as it is sent.
     *
     * @return null if it names none
     */
    @Nullable
    Statement<?> ofHolder(Row reservation) {
        Map<String, ByteBuffer> holder = holder(reservation.getByteBuffer(Reservations.ROW));
        return holder == null ? null : ofRows(bound(readRow, holder));
    }

    private static BoundStatement bound(PreparedStatement statement, Map<String, ByteBuffer> key) {
        BoundStatementBuilder bound = statement.boundStatementBuilder();
        int at = 0;
        for (ByteBuffer part : key.values()) {
            bound = bound.setBytesUnsafe(at++, part);
        }
        return bound.build();
    }

    /**
     * A row as it stands, of either table.
     *
     * @param mark null if it has none: it was written past those who keep the constraint
     * @param micros when the mark was written
     */
    private record Seen(Row row, @Nullable ByteBuffer mark, long micros) {

        static Seen of(Row row) {
            ByteBuffer mark = row.getByteBuffer(RowMark.COLUMN);
            return new Seen(row, mark, mark == null ? 0 : row.getLong(WRITTEN));
        }

        /** Returns whether nobody has written it since. */
        boolean isSame(@Nullable Seen later) {
            return later != null && micros == later.micros && Objects.equals(mark, later.mark);
        }
    }

    private @Nullable Seen row(Map<String, ByteBuffer> rowKey) {
        return standing(ofRows(bound(readRow, rowKey)), writes, rowKey);
    }

    private @Nullable Seen reservation(ByteBuffer value) {
        return standing(ofReservation(value), reservations, Map.of(Reservations.VALUE, value));
    }

    /** Returns null if there is no row, or one that others are about to insert. */
    private @Nullable Seen standing(Statement<?> query, TableWrites of, Map<String, ByteBuffer> rowKey) {
        for (int looks = 0; ; looks++) {
            Row row = one(query);
            if (row == null) {
                return null;
            }
            Seen seen = Seen.of(row);
            ByteBuffer mark = seen.mark();
            if (mark == null || !LockMark.isLock(mark)) {
                return seen;
            }
            if (!transactions.isEnded(of, rowKey, mark)) {
                return LockMark.isPlaceholder(mark) ? null : seen;
            }
            if (looks >= MAX_LOOKS) {
                throw new MigrationException(
                        ExitCode.CASSANDRA,
                        "a row of table " + of.name() + " is held by one transaction after the other");
            }
        }
    }

    private @Nullable Row one(Statement<?> query) {
        long begun = System.nanoTime();
        for (int tries = 0; ; tries++) {
            try {
                return session.execute(query).one();
            } catch (DriverException e) {
                if (!RowWriter.mayHelpToRepeat(e) || System.nanoTime() - begun > RETRY_FOR.toNanos()) {
                    throw e;
                }
                pause(tries);
            }
        }
    }

    private static void pause(int tries) {
        Duration time = Duration.ofMillis(1L << Math.min(tries, 8));
        Pause.of(time.compareTo(LONGEST_PAUSE) < 0 ? time : LONGEST_PAUSE);
    }

    // ---- values and keys

    /** Returns a row's value as it is reserved; null if the constraint leaves the row out. */
    @Nullable
    ByteBuffer value(Row row) {
        List<UniqueValue> of = values.of(RowImage.of(row));
        return of.isEmpty() ? null : of.get(0).bytes();
    }

    /** Returns a row's key as a reservation has it. */
    ByteBuffer rowKey(Row row) {
        return values.rowKey(table.keyOf(RowImage.of(row)));
    }

    /** Returns the key of a row, column by column. */
    Map<String, ByteBuffer> keyOf(Row row) {
        Map<String, ByteBuffer> found = new LinkedHashMap<>();
        keyColumns.forEach(column -> found.put(column, Objects.requireNonNull(row.getBytesUnsafe(id(column)))));
        return found;
    }

    private static String id(String column) {
        return Identifiers.toCql(column);
    }

    private @Nullable Map<String, ByteBuffer> holder(@Nullable ByteBuffer reserved) {
        if (reserved == null) {
            return null;
        }
        List<Object> parts;
        try {
            parts = values.rowOf(reserved);
        } catch (RuntimeException e) {
            // Nobody who keeps the constraint has written that.
            return null;
        }
        Map<String, ByteBuffer> found = new LinkedHashMap<>();
        for (int i = 0; i < parts.size(); i++) {
            TypeCodec<Object> codec = session.getContext()
                    .getCodecRegistry()
                    .codecFor(metadata.getPrimaryKey().get(i).getType());
            found.put(
                    keyColumns.get(i),
                    Objects.requireNonNull(
                            codec.encode(parts.get(i), session.getContext().getProtocolVersion())));
        }
        return found;
    }

    /** Returns a key as CQL writes it. */
    private String shown(Map<String, ByteBuffer> rowKey) {
        StringBuilder text = new StringBuilder();
        for (ColumnMetadata column : metadata.getPrimaryKey()) {
            TypeCodec<Object> codec = session.getContext().getCodecRegistry().codecFor(column.getType());
            ByteBuffer part = rowKey.get(column.getName().asInternal());
            text.append(text.length() == 0 ? "" : ", ")
                    .append(column.getName().asCql(true))
                    .append('=')
                    .append(codec.format(codec.decode(part, session.getContext().getProtocolVersion())));
        }
        return text.toString();
    }

    // ---- what is judged

    /** What is wrong with a row or a reservation. */
    enum Fault {
        /** Nothing, as far as the constraint is concerned. */
        NONE,
        /** A row's value is not reserved. */
        UNRESERVED,
        /** A row's value is reserved for a row that does not have it. */
        MISNAMED,
        /** A reservation is for a row that does not have its value, or lacks its mark, so that nobody can change it. */
        ORPHAN,
        /** A row lacks its mark, so that no exact write finds it. */
        UNMARKED,
        /** Two rows have a value. */
        DUPLICATE,
        /** It is written all the time. */
        UNSETTLED
    }

    /**
     * What was found.
     *
     * @param shown the keys of the rows that it is about, as CQL writes them
     */
    record Judgement(Fault fault, String shown) {}

    private record Look(
            Fault fault,
            Map<String, ByteBuffer> rowKey,
            @Nullable Seen row,
            @Nullable Seen reservation) {}

    private Judgement judgement(Look look) {
        String of = shown(look.rowKey());
        Map<String, ByteBuffer> holder = look.fault() == Fault.DUPLICATE && look.reservation() != null
                ? holder(look.reservation().row().getByteBuffer(Reservations.ROW))
                : null;
        return new Judgement(look.fault(), holder == null ? of : shown(holder) + " and " + of + " have the same");
    }

    /** Looks at a row and its reservation. */
    Judgement judge(Map<String, ByteBuffer> rowKey) {
        return judgement(look(rowKey));
    }

    private Look look(Map<String, ByteBuffer> rowKey) {
        for (int looks = 0; looks < MAX_LOOKS; looks++) {
            Seen row = row(rowKey);
            ByteBuffer value = row == null ? null : value(row.row());
            if (row == null || value == null) {
                return new Look(Fault.NONE, rowKey, row, null);
            }
            if (row.mark() == null) {
                return new Look(Fault.UNMARKED, rowKey, row, null);
            }
            Seen reservation = reservation(value);
            Fault fault = fault(row, value, reservation);
            // What was read in between is of the same moment.
            boolean settled = fault == Fault.NONE
                    || ((fault != Fault.MISNAMED
                                    || Objects.requireNonNull(reservation).isSame(reservation(value)))
                            && row.isSame(row(rowKey)));
            if (settled) {
                return new Look(fault, rowKey, row, reservation);
            }
            pause(looks);
        }
        return new Look(Fault.UNSETTLED, rowKey, null, null);
    }

    private Fault fault(Seen row, ByteBuffer value, @Nullable Seen reservation) {
        if (reservation == null) {
            return Fault.UNRESERVED;
        }
        ByteBuffer reserved = reservation.row().getByteBuffer(Reservations.ROW);
        if (rowKey(row.row()).equals(reserved)) {
            return Fault.NONE;
        }
        return hasValue(holder(reserved), value) ? Fault.DUPLICATE : Fault.MISNAMED;
    }

    /** Returns whether a row is there and has a value, whether it has a mark or not. */
    private boolean hasValue(@Nullable Map<String, ByteBuffer> rowKey, ByteBuffer value) {
        Seen row = rowKey == null ? null : row(rowKey);
        return row != null && value.equals(value(row.row()));
    }

    /** Looks at a reservation and its row. */
    Judgement judgeReservation(ByteBuffer value) {
        for (int looks = 0; looks < MAX_LOOKS; looks++) {
            Seen reservation = reservation(value);
            if (reservation == null) {
                return new Judgement(Fault.NONE, "");
            }
            Map<String, ByteBuffer> holder = holder(reservation.row().getByteBuffer(Reservations.ROW));
            String shown = holder == null ? "no row" : shown(holder);
            if (hasValue(holder, value)) {
                return new Judgement(reservation.mark() == null ? Fault.ORPHAN : Fault.NONE, shown);
            }
            if (reservation.isSame(reservation(value))) {
                return new Judgement(Fault.ORPHAN, shown);
            }
            pause(looks);
        }
        return new Judgement(Fault.UNSETTLED, "a reservation");
    }

    // ---- what is mended

    /**
     * Makes the reservation of a row's value, in a transaction in which the row is still as it was read. One that names another row changes
     * hands only if that row does not have the value, which is read after the reservation was given a token of its own: whoever else writes
     * it takes the token away, and nobody gives the value to a row without a change of its reservation.
     *
     * @return what it had found, if that is mended now; or what cannot be mended
     */
    Mended mend(Map<String, ByteBuffer> rowKey) {
        Fault mended = Fault.NONE;
        for (int tries = 0; tries < MAX_LOOKS; tries++) {
            Look look = look(rowKey);
            if (look.row() == null || (look.fault() != Fault.UNRESERVED && look.fault() != Fault.MISNAMED)) {
                return new Mended(
                        look.fault() == Fault.NONE ? mended : look.fault(),
                        look.fault() == Fault.NONE,
                        judgement(look));
            }
            CommitResult result = reserve(look.row(), look.reservation());
            if (result instanceof CommitResult.Committed) {
                return new Mended(look.fault(), true, judgement(look));
            }
            if (result instanceof CommitResult.InDoubt) {
                mended = look.fault();
            }
            pause(tries);
        }
        return new Mended(Fault.UNSETTLED, false, new Judgement(Fault.UNSETTLED, shown(rowKey)));
    }

    /**
     * What was done.
     *
     * @param fault what was found
     * @param done whether there is nothing wrong any more
     */
    record Mended(Fault fault, boolean done, Judgement judgement) {}

    /** @return null if others were faster, or nothing was written because of an error that may pass */
    private @Nullable CommitResult reserve(Seen row, @Nullable Seen reservation) {
        ByteBuffer value = Objects.requireNonNull(value(row.row()));
        RowChange stays = new RowChange(
                writes,
                keyOf(row.row()),
                metadata.getPartitionKey().size(),
                bytes(row.row(), columns),
                RowChange.Kind.CHECK,
                Map.of());
        Map<String, @Nullable ByteBuffer> named = Map.of(Reservations.ROW, rowKey(row.row()));
        if (reservation == null) {
            return commit(List.of(stays, ofReservation(value, Map.of(), RowChange.Kind.INSERT, named)));
        }
        Map<String, @Nullable ByteBuffer> tagged = tag(value, reservation);
        return tagged == null || hasValue(holder(reservation.row().getByteBuffer(Reservations.ROW)), value)
                ? null
                : commit(List.of(stays, ofReservation(value, tagged, RowChange.Kind.UPDATE, named)));
    }

    private Map<String, @Nullable ByteBuffer> bytes(Row row, List<String> of) {
        Map<String, @Nullable ByteBuffer> bytes = new LinkedHashMap<>();
        of.forEach(column -> bytes.put(column, row.getBytesUnsafe(id(column))));
        return bytes;
    }

    private RowChange ofReservation(
            ByteBuffer value,
            Map<String, @Nullable ByteBuffer> expected,
            RowChange.Kind kind,
            Map<String, @Nullable ByteBuffer> then) {
        return new RowChange(reservations, Map.of(Reservations.VALUE, value), 1, expected, kind, then);
    }

    /** Removes a reservation whose row does not have the value, as {@link #mend} gives one to another row. */
    Mended mendReservation(ByteBuffer value) {
        Judgement found = judgeReservation(value);
        Fault mended = Fault.NONE;
        for (int tries = 0; tries < MAX_LOOKS; tries++) {
            if (found.fault() != Fault.ORPHAN) {
                return new Mended(
                        found.fault() == Fault.NONE ? mended : found.fault(), found.fault() == Fault.NONE, found);
            }
            Seen reservation = reservation(value);
            Map<String, @Nullable ByteBuffer> tagged = reservation == null ? null : tag(value, reservation);
            if (reservation != null && tagged != null) {
                boolean names = hasValue(holder(tagged.get(Reservations.ROW)), value);
                if (names && reservation.mark() == null) {
                    return new Mended(Fault.ORPHAN, true, found);
                }
                CommitResult result =
                        names ? null : commit(List.of(ofReservation(value, tagged, RowChange.Kind.DELETE, Map.of())));
                if (result instanceof CommitResult.Committed) {
                    return new Mended(Fault.ORPHAN, true, found);
                }
                if (result instanceof CommitResult.InDoubt) {
                    mended = Fault.ORPHAN;
                }
            }
            pause(tries);
            found = judgeReservation(value);
        }
        return new Mended(Fault.UNSETTLED, false, found);
    }

    /**
     * Gives a reservation a mark that is free and nobody else's.
     *
     * @return what it is expected to be from now on, until somebody writes it; null if it is not as it was
     */
    private @Nullable Map<String, @Nullable ByteBuffer> tag(ByteBuffer value, Seen reservation) {
        UUID random = UUID.randomUUID();
        ByteBuffer token = ByteBuffer.allocate(TOKEN_SIZE)
                .put((byte) 0xff)
                .putLong(random.getMostSignificantBits())
                .putLong(random.getLeastSignificantBits())
                .flip();
        ByteBuffer row = reservation.row().getByteBuffer(Reservations.ROW);
        PreparedStatement tag = reservation.mark() == null ? tagUnmarked : tagFree;
        try {
            boolean applied = session.execute(
                            transactions.ordered(tag.bind(token, value, row).setIdempotent(false), reservations))
                    .wasApplied();
            if (!applied) {
                return null;
            }
        } catch (DriverException e) {
            if (!RowWriter.mayHelpToRepeat(e)) {
                throw e;
            }
            // If it was applied, it harms nobody.
            return null;
        }
        Map<String, @Nullable ByteBuffer> expected = new LinkedHashMap<>();
        expected.put(Reservations.ROW, row);
        expected.put(RowMark.COLUMN, token);
        return expected;
    }

    private @Nullable CommitResult commit(List<RowChange> changes) {
        try {
            return transactions.commit(new ArrayList<>(changes));
        } catch (TransactionFailedException e) {
            if (e.getCause() instanceof DriverException failed && RowWriter.mayHelpToRepeat(failed)) {
                return null;
            }
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }
}
