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
import org.jspecify.annotations.Nullable;

/**
 * The claims of one schedule of which their process does not know whether they took effect, and whether they did. A
 * claim that is proven to be the process's own is no longer in doubt.
 */
final class Doubts {

    /** A return is tried for at least this long. */
    static final Duration SHORTEST_TIMEOUT = Duration.ofSeconds(5);

    /** More than passes between the last try and the end of the time. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(3);

    private final Occurrences occurrences;
    private final Map<UUID, Claim> doubtful = new HashMap<>();
    private final Set<UUID> made = new HashSet<>();
    private final Set<UUID> givenUp = new HashSet<>();
    /** When the store was asked without success to end a claim, in nanoseconds: the first time, and the last. */
    private final Map<UUID, Span> returnedInVain = new HashMap<>();

    /**
     * When the process of a claim could not read its reserve, and so not begin a return, in nanoseconds: the first time since
     * it could, and the last.
     */
    private final Map<UUID, Span> unread = new HashMap<>();

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
    void made(Claim claim) {
        made.add(claim.token());
        if (givenUp.contains(claim.token())) {
            occurrences.count(Occurrence.CLAIM_GIVEN_UP_AND_MADE);
        }
    }

    /** A process goes on to another claim. */
    void followed(Claim before) {
        if (doubtful.containsKey(before.token()) && givenUp.add(before.token())) {
            occurrences.count(Occurrence.CLAIM_GIVEN_UP_IN_DOUBT);
            if (made.contains(before.token())) {
                occurrences.count(Occurrence.CLAIM_GIVEN_UP_AND_MADE);
            }
        }
    }

    /** Whether a claim took effect, and its process was never told so. */
    boolean isMadeInDoubt(Claim claim) {
        return doubtful.containsKey(claim.token()) && made.contains(claim.token());
    }

    /** A process was told that its return, or its removal, of claims failed or that the outcome is unknown. */
    void returnedInVain(List<Claim> claims, long now) {
        claims.forEach(claim -> returnedInVain.merge(
                claim.token(), new Span(now, now), (before, last) -> new Span(before.lo(), last.hi())));
    }

    /** The process of these claims has read its reserve, or could not. */
    void read(List<Claim> claims, boolean answered, long now) {
        for (Claim claim : claims) {
            if (!answered) {
                unread.merge(claim.token(), new Span(now, now), (before, last) -> new Span(before.lo(), last.hi()));
            } else if (!isUntilTheEnd(unread.get(claim.token()))) {
                unread.remove(claim.token());
            }
        }
    }

    /** Whether a process tried to return a claim until its time was up. */
    boolean wasReturnedInVain(Claim claim) {
        return isUntilTheEnd(returnedInVain.get(claim.token())) || isUntilTheEnd(unread.get(claim.token()));
    }

    private static boolean isUntilTheEnd(@Nullable Span tried) {
        return tried != null
                && tried.size() >= SHORTEST_TIMEOUT.minus(LONGEST_PAUSE).toNanos();
    }

    /** Returns the claims that took effect, and whose processes were never told so. */
    Iterable<Claim> madeInDoubt() {
        return doubtful.values().stream().filter(this::isMadeInDoubt).toList();
    }
}
