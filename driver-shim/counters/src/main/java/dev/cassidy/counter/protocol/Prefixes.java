package dev.cassidy.counter.protocol;

import dev.cassidy.async.Stages;
import dev.cassidy.counter.store.ActorRows;
import dev.cassidy.counter.store.ActorRows.EpochSum;
import dev.cassidy.counter.store.CounterTable;
import dev.cassidy.counter.store.CounterTable.TooManyRows;
import dev.cassidy.counter.store.Fold;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Folds what follows without a gap in an epoch, whoever wrote it and whether the epoch has ended or not: all folds up to
 * one version are equal, see {@link Fold}. Nothing blocks.
 */
final class Prefixes {

    private final CounterTable table;

    Prefixes(CounterTable table) {
        this.table = table;
    }

    /**
     * Reads all rows of an actor as they were at one moment. If they are too many for that, what can be folded is folded
     * first.
     */
    CompletionStage<ActorRows> read(String counter, String actor) {
        return table.read(counter, actor)
                .exceptionallyCompose(failure -> Stages.cause(failure) instanceof TooManyRows
                        ? foldAll(counter, actor).thenCompose(done -> table.read(counter, actor))
                        : CompletableFuture.failedFuture(failure));
    }

    private CompletionStage<Folded> foldAll(String counter, String actor) {
        return table.readPages(counter, actor).thenCompose(rows -> {
            CompletionStage<Folded> all = CompletableFuture.completedFuture(Folded.NOTHING);
            for (EpochSum sum : rows.epochs()) {
                all = all.thenCompose(before -> fold(counter, rows, sum.epoch()).thenApply(before::plus));
            }
            return all;
        });
    }

    /** Folds an epoch of rows that were read before. */
    CompletionStage<Folded> fold(String counter, ActorRows rows, int epoch) {
        Optional<String> foreign = rows.foreign();
        if (foreign.isPresent()) {
            return CompletableFuture.failedFuture(CounterFailure.foreign(counter, foreign.get()));
        }
        List<EpochSum> found = new ArrayList<>(rows.epochs());
        found.removeIf(sum -> sum.epoch() != epoch);
        if (found.isEmpty()) {
            return CompletableFuture.completedFuture(Folded.NOTHING);
        }
        EpochSum sum = found.get(0);
        Optional<Fold> fold = sum.fold();
        if (fold.isEmpty()) {
            return CompletableFuture.completedFuture(new Folded(0, sum.left()));
        }
        if (!table.fits(sum.sum())) {
            return CompletableFuture.failedFuture(CounterFailure.tooLarge(counter, sum.sum()));
        }
        return table.fold(counter, rows.actor(), fold.get())
                .thenApply(done -> new Folded(sum.last() - sum.folded(), sum.left()));
    }
}
