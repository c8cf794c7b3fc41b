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
import dev.cassidy.jdbc.session.SharedSession;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The writes of an open transaction, kept until commit sends them as one logged batch: all of them take effect, or
 * none. Their ids are drawn already. At the commit each gets its own write timestamp, in their order. Otherwise the
 * server would give all writes of the batch the same one, and of two writes to a cell the greater value would win, not
 * the later write.
 */
final class Transaction {

    /** The name that the server gives the marker of USING TIMESTAMP ?. */
    private static final String TIMESTAMP_MARKER = "[timestamp]";

    private final List<BatchableStatement<?>> writes = new ArrayList<>();

    /** The tables of the writes, as they were when the first write to each was judged. */
    private final Map<CqlInsert.Table, JudgedTable> judged = new HashMap<>();

    boolean isEmpty() {
        return writes.isEmpty();
    }

    int size() {
        return writes.size();
    }

    /**
     * Adds a write after the earlier ones.
     *
     * @param write if bound, it has a marker for its timestamp, unless it sets its own
     */
    void add(IdentitySession.Held write) {
        writes.add(write.statement());
    }

    private static boolean isFresh(BatchableStatement<?> write) {
        return write.getQueryTimestamp() == RowMark.FRESH_MICROS;
    }

    /** Returns the tables that the writes are to; without a keyspace, they are in the session's own. */
    Set<CqlInsert.Table> tables() {
        return tables(writes);
    }

    /** Returns those of writes that are not the first of a row of an exact table. */
    Set<CqlInsert.Table> tablesOfOthers() {
        return tables(writes.stream().filter(write -> !isFresh(write)).toList());
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

    /** Remembers by what writes to a table are judged; to be called before they are. */
    void judges(CqlInsert.Table named, SharedSession session) throws SQLException {
        if (!judged.containsKey(named)) {
            judged.put(named, JudgedTable.of(session, named));
        }
    }

    /**
     * Judges the writes again if what they were judged by has changed: an earlier form of the table may have allowed what the one
     * that is in force forbids.
     *
     * @throws SQLException if one is refused now; nothing was sent
     */
    void judgeAgain(SharedSession session, @Nullable Duration timeout, Cancellation cancellation) throws SQLException {
        boolean changed = false;
        for (Map.Entry<CqlInsert.Table, JudgedTable> each : judged.entrySet()) {
            CqlInsert.Table named = each.getKey();
            changed |= each.getValue().isChanged(session.tables().qualified(named), JudgedTable.of(session, named));
        }
        if (changed && session.writing() instanceof IdentitySession identities) {
            List<BatchableStatement<?>> now = cancellation.awaitUnsent(identities.judgeAsync(writes), timeout);
            writes.clear();
            writes.addAll(now);
        }
    }

    void clear() {
        writes.clear();
        judged.clear();
    }

    /**
     * Sends the writes and forgets them; after a failure they are still here, with the same ids. Returns the server's
     * warnings.
     */
    List<String> commit(CqlSession session, @Nullable Duration timeout, Cancellation cancellation) throws SQLException {
        DriverThreads.refuseToWait();
        Statement<?> statement = statement(session.getContext().getTimestampGenerator());
        AsyncResultSet result = cancellation.await(
                session.executeAsync(inTime(session, statement, timeout)), Cancellation.OUTCOME_UNKNOWN);
        clear();
        return result.getExecutionInfo().getWarnings();
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

    /** Returns one statement for all of them, with timestamps in their order; there must be at least one. */
    Statement<?> statement(TimestampGenerator clock) {
        List<BatchableStatement<?>> stamped = new ArrayList<>(writes.size());
        for (BatchableStatement<?> write : writes) {
            long microseconds = clock.next();
            // Nothing was written to the row of an exact table before, and a commit that is repeated must write the
            // same.
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
