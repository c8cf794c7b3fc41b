package dev.cassidy.sequence.protocol;

import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.Stripe;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is given back: the unused ids of blocks that have ended, and the rows of claims of which nothing more is issued. It
 * sends both to the store, remembers what may have stayed behind ({@link Leftovers}), and decides when a process holds more
 * than it needs. It knows no block, so whoever calls it has ended the blocks before. All but {@link #holdsTooMuch} needs no
 * lock; nothing blocks.
 */
final class Returns {

    private static final Logger LOG = LoggerFactory.getLogger(Returns.class);

    /** Every process may hold this many ids, however slowly it uses them. */
    private static final long KEPT = 64;

    private static final long LONGEST_HOLD_SECONDS = 3_600;
    private static final double LOOK_SECONDS = 60;

    private final Stripe stripe;
    private final AllocatorContext context;
    private final RangeReturner returner;

    /** What each copy of a process has for itself; written under the lock of {@link CurrentBlock}. */
    private volatile Leftovers leftovers;

    /** Guarded by the lock of {@link CurrentBlock}, like {@link #drawnAtLook}. */
    private long lookedAt;

    private long drawnAtLook;

    Returns(Stripe stripe, RangeStore store, AllocatorContext context) {
        this.stripe = stripe;
        this.context = context;
        this.returner = new RangeReturner(store, stripe, context);
        this.leftovers = new Leftovers(store, stripe);
        this.lookedAt = context.nanoTime().getAsLong();
    }

    /** Returns a stage that ends when other processes may take the ids, or the ids are a gap. It never fails. */
    CompletionStage<Void> giveBack(List<RangeReturner.Ended> ended) {
        return returner.giveBack(ended).exceptionally(failure -> {
            LOG.debug("sequence {}: what was not used is a gap: {}", stripe.sequence(), ended, failure);
            ended.forEach(each -> leftovers.add(each.claim()));
            return null;
        });
    }

    /** Removes the row of a claim: its ids are a gap, or belong to other processes. */
    void forget(Claim claim) {
        leftovers.forget(claim);
    }

    /**
     * Whether a process holds more than {@value #KEPT} ids, and more than would last for {@value #LONGEST_HOLD_SECONDS} s
     * at the rate since this was judged last. False if that was not a minute ago. To be called under the lock of
     * {@link CurrentBlock}.
     *
     * @param drawn how many ids were drawn so far
     * @param held how many are left
     */
    boolean holdsTooMuch(long drawn, long held) {
        long now = context.nanoTime().getAsLong();
        double seconds = (now - lookedAt) / 1e9;
        if (seconds < LOOK_SECONDS) {
            return false;
        }
        double rate = (drawn - drawnAtLook) / seconds;
        lookedAt = now;
        drawnAtLook = drawn;
        return held > KEPT && held > rate * LONGEST_HOLD_SECONDS;
    }

    /** Returns where claims in doubt are remembered; in a copy of the process, another object. */
    Leftovers leftovers() {
        return leftovers;
    }

    /** See {@link Blocks#removeLeftovers}. */
    void removeLeftovers(int incarnation) {
        leftovers.remove(incarnation).whenComplete((done, failure) -> {
            if (failure != null) {
                LOG.debug("sequence {}: rows of older incarnations stay behind for now", stripe.sequence(), failure);
            }
        });
    }

    /** In a copy of the process: another copy may still serve the claims that are remembered. */
    void disown() {
        leftovers = leftovers.forCopy();
    }
}
