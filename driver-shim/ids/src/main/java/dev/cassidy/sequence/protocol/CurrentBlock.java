package dev.cassidy.sequence.protocol;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.store.Span;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The block in use, from which ids are drawn, and those before it that are used up but whose claims are still in the store.
 * It ends blocks, counts what was drawn of them, and knows what was issued. It claims nothing, and sends nothing to the
 * store. {@link #lock} is the one lock of an allocator's blocks: {@link Blocks} and {@link NextBlock} hold it too, so that
 * a change of several of them is one step. Only {@link #block()}, {@link #none()}, {@link #issued()} and
 * {@link #hasIssued} are called without it.
 */
final class CurrentBlock {

    private static final int MAX_RETIRED = 16;

    /** Guards this, {@link NextBlock} and {@link Blocks}. No stage that a caller has is completed under it. */
    final ReentrantLock lock = new ReentrantLock();

    private final SequenceSpec spec;
    private final Block none = Block.empty();

    /** What was issued from blocks that are not in hand any more. */
    private final IssuedSpans issued;

    /** Read without the lock by every caller that wants an id; written under it. */
    private volatile Block current = none;

    /** Used up, but their claims are still in the store. */
    @GuardedBy("lock")
    private final List<Block> retired = new ArrayList<>();

    @GuardedBy("lock")
    private long issuedSinceClaim;
    /** The end of what was issued from blocks that have ended. It is never issued again, whatever the store gives. */
    @GuardedBy("lock")
    private long issuedUpTo;

    @GuardedBy("lock")
    private long drawnOfRetired;

    /** @param issued what earlier blocks of the same specification have issued in this process */
    CurrentBlock(SequenceSpec spec, IssuedSpans issued) {
        this.spec = spec;
        this.issued = issued;
    }

    /** Returns the block from which ids are drawn now. */
    Block block() {
        return current;
    }

    /** Returns the block that has no ids. */
    Block none() {
        return none;
    }

    /** Whether ids are drawn from a block now; the block may be used up. */
    @GuardedBy("lock")
    boolean isPresent() {
        return current != none;
    }

    /** Puts a block in the place of the current one, which is used up. */
    @GuardedBy("lock")
    void replace(Block next) {
        retire(current);
        current = next;
    }

    @GuardedBy("lock")
    private void retire(Block block) {
        if (block == none) {
            return;
        }
        ended(block, block.close());
        retired.add(block);
        // A thread that ended without using its ids would keep the claim for ever; so the oldest blocks are revoked.
        retired.stream().limit(Math.max(0, retired.size() - MAX_RETIRED)).forEach(Block::revoke);
    }

    @GuardedBy("lock")
    private void ended(Block block, long drawn) {
        issuedSinceClaim += drawn;
        drawnOfRetired += drawn;
        block.drawnAtEnd = drawn;
        issuedUpTo = Math.max(issuedUpTo, block.claim.span().lo() + drawn);
    }

    /** Returns the claims from which nothing will be issued any more. */
    @GuardedBy("lock")
    List<Block> spent() {
        return retired.stream().filter(block -> !block.hasChunks()).toList();
    }

    /** The claims of these blocks are not in the store any more. */
    @GuardedBy("lock")
    void forget(List<Block> spent) {
        retired.removeAll(spent);
        spent.forEach(block -> block.remember(issued));
    }

    /** Issues nothing more of the current block: others may issue its ids. */
    @GuardedBy("lock")
    void lose() {
        current.lost = true;
        current.revoke();
        retire(current);
        current = none;
    }

    /**
     * The store was set back: others may have claimed any of the ids that it gave here before, issued or not. So nothing of
     * them is issued any more after this returns, and nothing of them is ever given back.
     */
    @GuardedBy("lock")
    void loseAll() {
        retire(current);
        current = none;
        retired.forEach(block -> {
            block.lost = true;
            block.revoke();
        });
        issued.clear();
    }

    /** No id of the blocks before the current one is issued after this returns. Returns what they held. */
    @GuardedBy("lock")
    List<RangeReturner.Ended> endRetired() {
        List<RangeReturner.Ended> ended = new ArrayList<>();
        for (Block block : retired) {
            block.revoke();
            block.remember(issued);
            ended.add(new RangeReturner.Ended(block.claim, Span.EMPTY));
        }
        retired.clear();
        return ended;
    }

    /** No id of the current block, which is present, is issued after this returns. Returns what of it is unused. */
    @GuardedBy("lock")
    RangeReturner.Ended end() {
        Block ending = current;
        ending.revoke();
        long drawn = ending.close();
        ended(ending, drawn);
        ending.remember(issued);
        current = none;
        Span span = ending.claim.span();
        return new RangeReturner.Ended(ending.claim, new Span(span.lo() + drawn, span.hi()));
    }

    /** In a new incarnation, all ids lie past what was issued. All blocks have ended. */
    @GuardedBy("lock")
    void reseeded() {
        issuedUpTo = 0;
    }

    /** Returns how many ids were issued since this was called last; those of the current block count when it ends. */
    @GuardedBy("lock")
    long takeIssuedSinceClaim() {
        long taken = issuedSinceClaim;
        issuedSinceClaim = 0;
        return taken;
    }

    /** Returns the end of what was issued from blocks that have ended. */
    @GuardedBy("lock")
    long issuedUpTo() {
        return issuedUpTo;
    }

    /** Returns how many ids were drawn of all blocks. */
    @GuardedBy("lock")
    long drawn() {
        return drawnOfRetired + current.drawn();
    }

    /** Returns how many ids can still be drawn of the current block. */
    @GuardedBy("lock")
    long left() {
        return current.count() - current.drawn();
    }

    /** Whether the store has claims of this block or of those before it. */
    @GuardedBy("lock")
    boolean hasClaims() {
        return current != none || !retired.isEmpty();
    }

    /** See {@link BlockAllocator#hasIssued}. */
    boolean hasIssued(long id) {
        long ordinal = ordinalOf(id);
        if (ordinal < 0) {
            return false;
        }
        lock.lock();
        try {
            if (hasIssued(current, ordinal) || issued.contains(ordinal)) {
                return true;
            }
            for (Block block : retired) {
                if (hasIssued(block, ordinal)) {
                    return true;
                }
            }
            return false;
        } finally {
            lock.unlock();
        }
    }

    private static boolean hasIssued(Block block, long ordinal) {
        Span span = block.claim.span();
        return span.lo() <= ordinal && ordinal < span.hi() && block.hasIssued(ordinal - span.lo());
    }

    /** Returns the ordinal of an id; negative if the sequence never issues it. */
    private long ordinalOf(long id) {
        long start = spec.start();
        long difference = id - start;
        if (((id ^ start) & (id ^ difference)) >= 0 && difference != Long.MIN_VALUE) {
            // It did not overflow: the usual case.
            return difference % spec.increment() == 0 ? difference / spec.increment() : -1;
        }
        BigInteger distance = BigInteger.valueOf(id).subtract(BigInteger.valueOf(start));
        BigInteger[] parts = distance.divideAndRemainder(BigInteger.valueOf(spec.increment()));
        return parts[1].signum() == 0 && parts[0].bitLength() < Long.SIZE ? parts[0].longValue() : -1;
    }

    /** Returns what was issued from blocks that are not in hand any more, for those that take this one's place. */
    IssuedSpans issued() {
        return issued;
    }
}
