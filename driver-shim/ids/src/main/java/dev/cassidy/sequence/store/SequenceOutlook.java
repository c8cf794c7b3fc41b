package dev.cassidy.sequence.store;

import java.util.Optional;

/**
 * A sequence as it seems to be, and as this datacenter has it: hints, which may be old.
 *
 * @param everywhere the newest that can be seen from here
 * @param here this datacenter's copy; empty if it has not joined the sequence
 */
public record SequenceOutlook(SequenceGlimpse everywhere, Optional<SequenceGlimpse> here) {

    /** Returns the result of a look at both places; empty if nothing is seen at either. */
    public static Optional<SequenceOutlook> of(Optional<SequenceGlimpse> here, Optional<SequenceGlimpse> everywhere) {
        return here.or(() -> everywhere).map(any -> {
            SequenceGlimpse one = here.orElse(any);
            SequenceGlimpse other = everywhere.orElse(any);
            SequenceGlimpse newest = new SequenceGlimpse(
                    any.name(),
                    Math.max(one.incarnation(), other.incarnation()),
                    (one.incarnation() > other.incarnation() ? one : other).numbering(),
                    one.incarnation() == other.incarnation()
                            ? Math.max(one.floor(), other.floor())
                            : (one.incarnation() > other.incarnation() ? one : other).floor(),
                    0);
            return new SequenceOutlook(newest, here);
        });
    }

    /** Whether the datacenter may have something to do: its copy is behind, or a raise is not acknowledged. */
    public boolean isBehind() {
        return isCopyBehind() || isUnacknowledged();
    }

    /** Whether the datacenter's copy has an older incarnation, a lower floor, or is of another creation. */
    public boolean isCopyBehind() {
        return here.filter(copy -> copy.isBehind(everywhere)).isPresent();
    }

    private boolean isUnacknowledged() {
        return here.filter(copy -> Incarnations.isRaised(everywhere.incarnation())
                        && copy.acknowledged() < everywhere.incarnation())
                .isPresent();
    }
}
