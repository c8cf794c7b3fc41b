package dev.cassidy.sequence.store;

import java.util.List;
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
     * Nothing was written: somebody else was first, or a row that was to be removed is gone.
     *
     * @param now the reserve as it is, where the refusal told it
     * @param gone those of the claims to be removed whose rows are no longer there under their tokens
     */
    record Lost(@Nullable Reserve now, List<Claim> gone) implements ClaimOutcome {
        public Lost {
            gone = List.copyOf(gone);
        }

        public Lost(@Nullable Reserve now) {
            this(now, List.of());
        }

        public Lost() {
            this(null);
        }
    }

    /**
     * The step took effect, or did not, or will: only a linearizable read of what it left behind tells. Unknown is not
     * Lost: its range is never given to anybody else, and never served without proof. A refusal that met the step's own
     * row is unknown, too: something on the way has sent the statement twice, and the first time it was applied.
     */
    record Unknown(Throwable cause) implements ClaimOutcome {}
}
