package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.Version;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import dev.cassidy.definition.Twin;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.error.Warnings;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.tsql.TsqlStep;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes and drops SQL Server's indexes as storage-attached ones (SAI), and waits until a new one can be queried.
 *
 * <p>In Cassandra an index's name is unique in its keyspace, in SQL Server in its table. An index whose name another
 * table of the keyspace has is called {@code table_name}.
 */
final class Indexes {

    /** Before it, queries of several columns may miss rows (CASSANDRA-20189). */
    static final Version OLDEST = Objects.requireNonNull(Version.parse("5.0.4"));

    private static final Set<String> TYPES = Set.of(
            "ascii",
            "bigint",
            "boolean",
            "date",
            "decimal",
            "double",
            "float",
            "inet",
            "int",
            "smallint",
            "text",
            "time",
            "timestamp",
            "timeuuid",
            "tinyint",
            "uuid",
            "varint");

    /** Of a table, up to which CREATE INDEX makes one more: every write maintains all of them. */
    private static final int MAX_INDEXES = 4;

    /** What system_schema calls a column that is no part of the key. */
    private static final String REGULAR = "regular";

    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(20);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    /** A node that begins no build for so long after the index was made has failed to. */
    private static final Duration LONGEST_IDLE = Duration.ofMinutes(1);

    private static final String STAYS = "the index is there, and is built all the same";

    private final SharedSession session;
    private final Binder binder;
    private final Consumer<SQLWarning> warnings;
    private final Cancellation cancellation;
    private final StatementSender sender;
    private final TwinsBeside twins;
    private final LongSupplier nanoTime;

    Indexes(
            SharedSession session,
            Binder binder,
            Consumer<SQLWarning> warnings,
            Cancellation cancellation,
            StatementSender sender,
            TwinsBeside twins,
            LongSupplier nanoTime) {
        this.session = session;
        this.binder = binder;
        this.warnings = warnings;
        this.cancellation = cancellation;
        this.sender = sender;
        this.twins = twins;
        this.nanoTime = nanoTime;
    }

    /** A column, as system_schema has it. */
    private record Column(String type, String kind) {}

    /** An index of a table. */
    private record Index(String name, String target, boolean sai) {}

    // ---- CREATE INDEX

    /**
     * What a CREATE INDEX comes to.
     *
     * @param name the index's name in Cassandra
     * @param unneeded why no index is made; null if one is
     * @param plain whether the statement is sent as it is, because SAI does not serve it
     * @param completes whether rows get the twin that the statement's column has, or is to get
     */
    private record Decision(String name, @Nullable String unneeded, boolean plain, boolean completes) {

        Decision(String name, @Nullable String unneeded, boolean plain) {
            this(name, unneeded, plain, !plain);
        }
    }

    StepResult create(TsqlStep.CreateIndex step) throws SQLException {
        session.preparer().refuseChanges(session.plain(), step.cql(step.table().keyspace(), step.name()));
        String keyspace =
                SequenceStatements.keyspace(session.plain(), step.table().keyspace());
        Map<String, Column> columns = columns(keyspace, step.table().name());
        if (columns.isEmpty()) {
            throw SqlServerErrors.missingTable(
                    "CREATE", shown(keyspace, step.table().name()));
        }
        Target on = target(step, keyspace, columns);
        Decision decision = decide(on, keyspace);
        if (decision.plain()) {
            return send(step.plain(), "CREATE");
        }
        refuseBeside(on, decision, keyspace);
        if (on.twin() != null && decision.completes()) {
            // Also if an index is on it: who had begun it may have ended before it was read by.
            twins.complete(on.twin());
        }
        if (decision.unneeded() != null) {
            warnings.accept(Warnings.general("Index " + step.name() + " was not made, because " + decision.unneeded()));
            return StepResult.written(0);
        }
        return createSai(on.step(), decision.name(), keyspace);
    }

    /** Throws the error with which the statement would be refused; of a table that does not exist yet, nothing is known. */
    void verify(TsqlStep.CreateIndex step) throws SQLException {
        String keyspace =
                SequenceStatements.keyspace(session.plain(), step.table().keyspace());
        Map<String, Column> columns = columns(keyspace, step.table().name());
        if (columns.isEmpty()) {
            return;
        }
        Target on = target(step, keyspace, columns);
        Decision decision = decide(on, keyspace);
        refuseBeside(on, decision, keyspace);
        if (on.twin() != null && decision.completes()) {
            twins.verify(on.twin());
        }
    }

    /**
     * What an index is made on.
     *
     * @param step on the column that it is made on
     * @param columns those of the table, and a twin that it is to get
     * @param twin the one beside the column that it is made on; null if it is made on none such
     */
    private record Target(TsqlStep.CreateIndex step, Map<String, Column> columns, TwinsBeside.@Nullable Wanted twin) {}

    /** A column of the key is looked for by its twin, and so is another one whose strings are equal by a collation. */
    private Target target(TsqlStep.CreateIndex step, String keyspace, Map<String, Column> columns) throws SQLException {
        String twin = Twin.nameOf(step.column());
        Column stored = columns.get(twin);
        if (stored != null && !stored.kind().equals(REGULAR)) {
            return new Target(step.on(twin), columns, null);
        }
        Column column = columns.get(step.column());
        TwinsBeside.Wanted wanted = column == null
                        || !column.kind().equals(REGULAR)
                        || !column.type().equals("text")
                ? null
                : twins.wanted(keyspace, step.table().name(), step.column()).orElse(null);
        if (wanted == null) {
            return new Target(step, columns, null);
        }
        Map<String, Column> then = new HashMap<>(columns);
        then.putIfAbsent(twin, new Column("text", REGULAR));
        return new Target(step.on(twin), then, wanted);
    }

    private Decision decide(Target target, String keyspace) throws SQLException {
        TsqlStep.CreateIndex step = target.step();
        Map<String, Column> columns = target.columns();
        String table = step.table().name();
        String shown = shown(keyspace, table);
        Column column = columns.get(step.column());
        if (column == null) {
            throw SqlServerErrors.missingColumnOfIndex(step.column(), shown);
        }
        List<Index> indexes = indexes(keyspace, table);
        String name = name(step.name(), keyspace, table, indexes);
        Index there = indexes.stream()
                .filter(index -> index.name().equals(name))
                .findFirst()
                .orElse(null);
        if (there != null) {
            if (step.ifNotExists()) {
                boolean onIt = there.target().equals(step.column());
                String how = !onIt && there.target().equals(Twin.original(step.column()))
                        ? ", and compares " + named(step)
                                + " by bytes: cassidy tables add-twin replaces it by one that compares as its collation does"
                        : "";
                return new Decision(name, "it is there already" + how, false, onIt);
            }
            throw SqlServerErrors.indexExists(step.name(), shown);
        }
        if (isLonePartitionKey(step.column(), columns)) {
            return new Decision(name, shown + " is read by " + named(step) + " without an index", false);
        }
        for (Index index : indexes) {
            if (index.sai() && index.target().equals(step.column())) {
                String why = "index " + index.name() + " is on column " + named(step) + " of " + shown;
                return new Decision(name, why, false);
            }
        }
        if (indexes.size() >= MAX_INDEXES) {
            throw Unserved.feature("Index " + step.name() + " was not made: " + shown + " has " + indexes.size()
                    + " indexes ("
                    + String.join(", ", indexes.stream().map(Index::name).toList())
                    + "), each of which every write has to maintain; drop one, keep a table by " + named(step)
                    + ", or make it in CQL: CREATE INDEX ON " + shown + " (" + step.column() + ") USING 'sai'");
        }
        String refusal = refusal(step, column);
        if (refusal != null && step.plain().isEmpty()) {
            throw Unserved.feature(refusal);
        }
        // It is CQL as well, and the server may make another kind of index.
        return new Decision(name, null, refusal != null);
    }

    private void refuseBeside(Target on, Decision decision, String keyspace) throws SQLException {
        if (on.twin() == null || decision.unneeded() != null || decision.plain()) {
            return;
        }
        String column = named(on.step());
        for (Index index : indexes(keyspace, on.step().table().name())) {
            if (index.target().equals(column)) {
                twins.refuseBeside(on.twin(), index.name());
            }
        }
    }

    private static String named(TsqlStep.CreateIndex step) {
        return Twin.original(step.column());
    }

    /** Returns the index's name in Cassandra: its own, unless another table of the keyspace has an index of that name. */
    private String name(String given, String keyspace, String table, List<Index> ofTable) {
        boolean own = ofTable.stream().anyMatch(index -> index.name().equals(given));
        return !own && isTaken(keyspace, given) ? table + "_" + given : given;
    }

    private StepResult createSai(TsqlStep.CreateIndex step, String name, String keyspace) throws SQLException {
        String table = step.table().name();
        if (!name.equals(step.name())) {
            warnings.accept(Warnings.general("Another table of keyspace " + keyspace + " has an index " + step.name()
                    + ": this one is called " + name + " in Cassandra; DROP INDEX " + step.name() + " ON " + table
                    + " finds it"));
        }
        StepResult result = send(step.cql(step.table().keyspace(), name), "CREATE");
        awaitQueryable(keyspace, name);
        return result;
    }

    private StepResult send(String cql, String keyword) throws SQLException {
        SimpleStatement statement = SimpleStatement.newInstance(cql);
        return sender.execute(session.plain(), statement.setTimeout(binder.timeout()), keyword);
    }

    /** Returns why an index of this kind cannot be made, and a workaround; null if it can. */
    private @Nullable String refusal(TsqlStep.CreateIndex step, Column column) {
        for (Node node : session.plain().getMetadata().getNodes().values()) {
            Version version = node.getCassandraVersion();
            if (version != null && version.compareTo(OLDEST) < 0) {
                return "Index " + step.name() + " was not made: it needs storage-attached indexes as of Cassandra "
                        + OLDEST + ", and node " + node.getEndPoint() + " has " + version
                        + "; upgrade the cluster, or keep a table by " + named(step);
            }
        }
        if (!TYPES.contains(column.type())) {
            return "Index " + step.name() + " was not made: column " + named(step) + " is of type " + column.type()
                    + ", and Cassandra indexes only columns of "
                    + String.join(", ", TYPES.stream().sorted().toList()) + "; keep a table by " + step.column();
        }
        return null;
    }

    private static boolean isLonePartitionKey(String name, Map<String, Column> columns) {
        return columns.entrySet().stream()
                .filter(column -> column.getValue().kind().equals("partition_key"))
                .map(Map.Entry::getKey)
                .toList()
                .equals(List.of(name));
    }

    // ---- DROP INDEX

    StepResult drop(TsqlStep.DropIndex step) throws SQLException {
        String keyspace =
                SequenceStatements.keyspace(session.plain(), step.table().keyspace());
        String table = step.table().name();
        List<Index> indexes = indexes(keyspace, table);
        String given = step.name();
        // Its own name first: another index may have a longer one by right.
        for (String name : List.of(given, table + "_" + given, given + Twin.INDEX, table + "_" + given + Twin.INDEX)) {
            boolean replaced = name.endsWith(Twin.INDEX) && !given.equals(name) && !name.equals(table + "_" + given);
            // Only what add-twin has made in place of one is its index, too.
            if (indexes.stream()
                    .anyMatch(index -> index.name().equals(name) && (!replaced || Twin.isOne(index.target())))) {
                String cql = "DROP INDEX IF EXISTS " + Identifiers.toCql(keyspace) + "." + Identifiers.toCql(name);
                session.preparer().refuseChanges(session.plain(), cql);
                return send(cql, "DROP");
            }
        }
        if (step.ifExists()) {
            return StepResult.written(0);
        }
        throw SqlServerErrors.missingIndex(step.name(), shown(keyspace, table));
    }

    /** Returns the name of an index on a column; empty if there is none. */
    Optional<String> on(CqlInsert.Table table, String column) throws SQLException {
        return indexes(SequenceStatements.keyspace(session.plain(), table.keyspace()), table.name()).stream()
                .filter(index -> index.target().equals(column))
                .map(Index::name)
                .findFirst();
    }

    // ---- the schema, as the cluster has it now

    private Map<String, Column> columns(String keyspace, String table) {
        Map<String, Column> columns = new HashMap<>();
        for (Row row : read(
                "SELECT column_name, type, kind FROM system_schema.columns WHERE keyspace_name = ? AND table_name = ?",
                keyspace,
                table)) {
            columns.put(text(row, "column_name"), new Column(text(row, "type"), text(row, "kind")));
        }
        return columns;
    }

    private List<Index> indexes(String keyspace, String table) {
        List<Index> indexes = new ArrayList<>();
        for (Row row : read(
                "SELECT index_name, options FROM system_schema.indexes WHERE keyspace_name = ? AND table_name = ?",
                keyspace,
                table)) {
            Map<String, String> options = row.getMap("options", String.class, String.class);
            Map<String, String> known = options == null ? Map.of() : options;
            String kind = known.getOrDefault("class_name", "");
            indexes.add(new Index(
                    text(row, "index_name"),
                    Identifiers.toInternal(known.getOrDefault("target", "")),
                    kind.equalsIgnoreCase("sai") || kind.endsWith("StorageAttachedIndex")));
        }
        return indexes;
    }

    private boolean isTaken(String keyspace, String index) {
        for (Row row : read("SELECT index_name FROM system_schema.indexes WHERE keyspace_name = ?", keyspace)) {
            if (text(row, "index_name").equals(index)) {
                return true;
            }
        }
        return false;
    }

    private ResultSet read(String cql, Object... values) {
        return session.plain().execute(SimpleStatement.newInstance(cql, values));
    }

    private static String text(Row row, String column) {
        return String.valueOf(row.getString(column));
    }

    private static String shown(String keyspace, String table) {
        return CqlIdentifier.fromInternal(keyspace).asCql(true) + "."
                + CqlIdentifier.fromInternal(table).asCql(true);
    }

    // ---- until it can be queried

    /** A read that asks a node whose index is not built yet fails. */
    private void awaitQueryable(String keyspace, String index) throws SQLException {
        long begun = nanoTime.getAsLong();
        Duration pause = SHORTEST_PAUSE;
        while (true) {
            String waiting = waiting(keyspace, index, nanoTime.getAsLong() - begun > LONGEST_IDLE.toNanos());
            if (waiting == null) {
                return;
            }
            Duration timeout = binder.timeout();
            if (timeout != null && nanoTime.getAsLong() - begun > timeout.toNanos()) {
                throw SqlServerErrors.timeout("Index " + index + " cannot be queried yet on node " + waiting + " after "
                        + timeout.toMillis() + " ms, the statement's timeout; " + STAYS);
            }
            cancellation.await(
                    new CompletableFuture<Void>().completeOnTimeout(null, pause.toMillis(), TimeUnit.MILLISECONDS),
                    STAYS);
            pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
        }
    }

    /** Returns a node of the datacenter that cannot query the index yet; null if there is none. */
    private @Nullable String waiting(String keyspace, String index, boolean late) throws SQLException {
        Map<Node, CompletableFuture<AsyncResultSet>> asked = new HashMap<>();
        for (Node node : session.plain().getMetadata().getNodes().values()) {
            boolean local = node.getDistance() == NodeDistance.LOCAL;
            if (local && node.getState() == NodeState.UP) {
                asked.put(node, ask(node, keyspace, index));
            }
        }
        @Nullable String waiting = null;
        for (Map.Entry<Node, CompletableFuture<AsyncResultSet>> entry : asked.entrySet()) {
            Row row;
            try {
                row = cancellation.await(entry.getValue(), STAYS).one();
            } catch (SQLException e) {
                if (e.getCause() instanceof UnauthorizedException) {
                    warnings.accept(Warnings.general("Whether index " + index + " can be queried already is not known: "
                            + e.getMessage() + "; GRANT SELECT ON system_views.sai_column_indexes to the role"));
                    return null;
                }
                throw e;
            }
            String node = entry.getKey().getEndPoint().toString();
            if (row == null || !row.getBoolean("is_queryable")) {
                waiting = node;
            }
            if (late && node.equals(waiting) && (row == null || !row.getBoolean("is_building"))) {
                throw Unserved.feature("Index " + index + " cannot be queried on node " + node
                        + ", which is not building it; see the node's log, and build it by nodetool rebuild_index");
            }
        }
        return waiting;
    }

    private CompletableFuture<AsyncResultSet> ask(Node node, String keyspace, String index) {
        return session.plain()
                .executeAsync(SimpleStatement.newInstance(
                                "SELECT is_queryable, is_building FROM system_views.sai_column_indexes WHERE"
                                        + " keyspace_name = ? AND index_name = ?",
                                keyspace,
                                index)
                        .setNode(node))
                .toCompletableFuture();
    }
}
