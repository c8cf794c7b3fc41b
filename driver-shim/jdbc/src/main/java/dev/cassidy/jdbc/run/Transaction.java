package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverExecutionProfile;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchStatementBuilder;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import com.datastax.oss.driver.api.core.cql.DefaultBatchType;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.time.TimestampGenerator;
import dev.cassidy.cluster.DriverThreads;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.definition.RowMark;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlWrite;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.overlay.Overlay;
import dev.cassidy.jdbc.overlay.PendingRow;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.transaction.RowClaim;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLNonTransientException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The writes of an open transaction, kept until the commit: all of them take effect, or none. Those of exact tables are in the
 * {@link Overlay}. The others go as one logged batch; their ids are drawn already, and at the commit each gets its own write
 * timestamp, in their order. Otherwise the server would give all writes of the batch the same one, and of two writes to a cell the
 * greater value would win, not the later write.
 */
final class Transaction {

    /** The name that the server gives the marker of USING TIMESTAMP ?. */
    private static final String TIMESTAMP_MARKER = "[timestamp]";

    private final List<BatchableStatement<?>> writes = new ArrayList<>();

    private final Overlay overlay = new Overlay();

    /** What is counted when the transaction is committed. */
    private final Counts counts = new Counts();

    /** What it has told other transactions of rows that it means to hold until it ends. */
    private final Map<SharedSession, List<RowClaim>> claims = new ConcurrentHashMap<>();

    private long claimant = UUID.randomUUID().getMostSignificantBits();

    private boolean hasSavepoints;
    private int number;

    /** The tables of the writes, and of rows that were read and have to stay, as they were when the first of each was judged. */
    private final Map<CqlInsert.Table, JudgedTable> judged = new HashMap<>();

    boolean isEmpty() {
        return writes.isEmpty() && overlay.isEmpty() && counts.isEmpty() && claims.isEmpty();
    }

    /** Returns what is added to columns that count. */
    Counts counts() {
        return counts;
    }

    /** A point of the transaction. */
    record Mark(int rows, int writes, int counts) {}

    /** Returns the point that was reached; it can be returned to until the transaction ends. */
    Mark mark() {
        return new Mark(savepoint(), writes.size(), counts.size());
    }

    /** Drops what came after a point. */
    void rollbackTo(Mark mark) {
        overlay.rollbackTo(mark.rows());
        writes.subList(mark.writes(), writes.size()).clear();
        counts.rollbackTo(mark.counts());
    }

    private int savepoint() {
        hasSavepoints = true;
        return overlay.mark();
    }

    /** Returns which of its connection's transactions it is. */
    int number() {
        return number;
    }

    /** Called when a statement has ended: without savepoints nobody returns to before it. */
    void statementEnded() {
        if (!hasSavepoints) {
            overlay.forgetMarks();
        }
    }

    /** Returns how many writes of tables that are not exact wait. */
    int writes() {
        return writes.size();
    }

    int size() {
        return writes.size() + overlay.size() + counts.size();
    }

    /** Returns the rows of exact tables that were written. */
    Overlay overlay() {
        return overlay;
    }

    /**
     * Adds a write of a table that is not exact, after the earlier ones.
     *
     * @param write if bound, it has a marker for its timestamp, unless it sets its own
     */
    void add(IdentitySession.Held write) {
        writes.add(write.statement());
    }

    /** Returns whether a write is the first of a row of an exact table, whose id was drawn for it. */
    static boolean isFresh(BatchableStatement<?> write) {
        return write.getQueryTimestamp() == RowMark.FRESH_MICROS;
    }

    /** Returns the tables of the writes that the overlay does not have; without a keyspace, they are in the session's own. */
    Set<CqlInsert.Table> plainTables() {
        return tables(writes);
    }

    private static Set<CqlInsert.Table> tables(List<BatchableStatement<?>> writes) {
        Set<CqlInsert.Table> tables = new HashSet<>();
        for (BatchableStatement<?> write : writes) {
            String cql = write instanceof BoundStatement bound
                    ? bound.getPreparedStatement().getQuery()
                    : ((SimpleStatement) write).getQuery();
            CqlWrite.recognise(cql)
                    .ifPresent(found ->
                            tables.add(new CqlInsert.Table(found.keyspace().orElse(null), found.table())));
        }
        return tables;
    }

    /** Remembers by what writes to a table are judged, and its rows are read; to be called before they are. */
    void judges(CqlInsert.Table named, SharedSession session) throws SQLException {
        if (!judged.containsKey(named)) {
            judged.put(named, JudgedTable.of(session, named));
        }
    }

    /**
     * Refuses to read on if rows that were written before lack what tables are read by now.
     *
     * @throws SQLException if what is declared of a table's columns does not allow it any more; nothing was sent
     */
    void requireTwinsStill(SharedSession session) throws SQLException {
        for (Map.Entry<CqlInsert.Table, JudgedTable> each : judged.entrySet()) {
            CqlInsert.Table named = each.getKey();
            each.getValue().requireTwinsStill(session.tables().qualified(named), JudgedTable.of(session, named));
        }
    }

    /**
     * Judges the writes again if what they were judged by has changed: an earlier form of the table may have allowed what the one
     * that is in force forbids.
     *
     * @throws SQLException if one is refused now; nothing was sent
     */
    void judgeAgain(SharedSession session, @Nullable Duration timeout, Cancellation cancellation) throws SQLException {
        for (Overlay.Table table : overlay.tables()) {
            CqlInsert.Table named = new CqlInsert.Table(
                    table.writes().keyspace(), table.writes().table());
            if (!table.uniques().keys().equals(session.tables().uniqueKeys(named))) {
                // What it has inserted has no reservations, or others than those that count now.
                throw JudgedTable.changed();
            }
        }
        boolean changed = false;
        Map<CqlInsert.Table, JudgedTable> then = new HashMap<>();
        for (Map.Entry<CqlInsert.Table, JudgedTable> each : judged.entrySet()) {
            CqlInsert.Table named = each.getKey();
            JudgedTable now = JudgedTable.of(session, named);
            changed |= each.getValue().isChanged(session.tables().qualified(named), now);
            then.put(named, now);
        }
        if (changed && session.writing() instanceof IdentitySession identities) {
            if (!overlay.isFreshAlone()) {
                throw JudgedTable.changed();
            }
            List<BatchableStatement<?>> now = cancellation.awaitUnsent(identities.judgeAsync(writes), timeout);
            writes.clear();
            writes.addAll(now);
            overlay.replaceFresh(cancellation.awaitUnsent(identities.judgeAsync(overlay.freshInserts()), timeout));
            judged.putAll(then);
        }
    }

    /**
     * Returns what asks whether something else is declared of a table than that by which its writes were judged. A commit may wait long
     * for its locks; what it writes then would lack what others rely on meanwhile. Once that is so, it stays so.
     */
    private BooleanSupplier declaredAnew(SharedSession session) throws SQLException {
        List<BooleanSupplier> each = new ArrayList<>();
        for (Map.Entry<CqlInsert.Table, JudgedTable> known : judged.entrySet()) {
            each.add(known.getValue().declaredAnew(session, known.getKey()));
        }
        AtomicBoolean seen = new AtomicBoolean();
        return () -> {
            if (!seen.get() && each.stream().anyMatch(BooleanSupplier::getAsBoolean)) {
                seen.set(true);
            }
            return seen.get();
        };
    }

    /** Remembers what a row's mark tells other transactions, or may. */
    void claims(SharedSession session, RowClaim claim) {
        claims.computeIfAbsent(session, first -> new CopyOnWriteArrayList<>()).add(claim);
    }

    /** Forgets a claim that the row certainly has not. */
    void forget(RowClaim claim) {
        claims.values().forEach(each -> each.remove(claim));
        claims.values().removeIf(List::isEmpty);
    }

    /** Returns the claims that rows have, or may have. */
    List<RowClaim> ownClaims() {
        return claims.values().stream().flatMap(List::stream).toList();
    }

    boolean hasClaims() {
        return !claims.isEmpty();
    }

    /** Returns the number by which its claims are told from those of others. */
    long claimant() {
        return claimant;
    }

    /** Returns an id for another claim. */
    UUID claimId() {
        return new UUID(claimant, UUID.randomUUID().getLeastSignificantBits());
    }

    private List<CompletableFuture<?>> unclaimed() {
        List<CompletableFuture<?>> ended = new ArrayList<>();
        for (SharedSession session : Set.copyOf(claims.keySet())) {
            List<RowClaim> each = claims.remove(session);
            if (each != null) {
                ended.add(session.transactions()
                        .claims()
                        .unclaim(List.copyOf(each))
                        .toCompletableFuture());
            }
        }
        return ended;
    }

    /** Keeps nobody waiting any more, and waits for nothing. May be called by any thread. */
    void unclaim() {
        var unused = unclaimed();
    }

    /** Waits for a second at most: whoever waits for the rows can go on at once, mostly. */
    private void endClaims() {
        List<CompletableFuture<?>> ended = unclaimed();
        claimant = UUID.randomUUID().getMostSignificantBits();
        if (!ended.isEmpty()) {
            DriverThreads.refuseToWait();
            ended.forEach(CompletableFuture::join);
        }
    }

    void clear() {
        number++;
        hasSavepoints = false;
        overlay.clear();
        writes.clear();
        counts.clear();
        judged.clear();
        endClaims();
    }

    /**
     * Sends the writes and forgets them; after a failure of which it is not known whether it wrote them they are still here, with
     * the same ids. Rows of exact tables are forgotten if others have changed them, and if it is not known whether they are
     * committed: to try again needs what they are now. So is what it adds to columns that count, which is committed with them.
     * Returns warnings.
     */
    List<String> commit(SharedSession shared, Binder binder, Cancellation cancellation) throws SQLException {
        DriverThreads.refuseToWait();
        CqlSession session = shared.plain();
        List<PendingRow> rows = overlay.all();
        ExactCommit exact = new ExactCommit(shared, binder, cancellation, declaredAnew(shared), counts.counted());
        List<String> warnings = new ArrayList<>();
        if (counts.isEmpty() && ExactCommit.isFreshAlone(rows) && !overlay.hasUniques()) {
            try {
                send(session, exact.freshInserts(rows), binder, cancellation, warnings);
                clear();
                return warnings;
            } catch (SQLException e) {
                // Certainly nothing was written, and a record takes more.
                if (overlay.isEmpty() || !SqlStates.TOO_LARGE.equals(e.getSQLState())) {
                    throw e;
                }
            }
        }
        try {
            String warning = commitExact(exact, counts.rows(shared));
            if (warning != null) {
                warnings.add(warning);
            }
        } catch (SQLTransactionRollbackException | SQLTimeoutException | SQLIntegrityConstraintViolationException e) {
            clear();
            throw e;
        }
        overlay.clear();
        counts.clear();
        // These rows have other marks now; what was given up by a savepoint, or was never held, has its claim still.
        Set<ByteBuffer> held =
                rows.stream().map(PendingRow::held).filter(Objects::nonNull).collect(Collectors.toSet());
        claims.values().forEach(each -> each.removeIf(claim -> held.contains(claim.mark())));
        claims.values().removeIf(List::isEmpty);
        endClaims();
        try {
            send(session, List.of(), binder, cancellation, warnings);
        } catch (SQLException e) {
            throw halfCommitted(e);
        }
        clear();
        return warnings;
    }

    private @Nullable String commitExact(ExactCommit exact, Counts.Rows counted) throws SQLException {
        Runnable ended = counted::inDoubt;
        try {
            String warning = exact.commit(overlay, counted.changes());
            if (warning == null) {
                ended = counted::written;
            }
            return warning;
        } catch (SQLTransactionRollbackException | SQLIntegrityConstraintViolationException e) {
            // Certainly nothing was written.
            ended = counted::dropped;
            throw e;
        } finally {
            ended.run();
        }
    }

    private void send(
            CqlSession session,
            List<BatchableStatement<?>> fresh,
            Binder binder,
            Cancellation cancellation,
            List<String> warnings)
            throws SQLException {
        if (fresh.isEmpty() && writes.isEmpty()) {
            return;
        }
        Statement<?> statement = statement(session.getContext().getTimestampGenerator(), fresh);
        AsyncResultSet result = cancellation.await(
                session.executeAsync(inTime(session, statement, binder.timeout())), Cancellation.OUTCOME_UNKNOWN);
        warnings.addAll(result.getExecutionInfo().getWarnings());
    }

    /** Nobody may run the transaction again: it would be done twice. */
    private static SQLException halfCommitted(SQLException e) {
        return new SQLNonTransientException(
                "The rows of exact tables are committed, and those of plain tables are not: " + e.getMessage()
                        + ". Do not run the transaction again: commit() sends what is left, rollback() drops it",
                SqlStates.GENERAL,
                e);
    }

    /**
     * Gives a statement, or a batch of them, a time-out.
     *
     * @param timeout null for that of the configuration
     */
    static Statement<?> inTime(CqlSession session, Statement<?> statement, @Nullable Duration timeout) {
        if (timeout == null || !(statement instanceof BatchStatement batch)) {
            return statement.setTimeout(timeout);
        }
        // The driver, up to 4.19 at least, forgets a batch's own time-out, and heeds its profile's.
        DriverExecutionProfile profile = session.getContext().getConfig().getDefaultProfile();
        return batch.setExecutionProfile(profile.withDuration(DefaultDriverOption.REQUEST_TIMEOUT, timeout));
    }

    /** Returns one statement for all writes, of which there must be one, with timestamps in their order. */
    Statement<?> statement(TimestampGenerator clock) {
        return statement(clock, List.of());
    }

    private Statement<?> statement(TimestampGenerator clock, List<BatchableStatement<?>> fresh) {
        List<BatchableStatement<?>> stamped = new ArrayList<>(writes.size());
        for (BatchableStatement<?> insert : fresh) {
            // Nothing was written to the row before, and a commit that is repeated must write the same.
            stamped.add(stamped(insert, RowMark.FRESH_MICROS));
        }
        for (BatchableStatement<?> write : writes) {
            long microseconds = clock.next();
            stamped.add(stamped(write, isFresh(write) ? RowMark.FRESH_MICROS : microseconds));
        }
        return stamped.size() == 1 ? stamped.get(0) : batch(stamped);
    }

    private static BatchStatement batch(List<BatchableStatement<?>> writes) {
        BatchStatementBuilder batch = BatchStatement.builder(DefaultBatchType.LOGGED);
        writes.forEach(batch::addStatement);
        // Of the rows of exact tables more nodes may have to acknowledge than the connection asks: of all datacenters,
        // or of one.
        writes.stream()
                .filter(Transaction::isFresh)
                .map(BatchableStatement::getConsistencyLevel)
                .filter(Objects::nonNull)
                .min(Comparator.comparing(ConsistencyLevel::isDcLocal))
                .ifPresent(batch::setConsistencyLevel);
        return batch.build();
    }

    private static BatchableStatement<?> stamped(BatchableStatement<?> write, long microseconds) {
        if (write instanceof BoundStatement bound) {
            ColumnDefinitions markers = bound.getPreparedStatement().getVariableDefinitions();
            int marker = markers.firstIndexOf(TIMESTAMP_MARKER);
            boolean ours = marker >= 0 && !bound.isSet(marker);
            return ours ? bound.setLong(marker, microseconds) : bound;
        }
        SimpleStatement simple = (SimpleStatement) write;
        return CqlWrite.recognise(simple.getQuery())
                .filter(recognised -> !recognised.isTimestamped())
                .map(recognised -> simple.setQuery(recognised.withTimestamp(microseconds)))
                .orElse(simple);
    }
}
