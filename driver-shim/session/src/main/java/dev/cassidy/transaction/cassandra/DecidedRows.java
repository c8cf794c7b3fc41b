package dev.cassidy.transaction.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.ExecutionInfo;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.Statement;
import dev.cassidy.async.Stages;
import dev.cassidy.definition.RowMark;
import dev.cassidy.table.TableWrites;
import dev.cassidy.transaction.LockMark;
import dev.cassidy.transaction.LockResolver;
import dev.cassidy.transaction.cassandra.ExactRowException.Reason;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a statement of a row of an exact table does before and after its condition: it reads the row where its writes are decided, and ends
 * the transactions whose locks it meets. Safe for use by many threads; nothing blocks.
 */
public final class DecidedRows {

    /** How many locks one statement meets in one row, one after the other. */
    public static final int MAX_LOCKS = 30;

    private final CqlSession session;
    private final Ordered ordered;
    private final Supplier<LockResolver> resolver;

    /** Returns a read as the contract of its table orders it: at the level that decides, on a node of the home. */
    @FunctionalInterface
    public interface Ordered {

        /** Returns a stage that fails if the statement cannot be sent; nothing is sent then. */
        CompletionStage<Statement<?>> of(Statement<?> statement, TableWrites table);
    }

    /**
     * A row by its key.
     *
     * @param key the columns of the primary key, internal names
     * @param query of all columns of the row, with its values
     */
    public record Named(TableWrites table, List<String> key, Statement<?> query) {
        public Named {
            key = List.copyOf(key);
        }
    }

    /**
     * @param session sends statements as they are
     * @param resolver is asked once a lock is met
     */
    public DecidedRows(CqlSession session, Ordered ordered, Supplier<LockResolver> resolver) {
        this.session = session;
        this.ordered = ordered;
        this.resolver = resolver;
    }

    /**
     * What a read has found.
     *
     * @param row null if there is none
     * @param info of the read
     */
    public record Found(@Nullable Row row, ExecutionInfo info) {

        private @Nullable ByteBuffer mark() {
            return row == null ? null : row.getByteBuffer(RowMark.COLUMN);
        }

        private boolean isUnmarked() {
            return row != null && row.isNull(RowMark.COLUMN);
        }
    }

    /**
     * Reads a row at the level of the majority that decides. What a failed insert has left on some replicas is on a majority
     * afterwards: otherwise a condition could hold by one replica, and the row lack the insert's columns on all others. So
     * nothing may be written if it is not found: a condition might find what this majority does not have.
     *
     * @return the row as the last commit left it. The stage fails with an {@link ExactRowException} if that is not known, or if the row
     *     lacks its mark
     */
    public CompletionStage<Found> healed(Named row) {
        return unlocked(row, MAX_LOCKS)
                .thenCompose(found -> found.row() != null ? completed(found) : fromElsewhere(row, found))
                .thenCompose(found -> found.isUnmarked() ? whole(row) : completed(found));
    }

    private CompletionStage<Found> fromElsewhere(Named row, Found missing) {
        return isElsewhere(row).thenCompose(there -> there ? unlocked(row, MAX_LOCKS) : completed(missing));
    }

    private static CompletionStage<Found> completed(Found row) {
        return CompletableFuture.completedFuture(row);
    }

    /** As {@link #healed}, of a row that may lack its mark, and that no other datacenter inserts by itself. */
    public CompletionStage<Found> standing(Named row) {
        return unlocked(row, MAX_LOCKS);
    }

    private CompletionStage<Found> unlocked(Named row, int tries) {
        return read(row, null).thenCompose(found -> {
            Row there = found.row();
            ByteBuffer mark = found.mark();
            if (there == null || mark == null || !LockMark.isLock(mark) || tries == 0) {
                return completed(found);
            }
            return resolver.get()
                    .met(row.table(), keyOf(row.key(), there), mark, false)
                    .thenCompose(met -> met == LockResolver.Met.FREED
                            ? unlocked(row, tries - 1)
                            : completed(LockMark.isPlaceholder(mark) ? new Found(null, found.info()) : found));
        });
    }

    /** A query of some columns has repaired these alone: the row is not whole on this majority, but perhaps on a replica. */
    private CompletionStage<Found> whole(Named row) {
        return read(row, ConsistencyLevel.ALL)
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(unmarked(row.table(), failure)))
                .thenApply(found -> {
                    if (found.isUnmarked()) {
                        throw unmarked(row.table(), null);
                    }
                    return found;
                });
    }

    /**
     * Returns whether a condition did not hold because there is no row.
     *
     * @param now what the server says of the row
     * @throws ExactRowException if there is one without its mark: another client has written it, and no exact write ever finds it
     */
    public static boolean isMissing(TableWrites table, @Nullable Row now) {
        if (now == null || !now.getColumnDefinitions().contains(RowMark.COLUMN)) {
            return true;
        }
        if (now.isNull(RowMark.COLUMN)) {
            throw unmarked(table, null);
        }
        return false;
    }

    /**
     * Waits until a row can be written, if a transaction holds it.
     *
     * @param now what the server says of the row, which did not meet a condition
     * @return whether the statement has to be tried again; after {@link #MAX_LOCKS} tries it fails with {@link #held}
     */
    public CompletionStage<Boolean> isFreed(Named row, @Nullable Row now) {
        if (!isLocked(now)) {
            return CompletableFuture.completedFuture(false);
        }
        // The answer does not show the key.
        return read(row, null).thenCompose(found -> free(row.table(), row.key(), found.row()));
    }

    /**
     * As {@link #isFreed(Named, Row)}, of an insert, whose answer shows the whole row.
     *
     * @param there the row of the key
     */
    public CompletionStage<Boolean> isFreed(TableWrites table, List<String> key, @Nullable Row there) {
        return isLocked(there) ? free(table, key, there) : CompletableFuture.completedFuture(false);
    }

    private CompletionStage<Boolean> free(TableWrites table, List<String> key, @Nullable Row found) {
        return found == null || !isLocked(found)
                ? CompletableFuture.completedFuture(true)
                : resolver.get()
                        .free(table, keyOf(key, found), Objects.requireNonNull(found.getByteBuffer(RowMark.COLUMN)))
                        .thenApply(freed -> true);
    }

    /** Returns whether a row, as the server shows it, is held by a transaction. */
    public static boolean isLocked(@Nullable Row row) {
        return row != null
                && row.getColumnDefinitions().contains(RowMark.COLUMN)
                && LockMark.isLock(row.getByteBuffer(RowMark.COLUMN));
    }

    private static Map<String, ByteBuffer> keyOf(List<String> key, Row row) {
        Map<String, ByteBuffer> values = new LinkedHashMap<>();
        for (String column : key) {
            values.put(column, Objects.requireNonNull(row.getBytesUnsafe(CqlIdentifier.fromInternal(column)), column));
        }
        return values;
    }

    /**
     * Returns whether a row that is missing where its writes are decided is there now: another datacenter may have inserted it a
     * moment ago. The stage fails with an {@link ExactRowException} if the other datacenters do not answer.
     */
    public CompletionStage<Boolean> isElsewhere(Named row) {
        return hasOtherDatacenters(row.table())
                ? read(row, ConsistencyLevel.EACH_QUORUM)
                        .thenApply(found -> found.row() != null)
                        .exceptionallyCompose(failure -> CompletableFuture.failedFuture(inDoubt(row.table(), failure)))
                : CompletableFuture.completedFuture(false);
    }

    /** Returns whether other datacenters may have rows that the one that decides does not have yet. */
    public boolean hasOtherDatacenters(TableWrites table) {
        return !table.isEverywhere()
                && session.getMetadata()
                                .getKeyspace(CqlIdentifier.fromInternal(table.keyspace()))
                                .map(found -> found.getReplication().keySet().stream()
                                        .filter(name -> !name.equals("class"))
                                        .count())
                                .orElse(1L)
                        > 1;
    }

    /** @param level null for that at which the table's writes are decided */
    private CompletionStage<Found> read(Named row, @Nullable ConsistencyLevel level) {
        return ordered.of(row.query(), row.table())
                .thenCompose(query -> session.executeAsync(level == null ? query : query.setConsistencyLevel(level)))
                .thenApply(answer -> new Found(answer.one(), answer.getExecutionInfo()));
    }

    /** Returns the failure of a statement whose row lacks its mark. */
    public static ExactRowException unmarked(TableWrites table) {
        return unmarked(table, null);
    }

    private static ExactRowException unmarked(TableWrites table, @Nullable Throwable cause) {
        return new ExactRowException(
                Reason.UNMARKED,
                "Nothing was written: a row of table " + table.name() + " lacks its mark, the column " + RowMark.COLUMN
                        + ". A client has written it that does not know"
                        + " that the table's writes are exact; or its insert has failed, and not every replica answers. Delete"
                        + " it by CQL, or give it the mark: UPDATE ... SET " + RowMark.COLUMN + " = " + RowMark.FREE
                        + " WHERE <its key> IF EXISTS, at the serial level of the table",
                cause == null ? null : Stages.cause(cause));
    }

    /** Returns the failure of a statement that is not known to have missed a row of another datacenter. */
    public static ExactRowException inDoubt(TableWrites table, Throwable cause) {
        return new ExactRowException(
                Reason.IN_DOUBT,
                "Nothing was written: whether a row of table " + table.name()
                        + " that is not in its home datacenter was just inserted in another one is not known, because not"
                        + " every datacenter answers. Run it again",
                Stages.cause(cause));
    }

    /** Returns the failure of a statement that has met lock after lock. */
    public static ExactRowException held(TableWrites table) {
        return new ExactRowException(
                Reason.HELD,
                "Nothing was written: transactions hold a row of table " + table.name()
                        + ", one after the other. Run it again, or have fewer writers of one row",
                null);
    }
}
