package dev.cassidy.migration.rows;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BoundStatementBuilder;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.type.codec.TypeCodec;
import dev.cassidy.definition.RowMark;
import dev.cassidy.definition.Twin;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.error.Pause;
import dev.cassidy.migration.rows.UniqueCheck.Found;
import dev.cassidy.migration.target.OpenTransactions;
import dev.cassidy.table.TableWrites;
import dev.cassidy.transaction.CommitResult;
import dev.cassidy.transaction.LockMark;
import dev.cassidy.transaction.RowChange;
import dev.cassidy.transaction.TransactionFailedException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Holds all rows of a table against the twins beside its columns, and gives these the value that they should have, if that is
 * wanted. Applications may write meanwhile: a row is changed in a transaction of its own, in which it still has the strings that were
 * read. A row that a transaction holds is never taken for one that agrees, if rows are changed: who began it may not have known of the
 * twin, and what it writes is written later. All rows are read at a majority in each
 * datacenter, and a row that does not agree again at a majority of those who decide the table's writes.
 */
public final class TwinCheck {

    private static final int PAGE = 1_000;

    /** How often a row is looked at that is written all the time. */
    private static final int MAX_LOOKS = 50;

    private static final Duration RETRY_FOR = Duration.ofMinutes(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(250);
    private static final long PAUSE_MILLIS = 200;

    /**
     * What was found; in a run that mends, {@code wrong} is mended now.
     *
     * @param rows how many were read
     * @param wrong rows that lack a twin beside a column, or have a wrong one
     * @param unmarked rows that no exact write finds
     * @param unsettled rows that others wrote all the time
     */
    public record Result(long rows, Found wrong, Found unmarked, Found unsettled) {

        /** Returns whether some rows cannot be mended. */
        public boolean isBroken() {
            return unmarked.count() + unsettled.count() > 0;
        }
    }

    private final CqlSession session;
    private final OpenTransactions transactions;
    private final TableMetadata metadata;
    private final TableWrites writes;

    /** By column. */
    private final Map<String, Twin> twins;

    private final int readers;
    private final boolean mends;
    private final LongConsumer progress;
    private final List<String> keyColumns;
    private final PreparedStatement readRow;
    private final LongAdder rowsRead = new LongAdder();
    private final FoundTally wrong = new FoundTally();
    private final FoundTally unmarked = new FoundTally();
    private final FoundTally unsettled = new FoundTally();

    private TwinCheck(
            CqlSession session,
            OpenTransactions transactions,
            TableMetadata metadata,
            TableWrites writes,
            Map<String, Twin> twins,
            int readers,
            boolean mends,
            LongConsumer progress) {
        this.session = session;
        this.transactions = transactions;
        this.metadata = metadata;
        this.writes = writes;
        this.twins = twins;
        this.readers = readers;
        this.mends = mends;
        this.progress = progress;
        this.keyColumns = metadata.getPrimaryKey().stream()
                .map(column -> column.getName().asInternal())
                .toList();
        this.readRow = session.prepare(selectRows()
                + keyColumns.stream()
                        .map(column -> Identifiers.toCql(column) + " = ?")
                        .collect(Collectors.joining(" AND ", " WHERE ", "")));
    }

    /**
     * Reads the table.
     *
     * @param twins by column; the table has them and their columns
     * @param writes how the table is written
     * @param mends whether rows get the twins beside columns that they should have
     * @param progress takes the number of further rows that were read; called by several threads
     * @throws DriverException if something cannot be read or written
     * @throws MigrationException if this release does not know by what a column is compared
     */
    public static Result run(
            CqlSession session,
            OpenTransactions transactions,
            TableMetadata table,
            TableWrites writes,
            Map<String, Twin> twins,
            int readers,
            boolean mends,
            LongConsumer progress)
            throws InterruptedException {
        twins.forEach(TwinCheck::requireKnown);
        return new TwinCheck(session, transactions, table, writes, Map.copyOf(twins), readers, mends, progress).run();
    }

    private static void requireKnown(String column, Twin twin) {
        try {
            var unused = twin.fold("");
        } catch (IllegalArgumentException e) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    "this release does not know by what column " + column + " is compared: " + e.getMessage(),
                    e);
        }
    }

    private Result run() throws InterruptedException {
        RingPieces ring = new RingPieces(session, readers);
        PreparedStatement select = session.prepare(selectRows() + ring.where(metadata));
        try {
            ring.read(piece -> {
                piece(piece.bind(select).setPageSize(PAGE));
                return "";
            });
        } catch (ExecutionException e) {
            if (e.getCause() instanceof DriverException || e.getCause() instanceof MigrationException) {
                throw (RuntimeException) e.getCause();
            }
            throw new IllegalStateException("cannot read " + writes.name(), e.getCause());
        }
        return new Result(rowsRead.sum(), wrong.found(), unmarked.found(), unsettled.found());
    }

    private String selectRows() {
        Set<String> names = new LinkedHashSet<>(keyColumns);
        twins.keySet().forEach(column -> names.addAll(List.of(column, Twin.nameOf(column))));
        names.add(RowMark.COLUMN);
        return names.stream().map(Identifiers::toCql).collect(Collectors.joining(", ", "SELECT ", " FROM "))
                + Identifiers.toCql(writes.keyspace()) + "." + Identifiers.toCql(writes.table());
    }

    private Statement<?> ordered(Statement<?> statement) {
        return transactions.ordered(statement.setIdempotent(true), writes);
    }

    /** A new row may be acknowledged by a majority of another datacenter than that which decides, and be missing here. */
    private Statement<?> everywhere(Statement<?> statement) {
        return ordered(statement).setConsistencyLevel(ConsistencyLevel.EACH_QUORUM);
    }

    // ---- pages

    private void piece(Statement<?> select) throws InterruptedException {
        ByteBuffer state = null;
        do {
            AsyncResultSet page = page(everywhere(select.setPagingState(state)));
            long rows = 0;
            for (Row row : page.currentPage()) {
                rows++;
                if (!agrees(row)) {
                    settle(keyOf(row));
                }
            }
            rowsRead.add(rows);
            progress.accept(rows);
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

    // ---- one row

    private boolean agrees(Row row) {
        ByteBuffer mark = row.getByteBuffer(RowMark.COLUMN);
        return mark != null && !LockMark.isLock(mark) && differing(row).isEmpty();
    }

    /** Returns the columns whose twin is not what it should be. */
    private List<String> differing(Row row) {
        List<String> differing = new ArrayList<>();
        twins.forEach((column, twin) -> {
            if (!Objects.equals(form(row, column), row.getString(Identifiers.toCql(Twin.nameOf(column))))) {
                differing.add(column);
            }
        });
        return differing;
    }

    private @Nullable String form(Row row, String column) {
        String value = row.getString(Identifiers.toCql(column));
        return value == null ? null : Objects.requireNonNull(twins.get(column)).fold(value);
    }

    /** Looks at a row until it is known to agree, or not to; and changes it, if that is wanted. */
    private void settle(Map<String, ByteBuffer> key) {
        boolean tried = false;
        for (int looks = 0; looks < MAX_LOOKS; looks++) {
            Row row = one(ordered(bound(key)));
            if (row == null) {
                // Such a read brings here what it finds elsewhere.
                if (one(everywhere(bound(key))) == null) {
                    return;
                }
                pause(looks);
                continue;
            }
            ByteBuffer mark = row.getByteBuffer(RowMark.COLUMN);
            if (mark == null) {
                unmarked.add(shown(key));
                return;
            }
            boolean held = LockMark.isLock(mark);
            if (held && transactions.isEnded(writes, key, mark)) {
                continue;
            }
            if (held && !mends && LockMark.isPlaceholder(mark)) {
                // It is no row yet, and who commits it keeps the twin, or the next run finds it.
                return;
            }
            List<String> differing = differing(row);
            if (differing.isEmpty() && !(held && mends)) {
                if (tried) {
                    wrong.add(shown(key));
                }
                return;
            }
            if (!mends) {
                wrong.add(shown(key));
                return;
            }
            CommitResult result = commit(change(key, row));
            if (result instanceof CommitResult.Committed && !differing.isEmpty()) {
                wrong.add(shown(key));
                return;
            }
            tried |= result instanceof CommitResult.InDoubt && !differing.isEmpty();
            pause(looks);
        }
        unsettled.add(shown(key));
    }

    /** The row stays as it is but for its twins, and has the strings of which they are made. A row that is gone stays so. */
    private RowChange change(Map<String, ByteBuffer> key, Row row) {
        Map<String, @Nullable ByteBuffer> expected = new LinkedHashMap<>();
        Map<String, @Nullable ByteBuffer> values = new LinkedHashMap<>();
        twins.forEach((column, twin) -> {
            expected.put(column, row.getBytesUnsafe(Identifiers.toCql(column)));
            String form = form(row, column);
            values.put(
                    Twin.nameOf(column), form == null ? null : ByteBuffer.wrap(form.getBytes(StandardCharsets.UTF_8)));
        });
        return new RowChange(writes, key, metadata.getPartitionKey().size(), expected, RowChange.Kind.UPDATE, values);
    }

    private @Nullable CommitResult commit(RowChange change) {
        try {
            return transactions.commit(List.of(change));
        } catch (TransactionFailedException e) {
            if (e.getCause() instanceof DriverException failed && RowWriter.mayHelpToRepeat(failed)) {
                return null;
            }
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
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

    private Statement<?> bound(Map<String, ByteBuffer> key) {
        BoundStatementBuilder bound = readRow.boundStatementBuilder();
        int at = 0;
        for (ByteBuffer part : key.values()) {
            bound = bound.setBytesUnsafe(at++, part);
        }
        return bound.build();
    }

    private Map<String, ByteBuffer> keyOf(Row row) {
        Map<String, ByteBuffer> found = new LinkedHashMap<>();
        keyColumns.forEach(
                column -> found.put(column, Objects.requireNonNull(row.getBytesUnsafe(Identifiers.toCql(column)))));
        return found;
    }

    /** Returns a key as CQL writes it. */
    private String shown(Map<String, ByteBuffer> key) {
        StringBuilder text = new StringBuilder();
        for (ColumnMetadata column : metadata.getPrimaryKey()) {
            TypeCodec<Object> codec = session.getContext().getCodecRegistry().codecFor(column.getType());
            ByteBuffer part = key.get(column.getName().asInternal());
            text.append(text.length() == 0 ? "" : ", ")
                    .append(column.getName().asCql(true))
                    .append('=')
                    .append(codec.format(codec.decode(part, session.getContext().getProtocolVersion())));
        }
        return text.toString();
    }
}
