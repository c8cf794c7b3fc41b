package dev.cassidy.sequence.cassandra;

import dev.cassidy.sequence.SequencesConfig;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;

/**
 * Cassidy's tables. One global keyspace, ordered among all datacenters at SERIAL; one keyspace per datacenter,
 * replicated there alone and ordered at LOCAL_SERIAL. They are written by conditional statements only, and nothing in
 * them ever expires: a time to live once gave a live block away, because one column of its row expired before another.
 */
final class Schema {

    /** Stands in the comment of every table; a client refuses one that it does not know. */
    static final String VERSION = "cassidy schema 2";

    private static final int LONGEST_KEYSPACE = 48;

    private Schema() {}

    /**
     * Returns the keyspace of a datacenter: the global one's name, {@code _} and the datacenter's in lower case, with
     * {@code _} for every character that an unquoted keyspace name cannot have.
     */
    static String datacenterKeyspace(String globalKeyspace, String datacenter) {
        String name = nameOf(globalKeyspace, datacenter);
        if (name.length() > LONGEST_KEYSPACE) {
            throw new IllegalArgumentException("must have at most " + LONGEST_KEYSPACE + " characters: keyspace '"
                    + name + "' of datacenter '" + datacenter + "'; give a shorter one by datacenterKeyspace");
        }
        return name;
    }

    /** As {@link #datacenterKeyspace}, also where it is too long to exist. */
    static String nameOf(String globalKeyspace, String datacenter) {
        return globalKeyspace + "_" + datacenter.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9_]", "_");
    }

    static List<String> statements(Replication replication, SequencesConfig config) {
        List<String> cql = new ArrayList<>();
        String global = config.globalKeyspace();
        cql.add(keyspace(global, replication.factors()));
        cql.addAll(globalTables(global));
        Map<String, String> owners = new HashMap<>();
        replication.factors().forEach((datacenter, factor) -> {
            String keyspace = keyspaceOf(datacenter, replication, config);
            String other = owners.put(keyspace, datacenter);
            if (other != null) {
                throw new IllegalArgumentException("datacenters '" + other + "' and '" + datacenter
                        + "' would share the keyspace " + keyspace + "; name it by datacenterKeyspace, one at a time");
            }
            cql.add(keyspace(keyspace, Map.of(datacenter, factor)));
            cql.addAll(datacenterTables(keyspace));
        });
        return cql;
    }

    private static String keyspaceOf(String datacenter, Replication replication, SequencesConfig config) {
        if (config.datacenterKeyspace().isPresent()) {
            if (replication.factors().size() > 1) {
                throw new IllegalArgumentException("names one keyspace for several datacenters: datacenterKeyspace="
                        + config.datacenterKeyspace().get() + " datacenters="
                        + replication.factors().keySet() + "; leave it out, or give one datacenter at a time");
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

    private static final String SPEC_COLUMNS = "type text%1$s, start bigint%1$s, increment bigint%1$s,"
            + " minimum bigint%1$s, maximum bigint%1$s, ordering text%1$s, stripes int%1$s,"
            + " block_min bigint%1$s, block_max bigint%1$s, reserve_min bigint%1$s, reserve_max bigint%1$s, ";

    private static List<String> globalTables(String keyspace) {
        return List.of(
                "CREATE TABLE IF NOT EXISTS " + keyspace + ".seq (seq text, inc int static, ready boolean static,"
                        + " dropped boolean static, streams int static, next bigint static, max bigint static, origin bigint static, floor bigint static, "
                        + String.format(SPEC_COLUMNS, " static")
                        + "i int, dc text, stripe int, grant_no int, lo bigint, hi bigint, grantee uuid,"
                        + " PRIMARY KEY (seq, i, dc, stripe, grant_no)) WITH comment = '" + VERSION + "'",
                "CREATE TABLE IF NOT EXISTS " + keyspace + ".snowflake (seq text, epoch_ms bigint static,"
                        + " nodes int static, next int static, destroyed boolean static, dc text, grant_no int, lo int,"
                        + " hi int, grantee uuid, PRIMARY KEY (seq, dc, grant_no)) WITH comment = '" + VERSION + "'",
                identityColumns(keyspace));
    }

    private static List<String> datacenterTables(String keyspace) {
        return List.of(
                "CREATE TABLE IF NOT EXISTS " + keyspace + ".sequence (seq text PRIMARY KEY, inc int, ready boolean,"
                        + " dropped boolean, floor bigint, "
                        + String.format(SPEC_COLUMNS, "").replaceFirst(", $", "")
                        + ") WITH comment = '" + VERSION + "'",
                // Newest first: a condition on static columns reads the partition's first row, and must not have to
                // pass the tombstones of every claim that was ever made to find it.
                "CREATE TABLE IF NOT EXISTS " + keyspace + ".reserve (seq text, stripe int, inc int static,"
                        + " next bigint static, hi bigint static, nlo bigint static, nhi bigint static,"
                        + " grant_no int static, free frozen<list<bigint>> static, usage frozen<list<bigint>> static,"
                        + " i int, kind text, lo bigint, end bigint, claim uuid, holder text,"
                        + " at timestamp, PRIMARY KEY ((seq, stripe), i, kind, lo))"
                        + " WITH CLUSTERING ORDER BY (i DESC, kind ASC, lo DESC) AND comment = '" + VERSION + "'",
                "CREATE TABLE IF NOT EXISTS " + keyspace + ".snowflake (seq text, epoch_ms bigint static,"
                        + " nodes int static, destroyed boolean static, grant_no int static, k int, lo int, hi int,"
                        + " PRIMARY KEY (seq, k)) WITH comment = '" + VERSION + "'",
                "CREATE TABLE IF NOT EXISTS " + keyspace + ".snowflake_node (seq text, n int, epoch bigint,"
                        + " ts_high bigint, lease uuid, free boolean, holder text, at timestamp,"
                        + " PRIMARY KEY ((seq, n))) WITH comment = '" + VERSION + "'",
                identityColumns(keyspace));
    }

    private static String identityColumns(String keyspace) {
        return "CREATE TABLE IF NOT EXISTS " + keyspace + ".identity_columns (keyspace_name text, table_name text,"
                + " column_name text, sequence text, PRIMARY KEY (keyspace_name, table_name)) WITH comment = '"
                + VERSION + "'";
    }
}
