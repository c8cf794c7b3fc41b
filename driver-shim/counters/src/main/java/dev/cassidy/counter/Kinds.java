package dev.cassidy.counter;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import dev.cassidy.counter.cassandra.CassandraBucketedTable;
import dev.cassidy.counter.cassandra.CassandraRevisedTable;
import dev.cassidy.counter.cassandra.CounterTableCheck;
import dev.cassidy.counter.cassandra.IncrementColumn;
import dev.cassidy.counter.cassandra.LayoutCheck;
import dev.cassidy.counter.cassandra.TableId;
import dev.cassidy.counter.cassandra.TableLayout;
import dev.cassidy.counter.cassandra.UnfitTable;
import java.time.Duration;
import java.util.List;
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
        Duration most = Collector.LAG.dividedBy(2);
        if (config.incrementTimeout().compareTo(most) > 0) {
            throw new IllegalArgumentException("must be at most " + most + " for counters of the kind BUCKETED, which"
                    + " collect what is older than " + Collector.LAG + ": incrementTimeout="
                    + config.incrementTimeout());
        }
    }

    /** Returns the statements that create what a kind needs. */
    static List<String> ddl(TableName table, CounterKind kind) {
        return switch (kind) {
            case FOLDED -> List.of(CounterTableCheck.create(table.asCql(), IncrementColumn.BIGINT));
            case BUCKETED ->
                List.of(
                        TableLayout.BUCKETED.create(table.asCql()),
                        TableLayout.BUCKETED_SUMS.create(sums(table).asCql()));
            case CUMULATIVE, VERSIONED, LINEARIZABLE, SERIALIZABLE, NATIVE ->
                List.of(layout(kind).create(table.asCql()));
        };
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
        check(table, layout(kind), context);
        return switch (kind) {
            case FOLDED -> throw new IllegalArgumentException("has no layout: " + kind);
            case CUMULATIVE -> ActorCounters.cumulative(context);
            case VERSIONED -> ActorCounters.versioned(context);
            case LINEARIZABLE ->
                new LinearizableCounters(context, new CassandraRevisedTable(context.local(), context.table(), false));
            case SERIALIZABLE ->
                new SerializableCounters(context, new CassandraRevisedTable(context.local(), context.table(), true));
            case NATIVE -> new NativeCounters(context);
            case BUCKETED -> {
                check(sums(table), TableLayout.BUCKETED_SUMS, context);
                yield new BucketedCounters(
                        context,
                        new CassandraBucketedTable(
                                context.cluster().session(),
                                context.local(),
                                context.table(),
                                sums(table).asCql(),
                                context.config().requestTimeout()));
            }
        };
    }

    private static void check(TableName table, TableLayout layout, KindContext context) {
        new LayoutCheck(
                        context.cluster().session(),
                        table.keyspace(),
                        table.table(),
                        context.cluster().datacenter(),
                        context.config().requestTimeout())
                .check(layout);
    }

    private static OpenCounters folded(TableName table, KindContext context) {
        IncrementColumn column = new CounterTableCheck(
                        context.cluster().session(),
                        table.keyspace(),
                        table.table(),
                        context.cluster().datacenter(),
                        context.config().requestTimeout())
                .check();
        TableId id = new TableId(
                context.cluster().session(),
                table.keyspace(),
                table.table(),
                context.config().requestTimeout());
        UUID opened = Calls.await(
                        "reading the id of " + context.table(),
                        id.read(),
                        context.config().requestTimeout().multipliedBy(2))
                .orElseThrow(() -> new CounterException.Unavailable(
                        context.table() + " was dropped while it was opened; create it again", null));
        return new FoldedCounters(context, column, id, opened);
    }
}
