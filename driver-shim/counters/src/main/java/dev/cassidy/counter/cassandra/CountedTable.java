package dev.cassidy.counter.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.cassidy.async.Stages;
import dev.cassidy.counter.store.CounterTable;
import dev.cassidy.counter.store.Versions;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A table of counters, by its id, and the row in it that names its <i>generation</i>: a token that nobody uses again. TRUNCATE
 * deletes the row as it deletes the counts, so who finds the row of his generation knows that the table was not emptied since.
 *
 * <p>What a process knows of the counts, or is kept of them elsewhere, is of one generation. Before it is written into the
 * table, the process looks for the row. This leaves a gap: a process that stands still between its look and its write.
 *
 * <p>A replica that has lost its rows is not taken for a TRUNCATE: what a majority of the datacenter does not show is asked for
 * at ALL. If two processes begin a generation at the same moment, both are there, and that does no harm: nothing that belongs
 * to one is written because of the other.
 *
 * <p>One read serves all who ask before it begins. Safe for use by many threads; nothing blocks.
 */
public final class CountedTable {

    /** The counter whose rows name generations; its value is 0. No other counter may have the name. */
    public static final String COUNTER = "~cassidy";

    private static final Logger LOG = LoggerFactory.getLogger(CountedTable.class);

    private static final String SELECT_ID =
            "SELECT id FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?";

    /** How the rows of a kind of counters look. The row of a generation looks like any other, so that every sum takes it. */
    public enum Form {
        FOLDED(Versions.of(1 << 30, 1)),
        VERSIONED(1),
        CUMULATIVE(1);

        private final long version;

        Form(long version) {
            this.version = version;
        }

        private UnfitTable refused(String table, Throwable cause) {
            return this == FOLDED
                    ? RefusedTimestamps.ofIncrements(table, cause)
                    : RefusedTimestamps.ofTotals(table, cause);
        }

        private String insert(String table) {
            String versions = this == CUMULATIVE ? "" : "version, ";
            String values = this == CUMULATIVE ? "" : version + ", ";
            return "INSERT INTO " + table + " (type, actor, " + versions + "increment) VALUES ('" + COUNTER + "', ?, "
                    + values + "0) USING TIMESTAMP " + version;
        }
    }

    private final PlainStatements statements;
    private final String keyspace;
    private final String table;
    private final String name;
    private final UUID id;
    private final String select;
    private final Form form;

    /** Why it is not there any more; null while it is. */
    private volatile CounterTable.@Nullable Rejected gone;

    /** Whether it was told that no row names a generation. */
    private volatile boolean warned;

    /** Completes with the read that has not begun. */
    @GuardedBy("this")
    private @Nullable CompletableFuture<List<UUID>> next;

    @GuardedBy("this")
    private boolean reading;

    public CountedTable(
            CqlSession session, CqlIdentifier keyspace, CqlIdentifier table, UUID id, Form form, Duration timeout) {
        this.statements = new PlainStatements(session, timeout);
        this.keyspace = keyspace.asInternal();
        this.table = table.asInternal();
        this.name = keyspace.asCql(true) + "." + table.asCql(true);
        this.id = id;
        this.select = "SELECT actor FROM " + name + " WHERE type = '" + COUNTER + "'";
        this.form = form;
    }

    /** Returns the name under which Cassidy keeps what belongs to a generation. */
    String key(UUID generation) {
        return keyspace + "." + table + " " + generation;
    }

    /** Fails if it is known that the table is gone; asks nobody. */
    void requireNotGone() {
        CounterTable.Rejected why = gone;
        if (why != null) {
            throw why;
        }
    }

    /**
     * Looks for the generation of the table.
     *
     * @return fails with {@link UnfitTable} if no row names it, and with {@link CounterTable.Rejected} if the table is not the
     *     one of the id
     */
    public CompletionStage<UUID> generation() {
        return read().thenCompose(found ->
                        found.isEmpty() ? read(ConsistencyLevel.ALL) : CompletableFuture.completedFuture(found))
                .thenCompose(found -> found.isEmpty()
                        ? requireId().thenCompose(same -> CompletableFuture.<UUID>failedFuture(unmarked()))
                        : CompletableFuture.completedFuture(found.get(0)));
    }

    /**
     * Requires that the table was not emptied since a generation began.
     *
     * @return fails with {@link CounterTable.Emptied} if another one has begun, and otherwise as {@link #generation}
     */
    CompletionStage<Void> require(UUID generation) {
        return read().thenCompose(found -> found.contains(generation)
                ? CompletableFuture.completedFuture(null)
                : read(ConsistencyLevel.ALL)
                        .thenCompose(everywhere -> everywhere.contains(generation)
                                ? CompletableFuture.completedFuture(null)
                                : other().thenCompose(now -> CompletableFuture.failedFuture(emptied(now)))));
    }

    /** Whoever has the table open may ask in the background, where nobody is told. */
    private CompletionStage<UUID> other() {
        return generation().whenComplete((now, failure) -> {
            boolean none = failure != null && Stages.cause(failure) instanceof UnfitTable;
            if (none && !warned) {
                LOG.warn(
                        "nothing is folded or settled: {}",
                        Stages.cause(failure).getMessage());
            }
            warned = none;
        });
    }

    /**
     * Begins a generation, and returns which there is now. Only if the table is empty, or nothing is kept of its rows.
     *
     * @return fails with {@link UnfitTable} if the server refuses the write timestamps of such counters
     */
    public CompletionStage<UUID> begin(UUID generation) {
        return statements
                .writeAgain(form.insert(name), id + " " + generation)
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                        Stages.cause(failure) instanceof CounterTable.Rejected rejected
                                ? form.refused(name, rejected)
                                : failure))
                .thenCompose(done -> generation());
    }

    /**
     * Begins a generation unless this datacenter's majority shows one: of the processes that create a table together, most begin none.
     * Receipts are of one generation, so a second one makes those of the first unknown if its name is the smaller one.
     */
    public CompletionStage<UUID> beginUnlessSeen(UUID generation) {
        return read().thenCompose(
                        found -> found.isEmpty() ? begin(generation) : CompletableFuture.completedFuture(found.get(0)));
    }

    private CompletionStage<List<UUID>> read() {
        CompletableFuture<List<UUID>> answer;
        synchronized (this) {
            if (next == null) {
                next = new CompletableFuture<>();
            }
            answer = next;
            if (reading) {
                // The read under way began too early.
                return answer;
            }
            reading = true;
            next = null;
        }
        read(answer);
        return answer;
    }

    private void read(CompletableFuture<List<UUID>> answer) {
        read(ConsistencyLevel.LOCAL_QUORUM).whenComplete((found, failure) -> {
            CompletableFuture<List<UUID>> following;
            synchronized (this) {
                following = next;
                next = null;
                reading = following != null;
            }
            if (following != null) {
                read(following);
            }
            if (failure == null) {
                answer.complete(found);
            } else {
                answer.completeExceptionally(Stages.cause(failure));
            }
        });
    }

    private CompletionStage<List<UUID>> read(ConsistencyLevel level) {
        return statements
                .read(level, select)
                .thenApply(rows -> StreamSupport.stream(rows.currentPage().spliterator(), false)
                        .map(row -> String.valueOf(row.getString("actor")))
                        .filter(actor -> actor.startsWith(id + " "))
                        .map(actor -> UUID.fromString(actor.substring(actor.indexOf(' ') + 1)))
                        .toList())
                // The table, or its columns, may be gone.
                .exceptionallyCompose(failure -> Stages.cause(failure) instanceof QueryValidationException
                        ? requireId().thenCompose(same -> CompletableFuture.failedFuture(failure))
                        : CompletableFuture.failedFuture(failure));
    }

    /** Asks a node for the table's id. */
    private CompletionStage<Void> requireId() {
        return statements.read(ConsistencyLevel.ONE, SELECT_ID, keyspace, table).thenAccept(rows -> {
            Row row = rows.one();
            UUID now = row == null ? null : row.getUuid("id");
            if (!Objects.equals(id, now)) {
                gone = gone(now);
                requireNotGone();
            }
        });
    }

    private CounterTable.Rejected gone(@Nullable UUID now) {
        return new CounterTable.Rejected(
                "table " + name + " is not the one that these counters were opened on: it had the id " + id
                        + (now == null
                                ? " and was dropped"
                                : ", was dropped, and another with the id " + now + " was created")
                        + ". Close these counters, and open them again",
                new IllegalStateException("id of the table: " + now));
    }

    private CounterTable.Emptied emptied(UUID now) {
        return new CounterTable.Emptied(
                "table " + name + " was emptied meanwhile: what was known of its counts is not written", now);
    }

    private UnfitTable unmarked() {
        return new UnfitTable("no row of table " + name + " names its generation: it was emptied by TRUNCATE, or all"
                + " replicas have lost the row. What was known of its counts before is not written into it. If it is to"
                + " be empty: cassidy counters truncate, or Counters.truncate(session, config). If what stands in it is"
                + " to count: cassidy counters adopt, or Counters.adopt(session, config)");
    }
}
