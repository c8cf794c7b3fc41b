package dev.cassidy.cql;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlWrite;
import dev.cassidy.insert.VersionedWrite;
import dev.cassidy.remedy.Remedy;
import dev.cassidy.table.TableWrites;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
     * @param keyspace of a table that is named without one; null for the session's own
     */
    CompletionStage<Void> requireAllowed(String cql, @Nullable String keyspace) {
        List<CqlInsert.Table> tables = new ArrayList<>();
        Optional<CqlWrite> write = CqlWrite.recognise(cql);
        boolean conditional;
        if (write.isPresent()) {
            conditional = write.get().isConditional();
            tables.add(new CqlInsert.Table(
                    write.get().keyspace().orElse(null), write.get().table()));
        } else {
            conditional = CqlWrite.isConditionalBatch(cql);
            tables.addAll(tablesOfBatch(cql));
        }
        CompletionStage<Void> all = ALLOWED;
        for (CqlInsert.Table table : tables) {
            String in = table.keyspace() == null ? keyspace : table.keyspace();
            all = all.thenCompose(before -> requireAllowed(catalog.keyspaceOr(in), table.name(), conditional));
        }
        return all;
    }

    private static List<CqlInsert.Table> tablesOfBatch(String cql) {
        try {
            return VersionedWrite.tablesOfBatch(cql);
        } catch (RuntimeException e) {
            // No statement that the server could read.
            return List.of();
        }
    }

    private CompletionStage<Void> requireAllowed(Optional<String> keyspace, String table, boolean conditional) {
        return keyspace.isEmpty()
                ? ALLOWED
                : catalog.tables().writesAsync(keyspace.get(), table).thenAccept(found -> {
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
