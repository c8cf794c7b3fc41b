package dev.cassidy.sequence;

import org.jspecify.annotations.Nullable;

/** How a conditional step of the protocol ended; a step that certainly was not executed is an exception instead. */
public sealed interface ClaimOutcome {

    /**
     * The step took effect.
     *
     * @param after the reserve as the step left it, where that is told; its upcoming range and its tails may be newer
     */
    record Claimed(@Nullable Reserve after) implements ClaimOutcome {
        public Claimed() {
            this(null);
        }
    }

    /**
     * Somebody else was first, and nothing was written.
     *
     * @param now the reserve as it is, where the refusal told it
     */
    record Lost(@Nullable Reserve now) implements ClaimOutcome {
        public Lost() {
            this(null);
        }
    }

    /**
     * The step took effect, or did not, or will: only a linearizable read of what it left behind tells. Unknown is not
     * Lost: its range is never given to anybody else, and never served without proof.
     */
    record Unknown(Throwable cause) implements ClaimOutcome {}
}
