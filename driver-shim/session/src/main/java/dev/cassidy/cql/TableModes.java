package dev.cassidy.cql;

import dev.cassidy.insert.CqlChange;
import dev.cassidy.insert.CqlWrite;
import dev.cassidy.remedy.Remedy;
import dev.cassidy.table.TableWrites;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Refuses plain writes to tables whose rows are written under conditions. Never blocks. */
final class TableModes {

    private static final CompletionStage<Void> ALLOWED = CompletableFuture.completedFuture(null);

    private final TableCatalog catalog;

    TableModes(TableCatalog catalog) {
        this.catalog = catalog;
    }

    /** Returns whether every table takes plain (not conditional) writes; false also if that is not known without a read. */
    boolean areNone() {
        return catalog.tables().areAllPlain();
    }

    /**
     * Refuses a statement that must not be sent.
     *
     * @param keyspace of a table that is named without one; null if there is none
     * @param conditional whether the statement is of a batch that is conditional
     */
    CompletionStage<Void> requireAllowed(
            String cql, List<CqlChange> changes, @Nullable String keyspace, boolean conditional) {
        List<CqlChange> written = changes.stream().filter(CqlChange::writesRows).toList();
        boolean condition = conditional || (!written.isEmpty() && isConditional(cql));
        CompletionStage<Void> all = ALLOWED;
        for (CqlChange each : written) {
            String in = each.keyspace() == null ? keyspace : each.keyspace();
            // Without a keyspace the server refuses the statement.
            all = in == null
                    ? all
                    : all.thenCompose(before -> requireAllowed(in, Objects.requireNonNull(each.name()), condition));
        }
        return all;
    }

    /** Returns whether a statement has an IF; one is enough to make all of a batch conditional. */
    static boolean isConditional(String cql) {
        return CqlWrite.recognise(cql).map(CqlWrite::isConditional).orElseGet(() -> CqlWrite.isConditionalBatch(cql));
    }

    private CompletionStage<Void> requireAllowed(String keyspace, String table, boolean conditional) {
        return catalog.tables().writesAsync(keyspace, table).thenAccept(found -> {
            if (found.isPresent() && found.get().mode() != TableWrites.Mode.PLAIN) {
                requireAllowed(found.get(), conditional);
            }
        });
    }

    private static void requireAllowed(TableWrites writes, boolean conditional) {
        String table = writes.keyspace() + "." + writes.table();
        if (writes.changing()) {
            throw new WriteModeException(
                    "table " + table + " is about to be written " + writes.mode() + ", and takes no writes until every"
                            + " process knows: try again in a minute. If the command that declares it has failed, repeat it. "
                            + new Remedy.DeclareWrites(
                                            writes.keyspace(),
                                            writes.table(),
                                            writes.mode() == TableWrites.Mode.VERSIONED ? writes.version() : null)
                                    .inJava(),
                    true);
        }
        if (!conditional) {
            throw new WriteModeException(
                    "table " + table + " is written " + writes.mode()
                            + ", each write under a condition, and a plain write"
                            + " after a conditional one can be lost: give the statement IF EXISTS, IF NOT EXISTS or IF with"
                            + " a column's value",
                    false);
        }
    }
}
