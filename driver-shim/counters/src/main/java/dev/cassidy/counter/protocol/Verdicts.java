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
 * Tells what became of an increment, from what is stored alone. A final answer never changes. Only for increments of
 * this datacenter. Nothing blocks.
 */
final class Verdicts {

    private final SlotStore slots;
    private final SettlementStore settlements;
    private final CounterTable table;
    private final Settler settler;
    private final CounterContext context;

    Verdicts(
            SlotStore slots, SettlementStore settlements, CounterTable table, Settler settler, CounterContext context) {
        this.slots = slots;
        this.settlements = settlements;
        this.table = table;
        this.settler = settler;
        this.context = context;
    }

    CompletionStage<Verdict> of(String counter, int slot, long version) {
        return slots.look(slot).thenCompose(found -> {
            int epoch = Versions.epoch(version);
            if (found.isEmpty() || found.get().epoch() < epoch) {
                return CompletableFuture.failedFuture(new IllegalArgumentException(
                        "was never leased: epoch " + epoch + " of slot " + new Actor(context.datacenter(), slot)
                                + "; is the receipt of another table or cluster?"));
            }
            SlotLease lease = found.get();
            if (lease.epoch() > epoch) {
                return ofEnded(counter, slot, version);
            }
            return lease.free() ? CompletableFuture.completedFuture(Verdict.COUNTED) : ofHeld(counter, lease, version);
        });
    }

    private CompletionStage<Verdict> ofEnded(String counter, int slot, long version) {
        int epoch = Versions.epoch(version);
        return slots.brokenOff(slot, epoch).thenCompose(broken -> {
            if (broken.stream().noneMatch(one -> one.epoch() == epoch)) {
                // It was given back, and that with nothing left unacknowledged.
                return CompletableFuture.completedFuture(Verdict.COUNTED);
            }
            return settler.settle(counter, slot)
                    .thenCompose(settled -> settlements.counted(counter, slot, epoch))
                    .thenApply(last -> {
                        if (last.isPresent() && last.getAsLong() == SettlementStore.FORGOTTEN) {
                            return Verdict.FORGOTTEN;
                        }
                        return last.isPresent() && Versions.number(version) <= last.getAsLong()
                                ? Verdict.COUNTED
                                : Verdict.NOT_COUNTED;
                    });
        });
    }

    /**
     * Whoever sees the row of a running holder may do what the holder does: bring it to a majority, and then look at the
     * slot once more.
     */
    private CompletionStage<Verdict> ofHeld(String counter, SlotLease lease, long version) {
        String actor = new Actor(context.datacenter(), lease.slot()).toString();
        return table.read(counter, actor).thenCompose(rows -> {
            Optional<CompletionStage<Void>> spread = spread(counter, rows, version);
            if (spread.isEmpty()) {
                return CompletableFuture.completedFuture(Verdict.OPEN);
            }
            return spread.get()
                    .thenCompose(done -> slots.look(lease.slot()))
                    .thenCompose(now -> now.filter(lease::isLeaseOf).isPresent()
                            ? CompletableFuture.completedFuture(Verdict.COUNTED)
                            : of(counter, lease.slot(), version));
        });
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
                .map((BigInteger increment) -> table.write(counter, rows.actor(), version, increment));
    }
}
