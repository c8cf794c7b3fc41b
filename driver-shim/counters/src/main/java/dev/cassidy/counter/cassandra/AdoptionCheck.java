package dev.cassidy.counter.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.counter.store.Versions;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Whether a table of which nothing is declared can be of a kind of counters, where tables of several kinds have the columns that
 * this kind wants. The columns that another kind has besides tell, and so do the rows that Cassidy has written. Blocks.
 */
public final class AdoptionCheck {

    private static final int PAGE = 5_000;

    /** No clock has this many microseconds before the year 4253, and all versions of FOLDED counters are larger. */
    private static final long NO_CLOCK = 1L << 56;

    /** By kind: the columns that only tables of another kind have. */
    private static final Map<String, Set<String>> OF_OTHERS =
            Map.of("VERSIONED", Set.of("upto"), "LINEARIZABLE", Set.of("fence", "holder"));

    private final CqlSession session;
    private final TableDefinition definition;
    private final Duration timeout;

    public AdoptionCheck(CqlSession session, CqlIdentifier keyspace, CqlIdentifier table, Duration timeout) {
        this.session = session;
        this.definition = new TableDefinition(session, keyspace, table, timeout);
        this.timeout = timeout;
    }

    /** Returns the id of the table; empty if there is none. */
    public Optional<UUID> id() {
        return definition.id();
    }

    /** Returns whether the table has no row at a consistency level. */
    public boolean isEmpty(ConsistencyLevel level) {
        return session.execute(statement("SELECT type FROM " + definition.name() + " LIMIT 1")
                                .setConsistencyLevel(level))
                        .one()
                == null;
    }

    /**
     * Reads the columns, and all rows of a table whose columns tell too little.
     *
     * @throws UnfitTable if the table is of another kind
     */
    public void check(String kind) {
        for (String column : definition.columns().keySet()) {
            if (OF_OTHERS.getOrDefault(kind, Set.of()).contains(column)) {
                throw misfit(kind, "it has a column '" + column + "', as tables of another kind have");
            }
        }
        switch (kind) {
            case "FOLDED" -> rows(kind, AdoptionCheck::isTotal, "a total of VERSIONED counters");
            case "VERSIONED" -> rows(kind, AdoptionCheck::isOfFolded, "of FOLDED counters");
            default -> {}
        }
    }

    private interface Judge {
        boolean is(long version, long timestamp);
    }

    /** An increment of Cassidy has an epoch in its version, and one of another client the time as its timestamp. */
    private static boolean isTotal(long version, long timestamp) {
        return version == timestamp && version > 0 && Versions.epoch(version) == 0;
    }

    private static boolean isOfFolded(long version, long timestamp) {
        return timestamp >= NO_CLOCK;
    }

    private void rows(String kind, Judge ofAnother, String what) {
        for (Row row : session.execute(
                statement("SELECT type, actor, version, WRITETIME(increment) AS written FROM " + definition.name()))) {
            if (CountedTable.COUNTER.equals(row.getString("type"))) {
                continue;
            }
            if (!row.isNull("written") && ofAnother.is(row.getLong("version"), row.getLong("written"))) {
                throw misfit(
                        kind,
                        "row type='" + row.getString("type") + "' actor='" + row.getString("actor") + "' version="
                                + row.getLong("version") + " is " + what + ", by its write timestamp "
                                + row.getLong("written"));
            }
        }
    }

    private SimpleStatement statement(String cql) {
        return SimpleStatement.newInstance(cql)
                .setConsistencyLevel(ConsistencyLevel.LOCAL_QUORUM)
                .setIdempotent(true)
                .setTimeout(timeout)
                .setPageSize(PAGE);
    }

    private UnfitTable misfit(String kind, String why) {
        return new UnfitTable("table " + definition.name() + " cannot be adopted as one of " + kind + " counters: "
                + why + ". Nothing was changed; adopt it as the kind that it is, or count in another table");
    }
}
