package dev.cassidy.sequence.protocol;

import dev.cassidy.sequence.IdRange;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.Span;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;

/**
 * The ids of one claim. One atomic addition hands out each of them. The block is its own counter, so that an id needs
 * one object less to look up. The counter runs past the end when the block is used up or closed; a position past the
 * end is no id.
 */
final class Block extends PaddedCounter {

    private static final long serialVersionUID = 1;

    /** Far beyond every block's size, and far below what would overflow when more is added. */
    private static final long CLOSED = 1L << 62;

    /** Of all blocks without ids: an allocator that has issued nothing takes little memory. */
    private static final Claim NO_CLAIM = new Claim(0, Span.EMPTY, new UUID(0, 0));

    final transient Claim claim;
    private final long first;
    private final long increment;
    private final long count;
    private final long prefetchAt;

    /** Chunks that may still issue ids they have drawn. While there are any, the claim must stay. Guarded by itself. */
    private final transient Set<Revocable> chunks;

    private volatile boolean revoked;

    /** The position of the first id that may be issued of this block: what lies before it was passed over. */
    private long begin;

    /** How many ids were drawn when the block ended; negative before. Guarded by the lock of {@link CurrentBlock}. */
    long drawnAtEnd = -1;

    /**
     * Whether Cassandra has forgotten its claim, or was set back behind it: others may issue its ids. Guarded by the lock of
     * {@link CurrentBlock}.
     */
    boolean lost;

    /** Whether its claim has stood, so that no replica forgets it any more. Guarded by the lock of {@link CurrentBlock}. */
    boolean stood = true;

    /** @param prefetchAt the position at which the next block is wanted */
    Block(SequenceSpec spec, Claim claim, long prefetchAt) {
        this.claim = claim;
        this.first = spec.idAt(claim.span().lo());
        this.increment = spec.increment();
        this.count = claim.span().size();
        this.prefetchAt = Math.min(count - 1, prefetchAt);
        this.chunks = new HashSet<>();
    }

    private Block() {
        this.claim = NO_CLAIM;
        this.first = 0;
        this.increment = 1;
        this.count = 0;
        this.prefetchAt = -1;
        // No chunk draws from it.
        this.chunks = Collections.emptySet();
    }

    /** Returns a block without ids, where an allocator begins. Each has its own, since drawing counts even here. */
    static Block empty() {
        return new Block();
    }

    /** Draws up to {@code most} positions; returns the first: at or past {@link #count()} if none was left. */
    long draw(long most) {
        return getAndAdd(most);
    }

    long count() {
        return count;
    }

    long increment() {
        return increment;
    }

    long idAt(long position) {
        return first + position * increment;
    }

    /** As {@link #reachesPrefetch(long, long)}, for one id. */
    boolean isPrefetchPoint(long position) {
        return position == prefetchAt;
    }

    /** Whether drawing {@code taken} at {@code position} reached the point at which the next block is wanted. */
    boolean reachesPrefetch(long position, long taken) {
        return position <= prefetchAt && position + taken > prefetchAt;
    }

    IdRange range(long position, long taken) {
        return new IdRange(idAt(position), increment, taken);
    }

    /** Notes that a chunk will draw ids and issue them later, until {@link #leave} or until the block is revoked. */
    void enter(Revocable chunk) {
        synchronized (chunks) {
            chunks.add(chunk);
        }
    }

    void leave(Revocable chunk) {
        synchronized (chunks) {
            chunks.remove(chunk);
        }
    }

    /** Passes over the first {@code most} positions; before any other draw. */
    void passOver(long most) {
        draw(most);
        begin = Math.min(count, most);
    }

    /**
     * Gives back positions that a chunk has drawn and not issued. They are drawn again, unless another draw came after
     * them: then they are a gap.
     */
    void undraw(long from, long to, Revocable chunk) {
        // Under the lock, so that hasIssued sees each position in one place.
        synchronized (chunks) {
            compareAndSet(to, from);
            chunk.gaveBack();
        }
    }

    /**
     * Returns whether the id at a position was issued, and will not be issued any more. Once the block was revoked, this
     * is true for what its chunks had drawn and never issue. To be called under the lock of {@link CurrentBlock}.
     */
    boolean hasIssued(long position) {
        if (lost || position < begin) {
            return false;
        }
        synchronized (chunks) {
            // The order matters: what was drawn before this, and is not given back meanwhile, has one owner, and a
            // chunk
            // that draws now has finished when it is asked.
            if (position >= (drawnAtEnd < 0 ? drawn() : drawnAtEnd)) {
                return false;
            }
            return revoked || chunks.stream().noneMatch(chunk -> chunk.holds(position));
        }
    }

    /** Adds what was issued of this block, which has ended, to what its process remembers. */
    void remember(IssuedSpans issued) {
        if (!lost) {
            issued.add(claim.span().lo() + begin, claim.span().lo() + drawnAtEnd);
        }
    }

    /** Whether threads may still issue ids that they have drawn from this block. */
    boolean hasChunks() {
        synchronized (chunks) {
            return !revoked && !chunks.isEmpty();
        }
    }

    /** No chunk's ids are issued after this returns. */
    void revoke() {
        synchronized (chunks) {
            // The order matters: a chunk that draws now either sees the flag or is in the set and gets revoked.
            revoked = true;
            chunks.forEach(Revocable::revoke);
        }
    }

    boolean isRevoked() {
        return revoked;
    }

    boolean isExhausted() {
        return get() >= count;
    }

    /** Returns how many ids were drawn. */
    long drawn() {
        return Math.min(count, get());
    }

    /**
     * Ends the block: nobody draws from it after this returns. Returns how many ids were drawn; all of them if it was
     * closed before, so that nothing is given back twice.
     */
    long close() {
        return Math.min(count, getAndUpdate(before -> before >= CLOSED ? before : before + CLOSED));
    }
}
