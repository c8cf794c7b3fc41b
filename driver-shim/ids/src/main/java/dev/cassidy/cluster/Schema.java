package dev.cassidy.cluster;

import dev.cassidy.sequence.SequencesConfig;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Cassidy's tables. One global keyspace, ordered among all datacenters at SERIAL; one keyspace per datacenter,
 * replicated there alone and ordered at LOCAL_SERIAL. They are written by conditional statements only, and nothing in
 * them ever expires: a time to live once gave a live block away, because one column of its row expired before another. Only
 * {@code changes} and {@code counter_touched}, which prove nothing, are written plainly.
 *
 * <p>Tables are only ever added to, whole or by columns, so that older clients go on; each step may be repeated. The comments
 * say which version is complete, and are raised last.
 */
public final class Schema {

    /** The version that this client makes. */
    public static final int VERSION = 5;

    /** The first version with the tables of counters. */
    public static final int COUNTERS = 4;

    /** The first version with the tables of columns' defaults and of how tables are written. */
    public static final int DEFAULTS = 5;

    /** The oldest version that this client works on. */
    static final int OLDEST = 2;

    private static final Pattern COMMENT = Pattern.compile("cassidy schema (\\d{1,9})");

    private static final int LONGEST_KEYSPACE = 48;

    private static final String SPEC = "type text%1$s, start bigint%1$s, increment bigint%1$s, minimum bigint%1$s,"
            + " maximum bigint%1$s, ordering text%1$s, stripes int%1$s, block_min bigint%1$s, block_max bigint%1$s,"
            + " reserve_min bigint%1$s, reserve_max bigint%1$s";

    private static final Table IDENTITY_COLUMNS = new Table(
            "identity_columns",
            2,
            "keyspace_name text, table_name text, column_name text, sequence text",
            "",
            "(keyspace_name, table_name)",
            "");

    /** A default that was dropped keeps its row: {@code revision} tells which of two copies is the later one. */
    private static final Table COLUMN_DEFAULTS = new Table(
            "column_defaults",
            5,
            "keyspace_name text, table_name text, column_name text, constraint_name text, kind text, value text,"
                    + " expression text, revision int, dropped boolean",
            "",
            "(keyspace_name, table_name, column_name)",
            "");

    private static final Table TABLE_WRITES = new Table(
            "table_writes",
            5,
            "keyspace_name text, table_name text, mode text, version_column text, changing boolean, revision int",
            "",
            "(keyspace_name, table_name)",
            "");

    /** Recent changes, newest first, for all processes that watch; each change gives {@code moved} a new value. */
    private static final Table CHANGES = new Table(
            "changes",
            3,
            "scope text, moved uuid static, at timeuuid, kind text, name text",
            "",
            "(scope, at)",
            "at DESC");

    /** The last table's comment is raised last: it tells a keyspace's version. */
    public static final List<Table> GLOBAL = List.of(
            IDENTITY_COLUMNS,
            COLUMN_DEFAULTS,
            TABLE_WRITES,
            CHANGES,
            new Table(
                    "snowflake",
                    2,
                    "seq text, epoch_ms bigint static, nodes int static, next int static, destroyed boolean static,"
                            + " dc text, grant_no int, lo int, hi int, grantee uuid",
                    "",
                    "(seq, dc, grant_no)",
                    ""),
            new Table(
                    "seq",
                    2,
                    "seq text, inc int static, ready boolean static, dropped boolean static, streams int static,"
                            + " next bigint static, max bigint static, origin bigint static, floor bigint static, "
                            + String.format(SPEC, " static")
                            + ", i int, dc text, stripe int, grant_no int, lo bigint, hi bigint, grantee uuid",
                    "",
                    "(seq, i, dc, stripe, grant_no)",
                    ""));

    public static final List<Table> DATACENTER = List.of(
            IDENTITY_COLUMNS,
            COLUMN_DEFAULTS,
            TABLE_WRITES,
            CHANGES,
            new Table(
                    "snowflake",
                    2,
                    "seq text, epoch_ms bigint static, nodes int static, destroyed boolean static,"
                            + " grant_no int static, k int, lo int, hi int",
                    "",
                    "(seq, k)",
                    ""),
            new Table(
                    "snowflake_node",
                    2,
                    "seq text, n int, epoch bigint, ts_high bigint, lease uuid, free boolean, holder text, at timestamp",
                    "",
                    "((seq, n))",
                    ""),
            new Table(
                    "sequence",
                    2,
                    "seq text, inc int, ready boolean, dropped boolean, floor bigint, " + String.format(SPEC, ""),
                    "acknowledged int",
                    "(seq)",
                    ""),
            // Newest first: a condition on static columns reads the partition's first row, and must not have to
            // pass the tombstones of every claim that was ever made to find it.
            new Table(
                    "reserve",
                    2,
                    "seq text, stripe int, inc int static, next bigint static, hi bigint static, nlo bigint static,"
                            + " nhi bigint static, grant_no int static, free frozen<list<bigint>> static,"
                            + " usage frozen<list<bigint>> static, i int, kind text, lo bigint, end bigint, claim uuid,"
                            + " holder text, at timestamp",
                    "",
                    "((seq, stripe), i, kind, lo)",
                    "i DESC, kind ASC, lo DESC"),
            // The columns of a lease are static; a row is an epoch that was broken off.
            new Table(
                    "counter_slot",
                    4,
                    "counters text, slot int, epoch int static, lease uuid static, beat bigint static,"
                            + " free boolean static, holder text static, at timestamp static, ended int, swept boolean",
                    "",
                    "((counters, slot), ended)",
                    "ended DESC"),
            new Table(
                    "counter_settled",
                    4,
                    "counters text, slot int, name text, epoch int static, sum varint static, ended int,"
                            + " counted bigint",
                    "",
                    "((counters, slot, name), ended)",
                    "ended DESC"),
            // A hint, as the changes are.
            new Table(
                    "counter_touched",
                    4,
                    "counters text, slot int, epoch int, name text",
                    "",
                    "((counters, slot, epoch), name)",
                    ""));

    /**
     * A table as this version has it.
     *
     * @param since the first version with it
     * @param columns as it was made first
     * @param added those that version 3 added; empty for none
     * @param key its primary key
     * @param order of its clustering columns; empty for ascending
     */
    public record Table(String name, int since, String columns, String added, String key, String order) {

        /** Returns each column's name and what it is. */
        Map<String, String> definitions() {
            return Stream.concat(split(columns), split(added))
                    .collect(Collectors.toMap(
                            column -> column.substring(0, column.indexOf(' ')),
                            column -> column.substring(column.indexOf(' ') + 1),
                            (one, other) -> one,
                            LinkedHashMap::new));
        }

        private static Stream<String> split(String columns) {
            return columns.isEmpty() ? Stream.empty() : Stream.of(columns.split(", ", -1));
        }

        /** Returns the columns of a version. */
        List<String> columnsOf(int version) {
            return Stream.concat(split(columns), version < 3 ? Stream.empty() : split(added))
                    .map(column -> column.substring(0, column.indexOf(' ')))
                    .toList();
        }

        String create(String keyspace) {
            return "CREATE TABLE IF NOT EXISTS " + keyspace + "." + name + " (" + columns
                    + (added.isEmpty() ? "" : ", " + added) + ", PRIMARY KEY " + key + ") WITH "
                    + (order.isEmpty() ? "" : "CLUSTERING ORDER BY (" + order + ") AND ") + "comment = '"
                    + comment(VERSION) + "'";
        }

        private Stream<String> upgrade(String keyspace) {
            return split(added).map(column -> "ALTER TABLE " + keyspace + "." + name + " ADD IF NOT EXISTS " + column);
        }

        String add(String keyspace, String column) {
            return "ALTER TABLE " + keyspace + "." + name + " ADD " + column + " "
                    + definitions().get(column);
        }

        String raise(String keyspace) {
            return "ALTER TABLE " + keyspace + "." + name + " WITH comment = '" + comment(VERSION) + "'";
        }
    }

    private Schema() {}

    private static String comment(int version) {
        return "cassidy schema " + version;
    }

    /** Returns the version in a table's comment; empty if it has none. */
    static OptionalInt version(String comment) {
        Matcher matcher = COMMENT.matcher(comment);
        return matcher.matches() ? OptionalInt.of(Integer.parseInt(matcher.group(1))) : OptionalInt.empty();
    }

    /**
     * Returns the keyspace of a datacenter: the global one's name, {@code _} and the datacenter's in lower case, with
     * {@code _} for every character that an unquoted keyspace name cannot have.
     */
    public static String datacenterKeyspace(String globalKeyspace, String datacenter) {
        String name = nameOf(globalKeyspace, datacenter);
        if (name.length() > LONGEST_KEYSPACE) {
            throw new IllegalArgumentException("must have at most " + LONGEST_KEYSPACE + " characters: keyspace '"
                    + name + "' of datacenter '" + datacenter + "'; give a shorter one by datacenterKeyspace");
        }
        return name;
    }

    /** As {@link #datacenterKeyspace}, even if it is too long to exist. */
    public static String nameOf(String globalKeyspace, String datacenter) {
        return globalKeyspace + "_" + datacenter.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9_]", "_");
    }

    /** Returns the tables of each keyspace, by its name. */
    static Map<String, List<Table>> tables(Map<String, Integer> factors, SequencesConfig config) {
        Map<String, List<Table>> tables = new LinkedHashMap<>();
        tables.put(config.globalKeyspace(), GLOBAL);
        factors.keySet().forEach(datacenter -> tables.put(keyspaceOf(datacenter, factors, config), DATACENTER));
        return tables;
    }

    /** Returns the statements that make missing keyspaces and tables of this version; nothing that exists changes. */
    static List<String> creations(Map<String, Integer> factors, SequencesConfig config) {
        List<String> cql = new ArrayList<>();
        String global = config.globalKeyspace();
        cql.add(keyspace(global, factors));
        GLOBAL.forEach(table -> cql.add(table.create(global)));
        Map<String, String> owners = new HashMap<>();
        factors.forEach((datacenter, factor) -> {
            String keyspace = keyspaceOf(datacenter, factors, config);
            String other = owners.put(keyspace, datacenter);
            if (other != null) {
                throw new IllegalArgumentException("datacenters '" + other + "' and '" + datacenter
                        + "' would share the keyspace " + keyspace + "; name it by datacenterKeyspace, one at a time");
            }
            cql.add(keyspace(keyspace, Map.of(datacenter, factor)));
            DATACENTER.forEach(table -> cql.add(table.create(keyspace)));
        });
        return cql;
    }

    /**
     * Returns what makes this version of nothing, or of any before; each statement may be repeated. Columns are added by
     * {@code IF NOT EXISTS}, which Cassandra before 4.1 does not know.
     */
    public static List<String> statements(Map<String, Integer> factors, SequencesConfig config) {
        List<String> cql = new ArrayList<>(creations(factors, config));
        Map<String, List<Table>> all = tables(factors, config);
        all.forEach((keyspace, tables) ->
                tables.forEach(table -> table.upgrade(keyspace).forEach(cql::add)));
        all.forEach((keyspace, tables) -> tables.forEach(table -> cql.add(table.raise(keyspace))));
        return cql;
    }

    private static String keyspaceOf(String datacenter, Map<String, Integer> factors, SequencesConfig config) {
        if (config.datacenterKeyspace().isPresent()) {
            if (factors.size() > 1) {
                throw new IllegalArgumentException("names one keyspace for several datacenters: datacenterKeyspace="
                        + config.datacenterKeyspace().get() + " datacenters="
                        + factors.keySet() + "; leave it out, or give one datacenter at a time");
            }
            return config.datacenterKeyspace().get();
        }
        return datacenterKeyspace(config.globalKeyspace(), datacenter);
    }

    private static String keyspace(String name, Map<String, Integer> factors) {
        StringJoiner replication = new StringJoiner(", ", "{'class': 'NetworkTopologyStrategy', ", "}");
        factors.forEach((datacenter, factor) -> replication.add("'" + datacenter.replace("'", "''") + "': " + factor));
        return "CREATE KEYSPACE IF NOT EXISTS " + name + " WITH replication = " + replication;
    }
}
