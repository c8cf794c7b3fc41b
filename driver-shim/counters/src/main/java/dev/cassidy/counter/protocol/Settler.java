package dev.cassidy.counter.protocol;

import dev.cassidy.counter.store.Actor;
import dev.cassidy.counter.store.ActorRows;
import dev.cassidy.counter.store.ActorRows.EpochSum;
import dev.cassidy.counter.store.BrokenOff;
import dev.cassidy.counter.store.CounterTable;
import dev.cassidy.counter.store.Settled;
import dev.cassidy.counter.store.SettlementStore;
import dev.cassidy.counter.store.SlotLease;
import dev.cassidy.counter.store.SlotStore;
import dev.cassidy.counter.store.StepOutcome;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/**
 * Decides what counts of the epochs of a slot that have ended, and folds them into one row.
 *
 * <p>A process that dies may leave increments that only some replicas have. Two readers may differ about them, so one
 * decision is made by a conditional step, and everybody acts on it. The order matters: the slot's present lease is
 * looked at first, and the rows are read after that. So every increment that a former holder has confirmed, or ever
 * will, is among the rows; see {@link Fence}. Only what follows without a gap is counted: a holder sends its next
 * increment when the one before was acknowledged, so nothing after a gap was confirmed.
 *
 * <p>Only for slots of this datacenter. Several processes may settle the same at once. Nothing blocks.
 */
final class Settler {

    /** So many epochs are settled in one step. */
    private static final int MOST_EPOCHS = 500;

    private final SlotStore slots;
    private final SettlementStore settlements;
    private final CounterTable table;
    private final Prefixes prefixes;
    private final Tally tally;
    private final CounterContext context;

    Settler(
            SlotStore slots,
            SettlementStore settlements,
            CounterTable table,
            Prefixes prefixes,
            Tally tally,
            CounterContext context) {
        this.slots = slots;
        this.settlements = settlements;
        this.table = table;
        this.prefixes = prefixes;
        this.tally = tally;
        this.context = context;
    }

    /** Settles every epoch of a slot that has ended, for one counter. Returns what is settled then. */
    CompletionStage<Settled> settle(String counter, int slot) {
        return slots.look(slot)
                .thenCompose(lease -> lease.isEmpty()
                        ? CompletableFuture.completedFuture(Settled.NOTHING)
                        : settle(counter, slot, end(lease.get())));
    }

    /** The first epoch that has not ended. */
    private static int end(SlotLease lease) {
        return lease.free() ? lease.epoch() + 1 : lease.epoch();
    }

    private CompletionStage<Settled> settle(String counter, int slot, int end) {
        return settlements
                .read(counter, slot)
                .thenCompose(before -> before.epoch() >= end
                        ? written(counter, slot, before)
                        : prefixes.read(counter, actor(slot))
                                .thenCompose(rows -> decide(counter, slot, before, end, rows)));
    }

    private CompletionStage<Settled> decide(String counter, int slot, Settled before, int end, ActorRows rows) {
        Optional<String> foreign = rows.foreign();
        if (foreign.isPresent()) {
            return CompletableFuture.failedFuture(CounterFailure.foreign(counter, foreign.get()));
        }
        Optional<Settled> base = rows.settled();
        if (base.filter(found -> found.epoch() > before.epoch()).isPresent()) {
            // Somebody decided meanwhile. Or else the nodes have forgotten a decision that was acted on: the row is its
            // evidence, and what it said of single epochs is lost.
            return slots.brokenOff(slot, before.epoch())
                    .thenCompose(broken -> advance(counter, slot, before, base.get(), lost(broken, base.get())));
        }
        if (before.epoch() > 0 && base.filter(before::equals).isEmpty()) {
            // The last decision was not acted on yet. First that: it says which of the rows are within.
            return written(counter, slot, before).thenCompose(done -> settle(counter, slot, end));
        }
        List<EpochSum> ended = rows.epochs().stream()
                .filter(sum -> sum.epoch() < end)
                .limit(MOST_EPOCHS + 1)
                .toList();
        // The step grows with the epochs, and the server limits it.
        int until = ended.size() > MOST_EPOCHS ? ended.get(MOST_EPOCHS).epoch() : end;
        List<EpochSum> some = ended.stream().limit(MOST_EPOCHS).toList();
        BigInteger sum = some.stream().map(EpochSum::sum).reduce(before.sum(), BigInteger::add);
        if (!table.fits(sum)) {
            return CompletableFuture.failedFuture(CounterFailure.tooLarge(counter, sum));
        }
        return advance(counter, slot, before, new Settled(until, sum), countedOf(some))
                .thenCompose(settled -> settled.epoch() < end
                        ? settle(counter, slot, end)
                        : CompletableFuture.completedFuture(settled));
    }

    /** Once the rows are gone, this is what a receipt can be told from. */
    private static Map<Integer, Long> countedOf(List<EpochSum> ended) {
        return ended.stream().filter(sum -> sum.last() > 0).collect(Collectors.toMap(EpochSum::epoch, EpochSum::last));
    }

    private static Map<Integer, Long> lost(List<BrokenOff> broken, Settled base) {
        return broken.stream()
                .map(BrokenOff::epoch)
                .filter(epoch -> epoch < base.epoch())
                .collect(Collectors.toMap(epoch -> epoch, epoch -> SettlementStore.FORGOTTEN));
    }

    private CompletionStage<Settled> advance(
            String counter, int slot, Settled before, Settled wanted, Map<Integer, Long> counted) {
        return settlements
                .advance(counter, slot, before, wanted, counted)
                // Whatever the outcome: what is stored is the decision, whoever made it.
                .thenCompose(outcome -> {
                    if (outcome instanceof StepOutcome.Done) {
                        tally.settled.increment();
                        return CompletableFuture.completedFuture(wanted);
                    }
                    return settlements.read(counter, slot);
                })
                .thenCompose(decided -> decided.epoch() < wanted.epoch()
                        // A step of unknown outcome has not landed. It may land later; then its condition fails or it
                        // is the decision.
                        ? settle(counter, slot, wanted.epoch())
                        : written(counter, slot, decided));
    }

    private CompletionStage<Settled> written(String counter, int slot, Settled decided) {
        return table.settle(counter, actor(slot), decided).thenApply(done -> decided);
    }

    private String actor(int slot) {
        return new Actor(context.home(), slot).toString();
    }
}
