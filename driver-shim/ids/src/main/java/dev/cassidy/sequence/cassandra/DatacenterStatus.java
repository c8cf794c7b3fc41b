package dev.cassidy.sequence.cassandra;

import java.time.Duration;
import java.util.Optional;

/**
 * What one datacenter has of a sequence's current incarnation, in ids.
 *
 * @param granted how many it was granted
 * @param reserve what became of them; empty where the datacenter has none or did not answer, for the reason in
 *     {@code note}
 * @param note what could not be read; else empty
 */
public record DatacenterStatus(String datacenter, long granted, Optional<InHand> reserve, String note) {

    /**
     * A datacenter's reserve and what was claimed from it, over all stripes.
     *
     * @param reserved granted, and not claimed by any process yet
     * @param notAbsorbed the part of {@code reserved} that has been granted and is not in the reserve yet: a refill is
     *     between its two steps, or ended there and is taken up again
     * @param tails claimed, and given back unused; the next to be claimed
     * @param issuedAtMost the rest of what was granted: issued, held by a process, or lost by one that crashed
     * @param claimedThisHour claimed since the hour began
     * @param busiestHour the most that was claimed in an hour of the last seven days; of several stripes the sum of each
     *     one's, which is what the reserve is sized by
     * @param lasts how long {@code reserved} lasts at the busiest hour's rate; empty while nothing has been claimed
     * @param blocks what processes hold; empty where it could not be read
     */
    public record InHand(
            long reserved,
            long notAbsorbed,
            long tails,
            long issuedAtMost,
            long claimedThisHour,
            long busiestHour,
            Optional<Duration> lasts,
            Optional<LiveBlocks> blocks) {}

    /**
     * Blocks that processes have claimed and not reported as used up. Those of crashed processes stay among them.
     *
     * @param ids how many they began with; some have been issued
     * @param oldest the one that was claimed first
     */
    public record LiveBlocks(int count, long ids, Optional<Holder> oldest) {}
}
