package dev.cassidy.counter;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import dev.cassidy.cluster.LocalCluster;
import dev.cassidy.counter.cassandra.AdoptionCheck;
import dev.cassidy.counter.cassandra.CassandraBucketedTable;
import dev.cassidy.counter.cassandra.CassandraRevisedTable;
import dev.cassidy.counter.cassandra.CounterTableCheck;
import dev.cassidy.counter.cassandra.IncrementColumn;
import dev.cassidy.counter.cassandra.LayoutCheck;
import dev.cassidy.counter.cassandra.TableLayout;
import dev.cassidy.counter.cassandra.UnfitTable;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** What belongs to each kind of counter: its table, what it demands of the settings, its implementation. */
final class Kinds {

    private static final Set<CounterKind> OF_ACTORS =
            Set.of(CounterKind.CUMULATIVE, CounterKind.VERSIONED, CounterKind.BUCKETED);

    private Kinds() {}

    /**
     * @throws IllegalArgumentException if the settings do not fit the kind
     * @throws CounterException.Refused if the kind is approximate, and the settings do not allow that
     */
    static void requireAllowed(CountersConfig config) {
        CounterKind kind = config.kind();
        boolean needsActor = OF_ACTORS.contains(kind);
        if (needsActor && config.actor().isEmpty()) {
            throw new IllegalArgumentException("counters of the kind " + kind
                    + " need an actor, the name under which this process alone writes: withActor(name)");
        }
        if (!needsActor && config.actor().isPresent()) {
            throw new IllegalArgumentException("counters of the kind " + kind
                    + " have no use for an actor: leave withActor out; only "
                    + OF_ACTORS.stream().sorted().toList() + " need one");
        }
        if (kind == CounterKind.BUCKETED) {
            requireApproximate(config);
        }
    }

    private static void requireApproximate(CountersConfig config) {
        if (!config.approximate()) {
            throw new CounterException.Refused(
                    "counters of the kind BUCKETED lose increments by design: one that arrives"
                            + " after its time was collected is never counted. Allow that by withApproximate(true), or use"
                            + " counters of the kind FOLDED");
        }
        Duration most = Collector.LONGEST_WRITE;
        if (config.incrementTimeout().compareTo(most) > 0) {
            throw new IllegalArgumentException("must be at most " + most + " for counters of the kind BUCKETED, which"
                    + " collect what is older than " + Collector.LAG + ": incrementTimeout="
                    + config.incrementTimeout());
        }
    }

    /** @throws CounterException.Refused if counters of a kind are no totals of actors, which can be copied while they change */
    static void requireTotals(CounterKind kind) {
        String instead =
                switch (kind) {
                    case CUMULATIVE, VERSIONED -> "";
                    case FOLDED -> "Counters.adopt(session, config) takes a table whose increments are an int as it is";
                    case NATIVE -> "cassidy migrate counters moves native counters to FOLDED ones";
                    case LINEARIZABLE, SERIALIZABLE, BUCKETED ->
                        "once nothing is counted there any more, carryOver(type, total) takes a total over to counters of the"
                                + " kind FOLDED";
                };
        if (!instead.isEmpty()) {
            throw new CounterException.Refused("counters of the kind " + kind
                    + " are no totals of actors, which alone can be copied while they are counted: " + instead);
        }
    }

    /**
     * Returns the statements that create what a kind needs; the table itself is the last one.
     *
     * @param id of the table to come; empty if Cassandra gives it one
     * @throws IllegalArgumentException if tables of the kind have no increments of that type
     */
    static List<String> ddl(TableName table, CounterKind kind, IncrementType type, Optional<UUID> id) {
        if (kind != CounterKind.FOLDED && type != IncrementType.BIGINT) {
            throw new IllegalArgumentException("must be BIGINT for counters of the kind " + kind + ": type=" + type);
        }
        String create = kind == CounterKind.FOLDED
                ? CounterTableCheck.create(table.asCql(), type.column())
                : layout(kind).create(table.asCql());
        String named = id.map(wanted -> create + (create.contains(" WITH ") ? " AND" : " WITH") + " id = " + wanted)
                .orElse(create);
        return kind == CounterKind.BUCKETED
                ? List.of(TableLayout.BUCKETED_SUMS.create(sums(table).asCql()), named)
                : List.of(named);
    }

    /**
     * @throws CounterException.Unfit if an earlier table of the name has left what would be counted in the one to come
     */
    static void requireNothingLeft(TableName table, LocalCluster cluster, CountersConfig config) {
        if (config.kind() != CounterKind.BUCKETED) {
            return;
        }
        TableName sums = sums(table);
        AdoptionCheck left =
                new AdoptionCheck(cluster.session(), sums.keyspace(), sums.table(), config.requestTimeout());
        if (left.id().isPresent() && !left.isEmpty(ConsistencyLevel.LOCAL_QUORUM)) {
            throw new CounterException.Unfit(
                    "table " + sums.asCql() + " has the sums of an earlier table " + table.asCql()
                            + ", which would be counted again. Correct it: DROP TABLE " + sums.asCql(),
                    null);
        }
    }

    private static TableName sums(TableName table) {
        return new TableName(
                table.keyspace(), CqlIdentifier.fromInternal(table.table().asInternal() + CassandraBucketedTable.SUMS));
    }

    private static TableLayout layout(CounterKind kind) {
        return switch (kind) {
            case FOLDED -> throw new IllegalArgumentException("has a check of its own: " + kind);
            case CUMULATIVE -> TableLayout.CUMULATIVE;
            case VERSIONED -> TableLayout.VERSIONED;
            case LINEARIZABLE -> TableLayout.LINEARIZABLE;
            case SERIALIZABLE -> TableLayout.SERIALIZABLE;
            case NATIVE -> TableLayout.NATIVE;
            case BUCKETED -> TableLayout.BUCKETED;
        };
    }

    /**
     * Checks the table and opens its counters. Blocks.
     *
     * @throws UnfitTable if the table cannot hold counters of this kind
     */
    static OpenCounters open(TableName table, KindContext context) {
        CounterKind kind = context.config().kind();
        if (kind == CounterKind.FOLDED) {
            return folded(table, context);
        }
        check(table, context.cluster(), context.config());
        return switch (kind) {
            case FOLDED -> throw new IllegalArgumentException("has no layout: " + kind);
            case CUMULATIVE, VERSIONED -> {
                TableGeneration generation =
                        TableGeneration.of(table, context.cluster(), context.config(), context.id());
                var unused = generation.found();
                yield kind == CounterKind.VERSIONED
                        ? ActorCounters.versioned(context, generation.table())
                        : ActorCounters.cumulative(context, generation.table());
            }
            case LINEARIZABLE ->
                new LinearizableCounters(context, new CassandraRevisedTable(context.local(), context.table(), false));
            case SERIALIZABLE ->
                new SerializableCounters(context, new CassandraRevisedTable(context.local(), context.table(), true));
            case NATIVE -> new NativeCounters(context);
            case BUCKETED ->
                new BucketedCounters(
                        context,
                        new CassandraBucketedTable(
                                context.cluster().session(),
                                context.local(),
                                context.table(),
                                sums(table).asCql(),
                                context.config().requestTimeout()));
        };
    }

    /**
     * Checks the columns and options of the table, and of what belongs to it, but for its contract. Blocks.
     *
     * @throws UnfitTable if the table cannot hold counters of this kind
     */
    static void check(TableName table, LocalCluster cluster, CountersConfig config) {
        if (config.kind() == CounterKind.FOLDED) {
            var unused = foldedCheck(table, cluster, config).check();
            return;
        }
        check(table, layout(config.kind()), cluster, config);
        if (config.kind() == CounterKind.BUCKETED) {
            check(sums(table), TableLayout.BUCKETED_SUMS, cluster, config);
        }
    }

    private static void check(TableName table, TableLayout layout, LocalCluster cluster, CountersConfig config) {
        new LayoutCheck(
                        cluster.session(),
                        table.keyspace(),
                        table.table(),
                        cluster.datacenter(),
                        config.requestTimeout())
                .check(layout);
    }

    private static CounterTableCheck foldedCheck(TableName table, LocalCluster cluster, CountersConfig config) {
        return new CounterTableCheck(
                cluster.session(), table.keyspace(), table.table(), cluster.datacenter(), config.requestTimeout());
    }

    private static OpenCounters folded(TableName table, KindContext context) {
        IncrementColumn column =
                foldedCheck(table, context.cluster(), context.config()).check();
        TableGeneration generation = TableGeneration.of(table, context.cluster(), context.config(), context.id());
        return new FoldedCounters(context, column, generation.table(), generation.found());
    }

    /**
     * Returns the tables of a kind, in the order in which they are emptied. Increments of BUCKETED are first: they would be
     * collected into sums that are empty.
     */
    static List<TableName> tables(TableName table, CounterKind kind) {
        return kind == CounterKind.BUCKETED ? List.of(table, sums(table)) : List.of(table);
    }
}
