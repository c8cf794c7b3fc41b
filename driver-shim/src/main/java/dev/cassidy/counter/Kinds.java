package dev.cassidy.counter;

import dev.cassidy.cluster.Schema;
import dev.cassidy.counter.cassandra.CounterTableCheck;
import dev.cassidy.counter.cassandra.IncrementColumn;
import dev.cassidy.counter.cassandra.LayoutCheck;
import dev.cassidy.counter.cassandra.TableLayout;
import dev.cassidy.counter.cassandra.UnfitTable;
import java.util.Set;

/** What belongs to each kind of counter: its table, what it demands of the settings, its implementation. */
final class Kinds {

    private static final Set<CounterKind> OF_ACTORS = Set.of(CounterKind.CUMULATIVE, CounterKind.VERSIONED);

    private Kinds() {}

    /** @throws IllegalArgumentException if the settings do not fit the kind */
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
                    + OF_ACTORS.stream().sorted().toList()
                    + " need one");
        }
    }

    static String ddl(TableName table, CounterKind kind) {
        return kind == CounterKind.FOLDED
                ? CounterTableCheck.create(table.asCql(), IncrementColumn.BIGINT)
                : layout(kind).create(table.asCql());
    }

    private static TableLayout layout(CounterKind kind) {
        return switch (kind) {
            case FOLDED -> throw new IllegalArgumentException("has a check of its own: " + kind);
            case CUMULATIVE -> TableLayout.CUMULATIVE;
            case VERSIONED -> TableLayout.VERSIONED;
            case LINEARIZABLE -> TableLayout.LINEARIZABLE;
            case SERIALIZABLE -> TableLayout.SERIALIZABLE;
            case NATIVE -> TableLayout.NATIVE;
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
        new LayoutCheck(
                        context.cluster().session(),
                        table.keyspace(),
                        table.table(),
                        context.cluster().datacenter(),
                        context.config().requestTimeout())
                .check(layout(kind));
        return switch (kind) {
            case FOLDED -> throw new IllegalArgumentException("has no layout: " + kind);
            case CUMULATIVE -> ActorCounters.cumulative(context);
            case VERSIONED -> ActorCounters.versioned(context);
            case LINEARIZABLE -> new LinearizableCounters(context);
            case SERIALIZABLE -> new SerializableCounters(context);
            case NATIVE -> new NativeCounters(context);
        };
    }

    private static OpenCounters folded(TableName table, KindContext context) {
        if (context.cluster().state().version() < Schema.COUNTERS) {
            throw new CounterException.Unfit(
                    "Cassidy's keyspace " + context.cluster().keyspace()
                            + " has no tables for counters yet: it is of schema "
                            + context.cluster().state().version()
                            + ". Run the migration tool's init, which adds them",
                    null);
        }
        IncrementColumn column = new CounterTableCheck(
                        context.cluster().session(),
                        table.keyspace(),
                        table.table(),
                        context.cluster().datacenter(),
                        context.config().requestTimeout())
                .check();
        return new FoldedCounters(context, column);
    }
}
