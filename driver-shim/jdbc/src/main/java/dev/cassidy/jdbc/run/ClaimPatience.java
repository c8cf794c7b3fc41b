package dev.cassidy.jdbc.run;

import dev.cassidy.transaction.LockMark;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How long one statement leaves the claims of other transactions alone: each for its own time, from when it was met. */
final class ClaimPatience {

    /** Whoever holds a row for longer begins again at its commit: it may have died. */
    static final Duration OF_CLAIM = Duration.ofSeconds(5);

    private final Map<ByteBuffer, Long> met = new HashMap<>();

    /**
     * Returns whether one of the claims has had less than its time.
     *
     * @param claims of other transactions
     * @param now in nanoseconds
     * @param holds whether the transaction that waits has claims itself, for which others may wait
     * @param claimant of the transaction that waits
     */
    boolean isLeftAlone(List<ByteBuffer> claims, long now, boolean holds, long claimant) {
        boolean leaves = false;
        for (ByteBuffer claim : claims) {
            // Of two that wait for each other, one waits for longer: the other takes its row, and goes on.
            boolean yields = holds && claimant < LockMark.claimant(claim);
            long time = OF_CLAIM.toNanos() * (yields ? 2 : 1);
            leaves |= now - met.computeIfAbsent(claim, first -> now) < time;
        }
        return leaves;
    }
}
