package dev.cassidy.migration.plan;

import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import java.math.BigDecimal;
import java.util.List;

/** Where a sequence must continue, or why that cannot be said. */
public sealed interface Seed {

    /** What decided. */
    public enum Basis {
        LAST_VALUE,
        MAXIMUM,
        ELSEWHERE,
        FENCE,
        FLOOR,
        SEED,
        WRAPPED
    }

    /**
     * The sequence continues at {@code next}.
     *
     * @param next the next id to issue: no id at or beyond it, up to {@code limit}, was used by the source
     * @param start where the sequence's own grid of ids begins: the source's seed if {@code next} is on its grid
     * @param limit the last id that may be issued, inclusive
     * @param percentLeft the share of the column's ids that is left from {@code next} on, rounded down
     */
    public record Next(
            IdentityType type,
            long start,
            long increment,
            long next,
            long limit,
            BigDecimal percentLeft,
            Basis basis,
            List<String> warnings)
            implements Seed {

        public Next {
            warnings = List.copyOf(warnings);
        }

        SequenceSpec spec(String name) {
            return new SequenceSpec(name, type, start, increment, Math.min(start, limit), Math.max(start, limit));
        }
    }

    /**
     * No safe seed can be given.
     *
     * @param reason names the column, the value and what to do
     */
    public record Refused(String reason) implements Seed {}
}
