package dev.cassidy.sequence.protocol;

import dev.cassidy.async.StandingWrites;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.SequenceCatalog;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.Stripe;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Looks whether changes of sequences stand: the sequence's global row, and the moves of this datacenter's reserves.
 *
 * <p>Nothing else has to. An acknowledgement says what stays true, and a copy that is older makes processes ask the global
 * row or be refused by the reserve: if one of the two is forgotten, something has to be done again, and no id comes twice.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
final class StandingSequences {

    /** Each loss takes another kill within the time of one. */
    static final int MAX_REPEATS = 3;

    private final SequenceCatalog catalog;
    private final RangeStore store;
    private final StandingWrites writes;

    /** What a change of the global row promised; grants move the rest of it. */
    private record Promised(int incarnation, boolean ready, boolean dropped, long origin, long floor) {
        static Promised by(SequenceEntry entry) {
            return new Promised(entry.incarnation(), entry.ready(), entry.dropped(), entry.origin(), entry.floor());
        }
    }

    StandingSequences(SequenceCatalog catalog, RangeStore store, AllocatorContext context) {
        this.catalog = catalog;
        this.store = store;
        this.writes = new StandingWrites(context.safety()::standing, context.timer(), context.nanoTime());
    }

    Duration period() {
        return writes.period();
    }

    /** Whether nodes may forget what they acknowledge. */
    boolean isNeeded() {
        return !writes.period().isZero();
    }

    /** Returns how long changes take at most to stand, in addition to everything else. */
    Duration longest() {
        return writes.period().multipliedBy(2L * MAX_REPEATS);
    }

    /** Returns how long a change that was acknowledged just now may still be forgotten, here or in the global row. */
    CompletionStage<Duration> untilKnown(SequenceEntry entry) {
        CompletionStage<Duration> longest =
                writes.untilKnown(entry.name(), Promised.by(entry), () -> catalog.findAgreed(entry.name()));
        for (Stripe stripe : Stripe.of(entry.spec())) {
            longest = longest.thenCombine(
                    writes.untilKnown(stripe, entry.incarnation(), () -> store.glance(stripe)),
                    (one, other) -> one.compareTo(other) > 0 ? one : other);
        }
        return longest;
    }

    /** Waits, and looks whether the global row is as {@code entry} says, or was changed since by one that knew of it. */
    CompletionStage<Boolean> isKept(SequenceEntry entry) {
        return writes.stands(
                entry.name(),
                Promised.by(entry),
                () -> catalog.findAgreed(entry.name()),
                () -> catalog.find(entry.name()),
                found -> found.filter(now -> now.keeps(entry)).isPresent());
    }

    /** Waits, and looks whether every reserve has moved to the entry's incarnation or a later one. */
    CompletionStage<Boolean> haveReservesMoved(SequenceEntry entry) {
        CompletionStage<Boolean> all = CompletableFuture.completedFuture(true);
        for (Stripe stripe : Stripe.of(entry.spec())) {
            all = all.thenCompose(before -> before
                    ? writes.stands(
                            stripe,
                            entry.incarnation(),
                            () -> store.glance(stripe),
                            () -> store.reserve(stripe),
                            (Optional<Reserve> found) -> found.filter(now -> now.incarnation() >= entry.incarnation())
                                    .isPresent())
                    : CompletableFuture.completedFuture(false));
        }
        return all;
    }

    /** Returns the error for a change that was lost again and again. */
    static SequenceException forgotten(String name) {
        return new SequenceException.Unavailable("what was changed of sequence " + name
                + " was acknowledged, and nodes that were killed have forgotten it each time; run it again, it does no"
                + " harm twice. With commitlog_sync: batch or group no node forgets");
    }
}
