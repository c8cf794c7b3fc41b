package dev.cassidy.migration.plan;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.source.SourceColumn;
import dev.cassidy.migration.target.TargetTable;
import dev.cassidy.sequence.cassandra.SequenceState;
import dev.cassidy.sequence.cassandra.TakenIds;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where an identity column of the source must continue after Cassandra issued ids for it: past everything that Cassandra
 * granted, issued or not, and past everything that the source used itself.
 */
public final class WayBack {

    private WayBack() {}

    /**
     * Returns the value to reseed a column with; empty if its sequence waits for its seed, and so never issued an id.
     *
     * @param floor the furthest id that the user says was used, or null
     * @param taken the ids that earlier generations of the sequence may have issued past its end
     * @throws MigrationException {@link ExitCode#RISK} if the sequence is not found: it may have another name, and have issued
     *     ids; {@link ExitCode#REFUSED} if no id is left, or none that the source's type can hold
     */
    public static Optional<BigInteger> next(PlannedTable table, @Nullable BigInteger floor, List<TakenIds> taken) {
        SourceColumn column = table.reading().column();
        SequenceState state = table.state();
        TargetTable target = table.target();
        if (state == null) {
            throw new MigrationException(
                    ExitCode.RISK,
                    column.name() + " has no sequence"
                            + (target == null ? "" : " " + target.sequence())
                            + " in Cassandra, so it is not known which ids were issued for it. Give the --keyspace and the"
                            + " --map that seed had, or --exclude " + column.qualifiedTable());
        }
        if (!state.ready() && !state.dropped() && untouched(state) && !state.isCreatedAgain()) {
            return Optional.empty();
        }
        if (state.next().isEmpty()) {
            throw refused(column, "Cassandra's sequence " + state.spec().name() + " was granted to its end");
        }
        BigInteger granted = BigInteger.valueOf(state.next().getAsLong());
        BigInteger own = own(table.reading().highWater(), floor, column);
        BigInteger next = column.beyond(own, granted) ? own : granted;
        for (TakenIds each : taken) {
            BigInteger furthest = BigInteger.valueOf(column.increment().signum() > 0 ? each.highest() : each.lowest());
            if (!column.beyond(next, furthest)) {
                throw new MigrationException(
                        ExitCode.REFUSED,
                        column.name() + " cannot go back: it would continue at " + next + ", and ids from "
                                + each.lowest()
                                + " to " + each.highest() + " may have been issued before sequence "
                                + state.spec().name() + " was repaired. Continue past them: --floor "
                                + column.qualifiedTable() + "=" + furthest);
            }
        }
        BigInteger bound = SeedRule.targetType(column)
                .map(type -> SeedRule.sourceBound(column, type))
                .orElse(next);
        if (column.beyond(next, bound)) {
            throw refused(column, "it must continue at " + next + ", and its type ends at " + bound);
        }
        return Optional.of(next);
    }

    private static boolean untouched(SequenceState state) {
        return state.next().isPresent() && state.next().getAsLong() == state.floor();
    }

    private static BigInteger own(@Nullable BigInteger highWater, @Nullable BigInteger floor, SourceColumn column) {
        BigInteger used = floor != null && (highWater == null || column.beyond(floor, highWater)) ? floor : highWater;
        return used == null ? column.seed() : used.add(column.increment());
    }

    private static MigrationException refused(SourceColumn column, String why) {
        return new MigrationException(
                ExitCode.REFUSED,
                column.name() + " cannot go back: " + why
                        + ". Widen the column (ALTER"
                        + " TABLE ... ALTER COLUMN ... BIGINT) and run again, or --exclude " + column.qualifiedTable());
    }
}
