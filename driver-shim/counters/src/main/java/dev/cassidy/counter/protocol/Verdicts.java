package dev.cassidy.counter.protocol;

import dev.cassidy.counter.store.Actor;
import dev.cassidy.counter.store.ActorRows;
import dev.cassidy.counter.store.ActorRows.EpochSum;
import dev.cassidy.counter.store.CounterRow;
import dev.cassidy.counter.store.CounterTable;
import dev.cassidy.counter.store.SettlementStore;
import dev.cassidy.counter.store.SlotLease;
import dev.cassidy.counter.store.SlotStore;
import dev.cassidy.counter.store.Versions;
import java.math.BigInteger;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Tells what became of an increment, from what is stored alone. Only for increments of this datacenter. Nothing blocks.
 *
 * <p>An increment is counted only if its own row is there, or a sum that contains it. That a slot was leased and given back
 * proves nothing of a single number: a receipt may be of another table, of rows that were truncated, or made up.
 * <ul>
 *   <li>Of an epoch that is held, a number may be under way if it follows the last one that a majority shows: its holder
 *       sends a row after the one before was acknowledged, and a receipt exists after its row was sent. No receipt has a
 *       larger number.
 *   <li>Of an epoch that was given back, every row was acknowledged before. So the rows show all of them, until they are
 *       settled; then the last number is stored for the counter and the epoch. What is beyond never was.
 *   <li>Of an epoch that was broken off, rows may be on a minority of replicas, so the epoch is settled first. What is
 *       beyond the last number that counts never will count, whether it was sent or not.
 * </ul>
 *
 * <p>The order of reads matters. The slot comes first, so that an epoch that it shows as ended has all its acknowledged rows
 * among the rows that are read next. The settlement comes last: a base of settled epochs is written after the decision
 * that it acts on is stored. If the base covers an epoch that the slot showed as held, the slot has changed hands
 * meanwhile, and everything is read again.
 */
final class Verdicts {

    private final SlotStore slots;
    private final SettlementStore settlements;
    private final CounterTable table;
    private final Prefixes prefixes;
    private final Settler settler;
    private final CounterContext context;

    Verdicts(
            SlotStore slots,
            SettlementStore settlements,
            CounterTable table,
            Prefixes prefixes,
            Settler settler,
            CounterContext context) {
        this.slots = slots;
        this.settlements = settlements;
        this.table = table;
        this.prefixes = prefixes;
        this.settler = settler;
        this.context = context;
    }

    CompletionStage<Verdict> of(String counter, int slot, long version) {
        return slots.look(slot).thenCompose(found -> {
            int epoch = Versions.epoch(version);
            if (found.isEmpty() || found.get().epoch() < epoch) {
                // It was never leased.
                return CompletableFuture.completedFuture(Verdict.UNKNOWN);
            }
            SlotLease lease = found.get();
            return lease.epoch() > epoch || lease.free()
                    ? ofEnded(counter, slot, version)
                    : ofHeld(counter, lease, version);
        });
    }

    private CompletionStage<Verdict> ofEnded(String counter, int slot, long version) {
        int epoch = Versions.epoch(version);
        return slots.brokenOff(slot, epoch)
                .thenCompose(broken -> broken.stream().anyMatch(one -> one.epoch() == epoch)
                        ? ofBrokenOff(counter, slot, version)
                        : ofGivenBack(counter, slot, version));
    }

    private CompletionStage<Verdict> ofBrokenOff(String counter, int slot, long version) {
        return settler.settle(counter, slot)
                .thenCompose(settled -> ofSettled(counter, slot, version, Verdict.NOT_COUNTED));
    }

    private CompletionStage<Verdict> ofGivenBack(String counter, int slot, long version) {
        int epoch = Versions.epoch(version);
        return prefixes.read(counter, actor(slot)).thenCompose(rows -> {
            if (rows.settled().filter(base -> base.epoch() > epoch).isPresent()) {
                return ofSettled(counter, slot, version, Verdict.UNKNOWN);
            }
            boolean contained = Versions.number(version) <= last(rows, epoch);
            return CompletableFuture.completedFuture(contained ? Verdict.COUNTED : Verdict.UNKNOWN);
        });
    }

    private CompletionStage<Verdict> ofSettled(String counter, int slot, long version, Verdict beyond) {
        return settlements.counted(counter, slot, Versions.epoch(version)).thenApply(last -> {
            if (last.isPresent() && last.getAsLong() == SettlementStore.FORGOTTEN) {
                return Verdict.FORGOTTEN;
            }
            return last.isPresent() && Versions.number(version) <= last.getAsLong() ? Verdict.COUNTED : beyond;
        });
    }

    /** The last number that follows without a gap; 0 if there is none. */
    private static long last(ActorRows rows, int epoch) {
        return rows.epochs().stream()
                .filter(sum -> sum.epoch() == epoch)
                .mapToLong(EpochSum::last)
                .findFirst()
                .orElse(0);
    }

    /**
     * Whoever sees the row of a running holder may do what the holder does: bring it to a majority, and then look at the
     * slot once more.
     */
    private CompletionStage<Verdict> ofHeld(String counter, SlotLease lease, long version) {
        return prefixes.read(counter, actor(lease.slot())).thenCompose(rows -> {
            if (rows.settled().filter(base -> base.epoch() > lease.epoch()).isPresent()) {
                return of(counter, lease.slot(), version);
            }
            Optional<CompletionStage<Void>> spread = spread(counter, rows, version);
            if (spread.isEmpty()) {
                boolean mayBeUnderWay = Versions.number(version) == last(rows, lease.epoch()) + 1;
                return CompletableFuture.completedFuture(mayBeUnderWay ? Verdict.OPEN : Verdict.UNKNOWN);
            }
            return spread.get()
                    .thenCompose(done -> slots.look(lease.slot()))
                    .thenCompose(now -> now.filter(lease::isLeaseOf).isPresent()
                            ? CompletableFuture.completedFuture(Verdict.COUNTED)
                            : of(counter, lease.slot(), version));
        });
    }

    private String actor(int slot) {
        return new Actor(context.home(), slot).toString();
    }

    /** Writes again what contains the increment; empty if nothing does. */
    private Optional<CompletionStage<Void>> spread(String counter, ActorRows rows, long version) {
        Optional<EpochSum> sum = rows.epochs().stream()
                .filter(found -> found.epoch() == Versions.epoch(version))
                .findFirst();
        if (sum.isEmpty() || Versions.number(version) > sum.get().last()) {
            // A row after a gap would not count if its holder died now.
            return Optional.empty();
        }
        if (Versions.number(version) <= sum.get().folded()) {
            return rows.base(sum.get().epoch()).map(fold -> table.fold(counter, rows.actor(), fold));
        }
        return rows.row(version)
                .map(CounterRow::increment)
                .map((BigInteger increment) -> table.writeAgain(counter, rows.actor(), version, increment));
    }
}
