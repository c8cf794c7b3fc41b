package dev.cassidy.transaction;

import java.nio.ByteBuffer;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** What a row's mark means to a transaction that wants to hold the row alone until it ends: UPDLOCK. */
public enum RowHold {
    /** There is no row. */
    NONE,
    /** Another transaction has held the row since this one did. This one must not take it back: its commit is refused in any case. */
    LOST,
    /** Another transaction writes the row, or commits: it has to be waited for. */
    LOCKED,
    /** Another transaction means to hold the row: it is left alone for a while. */
    CLAIMED,
    /** This transaction has claimed the row. */
    OWN,
    /** Nobody means to hold it. */
    FREE;

    /**
     * Returns what a mark means.
     *
     * @param mark as the majority has it that decides; null if there is no row
     * @param held the mark by which this transaction holds the row already; null if it does not
     * @param own the claims that this transaction has sent, also those of which it was not told the outcome
     */
    public static RowHold of(@Nullable ByteBuffer mark, @Nullable ByteBuffer held, Collection<RowClaim> own) {
        if (own.stream().anyMatch(claim -> claim.mark().equals(mark) && follows(claim, held))) {
            return OWN;
        }
        if (held != null && !held.equals(mark)) {
            return LOST;
        }
        if (mark == null) {
            return NONE;
        }
        if (LockMark.isLock(mark)) {
            return LOCKED;
        }
        return LockMark.isClaim(mark) ? CLAIMED : FREE;
    }

    /** One that was late may stand on a mark that the row has got again, after others have held it: rows that are inserted begin alike. */
    private static boolean follows(RowClaim claim, @Nullable ByteBuffer held) {
        return held == null || held.equals(claim.mark()) || held.equals(claim.over());
    }
}
