package dev.cassidy.sequence.store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What a majority of the datacenter's replicas have of a claim and around it, read a while after it was made.
 *
 * <p>A replica that is killed may forget its last writes. If it and one other of three acknowledged a write, that write
 * is then unknown to the majority without the other one, and this majority may give the same ordinals to another
 * process. The process that first reads that both were claimed gives up its own claim. The read brings the replicas
 * that are asked up to date, so that a claim that has stood is known to every majority from then on.
 *
 * @param reserve the stripe's reserve; null if it is gone
 * @param claims the claims of the same incarnation that begin before this claim's end, the highest first
 * @param complete whether there are no others
 */
public record Standing(@Nullable Reserve reserve, List<Written> claims, boolean complete) {

    /**
     * A claim's row.
     *
     * @param micros when it was written, by the store's clocks
     */
    public record Written(Claim claim, long micros) {}

    /** The verdict on a claim. */
    public enum Verdict {
        /** It is ours, and will stay ours. */
        STOOD,
        /** It is gone, or others were given ordinals of it. */
        LOST,
        /** The reserve has moved to a newer incarnation, so it belongs to nobody any more. */
        RAISED,
        /** So many were claimed right before it that not all could be read. */
        UNCLEAR
    }

    public Standing {
        claims = List.copyOf(claims);
    }

    /**
     * Judges a claim by what was read.
     *
     * @param grantNumber of the reserve from which the claim was made
     * @param period how long ago a replica may have received what it now forgets
     */
    public Verdict of(Claim claim, int grantNumber, Duration period) {
        if (reserve != null && reserve.incarnation() > claim.incarnation()) {
            return Verdict.RAISED;
        }
        if (reserve == null
                || reserve.incarnation() < claim.incarnation()
                || reserve.grantNumber() < grantNumber
                || isToBeHad(claim.span(), reserve)
                || claims.isEmpty()
                || !claims.get(0).claim().equals(claim)) {
            return Verdict.LOST;
        }
        long since = claims.get(0).micros();
        for (Written lower : claims.subList(1, claims.size())) {
            if (lower.claim().span().hi() > claim.span().lo()) {
                return Verdict.LOST;
            }
            // If ours was ever forgotten, every majority knew this older claim at that time: a process that then
            // claimed without knowing of ours began above it.
            if (since - lower.micros() >= TimeUnit.NANOSECONDS.toMicros(period.toNanos())) {
                return Verdict.STOOD;
            }
        }
        return complete ? Verdict.STOOD : Verdict.UNCLEAR;
    }

    /** Whether it overlaps a range that others may claim: the reserve was set back. */
    private static boolean isToBeHad(Span span, Reserve reserve) {
        return span.overlaps(reserve.current())
                || (reserve.upcoming() != null && span.overlaps(reserve.upcoming()))
                || reserve.tails().spans().stream().anyMatch(span::overlaps);
    }
}
