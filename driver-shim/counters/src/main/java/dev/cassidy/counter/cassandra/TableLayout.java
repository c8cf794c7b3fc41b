package dev.cassidy.counter.cassandra;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The tables of the kinds of counters that have no slots. */
public enum TableLayout {

    /** An actor's total, whose write timestamp is the number of the write. */
    CUMULATIVE(
            "type, actor",
            " WITH read_repair = 'NONE'",
            Need.WRITE_TIMESTAMPS,
            "type text, partition key 0",
            "actor text, clustering 0 asc",
            "increment bigint"),

    /** An actor's totals; the version is the number of the write, and its write timestamp. */
    VERSIONED(
            "type, actor, version",
            " WITH read_repair = 'NONE'",
            Need.WRITE_TIMESTAMPS,
            "type text, partition key 0",
            "actor text, clustering 0 asc",
            "version bigint, clustering 1 asc",
            "increment bigint"),

    /** A number, how often it was changed, and the last changes in a ring. */
    LINEARIZABLE(
            "type, slot",
            "",
            Need.ONE_DATACENTER,
            "type text, partition key 0",
            "slot int, clustering 0 asc",
            "value bigint, static",
            "revision bigint, static",
            "made bigint",
            "op uuid"),

    /** The same, and its lock: the token, and who holds it. */
    SERIALIZABLE(
            "type, slot",
            "",
            Need.ONE_DATACENTER,
            "type text, partition key 0",
            "slot int, clustering 0 asc",
            "value bigint, static",
            "revision bigint, static",
            "fence bigint, static",
            "holder uuid, static",
            "made bigint",
            "op uuid"),

    /** Cassandra's counter. */
    NATIVE("type", "", Need.NOTHING, "type text, partition key 0", "value counter"),

    /** Increments by time. */
    BUCKETED(
            "type, modify_time, actor, version",
            " WITH CLUSTERING ORDER BY (modify_time DESC, actor ASC, version ASC) AND read_repair = 'NONE'",
            Need.ONE_DATACENTER,
            "type text, partition key 0",
            "modify_time timestamp, clustering 0 desc",
            "actor text, clustering 1 asc",
            "version bigint, clustering 2 asc",
            "increment bigint"),

    /** The sums of what was collected from {@link #BUCKETED}. */
    BUCKETED_SUMS(
            "type",
            "",
            Need.ONE_DATACENTER,
            "type text, partition key 0",
            "epoch timestamp",
            "value varint",
            "run uuid");

    /** What a layout demands beyond its columns. */
    enum Need {
        NOTHING,
        WRITE_TIMESTAMPS,
        ONE_DATACENTER
    }

    private final String key;
    private final String options;
    private final Need need;
    private final String columns;

    /** @param columns name, type and place of each, as {@link TableDefinition#columns} has them */
    TableLayout(String key, String options, Need need, String... columns) {
        this.key = key;
        this.options = options;
        this.need = need;
        this.columns = String.join("\n", columns);
    }

    /** Returns the statement that creates such a table. */
    public String create(String table) {
        List<String> definitions = new ArrayList<>();
        columns().forEach((name, place) -> {
            int comma = place.indexOf(',');
            String type = comma < 0 ? place : place.substring(0, comma);
            definitions.add(name + " " + type + (place.endsWith(", static") ? " static" : ""));
        });
        return "CREATE TABLE IF NOT EXISTS " + table + " (" + String.join(", ", definitions) + ", PRIMARY KEY (" + key
                + "))" + options;
    }

    /** Returns the name of the kind of counters. */
    String kind() {
        return this == BUCKETED_SUMS ? BUCKETED.name() : name();
    }

    Need need() {
        return need;
    }

    /** For each column, its type and its place. */
    Map<String, String> columns() {
        Map<String, String> places = new LinkedHashMap<>();
        columns.lines().forEach(column -> {
            int space = column.indexOf(' ');
            places.put(column.substring(0, space), column.substring(space + 1));
        });
        return places;
    }
}
