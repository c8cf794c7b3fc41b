package dev.cassidy.counter.protocol;

import dev.cassidy.counter.store.Actor;
import dev.cassidy.counter.store.ActorRows;
import dev.cassidy.counter.store.ActorRows.EpochSum;
import dev.cassidy.counter.store.CounterTable;
import dev.cassidy.counter.store.Fold;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Folds the increments of counters. Any process may fold what any other wrote, at any time and without a lock, since all
 * folds up to one version are equal: see {@link Fold}. Nothing blocks.
 */
final class Folder {

    /** So many ended epochs of one slot may keep a base each, until they are settled into one. */
    private static final int MAX_ENDED = 4;

    private final CounterTable table;
    private final Prefixes prefixes;
    private final Settler settler;
    private final CounterContext context;

    Folder(CounterTable table, Prefixes prefixes, Settler settler, CounterContext context) {
        this.table = table;
        this.prefixes = prefixes;
        this.settler = settler;
        this.context = context;
    }

    /** Folds the increments that the holder of a slot wrote in its epoch, and settles ended epochs if there are many. */
    CompletionStage<Folded> foldOwn(String counter, HeldSlot slot) {
        return table.readPages(counter, slot.actor()).thenCompose(rows -> {
            CompletionStage<Folded> own = prefixes.fold(counter, rows, slot.epoch());
            long ended = rows.epochs().stream()
                    .filter(sum -> sum.epoch() < slot.epoch())
                    .count();
            return ended > MAX_ENDED
                    ? own.thenCompose(
                            done -> settler.settle(counter, slot.lease().slot()).thenApply(settled -> done))
                    : own;
        });
    }

    /** Folds all that can be folded of a counter, and settles all that has ended in this datacenter. */
    CompletionStage<Folded> foldAll(String counter) {
        return table.readAll(counter).thenCompose(actors -> {
            CompletionStage<Folded> all = CompletableFuture.completedFuture(Folded.NOTHING);
            for (ActorRows rows : actors) {
                Optional<Actor> actor = Actor.of(rows.actor());
                if (actor.isPresent()) {
                    // One after another: a fold is for the background.
                    all = all.thenCompose(
                            before -> foldActor(counter, actor.get(), rows).thenApply(before::plus));
                }
            }
            return all;
        });
    }

    private CompletionStage<Folded> foldActor(String counter, Actor actor, ActorRows rows) {
        // Also if it is no row of an epoch, or the only row.
        Optional<String> foreign = rows.foreign();
        if (foreign.isPresent()) {
            return CompletableFuture.failedFuture(CounterFailure.foreign(counter, foreign.get()));
        }
        CompletionStage<Folded> folded = CompletableFuture.completedFuture(Folded.NOTHING);
        for (EpochSum sum : rows.epochs()) {
            folded = folded.thenCompose(
                    before -> prefixes.fold(counter, rows, sum.epoch()).thenApply(before::plus));
        }
        boolean several = rows.epochs().size() > 1 || rows.settled().isPresent();
        return actor.home().equals(context.home()) && several
                ? folded.thenCompose(
                        done -> settler.settle(counter, actor.slot()).thenApply(settled -> done))
                : folded;
    }
}
