package dev.cassidy.migration.plan;

import dev.cassidy.migration.error.Finding;
import dev.cassidy.migration.source.Reading;
import dev.cassidy.migration.source.SourceColumn;
import dev.cassidy.migration.target.TargetTable;
import dev.cassidy.sequence.cassandra.SequenceState;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One table of a plan.
 *
 * @param target null if the source's names are no names in CQL and there is no {@code --map} for it
 * @param state the target's sequence as it was found; null when there is none, or when Cassandra was not asked
 * @param next what the target's sequence is to be at or beyond; null where that is refused. On the grid of the target's
 *     sequence, so it may lie a little beyond the seed's.
 * @param sample how fast the source uses ids; null if that was not measured
 */
public record PlannedTable(
        Reading reading,
        Seed seed,
        @Nullable TargetTable target,
        @Nullable SequenceState state,
        @Nullable Long next,
        Action action,
        List<Finding> findings,
        @Nullable Sample sample) {

    PlannedTable(
            Reading reading,
            Seed seed,
            @Nullable TargetTable target,
            @Nullable SequenceState state,
            @Nullable Long next,
            Action action,
            List<Finding> findings) {
        this(reading, seed, target, state, next, action, findings, null);
    }

    /** What {@code seed} does with a table. */
    public enum Action {
        /** Creates the sequence, seeds it and registers the column. */
        CREATE,
        /** Seeds a sequence that waits for it. */
        SEED,
        /** Raises a sequence that is in use. */
        RAISE,
        /** Registers the column; its sequence is where it must be. */
        REGISTER,
        /** Nothing: the target is where it must be, or ahead. */
        NONE,
        /** Refuses, see the findings. */
        REFUSE,
        /** Cassandra was not asked. */
        UNKNOWN
    }

    public PlannedTable {
        findings = List.copyOf(findings);
    }

    public boolean has(Finding.Level level) {
        return findings.stream().anyMatch(finding -> finding.level() == level);
    }

    public PlannedTable with(List<Finding> more) {
        List<Finding> all = new ArrayList<>(findings);
        all.addAll(more);
        return new PlannedTable(reading, seed, target, state, next, action, all, sample);
    }

    /**
     * Returns this with how many ids the source used between two looks at its catalogue.
     *
     * @param time between the looks, at least a second
     */
    public PlannedTable sampled(
            Map<SourceColumn, Optional<BigInteger>> before,
            Map<SourceColumn, Optional<BigInteger>> after,
            Duration time) {
        Sample measured = Sample.of(this, before, after, time).orElse(null);
        PlannedTable sampled = new PlannedTable(reading, seed, target, state, next, action, findings, measured);
        return sampled.with(List.of(
                measured == null
                        ? Finding.info("the use of ids of " + reading.column().name()
                                + " is not known: it was reseeded while it was measured")
                        : measured.finding(reading.column())));
    }

    PlannedTable refused(Finding finding) {
        List<Finding> all = new ArrayList<>(findings);
        all.add(finding);
        return new PlannedTable(reading, seed, target, state, null, Action.REFUSE, all, sample);
    }

    public boolean pending() {
        return action != Action.NONE && action != Action.REFUSE;
    }
}
