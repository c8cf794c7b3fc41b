package dev.cassidy.sequence.store;

import org.jspecify.annotations.Nullable;

/**
 * The ordinals that one stripe of a datacenter has been granted and no process has claimed.
 *
 * @param incarnation that the datacenter has adopted
 * @param current the ordinals from which blocks are claimed
 * @param upcoming the next range, absorbed ahead of need
 * @param grantNumber the last grant that was absorbed
 * @param tails what processes gave back
 * @param usage how fast it is used
 * @param numbering what all of these ordinals mean
 */
public record Reserve(
        int incarnation,
        Span current,
        @Nullable Span upcoming,
        int grantNumber,
        Tails tails,
        Usage usage,
        Numbering numbering) {

    /** Returns a reserve without any ranges. */
    public static Reserve empty(int incarnation, int grantNumber) {
        return new Reserve(incarnation, Span.EMPTY, null, grantNumber, Tails.NONE, Usage.NONE, Numbering.NONE);
    }

    /** Returns this with other tails. */
    public Reserve with(Tails others) {
        return new Reserve(incarnation, current, upcoming, grantNumber, others, usage, numbering);
    }

    /**
     * Returns this with {@code grant} as its upcoming range; without one if the grant's span is empty.
     *
     * @param granted what the grant's ordinals mean; the same as {@link #numbering()}, unless that is none
     */
    public Reserve with(Grant grant, Numbering granted) {
        return grant.span().isEmpty()
                ? new Reserve(incarnation, current, null, grant.number(), tails, usage, numbering)
                : new Reserve(incarnation, current, grant.span(), grant.number(), tails, usage, granted);
    }

    /** Whether an ordinal of this means the same id as one of {@code other}, as far as this has any. */
    public boolean isNumberedAs(Numbering other) {
        return numbering.equals(other) || numbering.equals(Numbering.NONE);
    }

    /** Returns this without every range and tail that has an ordinal of {@code lost}. */
    public Reserve without(Span lost) {
        return new Reserve(
                incarnation,
                current.overlaps(lost) ? new Span(current.hi(), current.hi()) : current,
                upcoming != null && upcoming.overlaps(lost) ? null : upcoming,
                grantNumber,
                new Tails(tails.spans().stream()
                        .filter(tail -> !tail.overlaps(lost))
                        .toList()),
                usage,
                numbering);
    }

    /** Whether {@code grant} is the next one, and there is room for it. */
    public boolean canAbsorb(Grant grant) {
        return incarnation == grant.incarnation() && grantNumber == grant.number() - 1 && upcoming == null;
    }

    /** Returns the span from which the next claim is taken; empty when the reserve is used up. */
    public Span claimable() {
        return current.isEmpty() && upcoming != null ? upcoming : current;
    }

    /** Returns how many ordinals no process has claimed yet, without the tails. */
    public long remaining() {
        return current.size() + (upcoming == null ? 0 : upcoming.size());
    }

    /** Returns the end of the space that is known to be granted. */
    public long highest() {
        return Math.max(current.hi(), upcoming == null ? 0 : upcoming.hi());
    }

    /**
     * Returns what is known after this and {@code other} were seen, in either order: incarnation, grants and position
     * only increase.
     */
    public Reserve and(Reserve other) {
        if (incarnation != other.incarnation) {
            return incarnation > other.incarnation ? this : other;
        }
        Reserve granted = grantNumber >= other.grantNumber ? this : other;
        Reserve moved = current.lo() >= other.current.lo() ? this : other;
        boolean rolledOver = granted.upcoming != null && moved.current.lo() >= granted.upcoming.lo();
        return new Reserve(
                incarnation,
                moved.current,
                rolledOver ? moved.upcoming : granted.upcoming,
                granted.grantNumber,
                moved.tails,
                moved.usage,
                granted.numbering);
    }

    /**
     * Returns what is left once {@code taken}, the front of {@link #claimable()}, is claimed.
     *
     * @param hour now, in hours since 1970-01-01T00:00Z
     */
    public Reserve without(Span taken, long hour) {
        boolean rollOver = current.isEmpty();
        return new Reserve(
                incarnation,
                new Span(taken.hi(), claimable().hi()),
                rollOver ? null : upcoming,
                grantNumber,
                tails,
                usage.plus(taken.size(), hour),
                numbering);
    }
}
