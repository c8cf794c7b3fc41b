package dev.cassidy.sequence;

/** How a conditional step of the protocol ended; a step that certainly was not executed is an exception instead. */
public sealed interface ClaimOutcome {

    /** The step took effect. */
    record Claimed() implements ClaimOutcome {}

    /** Somebody else was first, and nothing was written. */
    record Lost() implements ClaimOutcome {}

    /**
     * The step took effect, or did not, or will: only a linearizable read of what it left behind tells. Unknown is not
     * Lost: its range is never given to anybody else, and never served without proof.
     */
    record Unknown(Throwable cause) implements ClaimOutcome {}
}
