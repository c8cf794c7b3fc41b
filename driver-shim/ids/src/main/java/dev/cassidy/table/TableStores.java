package dev.cassidy.table;

import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.store.ChangeLog;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The registrations of tables as one instance knows them, and as its datacenter has copied them. Whoever watches the log of
 * changes says here when to read again, and when to copy; {@link TableRegistry} answers from what was read.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
public final class TableStores {

    private final IdentityColumns identities;
    private final ColumnDefaults defaults;
    private final WriteModes modes;
    private final Supplier<Set<String>> ownKeyspaces;

    /**
     * @param ownKeyspaces those that Cassidy has in the cluster now
     * @param cluster the cluster's name; what is said once of a cluster is not said again
     */
    public TableStores(
            ConditionalStatements global,
            ConditionalStatements local,
            String globalKeyspace,
            String localKeyspace,
            Supplier<Set<String>> ownKeyspaces,
            ChangeLog changes,
            String cluster,
            LongSupplier nanoTime) {
        this.ownKeyspaces = ownKeyspaces;
        this.identities = new IdentityColumns(global, local, globalKeyspace, localKeyspace, changes, cluster, nanoTime);
        this.defaults = new ColumnDefaults(global, local, globalKeyspace, localKeyspace, changes);
        this.modes = new WriteModes(global, local, globalKeyspace, localKeyspace, changes);
    }

    IdentityColumns identities() {
        return identities;
    }

    ColumnDefaults defaults() {
        return defaults;
    }

    WriteModes modes() {
        return modes;
    }

    /**
     * Records an identity column in the global keyspace, and then in this datacenter's.
     *
     * @param column of a sequence in which this datacenter takes part
     * @throws IllegalArgumentException if the table is one of Cassidy's own
     */
    public CompletionStage<Void> register(IdentityColumn column) {
        refuseOwn(column.keyspace(), column.table());
        return identities.register(column);
    }

    /** As {@link #register(IdentityColumn)}, of a default. */
    CompletionStage<Void> register(ColumnDefault columnDefault) {
        refuseOwn(columnDefault.keyspace(), columnDefault.table());
        return defaults.register(columnDefault).thenAccept(stored -> {});
    }

    /** As {@link #register(IdentityColumn)}, of how rows are written, which is not complete yet. */
    CompletionStage<WriteModes.Stored> begin(TableWrites writes) {
        refuseOwn(writes.keyspace(), writes.table());
        return modes.begin(writes);
    }

    /**
     * What fills in or conditions the writes of others must not reach the tables on which unique ids depend.
     *
     * @throws IllegalArgumentException if the table is one of Cassidy's own
     */
    public void refuseOwn(String keyspace, String table) {
        if (ownKeyspaces.get().contains(keyspace)) {
            throw new IllegalArgumentException(
                    "must not be one of Cassidy's own tables, which have no identity column, no"
                            + " default and no write mode: table=" + keyspace + "." + table);
        }
    }

    /** Completes once all identity columns are known; it never fails. */
    public CompletionStage<Void> identitiesCompleted() {
        return identities.completed();
    }

    /** Reads all modes and then all defaults once more, if they are wanted. The stage never fails. */
    public CompletionStage<Void> loadModesAndDefaults() {
        return modes.loadAnew().thenCompose(done -> defaults.loadAnew());
    }

    /** Reads once more what is wanted and the global level has not answered yet. */
    public void loadAgain() {
        identities.loadAgain();
        defaults.loadAgain();
        modes.loadAgain();
    }

    /**
     * Reads what is registered of a table whose change was announced.
     *
     * @param table as it was announced
     * @return a stage that fails if the global level did not answer
     */
    public CompletionStage<Void> changed(String table) {
        return identities
                .changed(table)
                .thenCombine(defaults.changed(table), (one, other) -> (Void) null)
                .thenCombine(modes.changed(table), (one, other) -> null);
    }

    /** Copies what this datacenter lacks, if it is wanted. The stage never fails. */
    public CompletionStage<Void> copyFromGlobal() {
        return identities
                .copyFromGlobal()
                .thenCompose(done -> defaults.copyFromGlobal())
                .thenCompose(done -> modes.copyFromGlobal());
    }

    /** Reads everything once more that is wanted, and copies what this datacenter lacks. The stage never fails. */
    public CompletionStage<Void> loadAndCopy() {
        CompletionStage<Void> first = identities.loadAnew().thenCompose(done -> identities.copyFromGlobal());
        CompletionStage<Void> second = defaults.loadAnew().thenCompose(done -> defaults.copyFromGlobal());
        CompletionStage<Void> third = modes.loadAnew().thenCompose(done -> modes.copyFromGlobal());
        return first.thenCombine(second, (one, other) -> (Void) null).thenCombine(third, (one, other) -> null);
    }
}
