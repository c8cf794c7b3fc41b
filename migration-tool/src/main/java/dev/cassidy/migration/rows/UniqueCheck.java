package dev.cassidy.migration.rows;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import dev.cassidy.definition.Reservations;
import dev.cassidy.definition.RowMark;
import dev.cassidy.definition.UniqueKey;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.rows.UniqueRows.Fault;
import dev.cassidy.migration.rows.UniqueRows.Judgement;
import dev.cassidy.migration.rows.UniqueRows.Mended;
import dev.cassidy.migration.target.OpenTransactions;
import dev.cassidy.table.TableWrites;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Holds all rows of a table against the reservations of a UNIQUE, and all reservations against the rows; and mends what differs, if that
 * is wanted. Applications may write meanwhile. It keeps nothing of what it has read, so a table of any size takes the same memory.
 */
public final class UniqueCheck {

    private static final int PAGE = 1_000;

    /** How many look-ups one reader has under way. */
    private static final int AT_ONCE = 16;

    private static final Duration RETRY_FOR = Duration.ofMinutes(1);
    private static final long PAUSE_MILLIS = 200;

    /**
     * What was found of one kind.
     *
     * @param count of rows or reservations
     * @param examples keys of rows, as CQL writes them
     */
    public record Found(long count, List<String> examples) {

        static final Found NOTHING = new Found(0, List.of());

        public Found {
            examples = List.copyOf(examples);
        }

        /** Returns the examples, and dots if there are more. */
        public String shown() {
            return String.join("; ", examples) + (count > examples.size() ? "; ..." : "");
        }
    }

    /**
     * What was found; in a run that mends, of the rest what is mended now.
     *
     * @param rows how many were read
     * @param reservations how many were read
     * @param unreserved rows without a reservation
     * @param misnamed rows whose reservation names another row, which does not have the value
     * @param orphans reservations of rows that do not have the value, and those that nobody can change
     * @param duplicates rows whose value another row has reserved, and has
     * @param unmarked rows that no exact write finds, or whose bytes are no values
     * @param unsettled what others wrote all the time
     */
    public record Result(
            long rows,
            long reservations,
            Found unreserved,
            Found misnamed,
            Found orphans,
            Found duplicates,
            Found unmarked,
            Found unsettled) {

        /** Returns whether some rows are not as the constraint wants them, and nobody but their owner can tell what they should be. */
        public boolean isBroken() {
            return duplicates.count() + unmarked.count() + unsettled.count() > 0;
        }

        /** Returns whether rows and reservations differ in what can be mended. */
        public boolean isToBeMended() {
            return unreserved.count() + misnamed.count() + orphans.count() > 0;
        }
    }

    private final CqlSession session;
    private final int readers;
    private final UniqueRows rows;
    private final boolean mends;
    private final LongConsumer progress;
    private final LongAdder rowsRead = new LongAdder();
    private final LongAdder reservationsRead = new LongAdder();
    private final Map<Fault, FoundTally> tallies = new EnumMap<>(Fault.class);

    private UniqueCheck(CqlSession session, int readers, UniqueRows rows, boolean mends, LongConsumer progress) {
        this.session = session;
        this.readers = readers;
        this.rows = rows;
        this.mends = mends;
        this.progress = progress;
        for (Fault each : Fault.values()) {
            tallies.put(each, new FoundTally());
        }
    }

    /**
     * Reads both tables, which must exist.
     *
     * @param writes how the table is written
     * @param mends whether reservations are made, given to the rows that have their values, or removed. Rows are never changed
     * @param progress takes the number of further rows and reservations that were read; called by several threads
     * @throws DriverException if something cannot be read or written
     */
    public static Result run(
            CqlSession session,
            OpenTransactions transactions,
            TableMetadata table,
            TableWrites writes,
            UniqueKey key,
            int readers,
            boolean mends,
            LongConsumer progress)
            throws InterruptedException {
        UniqueRows rows = new UniqueRows(session, transactions, table, writes, key);
        return new UniqueCheck(session, readers, rows, mends, progress).run();
    }

    private Result run() throws InterruptedException {
        TableMetadata table = rows.metadata();
        // Rows first: a reservation that names the wrong one of two is given to the other, and not removed.
        scan(rows.selectRows(), table, false);
        scan(
                rows.selectReservations(),
                session.getMetadata()
                        .getKeyspace(table.getKeyspace())
                        .flatMap(keyspace ->
                                keyspace.getTable(rows.key().reservations().table()))
                        .orElseThrow(),
                true);
        return new Result(
                rowsRead.sum(),
                reservationsRead.sum(),
                found(Fault.UNRESERVED),
                found(Fault.MISNAMED),
                found(Fault.ORPHAN),
                found(Fault.DUPLICATE),
                found(Fault.UNMARKED),
                found(Fault.UNSETTLED));
    }

    private Found found(Fault fault) {
        return Objects.requireNonNull(tallies.get(fault)).found();
    }

    // ---- pages

    private void scan(String query, TableMetadata of, boolean areReservations) throws InterruptedException {
        RingPieces ring = new RingPieces(session, readers);
        PreparedStatement select = session.prepare(query + ring.where(of));
        try {
            ring.read(piece -> {
                piece(piece.bind(select).setPageSize(PAGE), areReservations);
                return "";
            });
        } catch (ExecutionException e) {
            if (e.getCause() instanceof DriverException || e.getCause() instanceof MigrationException) {
                throw (RuntimeException) e.getCause();
            }
            throw new IllegalStateException("cannot read " + of.getName(), e.getCause());
        }
    }

    private void piece(Statement<?> select, boolean areReservations) throws InterruptedException {
        ByteBuffer state = null;
        do {
            Statement<?> next = select.setPagingState(state);
            AsyncResultSet page = page(areReservations ? rows.ofReservations(next) : rows.ofRows(next));
            List<Row> read = new ArrayList<>();
            page.currentPage().forEach(read::add);
            for (int from = 0; from < read.size(); from += AT_ONCE) {
                List<Row> some = read.subList(from, Math.min(read.size(), from + AT_ONCE));
                if (areReservations) {
                    reservations(some);
                } else {
                    rows(some);
                }
            }
            (areReservations ? reservationsRead : rowsRead).add(read.size());
            progress.accept(read.size());
            state = page.getExecutionInfo().getPagingState();
        } while (state != null);
    }

    /** Reads a page, again if it fails: so no row of an earlier page comes twice. */
    private AsyncResultSet page(Statement<?> select) throws InterruptedException {
        long begun = System.nanoTime();
        while (true) {
            try {
                return session.executeAsync(select).toCompletableFuture().get();
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof DriverException failed)) {
                    throw new IllegalStateException("cannot read rows", e.getCause());
                }
                if (!RowWriter.mayHelpToRepeat(failed) || System.nanoTime() - begun > RETRY_FOR.toNanos()) {
                    throw failed;
                }
                Thread.sleep(PAUSE_MILLIS);
            }
        }
    }

    /** Sends look-ups at the same time; a row is null that was not found, or could not be read. */
    private List<@Nullable Row> lookUp(List<? extends @Nullable Statement<?>> queries) throws InterruptedException {
        List<@Nullable CompletionStage<AsyncResultSet>> sent = new ArrayList<>();
        for (Statement<?> query : queries) {
            sent.add(query == null ? null : session.executeAsync(query));
        }
        List<@Nullable Row> found = new ArrayList<>();
        for (CompletionStage<AsyncResultSet> each : sent) {
            try {
                found.add(each == null ? null : each.toCompletableFuture().get().one());
            } catch (ExecutionException e) {
                Throwable cause = Objects.requireNonNull(e.getCause());
                if (!RowWriter.mayHelpToRepeat(cause)) {
                    throw cause instanceof DriverException failed ? failed : new IllegalStateException(e);
                }
                // It is read again, alone.
                found.add(null);
            }
        }
        return found;
    }

    // ---- rows and reservations

    /** What agrees at the first look needs no other: the others are looked at in the order that tells. */
    private void rows(List<Row> some) throws InterruptedException {
        List<@Nullable ByteBuffer> values = new ArrayList<>();
        List<@Nullable Statement<?>> queries = new ArrayList<>();
        for (Row row : some) {
            ByteBuffer value = value(row);
            values.add(value);
            queries.add(value == null ? null : rows.ofReservation(value));
        }
        List<@Nullable Row> reservations = lookUp(queries);
        for (int i = 0; i < some.size(); i++) {
            Row row = some.get(i);
            Row reservation = reservations.get(i);
            boolean agrees = values.get(i) == null
                    || (reservation != null
                            && !row.isNull(RowMark.COLUMN)
                            && !reservation.isNull(RowMark.COLUMN)
                            && rows.rowKey(row).equals(reservation.getByteBuffer(Reservations.ROW)));
            if (!agrees) {
                Map<String, ByteBuffer> key = rows.keyOf(row);
                take(mends ? rows.mend(key) : unmended(rows.judge(key)));
            }
        }
    }

    private @Nullable ByteBuffer value(Row row) {
        try {
            return rows.value(row);
        } catch (RuntimeException e) {
            // Cassandra does not look at the bytes of every type.
            take(new Mended(
                    Fault.UNMARKED,
                    false,
                    new Judgement(Fault.UNMARKED, "a row whose bytes are no value of their column's type")));
            return null;
        }
    }

    private void reservations(List<Row> some) throws InterruptedException {
        List<@Nullable Statement<?>> queries = new ArrayList<>();
        for (Row reservation : some) {
            queries.add(rows.ofHolder(reservation));
        }
        List<@Nullable Row> holders = lookUp(queries);
        for (int i = 0; i < some.size(); i++) {
            Row reservation = some.get(i);
            Row holder = holders.get(i);
            ByteBuffer value = Objects.requireNonNull(reservation.getByteBuffer(Reservations.VALUE));
            boolean agrees = holder != null && !reservation.isNull(RowMark.COLUMN) && value.equals(rows.value(holder));
            if (!agrees) {
                take(mends ? rows.mendReservation(value) : unmended(rows.judgeReservation(value)));
            }
        }
    }

    private static Mended unmended(Judgement judgement) {
        return new Mended(judgement.fault(), false, judgement);
    }

    private void take(Mended mended) {
        if (mended.fault() != Fault.NONE) {
            Objects.requireNonNull(tallies.get(mended.fault()))
                    .add(mended.judgement().shown());
        }
    }
}
