package dev.cassidy.sequence.store;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a majority of all replicas have of a grant and around it, read a while after it was made. As with claims ({@link
 * Standing}): the datacenter that first reads that the same ordinals were granted twice gives up its own grant.
 *
 * @param incarnation the sequence's; 0 if its global row is gone, and for node numbers, which have none
 * @param numbering what the sequence's ordinals mean; none for node numbers, or if its global row is gone
 * @param next the first ordinal that no datacenter has been granted
 * @param own what the datacenter was granted under the grant's number; null if there is no such grant
 * @param others all that was granted besides in the grant's incarnation
 */
public record GrantStanding(
        int incarnation,
        Numbering numbering,
        long next,
        @Nullable Span own,
        List<Span> others) {

    /** The verdict on a grant. */
    public enum Verdict {
        /** It is ours, and will stay ours. */
        STOOD,
        /** It is gone: another one may be made under its number. */
        LOST,
        /** Its number is used, but others were granted ordinals of it, or will be. */
        TAKEN,
        /** The sequence has moved to a newer incarnation, so it belongs to nobody any more. */
        RAISED,
        /** The sequence's creation was forgotten, and it was created otherwise: the ordinals mean other ids there. */
        RENUMBERED
    }

    public GrantStanding {
        others = List.copyOf(others);
    }

    /**
     * Judges a grant by what was read.
     *
     * @param wanted what the grant's ordinals mean to whom it was made
     */
    public Verdict of(Grant grant, Numbering wanted) {
        if (incarnation > grant.incarnation()) {
            return Verdict.RAISED;
        }
        if (incarnation == grant.incarnation() && !numbering.equals(wanted)) {
            return Verdict.RENUMBERED;
        }
        if (own == null || incarnation < grant.incarnation()) {
            return Verdict.LOST;
        }
        boolean whole = own.equals(grant.span())
                && next >= grant.span().hi()
                && others.stream().noneMatch(grant.span()::overlaps);
        return whole ? Verdict.STOOD : Verdict.TAKEN;
    }
}
