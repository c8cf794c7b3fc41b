package dev.cassidy.counter.cassandra;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/** A table as {@code system_schema} describes it. Blocks. */
final class TableDefinition {

    private final CqlSession session;
    private final CqlIdentifier keyspace;
    private final CqlIdentifier table;
    private final Duration timeout;

    TableDefinition(CqlSession session, CqlIdentifier keyspace, CqlIdentifier table, Duration timeout) {
        this.session = session;
        this.keyspace = keyspace;
        this.table = table;
        this.timeout = timeout;
    }

    /** Returns its full name, as CQL writes it. */
    String name() {
        return keyspace.asCql(true) + "." + table.asCql(true);
    }

    /** Returns the id of the table; empty if there is none. */
    Optional<UUID> id() {
        return one(
                        "SELECT id FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?",
                        keyspace.asInternal(),
                        table.asInternal())
                .map(row -> Objects.requireNonNull(row.getUuid("id")));
    }

    /** Returns its row of {@code system_schema.tables}; empty if there is no such table. */
    Optional<Row> options() {
        return one(
                "SELECT default_time_to_live, gc_grace_seconds, read_repair, compaction FROM"
                        + " system_schema.tables WHERE keyspace_name = ? AND table_name = ?",
                keyspace.asInternal(),
                table.asInternal());
    }

    private Optional<Row> one(String cql, Object... values) {
        return Optional.ofNullable(session.execute(SimpleStatement.newInstance(cql, values)
                        .setTimeout(timeout)
                        .setIdempotent(true))
                .one());
    }

    /** Returns, for each column, its type and its place: {@code "text, partition key 0"}. */
    Map<String, String> columns() {
        Map<String, String> columns = new HashMap<>();
        for (Row row : session.execute(SimpleStatement.newInstance(
                        "SELECT column_name, kind, position, clustering_order, type FROM system_schema.columns"
                                + " WHERE keyspace_name = ? AND table_name = ?",
                        keyspace.asInternal(),
                        table.asInternal())
                .setTimeout(timeout)
                .setIdempotent(true))) {
            String kind = String.valueOf(row.getString("kind"));
            columns.put(
                    String.valueOf(row.getString("column_name")),
                    row.getString("type")
                            + switch (kind) {
                                case "partition_key" -> ", partition key " + row.getInt("position");
                                case "clustering" ->
                                    ", clustering " + row.getInt("position") + " " + row.getString("clustering_order");
                                default -> kind.equals("static") ? ", static" : "";
                            });
        }
        return columns;
    }

    /** @throws UnfitTable if increments would expire */
    void requireNoTimeToLive(Row options) {
        require(
                options.getInt("default_time_to_live") == 0,
                "default_time_to_live = " + options.getInt("default_time_to_live"),
                "increments would expire",
                "default_time_to_live = 0");
    }

    /**
     * @param found the setting as it is
     * @param way the setting as it must be
     * @throws UnfitTable unless {@code holds}
     */
    void require(boolean holds, String found, String why, String way) {
        if (!holds) {
            throw new UnfitTable("table " + name() + " has " + found + ": " + why + ". Correct it: ALTER TABLE "
                    + name() + " WITH " + way);
        }
    }

    /**
     * Checks the keyspace, and returns how it is replicated.
     *
     * @throws UnfitTable if a node that is killed forgets increments, or no replica is in the datacenter
     */
    Map<String, String> requireReplicas(String datacenter) {
        Row row = one(
                        "SELECT durable_writes, replication FROM system_schema.keyspaces WHERE keyspace_name = ?",
                        keyspace.asInternal())
                .orElseThrow(() -> new UnfitTable("there is no keyspace " + keyspace.asCql(true)));
        if (!row.getBoolean("durable_writes")) {
            throw new UnfitTable(
                    "keyspace " + keyspace.asCql(true) + " has durable_writes = false: a node that is killed"
                            + " forgets increments. Correct it: ALTER KEYSPACE " + keyspace.asCql(true)
                            + " WITH durable_writes = true");
        }
        Map<String, String> replication = row.getMap("replication", String.class, String.class);
        if (replication == null) {
            return Map.of();
        }
        if (isByDatacenter(replication) && !replication.containsKey(datacenter)) {
            throw new UnfitTable("keyspace " + keyspace.asCql(true) + " has no replicas in datacenter " + datacenter
                    + ", the session's own, where increments are written: it is replicated as " + replication);
        }
        return replication;
    }

    /**
     * Checks that no other datacenter has replicas: conditional statements of two datacenters do not know of each other.
     *
     * @throws UnfitTable if one may have
     */
    void requireReplicasInOneDatacenter(String datacenter) {
        Map<String, String> replication = requireReplicas(datacenter);
        if (!isByDatacenter(replication) || replication.size() != 2) {
            throw new UnfitTable("keyspace " + keyspace.asCql(true) + " must be replicated in datacenter " + datacenter
                    + " alone, by NetworkTopologyStrategy: conditional statements of two datacenters do not know of each"
                    + " other, and would overwrite each other's changes. It is replicated as " + replication
                    + ". Use a keyspace for each datacenter and add their values, or counters of the kind FOLDED");
        }
    }

    private static boolean isByDatacenter(Map<String, String> replication) {
        return replication.getOrDefault("class", "").endsWith("NetworkTopologyStrategy");
    }
}
