package dev.cassidy.counter.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.counter.store.CounterTable;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A table of counters, by its id. What is kept outside the table is of this id, and so are the names of its actors: after DROP and
 * CREATE nothing that was kept for the earlier table is found, and a process that still counts as if it were there writes rows that
 * nobody settles, so that they count.
 *
 * <p>What such a process knows of the earlier table must not be written into the new one. So each write that depends on it asks
 * first. This leaves a gap: a process that stands still between the answer and its write, while the table is dropped and created.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
public final class CountedTable {

    private static final String SELECT =
            "SELECT id FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?";

    private final PlainStatements statements;
    private final String keyspace;
    private final String table;
    private final UUID id;

    /** Why it is not there any more; null while it is. */
    private volatile CounterTable.@Nullable Rejected gone;

    /** @param keyspace and {@code table}: internal names (case-exact, unquoted) */
    public CountedTable(CqlSession session, String keyspace, String table, UUID id, Duration timeout) {
        this.statements = new PlainStatements(session, timeout);
        this.keyspace = keyspace;
        this.table = table;
        this.id = id;
    }

    /** Returns the id that Cassandra gave the table when it was created. */
    public UUID id() {
        return id;
    }

    /** Returns the name under which Cassidy keeps what belongs to the table. */
    public String key() {
        return keyspace + "." + table + " " + id;
    }

    /** Returns the first part of the names of the actors that hold slots of a datacenter. */
    public String home(String datacenter) {
        return datacenter + incarnation();
    }

    /** Returns the datacenter for which {@link #home} returns this; empty if it is of no actor of this table. */
    public Optional<String> datacenter(String home) {
        return home.endsWith(incarnation())
                ? Optional.of(home.substring(0, home.length() - incarnation().length()))
                : Optional.empty();
    }

    /** Returns the first part of the id, by which the tables that have had the name differ. */
    private String incarnation() {
        return "~" + id.toString().substring(0, 8);
    }

    /** Returns whether it is known that the table is gone; asks nobody. */
    void requireNotGone() {
        CounterTable.Rejected why = gone;
        if (why != null) {
            throw why;
        }
    }

    /** Asks a node for the table's id; the stage fails with {@link CounterTable.Rejected} if it is another one, or none. */
    public CompletionStage<Void> require() {
        return statements.read(ConsistencyLevel.ONE, SELECT, keyspace, table).thenAccept(rows -> {
            Row row = rows.one();
            UUID now = row == null ? null : row.getUuid("id");
            if (!id.equals(now)) {
                gone = new CounterTable.Rejected(
                        "table " + keyspace + "." + table
                                + " is not the one that these counters were opened on: it had the id "
                                + id
                                + (now == null
                                        ? " and was dropped"
                                        : ", was dropped, and another with the id " + now + " was created")
                                + ". Close these counters, and open them again",
                        new IllegalStateException("id of the table: " + now));
                requireNotGone();
            }
        });
    }
}
