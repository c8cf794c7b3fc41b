package dev.cassidy.jdbc.session;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlSelect;
import dev.cassidy.insert.Identifiers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The plan by which a SELECT finds its rows, and what was learnt when it ran. One for each statement without values, and schema. Safe for use by
 * many threads.
 */
public final class ReadPath {

    /** From the cheapest to the dearest. */
    public enum Kind {
        /** Nothing is known of the table, or it is a table of each node itself. */
        UNKNOWN,
        /** The primary key of each row is given. */
        KEY,
        /** The partition key is given: the replicas of one partition are asked, or of a list of them. */
        PARTITION,
        /** An index without the partition key: nodes all over the cluster are asked. */
        INDEX,
        /** The whole table is read: nodes all over the cluster are asked. */
        SCAN,
        /** Neither the partition key nor an index: Cassandra refuses it. */
        REFUSED
    }

    /** From how many rows of a partition on a statement that reads through them warns. */
    public static final int MANY_ROWS = 1_000;

    /** A partition is counted when a statement runs for the first time, and again after so many executions. */
    private static final int COUNTED_EVERY = 1_000;

    static final ReadPath UNKNOWN = new ReadPath(
            Kind.UNKNOWN, null, new CqlInsert.Table(null, ""), List.of(), Map.of(), List.of(), false, Optional.empty());

    private final Kind kind;
    private final @Nullable CqlSelect select;
    private final CqlInsert.Table table;
    private final List<String> partitionKey;
    private final Map<String, Integer> replicas;
    private final List<String> columns;
    private final boolean furtherConditions;
    private final Optional<Cures> cures;
    private final AtomicLong filtered = new AtomicLong();
    private volatile boolean filters;
    private volatile boolean byValue;
    private volatile boolean large;

    /**
     * What makes a statement cheaper, as CQL.
     *
     * @param key the condition that is missing, such as {@code id = ?}
     * @param table a table by the columns of WHERE; empty if none can be
     * @param indexes the indexes that would serve the statement, all of them together; empty if it has them, or none would
     */
    public record Cures(String key, Optional<String> table, List<String> indexes) {
        public Cures {
            indexes = List.copyOf(indexes);
        }
    }

    /**
     * Counts the rows of the partition that a statement reads.
     *
     * @param markers the indexes, from 0, of its {@code ?} among those of the statement
     */
    public record Probe(String cql, List<Integer> markers) {}

    /**
     * A path that nobody took yet.
     *
     * @param table with its keyspace
     * @param replicas of the table's keyspace, as {@link NodeCounts#asked} takes them
     * @param columns the columns of WHERE
     * @param furtherConditions whether WHERE has more conditions than its columns of the key given by value
     */
    ReadPath(
            Kind kind,
            @Nullable CqlSelect select,
            CqlInsert.Table table,
            List<String> partitionKey,
            Map<String, Integer> replicas,
            List<String> columns,
            boolean furtherConditions,
            Optional<Cures> cures) {
        this.kind = kind;
        this.select = select;
        this.table = table;
        this.partitionKey = List.copyOf(partitionKey);
        this.replicas = Map.copyOf(replicas);
        this.columns = List.copyOf(columns);
        this.furtherConditions = furtherConditions;
        this.cures = cures;
    }

    public Kind kind() {
        return kind;
    }

    /** Returns whether nodes all over the cluster are asked. */
    public boolean isFanOut() {
        return kind == Kind.INDEX || kind == Kind.SCAN;
    }

    /** Returns the table with its keyspace; without a name if the kind is UNKNOWN. */
    public CqlInsert.Table table() {
        return table;
    }

    /** Returns the table with its keyspace, as CQL writes it. */
    public String shownTable() {
        String name = Identifiers.toCql(table.name());
        return table.keyspace() == null ? name : Identifiers.toCql(table.keyspace()) + "." + name;
    }

    public List<String> partitionKey() {
        return partitionKey;
    }

    /** Returns the columns of WHERE, by internal name. */
    public List<String> columns() {
        return columns;
    }

    Map<String, Integer> replicas() {
        return replicas;
    }

    /** Returns what would make the statement cheaper; empty if nothing has to. */
    public Optional<Cures> cures() {
        return cures;
    }

    // ---- further conditions within a partition

    /** Returns whether the statement may be sent with ALLOW FILTERING: it then reads through one partition at the most. */
    public boolean mayFilter() {
        return furtherConditions && (kind == Kind.PARTITION || kind == Kind.KEY) && select != null && !select.filters();
    }

    /** Returns whether the server takes the statement only with ALLOW FILTERING. */
    public boolean filters() {
        return filters;
    }

    /** Remembers that the server takes the statement only with ALLOW FILTERING. */
    public void setFilters() {
        filters = true;
    }

    /** Returns whether the server takes the statement only as a read for each value of its IN. */
    public boolean isByValue() {
        return byValue;
    }

    /** Remembers that the server takes the statement only as a read for each value of its IN. */
    public void setByValue() {
        byValue = true;
    }

    /** Returns the statement with ALLOW FILTERING; only if {@link #mayFilter}. */
    public String filtering() {
        if (select == null) {
            throw new IllegalStateException("nothing to filter");
        }
        return select.filtering();
    }

    /** Returns whether the rows of the partition are to be counted now. */
    public boolean countsNow() {
        return kind == Kind.PARTITION && !large && filtered.getAndIncrement() % COUNTED_EVERY == 0;
    }

    /** Remembers that a partition has {@link #MANY_ROWS} or more. */
    public void setLarge() {
        large = true;
    }

    public boolean isLarge() {
        return large;
    }

    /** Returns what reads the first {@link #MANY_ROWS} rows of the partition. */
    public Probe probe() {
        if (select == null) {
            throw new IllegalStateException("nothing to count");
        }
        List<String> conditions = new ArrayList<>();
        List<Integer> markers = new ArrayList<>();
        for (CqlSelect.Restriction restriction : select.where()) {
            if (restriction.isDirect() && partitionKey.containsAll(restriction.columns())) {
                conditions.add(restriction.text());
                markers.addAll(restriction.markers());
            }
        }
        String cql = "SELECT " + Identifiers.toCql(partitionKey.get(0)) + " FROM " + shownTable() + " WHERE "
                + String.join(" AND ", conditions) + " LIMIT " + MANY_ROWS;
        return new Probe(cql, List.copyOf(markers));
    }
}
