package dev.cassidy.cluster;

import dev.cassidy.sequence.SequencesConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Cassidy's tables. One global keyspace, ordered among all datacenters at SERIAL; one keyspace per datacenter,
 * replicated there alone and ordered at LOCAL_SERIAL. They are written by conditional statements only, and nothing in
 * them ever expires: a time to live once gave a live block away, because one column of its row expired before another. Only
 * {@code changes} and {@code counter_touched}, which prove nothing, are written plainly, and in {@code transactions} what nobody else writes.
 *
 * <p>Each table's comment names its version. A later version may only add tables and columns, in steps that may be repeated,
 * because processes that were opened before it continue beside it; {@link Installation} raises the comments last. The
 * CQL of {@link #statements} is only for new tables so far: version 1 is the first.
 */
public final class Schema {

    /** The version that this release makes and works on. */
    static final int VERSION = 1;

    /** As derived in docs/adr/0004: for this long, Cassandra keeps what a node missed while it was down. */
    static final Duration SHORTEST_GC_GRACE = Duration.ofHours(3);

    private static final Pattern COMMENT = Pattern.compile("cassidy schema (\\d{1,9})");
    private static final String COMMENT_IS = "comment = 'cassidy schema " + VERSION + "'";

    private static final int LONGEST_KEYSPACE = 48;

    private static final String SPEC = "type text%1$s, start bigint%1$s, increment bigint%1$s, minimum bigint%1$s,"
            + " maximum bigint%1$s, ordering text%1$s, stripes int%1$s, block_min bigint%1$s, block_max bigint%1$s,"
            + " reserve_min bigint%1$s, reserve_max bigint%1$s";

    /** A partition for each table, so that changes of different tables do not wait for each other. */
    private static final Table CONTRACTS = new Table(
            "contracts",
            "keyspace_name text, table_name text, column_name text, sequence text, claimed boolean,"
                    + " defaults frozen<list<frozen<map<text,text>>>>, mode text, home text, fresh text, changing boolean,"
                    + " drew frozen<list<frozen<map<text,text>>>>, table_id text, counters text, pending boolean,"
                    + " moved_to text, moved boolean, move text,"
                    + " columns frozen<list<frozen<map<text,text>>>>, constraints frozen<list<frozen<map<text,text>>>>,"
                    + " small boolean, revision int",
            "((keyspace_name, table_name))",
            "");

    /** Recent changes, newest first, for all processes that watch; each change gives {@code moved} a new value. */
    private static final Table CHANGES = new Table(
            "changes", "scope text, moved uuid static, at timeuuid, kind text, name text", "(scope, at)", "at DESC");

    /**
     * One row for each transaction of several partitions that is under way, or whose process stopped; what decides is conditional. Each is
     * deleted soon, so that its tombstones are the most of the table: they go as early as that may be. A record that
     * comes back, from a node that was down for longer, does no harm: no row shows its locks any more, and without them whoever finds it
     * writes nothing, and removes it.
     */
    private static final Table TRANSACTIONS = new Table(
            "transactions",
            "id uuid, state text, holder text, created timestamp, rows int, writes blob",
            "(id)",
            "",
            "gc_grace_seconds = " + SHORTEST_GC_GRACE.toSeconds());

    public static final List<Table> GLOBAL = List.of(
            CONTRACTS,
            CHANGES,
            TRANSACTIONS,
            // What operators turn off, until they turn it on again.
            new Table("switches", "scope text, name text, turned_off boolean, note text", "(scope, name)", ""),
            new Table(
                    "snowflake",
                    "seq text, epoch_ms bigint static, nodes int static, next int static, destroyed boolean static,"
                            + " dc text, grant_no int, lo int, hi int, grantee uuid",
                    "(seq, dc, grant_no)",
                    ""),
            new Table(
                    "seq",
                    "seq text, inc int static, ready boolean static, dropped boolean static, streams int static,"
                            + " next bigint static, max bigint static, origin bigint static, floor bigint static, "
                            + String.format(SPEC, " static")
                            + ", i int, dc text, stripe int, grant_no int, lo bigint, hi bigint, grantee uuid",
                    "(seq, i, dc, stripe, grant_no)",
                    ""));

    public static final List<Table> DATACENTER = List.of(
            CONTRACTS,
            CHANGES,
            TRANSACTIONS,
            new Table(
                    "snowflake",
                    "seq text, epoch_ms bigint static, nodes int static, destroyed boolean static,"
                            + " grant_no int static, k int, lo int, hi int",
                    "(seq, k)",
                    ""),
            new Table(
                    "snowflake_node",
                    "seq text, n int, epoch bigint, ts_high bigint, lease uuid, free boolean, holder text, at timestamp",
                    "((seq, n))",
                    ""),
            new Table(
                    "sequence",
                    "seq text, inc int, ready boolean, dropped boolean, floor bigint, " + String.format(SPEC, "")
                            + ", acknowledged int",
                    "(seq)",
                    ""),
            // Newest first: a condition on static columns reads the partition's first row, and must not have to
            // pass the tombstones of every claim that was ever made to find it.
            new Table(
                    "reserve",
                    "seq text, stripe int, inc int static, next bigint static, hi bigint static, nlo bigint static,"
                            + " nhi bigint static, grant_no int static, free frozen<list<bigint>> static,"
                            + " usage frozen<list<bigint>> static, start bigint static, increment bigint static, i int,"
                            + " kind text, lo bigint, end bigint, claim uuid, holder text, at timestamp",
                    "((seq, stripe), i, kind, lo)",
                    "i DESC, kind ASC, lo DESC"),
            // The columns of a lease are static; a row is an epoch that was broken off.
            new Table(
                    "counter_slot",
                    "counters text, slot int, epoch int static, lease uuid static, beat bigint static,"
                            + " free boolean static, holder text static, at timestamp static, ended int, swept boolean",
                    "((counters, slot), ended)",
                    "ended DESC"),
            new Table(
                    "counter_settled",
                    "counters text, slot int, name text, epoch int static, sum varint static, ended int,"
                            + " counted bigint",
                    "((counters, slot, name), ended)",
                    "ended DESC"),
            // A hint, as the changes are.
            new Table(
                    "counter_touched",
                    "counters text, slot int, epoch int, name text",
                    "((counters, slot, epoch), name)",
                    ""));

    /**
     * A table.
     *
     * @param columns each one's name and definition
     * @param key its primary key
     * @param order of its clustering columns; empty for ascending
     * @param options others than the comment; empty if there are none
     */
    public record Table(String name, String columns, String key, String order, String options) {

        Table(String name, String columns, String key, String order) {
            this(name, columns, key, order, "");
        }

        /** Returns each column's definition, by its name. */
        Map<String, String> definitions() {
            return Stream.of(columns.split(", ", -1))
                    .collect(Collectors.toMap(
                            column -> column.substring(0, column.indexOf(' ')),
                            column -> column.substring(column.indexOf(' ') + 1),
                            (one, other) -> one,
                            LinkedHashMap::new));
        }

        String create(String keyspace) {
            return "CREATE TABLE IF NOT EXISTS " + keyspace + "." + name + " (" + columns + ", PRIMARY KEY " + key
                    + ") WITH " + (order.isEmpty() ? "" : "CLUSTERING ORDER BY (" + order + ") AND ")
                    + (options.isEmpty() ? "" : options + " AND ") + COMMENT_IS;
        }

        String add(String keyspace, String column) {
            return "ALTER TABLE " + keyspace + "." + name + " ADD " + column + " "
                    + definitions().get(column);
        }

        String raise(String keyspace) {
            return "ALTER TABLE " + keyspace + "." + name + " WITH " + COMMENT_IS;
        }
    }

    private Schema() {}

    /** Returns the names of the tables of all of Cassidy's keyspaces. */
    public static Set<String> tableNames() {
        return Stream.concat(GLOBAL.stream(), DATACENTER.stream())
                .map(Table::name)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Returns whether a comment is that of a table of Cassidy's, of whatever version. */
    static boolean isOurs(String comment) {
        return version(comment).isPresent();
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

    /** Returns the statements that create missing keyspaces and tables; nothing that exists changes. */
    public static List<String> statements(Map<String, Integer> factors, SequencesConfig config) {
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

    /** Returns why a table of a later version is refused. */
    static String later(String table, int version) {
        return "Cassidy's table " + table + " is of version " + version + ", and this release of Cassidy knows version "
                + VERSION + ": use the release that made it, or a later one";
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
