package dev.cassidy.migration.assess;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.cql.IdentitySession;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.Identity;
import dev.cassidy.jdbc.error.Redaction;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.plan.Plan;
import dev.cassidy.jdbc.run.Cancellation;
import dev.cassidy.jdbc.run.ConnectionState;
import dev.cassidy.jdbc.run.CurrentDays;
import dev.cassidy.jdbc.run.KeyRequest;
import dev.cassidy.jdbc.run.ScriptParser;
import dev.cassidy.jdbc.run.ScriptRunner;
import dev.cassidy.jdbc.session.ConnectionSettings;
import dev.cassidy.jdbc.session.FanOutRule;
import dev.cassidy.jdbc.session.ReadPath;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.jdbc.session.SharedSessions;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.tsql.Schema;
import dev.cassidy.tsql.TsqlScript;
import dev.cassidy.tsql.TsqlStep;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Lets the cluster that an application will move to judge its statements. Safe for use by many threads. */
public final class ClusterTarget implements Target {

    private final ConnectionState connection;
    private final SharedSessions sessions;

    private ClusterTarget(ConnectionState connection, SharedSessions sessions) {
        this.connection = connection;
        this.sessions = sessions;
    }

    /**
     * Connects as an application would, also if Cassidy is not installed there yet: then the judgement of each write says so.
     *
     * @param url of Cassidy's JDBC driver, with the options that the application will have
     * @param properties further options
     * @throws SQLException if the URL is wrong, or the cluster cannot be reached
     */
    public static ClusterTarget open(String url, Properties properties) throws SQLException {
        // A role for Cassidy's own tables has a second session.
        SharedSessions sessions = new SharedSessions(SharedSession::openUninstalled, Duration.ZERO, () -> 2);
        return new ClusterTarget(
                new ConnectionState(sessions.acquire(ConnectionSettings.parse(url, properties))), sessions);
    }

    @Override
    public synchronized Findings judge(String sql, boolean generatedKeys, int nodes) throws SQLException {
        if (!connection.opened().redactsValues()) {
            return findings(sql, generatedKeys, nodes, refusal -> refusal);
        }
        Redaction redaction = new Redaction();
        redaction.addText(sql);
        try {
            return findings(sql, generatedKeys, nodes, redaction::error);
        } catch (SQLException e) {
            throw redaction.error(e);
        }
    }

    private Findings findings(String sql, boolean generatedKeys, int nodes, UnaryOperator<SQLException> shown)
            throws SQLException {
        SharedSession session = connection.session();
        Tables tables = session.tables();
        TsqlScript script = CurrentDays.of(ScriptParser.parse(sql, connection), tables, Instant::now);
        ScriptRunner runner = new ScriptRunner(
                connection,
                session.fetchSize(),
                connection.timeout(Duration.ZERO),
                generatedKeys ? KeyRequest.ANY : KeyRequest.NONE,
                ignored -> {},
                new Cancellation());
        List<String> refusals = new ArrayList<>();
        List<Plan> plans = runner.plans(script);
        for (Plan plan : plans) {
            if (plan instanceof Plan.Refused refused) {
                refusals.add(String.valueOf(shown.apply(new SQLException(refused.reason(), refused.sqlState()))
                        .getMessage()));
            }
        }
        FanOutRule rule = nodes > 0 ? connection.fanOut().withNodes(nodes) : connection.fanOut();
        List<Access> accesses = new ArrayList<>();
        for (ReadPath path : runner.readPaths(script)) {
            if (path.kind() != ReadPath.Kind.UNKNOWN) {
                accesses.add(access(path, rule, tables));
            }
        }
        for (Plan plan : plans) {
            if (plan instanceof Plan.Assisted assisted) {
                assisted.reads().forEach(read -> addIndexes(read, tables, accesses));
            }
        }
        Map<String, Set<String>> defaults = new HashMap<>();
        List<String> differences = new ArrayList<>();
        for (TsqlStep step : script.asRead()) {
            CqlInsert.Table written = written(step, session);
            if (written != null && !tables.key(written).isEmpty()) {
                accesses.add(new Access(
                        tables.qualified(written),
                        Access.Kind.KEY,
                        0,
                        "",
                        "",
                        Optional.empty(),
                        List.of(),
                        texts(tables, written, tables.namedKey(written))));
                if (step instanceof TsqlStep.Insert insert) {
                    defaults.put(written.name(), defaults(session, written));
                    differences.addAll(explicitIds(session, insert, written, tables.qualified(written)));
                }
            }
        }
        return new Findings(refusals, plans, accesses, defaults, differences);
    }

    /** Puts the indexes that would spare a scan beside its costs. */
    private static void addIndexes(Plan.Assisted.Read read, Tables tables, List<Access> accesses) {
        CqlInsert.Table table = new CqlInsert.Table(read.keyspace(), read.table());
        List<String> strings = read.helpful().stream()
                .filter(column -> DataTypes.TEXT.equals(tables.types(table).get(column)))
                .toList();
        String shown = Identifiers.toCql(read.keyspace()) + "." + Identifiers.toCql(read.table());
        List<String> indexes = dev.cassidy.migration.assess.Plan.indexes(shown, read.table(), read.helpful(), strings);
        accesses.replaceAll(access -> access.table().equals(shown)
                        && access.kind() == Access.Kind.FAN_OUT
                        && access.indexes().isEmpty()
                ? access.with(indexes)
                : access);
    }

    /** Returns what is said of ids that an insert gives itself, of columns that take a sequence's ids. */
    private static List<String> explicitIds(
            SharedSession session, TsqlStep.Insert insert, CqlInsert.Table table, String shown) throws SQLException {
        if (!(session.writing() instanceof IdentitySession identities)) {
            return List.of();
        }
        List<String> differences = new ArrayList<>();
        for (Identity column : identities
                .catalog()
                .drawn(table.keyspace(), table.name())
                .toCompletableFuture()
                .join()) {
            if (insert.rows().stream().anyMatch(row -> isGiven(insert, row, column.column()))) {
                differences.add("It gives " + column.column() + " of " + shown
                        + " itself, which takes the ids of sequence " + column.sequence()
                        + " here. An id before the sequence's first one is inserted, others are refused"
                        + (column.byDefault()
                                ? ", unless SELECT NEXT VALUE FOR has drawn them in the same process"
                                : ""));
            }
        }
        return differences;
    }

    private static boolean isGiven(TsqlStep.Insert insert, TsqlStep.Row row, String column) {
        CqlInsert.Value value = row.insert().value(column).orElse(new CqlInsert.Value.Null());
        return !(value instanceof CqlInsert.Value.Null) && insert.draw(row, column) < 0;
    }

    private static Set<String> defaults(SharedSession session, CqlInsert.Table table) throws SQLException {
        String keyspace = table.keyspace() != null
                ? table.keyspace()
                : session.plain().getKeyspace().map(CqlIdentifier::asInternal).orElse("");
        try {
            return session.columnDefaults(keyspace, table.name()).keySet();
        } catch (SQLException e) {
            if (SqlStates.NO_KEYSPACE.equals(e.getSQLState())) {
                // The refusal of the insert has said already that Cassidy is not installed.
                return Set.of();
            }
            throw e;
        }
    }

    private static CqlInsert.@Nullable Table written(TsqlStep step, SharedSession session) {
        if (step instanceof TsqlStep.Insert insert) {
            CqlInsert first = insert.rows().get(0).insert();
            return new CqlInsert.Table(first.keyspace().orElse(null), first.table());
        }
        return step instanceof TsqlStep.Cql cql && cql.writesRows()
                ? session.statements()
                        .write(cql.text(), cql.parameters())
                        .map(write -> new CqlInsert.Table(write.keyspace().orElse(null), write.table()))
                        .orElse(null)
                : null;
    }

    private static Access access(ReadPath path, FanOutRule rule, Tables tables) {
        boolean none = rule.isRefused(path);
        boolean many = path.isFanOut();
        return new Access(
                path.shownTable(),
                kind(path.kind()),
                many ? rule.asked(path) : 0,
                many ? rule.describe(path) : "",
                none ? rule.refusal(path) : rule.refuses(path) ? rule.describe(path) + ". " + rule.cures(path) : "",
                path.cures().flatMap(ReadPath.Cures::table),
                path.cures().map(ReadPath.Cures::indexes).orElse(List.of()),
                texts(tables, path.table(), path.columns()));
    }

    private static List<String> texts(Tables tables, CqlInsert.Table table, List<String> columns) {
        return columns.stream()
                .filter(column ->
                        DataTypes.TEXT.equals(tables.types(table).get(column)) && !tables.hasTwin(table, column))
                .filter(column -> !tables.twinsToReadBy(table).contains(column))
                .toList();
    }

    private static Access.Kind kind(ReadPath.Kind kind) {
        return switch (kind) {
            case KEY -> Access.Kind.KEY;
            case PARTITION -> Access.Kind.PARTITION;
            case INDEX, SCAN -> Access.Kind.FAN_OUT;
            case REFUSED -> Access.Kind.REFUSED;
            case UNKNOWN -> Access.Kind.UNKNOWN;
        };
    }

    @Override
    public int nodes() {
        return connection.fanOut().nodes().local();
    }

    @Override
    public Set<String> names() {
        try {
            return namesOf(connection.session().plain().getMetadata().getKeyspaces());
        } catch (SQLException e) {
            return Set.of();
        }
    }

    private static Set<String> namesOf(Map<CqlIdentifier, KeyspaceMetadata> keyspaces) {
        Set<String> all = new HashSet<>();
        keyspaces.forEach((keyspace, content) -> {
            add(all, keyspace);
            content.getUserDefinedTypes().forEach((name, type) -> {
                add(all, name);
                type.getFieldNames().forEach(field -> add(all, field));
            });
            content.getFunctions().keySet().forEach(signature -> add(all, signature.getName()));
            content.getAggregates().keySet().forEach(signature -> add(all, signature.getName()));
            Stream.concat(content.getTables().values().stream(), content.getViews().values().stream())
                    .forEach(table -> {
                        add(all, table.getName());
                        table.getColumns().keySet().forEach(column -> add(all, column));
                    });
        });
        return all;
    }

    private static void add(Set<String> all, CqlIdentifier name) {
        all.add(name.asInternal());
    }

    @Override
    public synchronized Schema schema() throws SQLException {
        return connection.session().tables();
    }

    @Override
    public synchronized void close() {
        if (connection.close()) {
            connection.release();
            sessions.closeLingering();
        }
    }
}
