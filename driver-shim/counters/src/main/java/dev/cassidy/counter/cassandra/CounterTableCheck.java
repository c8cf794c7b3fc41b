package dev.cassidy.counter.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import dev.cassidy.counter.store.Versions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Whether a table can hold counters: its columns, the settings on which the protocol depends, and whether its server takes
 * the write timestamps. Blocks.
 */
public final class CounterTableCheck {

    /** For this long, Cassandra keeps what a node missed while it was down. */
    private static final Duration SHORTEST_GC_GRACE = Duration.ofHours(3);

    private static final String READ_REPAIR = "read_repair = 'NONE'";

    private final CqlSession session;
    private final TableDefinition definition;
    private final String name;
    private final String datacenter;
    private final Duration timeout;

    public CounterTableCheck(
            CqlSession session, CqlIdentifier keyspace, CqlIdentifier table, String datacenter, Duration timeout) {
        this.session = session;
        this.definition = new TableDefinition(session, keyspace, table, timeout);
        this.name = definition.name();
        this.datacenter = datacenter;
        this.timeout = timeout;
    }

    /** Returns the statement that creates such a table. */
    public static String create(String table, IncrementColumn column) {
        return "CREATE TABLE IF NOT EXISTS " + table + " (type text, actor text, version bigint, increment "
                + column.cql() + ", upto bigint, PRIMARY KEY (type, actor, version)) WITH " + READ_REPAIR
                + " AND gc_grace_seconds = 864000"
                + " AND compaction = {'class': 'LeveledCompactionStrategy', 'only_purge_repaired_tombstones': 'true'}";
    }

    /**
     * Checks the table.
     *
     * @return the type of its column {@code increment}
     * @throws UnfitTable if it cannot hold counters
     * @throws DriverException if Cassandra does not answer
     */
    public IncrementColumn check() {
        Row options = definition
                .options()
                .orElseThrow(() -> new UnfitTable("there is no table " + name
                        + "; Counters.create(session, config) creates it, or this, followed by Counters.adopt(session,"
                        + " config): " + create(name, IncrementColumn.BIGINT)));
        requireColumns();
        requireOptions(options);
        definition.requireReplicas(datacenter);
        probe();
        return increment();
    }

    private void requireColumns() {
        Map<String, String> found = definition.columns();
        Map<String, String> wanted = Map.of(
                "type", "text, partition key 0",
                "actor", "text, clustering 0 asc",
                "version", "bigint, clustering 1 asc",
                "upto", "bigint");
        for (String column : List.of("type", "actor", "version", "upto")) {
            String is = found.get(column);
            if (is == null && column.equals("upto")) {
                throw new UnfitTable(
                        "table " + name + " has no column 'upto', so nothing can be folded in it: ALTER TABLE " + name
                                + " ADD upto bigint");
            }
            if (!Objects.equals(wanted.get(column), is)) {
                throw new UnfitTable(
                        "column '" + column + "' of table " + name + " must be " + wanted.get(column) + ", and is "
                                + (is == null ? "missing" : is) + "; a table of counters is made by: "
                                + create(name, IncrementColumn.BIGINT));
            }
        }
        if (IncrementColumn.of(found.getOrDefault("increment", "")).isEmpty()) {
            throw new UnfitTable("column 'increment' of table " + name
                    + " must be an int, a bigint or a varint, and is " + found.getOrDefault("increment", "missing"));
        }
    }

    private IncrementColumn increment() {
        return IncrementColumn.of(definition.columns().getOrDefault("increment", ""))
                .orElseThrow();
    }

    private void requireOptions(Row options) {
        definition.requireNoTimeToLive(options);
        definition.require(
                options.getInt("gc_grace_seconds") >= SHORTEST_GC_GRACE.toSeconds(),
                "gc_grace_seconds = " + options.getInt("gc_grace_seconds"),
                "folded increments would come back from a node that was down, and count twice; at least "
                        + SHORTEST_GC_GRACE.toSeconds() + " are needed",
                "gc_grace_seconds = 864000");
        String readRepair = String.valueOf(options.getString("read_repair"));
        definition.require(
                readRepair.equalsIgnoreCase("NONE"),
                "read_repair = '" + readRepair + "'",
                "a read would copy a part of a fold to another replica",
                READ_REPAIR);
        Map<String, String> compaction = options.getMap("compaction", String.class, String.class);
        String strategy = compaction == null ? "" : compaction.getOrDefault("class", "");
        definition.require(
                !strategy.contains("TimeWindow") && !strategy.contains("DateTiered"),
                "compaction by " + strategy,
                "write timestamps are versions here, not times, so its windows mean nothing",
                "compaction = {'class': 'LeveledCompactionStrategy', 'only_purge_repaired_tombstones': 'true'}");
    }

    private void probe() {
        try {
            session.execute(SimpleStatement.newInstance("DELETE FROM " + name + " USING TIMESTAMP "
                            + (Versions.LAST - 1) + " WHERE type = 'cassidy/probe' AND actor = '' AND version = 0")
                    .setConsistencyLevel(ConsistencyLevel.LOCAL_QUORUM)
                    .setTimeout(timeout)
                    .setIdempotent(true));
        } catch (QueryValidationException e) {
            throw RefusedTimestamps.ofIncrements(name, e);
        }
    }
}
