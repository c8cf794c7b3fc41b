package dev.cassidy.cql;

import dev.cassidy.async.Stages;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Identity;
import dev.cassidy.insert.RecentStatements;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Finds the generated key of the table that a statement inserts into: its identity, or else the column of its primary key with
 * DEFAULT NEXT VALUE FOR. Each lookup also refuses what must not be sent: changes of
 * Cassidy's own keyspaces, writes to tables of other installations, what {@link Renames} refuses, inserts within a BEGIN BATCH into a table with an identity column or defaults, and what
 * {@link Registration} forbids. A refusal is a failure of the stage. Never blocks.
 */
final class IdentityLookup {

    private static final CompletionStage<List<Identity>> NO_OTHERS = CompletableFuture.completedFuture(List.of());

    private final OwnKeyspaces own;
    private final TableCatalog catalog;
    private final Registration registration;
    private final DefaultEvaluator defaults;
    private final Renames renames;
    private final RecentStatements<ParsedStatement> recent = new RecentStatements<>(ParsedStatement::of);

    IdentityLookup(
            OwnKeyspaces own,
            TableCatalog catalog,
            Registration registration,
            DefaultEvaluator defaults,
            Renames renames) {
        this.own = own;
        this.catalog = catalog;
        this.registration = registration;
        this.defaults = defaults;
        this.renames = renames;
    }

    /** Reads a statement that is likely to come again, and keeps the result for a while. */
    ParsedStatement read(String cql) {
        return recent.of(cql);
    }

    /**
     * Finds the generated key of the table that a statement inserts into. The statement is about to be sent or prepared.
     *
     * @param keyspace of a table that is named without one
     * @return empty if the statement is no insert, or its table has no generated key
     */
    CompletionStage<Optional<Identity>> find(ParsedStatement text, @Nullable String keyspace) {
        return find(text, keyspace, (insert, in) -> registration.requireRegistered(insert, catalog.keyspaceOr(in)));
    }

    /**
     * As {@link #find}, of a statement that was prepared. It was looked up then, but another session may have prepared it, and a
     * table may have been registered since.
     */
    CompletionStage<Optional<Identity>> findPrepared(ParsedStatement text, @Nullable String keyspace) {
        return find(text, keyspace, (insert, in) -> registration
                .requireKnown(insert, catalog.keyspaceOr(in))
                .thenApply(known -> Optional.empty()));
    }

    private CompletionStage<Optional<Identity>> find(
            ParsedStatement text,
            @Nullable String keyspace,
            BiFunction<CqlInsert, @Nullable String, CompletionStage<Optional<Identity>>> unregistered) {
        return own.refuse(text.changes(), keyspace).thenCompose(allowed -> {
            if (text.renamed().isPresent()) {
                return renames.refuse(text.renamed().get(), keyspace).thenApply(done -> Optional.empty());
            }
            if (text.insert().isEmpty()) {
                // Of an insert it depends on whether this installation numbers the table.
                return Stages.thenCompose(
                        registration.requireOwn(text.changes(), keyspace),
                        own -> refuseBatchText(text.batched(keyspace)));
            }
            CqlInsert insert = text.insert().get();
            String in = text.keyspace(keyspace);
            return catalog.drawn(in, insert.table())
                    .thenCompose(drawn -> drawn.isEmpty()
                            ? unregistered.apply(insert, in)
                            : CompletableFuture.completedFuture(Optional.of(drawn.get(0))));
        });
    }

    /** Finds the generated key of an insert's table, and refuses nothing. */
    CompletionStage<Optional<Identity>> key(CqlInsert insert, @Nullable String keyspace) {
        return catalog.drawn(keyspace, insert.table())
                .thenApply(drawn -> drawn.stream().findFirst());
    }

    /** Finds, besides the generated key, the columns that an insert names and in which its values could overwrite a row. */
    CompletionStage<List<Identity>> others(CqlInsert insert, @Nullable String keyspace) {
        if (catalog.incomplete().isEmpty()
                && catalog.cachedDefaults(keyspace, insert.table()).isEmpty()) {
            // The usual case, without a stage of its own.
            return NO_OTHERS;
        }
        return Stages.thenCompose(
                catalog.drawn(keyspace, insert.table()),
                drawn -> drawn.size() < 2
                        ? NO_OTHERS
                        : CompletableFuture.completedFuture(drawn.stream()
                                .skip(1)
                                .filter(each -> insert.columns().contains(each.column()))
                                .toList()));
    }

    private CompletionStage<Optional<Identity>> refuseBatchText(List<CqlInsert.Table> batched) {
        return registration
                .refuseBatchText(batched, catalog)
                .thenCompose(allowed -> defaults.refuseBatchText(batched))
                .thenApply(allowed -> Optional.empty());
    }

    /** As {@link #find}, as far as registrations are known without any I/O. */
    CompletionStage<Optional<Identity>> findCached(ParsedStatement text, @Nullable String keyspace) {
        return own.refuse(text.changes(), keyspace).thenCompose(allowed -> {
            refuseCachedBatchText(text.batched(keyspace));
            return text.insert().isEmpty()
                    ? CompletableFuture.completedFuture(Optional.empty())
                    : cached(text.insert().get(), text.keyspace(keyspace));
        });
    }

    private CompletionStage<Optional<Identity>> cached(CqlInsert insert, @Nullable String keyspace) {
        return catalog.cachedDrawn(keyspace, insert.table())
                .thenApply(drawn -> drawn.stream().findFirst());
    }

    private void refuseCachedBatchText(List<CqlInsert.Table> batched) {
        batched.forEach(
                table -> catalog.cached(table.keyspace(), table.name()).ifPresent(Registration::refuseBatchText));
    }
}
