package dev.cassidy.migration.target;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import com.datastax.oss.driver.api.core.metadata.schema.IndexMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.servererrors.ReadFailureException;
import com.datastax.oss.driver.api.core.servererrors.ReadTimeoutException;
import com.datastax.oss.driver.api.core.servererrors.UnavailableException;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.error.Pause;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Storage-attached indexes of one column, made and waited for. Blocks. */
public final class BuiltIndex {

    private static final Duration TIMEOUT = Duration.ofMinutes(1);
    private static final Duration PAUSE = Duration.ofMillis(200);

    /** A node that begins no build for so long has failed to. */
    private static final Duration LONGEST_IDLE = Duration.ofMinutes(1);

    /** No string has it, and no form. */
    private static final String NO_FORM = "\0\0";

    private BuiltIndex() {}

    /** Returns the storage-attached index on a column; empty if there is none. */
    public static Optional<String> on(TableMetadata table, CqlIdentifier column) {
        return table.getIndexes().values().stream()
                .filter(index -> index.getClassName()
                        .filter(name -> name.equalsIgnoreCase("sai") || name.endsWith("StorageAttachedIndex"))
                        .isPresent())
                .filter(index ->
                        List.of(column.asCql(true), column.asInternal()).contains(index.getTarget()))
                .map(IndexMetadata::getName)
                .map(CqlIdentifier::asInternal)
                .findFirst();
    }

    /**
     * Returns a name that no index of the table's keyspace has, in which they are unique.
     *
     * @param wanted the name, if it is free
     */
    public static String freeName(CqlSession session, TableMetadata table, String wanted) {
        Set<String> taken = session
                .execute(SimpleStatement.newInstance(
                        "SELECT index_name FROM system_schema.indexes WHERE keyspace_name = ?",
                        table.getKeyspace().asInternal()))
                .all()
                .stream()
                .map(row -> String.valueOf(row.getString(0)))
                .collect(Collectors.toSet());
        String ofTable = table.getName().asInternal() + "_" + wanted;
        return Stream.concat(
                        Stream.of(wanted, ofTable),
                        IntStream.iterate(2, number -> number + 1).mapToObj(number -> number + "_" + ofTable))
                .filter(name -> !taken.contains(name))
                .findFirst()
                .orElseThrow();
    }

    /**
     * Makes an index, and waits until all nodes of the datacenter that are up can be asked by it, and a majority of the replicas in each
     * datacenter.
     */
    public static void make(CqlSession session, TableMetadata table, CqlIdentifier name, CqlIdentifier column) {
        change(
                session,
                "CREATE CUSTOM INDEX IF NOT EXISTS " + name.asCql(true) + " ON "
                        + table.getKeyspace().asCql(true) + "."
                        + table.getName().asCql(true) + " ("
                        + column.asCql(true) + ") USING 'sai'");
        long begun = System.nanoTime();
        for (Node node : session.getMetadata().getNodes().values()) {
            while (node.getDistance() == NodeDistance.LOCAL
                    && node.getState() == NodeState.UP
                    && !isQueryable(session, node, table, name, System.nanoTime() - begun)) {
                Pause.of(PAUSE);
            }
        }
        awaitEverywhere(session, table, column);
    }

    /** The server asks only replicas that can be asked by the index, and refuses a read for which these are too few. */
    private static void awaitEverywhere(CqlSession session, TableMetadata table, CqlIdentifier column) {
        SimpleStatement read = SimpleStatement.newInstance(
                        "SELECT " + column.asCql(true) + " FROM "
                                + table.getKeyspace().asCql(true) + "."
                                + table.getName().asCql(true) + " WHERE "
                                + column.asCql(true) + " = ?",
                        NO_FORM)
                .setConsistencyLevel(ConsistencyLevel.EACH_QUORUM)
                .setTimeout(TIMEOUT);
        long begun = System.nanoTime();
        while (true) {
            try {
                session.execute(read);
                return;
            } catch (ReadFailureException e) {
                // A build takes as long as it takes.
                Pause.of(PAUSE);
            } catch (UnavailableException | ReadTimeoutException | DriverTimeoutException e) {
                if (System.nanoTime() - begun > LONGEST_IDLE.toNanos()) {
                    throw e;
                }
                Pause.of(PAUSE);
            }
        }
    }

    private static boolean isQueryable(
            CqlSession session, Node node, TableMetadata table, CqlIdentifier name, long since) {
        Row row = session.execute(SimpleStatement.newInstance(
                                "SELECT is_queryable, is_building FROM system_views.sai_column_indexes WHERE"
                                        + " keyspace_name = ? AND index_name = ?",
                                table.getKeyspace().asInternal(),
                                name.asInternal())
                        .setNode(node))
                .one();
        if (row != null && row.getBoolean("is_queryable")) {
            return true;
        }
        if (since > LONGEST_IDLE.toNanos() && (row == null || !row.getBoolean("is_building"))) {
            throw new MigrationException(
                    ExitCode.CASSANDRA,
                    "index " + name.asInternal() + " cannot be queried on node " + node.getEndPoint()
                            + ", which is not building it: see the node's log, build it by nodetool rebuild_index, and run"
                            + " the command again");
        }
        return false;
    }

    public static void drop(CqlSession session, TableMetadata table, CqlIdentifier name) {
        change(session, "DROP INDEX IF EXISTS " + table.getKeyspace().asCql(true) + "." + name.asCql(true));
    }

    /** Adds a column of strings, unless it is there. */
    public static void addColumn(CqlSession session, TableMetadata table, CqlIdentifier column) {
        addColumn(session, table, column, DataTypes.TEXT);
    }

    /** Adds a column of a type, unless it is there. */
    public static void addColumn(CqlSession session, TableMetadata table, CqlIdentifier column, DataType type) {
        change(
                session,
                "ALTER TABLE " + table.getKeyspace().asCql(true) + "."
                        + table.getName().asCql(true) + " ADD IF NOT EXISTS " + column.asCql(true) + " "
                        + type.asCql(false, false));
    }

    private static void change(CqlSession session, String cql) {
        session.execute(SimpleStatement.newInstance(cql).setTimeout(TIMEOUT));
        if (!session.checkSchemaAgreement()) {
            throw new MigrationException(
                    ExitCode.CASSANDRA, "the nodes do not agree on the schema yet: run it again, which continues");
        }
    }
}
