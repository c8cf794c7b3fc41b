package dev.cassidy.counter.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import java.time.Duration;
import java.util.Map;

/** Whether a table has the layout of a kind of counters without slots, and the settings that it needs. Blocks. */
public final class LayoutCheck {

    private final CqlSession session;
    private final TableDefinition definition;
    private final String datacenter;
    private final Duration timeout;

    public LayoutCheck(
            CqlSession session, CqlIdentifier keyspace, CqlIdentifier table, String datacenter, Duration timeout) {
        this.session = session;
        this.definition = new TableDefinition(session, keyspace, table, timeout);
        this.datacenter = datacenter;
        this.timeout = timeout;
    }

    /**
     * Checks the table.
     *
     * @throws UnfitTable if it cannot hold such counters
     * @throws com.datastax.oss.driver.api.core.DriverException if Cassandra does not answer
     */
    public void check(TableLayout layout) {
        Row options = definition
                .options()
                .orElseThrow(
                        () -> new UnfitTable("there is no table " + definition.name() + "; Counters.create(session,"
                                + " config) creates it, or this, followed by Counters.adopt(session, config): "
                                + layout.create(definition.name())));
        requireColumns(layout);
        definition.requireNoTimeToLive(options);
        switch (layout.need()) {
            case NOTHING -> definition.requireReplicas(datacenter);
            case ONE_DATACENTER -> definition.requireReplicasInOneDatacenter(datacenter);
            case WRITE_TIMESTAMPS -> {
                definition.requireReplicas(datacenter);
                probe();
            }
        }
        switch (layout) {
            case VERSIONED ->
                requireNoReadRepair(
                        options,
                        "a read would copy the deletions of a fold to another replica without the total that they"
                                + " belong to");
            case CUMULATIVE, BUCKETED ->
                requireNoReadRepair(
                        options,
                        "while the table is being emptied, a read would copy what one replica still has to another that"
                                + " is empty, and it would count again");
            case LINEARIZABLE, SERIALIZABLE, NATIVE, BUCKETED_SUMS -> {}
        }
    }

    private void requireColumns(TableLayout layout) {
        Map<String, String> found = definition.columns();
        layout.columns()
                .forEach((column, wanted) -> require(layout, column, wanted, found.getOrDefault(column, "missing")));
        // Rows that differ in it alone would be one counter's to one kind, and several to another.
        found.forEach((column, is) -> {
            if (is.contains(", partition key ") || is.contains(", clustering ")) {
                require(layout, column, layout.columns().getOrDefault(column, "no part of the key"), is);
            }
        });
    }

    private void require(TableLayout layout, String column, String wanted, String is) {
        if (!wanted.equals(is)) {
            throw new UnfitTable("column '" + column + "' of table " + definition.name() + " must be " + wanted
                    + ", and is " + is + "; a table of counters of the kind " + layout.kind() + " is made by: "
                    + layout.create(definition.name()) + remedy(layout, is));
        }
    }

    /** Of tables whose numbers have 32 bits. Cassandra cannot alter a column's type. */
    private String remedy(TableLayout layout, String is) {
        if (!is.equals("int") && !is.startsWith("int,")) {
            return "";
        }
        return switch (layout) {
            case CUMULATIVE, VERSIONED ->
                ". Make such a table by Counters.create(session, config), and copy this one into it while it is counted:"
                        + " Counters.copyTotals(session, \"" + definition.name()
                        + "\", config), or cassidy counters copy";
            case BUCKETED, BUCKETED_SUMS ->
                ". Make a table of FOLDED counters by Counters.create(session, config). Once nothing counts here any more,"
                        + " Counters.carryOver(type, total) takes each total over";
            default -> "";
        };
    }

    private void requireNoReadRepair(Row options, String why) {
        String readRepair = String.valueOf(options.getString("read_repair"));
        definition.require(
                readRepair.equalsIgnoreCase("NONE"), "read_repair = '" + readRepair + "'", why, "read_repair = 'NONE'");
    }

    private void probe() {
        try {
            session.execute(SimpleStatement.newInstance("DELETE FROM " + definition.name()
                            + " USING TIMESTAMP 1 WHERE type = 'cassidy/probe' AND actor = ''")
                    .setConsistencyLevel(ConsistencyLevel.LOCAL_QUORUM)
                    .setTimeout(timeout)
                    .setIdempotent(true));
        } catch (QueryValidationException e) {
            throw RefusedTimestamps.ofTotals(definition.name(), e);
        }
    }
}
