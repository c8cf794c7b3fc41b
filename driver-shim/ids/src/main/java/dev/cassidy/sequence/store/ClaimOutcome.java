package dev.cassidy.sequence.store;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** How a conditional step of the protocol ended; a step that certainly was not executed is an exception instead. */
public sealed interface ClaimOutcome {

    /**
     * The step took effect.
     *
     * @param after the reserve as the step left it, if the answer has it; its upcoming range and its tails may be newer
     */
    record Claimed(@Nullable Reserve after) implements ClaimOutcome {
        public Claimed() {
            this(null);
        }
    }

    /**
     * Nothing was written: another process was first, or a row that was to be removed is gone.
     *
     * @param now the reserve as it is, if the refusal has it
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
     * The step took effect, or did not, or will: only a linearizable read of what it left behind can tell. Unknown is
     * not Lost: its range is never given to another process, and never served without proof. A refusal that found the
     * step's own row is also unknown: something on the way has sent the statement twice, and the first one was applied.
     */
    record Unknown(Throwable cause) implements ClaimOutcome {}
}
