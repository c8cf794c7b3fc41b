package dev.cassidy.table;

import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.store.ChangeLog;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

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

    /** @param cluster the cluster's name; what is said once of a cluster is not said again */
    public TableStores(
            ConditionalStatements global,
            ConditionalStatements local,
            String globalKeyspace,
            String localKeyspace,
            ChangeLog changes,
            String cluster,
            LongSupplier nanoTime) {
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
     */
    public CompletionStage<Void> register(IdentityColumn column) {
        return identities.register(column);
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
