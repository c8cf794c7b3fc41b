package dev.cassidy.reliability.simulation;

import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.Span;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * The claims of one schedule of which their process does not know whether they took effect, and whether they did. A
 * claim that is proven to be the process's own is no longer in doubt.
 */
final class Doubts {

    /** A return is tried for at least this long. */
    static final Duration SHORTEST_TIMEOUT = Duration.ofSeconds(5);

    /** More than passes between the last try and the end of the time. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(3);

    private static final Duration UNTIL_THE_END = SHORTEST_TIMEOUT.minus(LONGEST_PAUSE);

    private final Occurrences occurrences;
    private final Map<UUID, Claim> doubtful = new HashMap<>();
    private final Set<UUID> givenUp = new HashSet<>();
    /** When the store was asked without success to end a claim, in nanoseconds: the first time, and the last. */
    private final Map<UUID, Span> returnedInVain = new HashMap<>();

    /** The failed reads of the process of each claim that took effect, and how many there were before. */
    private final Map<UUID, Made> madeBy = new HashMap<>();

    private record Made(FailedReads reads, int failuresBefore) {}

    Doubts(Occurrences occurrences) {
        this.occurrences = occurrences;
    }

    /** A process was told that the outcome of its claim is unknown. */
    void unknown(Claim claim) {
        doubtful.put(claim.token(), claim);
    }

    /** A process was told that a claim is its own. */
    void proven(Claim claim) {
        doubtful.remove(claim.token());
    }

    /** A claim took effect, whether its process learns of it or not. */
    void made(Claim claim, FailedReads reads) {
        madeBy.putIfAbsent(claim.token(), new Made(reads, reads.count()));
        if (givenUp.contains(claim.token())) {
            occurrences.count(Occurrence.CLAIM_GIVEN_UP_AND_MADE);
        }
    }

    /** A process goes on to another claim. */
    void followed(Claim before) {
        if (doubtful.containsKey(before.token()) && givenUp.add(before.token())) {
            occurrences.count(Occurrence.CLAIM_GIVEN_UP_IN_DOUBT);
            if (madeBy.containsKey(before.token())) {
                occurrences.count(Occurrence.CLAIM_GIVEN_UP_AND_MADE);
            }
        }
    }

    /** Whether a claim took effect, and its process was never told so. */
    boolean isMadeInDoubt(Claim claim) {
        return doubtful.containsKey(claim.token()) && madeBy.containsKey(claim.token());
    }

    /** A process was told that its return, or its removal, of claims failed or that the outcome is unknown. */
    void returnedInVain(List<Claim> claims, long now) {
        claims.forEach(claim -> returnedInVain.merge(
                claim.token(), new Span(now, now), (before, last) -> new Span(before.lo(), last.hi())));
    }

    /** Whether a process tried to return a claim until its time was up, or could not read its reserve for that. */
    boolean wasReturnedInVain(Claim claim) {
        Span tried = returnedInVain.get(claim.token());
        Made made = madeBy.get(claim.token());
        return (tried != null && tried.size() >= UNTIL_THE_END.toNanos())
                || (made != null && made.reads().lastedAfter(made.failuresBefore(), UNTIL_THE_END));
    }

    /** Returns the claims that took effect, and whose processes were never told so. */
    Iterable<Claim> madeInDoubt() {
        return doubtful.values().stream().filter(this::isMadeInDoubt).toList();
    }
}
