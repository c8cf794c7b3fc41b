package dev.cassidy.counter.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * Copies the totals that another program has written into a table of Cassidy's counters, whose columns are wider. Blocks.
 *
 * <p>It may be repeated, and the other program may go on meanwhile: a row that is copied again is the same row, and of two totals of
 * an actor the later one wins in both tables. The actors of the other program get a prefix, so that they are none of Cassidy's.
 */
public final class TotalsCopy {

    /** No datacenter has this name. */
    static final String PREFIX = "~copied/";

    private static final int AT_ONCE = 500;

    private final CqlSession session;
    private final TableDefinition from;
    private final String to;
    private final boolean versioned;
    private final Duration timeout;

    /**
     * @param to the full name of the table of counters, as CQL writes it
     * @param versioned whether each total has a version of its own
     */
    public TotalsCopy(
            CqlSession session,
            CqlIdentifier fromKeyspace,
            CqlIdentifier fromTable,
            String to,
            boolean versioned,
            Duration timeout) {
        this.session = session;
        this.from = new TableDefinition(session, fromKeyspace, fromTable, timeout);
        this.to = to;
        this.versioned = versioned;
        this.timeout = timeout;
    }

    /**
     * Copies all rows, and returns how many there are.
     *
     * @throws UnfitTable if the table has no such totals, or one that cannot be copied; rows before it are copied then
     */
    public long copy() {
        requireColumns();
        PreparedStatement insert = session.prepare("INSERT INTO " + to + " (type, actor, "
                + (versioned ? "version, " : "") + "increment) VALUES (?, ?, " + (versioned ? "?, " : "")
                + "?) USING TIMESTAMP ?");
        ResultSet rows = session.execute(SimpleStatement.newInstance("SELECT type, actor, "
                        + (versioned ? "version, " : "")
                        + "increment, WRITETIME(increment) AS written, TTL(increment) AS expires FROM " + from.name())
                .setConsistencyLevel(ConsistencyLevel.LOCAL_QUORUM)
                .setIdempotent(true)
                .setTimeout(timeout)
                .setPageSize(AT_ONCE));
        long copied = 0;
        List<CompletionStage<AsyncResultSet>> sent = new ArrayList<>();
        for (Row row : rows) {
            if (row.isNull("increment")) {
                continue;
            }
            sent.add(session.executeAsync(insert.bind(values(row))
                    .setConsistencyLevel(ConsistencyLevel.LOCAL_QUORUM)
                    .setIdempotent(true)
                    .setTimeout(timeout)));
            copied++;
            if (sent.size() == AT_ONCE) {
                await(sent);
            }
        }
        await(sent);
        return copied;
    }

    private Object[] values(Row row) {
        String type = row.getString("type");
        String actor = row.getString("actor");
        require(row.isNull("expires"), type, actor, "has a time to live, and a count must not expire");
        BigInteger total = number(row, "increment");
        require(total.bitLength() < Long.SIZE, type, actor, "has the total " + total + ", which does not fit a bigint");
        if (!versioned) {
            return new Object[] {type, PREFIX + actor, total.longValue(), row.getLong("written")};
        }
        long version = number(row, "version").longValue();
        require(version > 0, type, actor, "has the version " + version + ", which must be > 0");
        // As Cassidy writes it, so that a fold deletes it.
        return new Object[] {type, PREFIX + actor, version, total.longValue(), version};
    }

    private static BigInteger number(Row row, String column) {
        return new BigInteger(String.valueOf(row.getObject(column)));
    }

    private void require(boolean holds, String type, String actor, String why) {
        if (!holds) {
            throw new UnfitTable("row type='" + type + "' actor='" + actor + "' of table " + from.name() + " " + why
                    + ". Correct the row, and repeat the call");
        }
    }

    private static void await(List<CompletionStage<AsyncResultSet>> sent) {
        try {
            CompletableFuture.allOf(sent.stream()
                            .map(CompletionStage::toCompletableFuture)
                            .toArray(CompletableFuture[]::new))
                    .join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : e;
        }
        sent.clear();
    }

    private void requireColumns() {
        Map<String, String> found = from.columns();
        requireColumn(found, "type", "text, partition key 0");
        requireColumn(found, "actor", "text, clustering 0 asc");
        requireNumber(found, "increment", "");
        if (versioned) {
            requireNumber(found, "version", ", clustering 1 asc");
        }
        long keys = found.values().stream().filter(place -> place.contains(",")).count();
        if (keys != (versioned ? 3 : 2)) {
            throw new UnfitTable("table " + from.name() + " must have the primary key (type, actor"
                    + (versioned ? ", version" : "") + "): " + found);
        }
    }

    private void requireNumber(Map<String, String> found, String column, String place) {
        String is = found.getOrDefault(column, "missing");
        if (!List.of("int" + place, "bigint" + place, "varint" + place).contains(is)) {
            throw new UnfitTable("column '" + column + "' of table " + from.name()
                    + " must be an int, a bigint or a varint" + place + ", and is " + is);
        }
    }

    private void requireColumn(Map<String, String> found, String column, String wanted) {
        if (!Objects.equals(wanted, found.get(column))) {
            throw new UnfitTable("column '" + column + "' of table " + from.name() + " must be " + wanted + ", and is "
                    + found.getOrDefault(column, "missing"));
        }
    }
}
