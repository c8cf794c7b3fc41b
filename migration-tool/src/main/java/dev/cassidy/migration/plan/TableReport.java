package dev.cassidy.migration.plan;

import dev.cassidy.migration.error.Finding;
import dev.cassidy.migration.source.SourceColumn;
import dev.cassidy.migration.target.TargetTable;
import dev.cassidy.sequence.cassandra.SequenceState;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One table of a result.
 *
 * @param table {@code schema.table} of the source
 * @param furthest MAX of the column, MIN if the increment is negative; null without rows
 * @param lastValue the last id that the source generated; null if it never did
 * @param basis what decided on {@code next}: {@code last_value}, {@code maximum}, {@code floor}, {@code seed} or
 *     {@code wrapped}; null where none is given
 * @param next the first id that Cassandra is to issue; null where none can be given
 * @param percentLeft the share of the ids that is left from {@code next} on
 * @param sample how fast the source uses ids; null without {@code plan --sample}
 * @param target null if the names are no names in CQL
 * @param after the target's sequence after {@code seed}; null if nothing was read back
 * @param probe the id that {@code verify --probe} drew and used up; null without one
 * @param action what {@code seed} would do
 * @param result what {@code seed} did, or {@code verify} found; null in a plan
 */
public record TableReport(
        String table,
        String column,
        String type,
        BigInteger seed,
        BigInteger increment,
        @Nullable BigInteger furthest,
        @Nullable BigInteger lastValue,
        @Nullable String basis,
        @Nullable Long next,
        @Nullable BigDecimal percentLeft,
        @Nullable Sample sample,
        @Nullable TargetReport target,
        @Nullable AfterReport after,
        @Nullable Long probe,
        String action,
        @Nullable String result,
        List<FindingReport> findings) {

    /**
     * The target's side.
     *
     * @param type of its sequence; null while there is none and none can be given
     * @param ready null if there is no sequence, or if Cassandra was not asked
     * @param next the next id that no datacenter has been granted, before anything was done
     * @param floor the first id that the sequence may ever have issued, before anything was done
     */
    public record TargetReport(
            String keyspace,
            String table,
            String column,
            String sequence,
            @Nullable String type,
            @Nullable Boolean ready,
            @Nullable Long next,
            @Nullable Long floor) {}

    /**
     * The target's sequence as it was read at SERIAL after everything was done.
     *
     * @param next the next id that no datacenter has been granted; null at the end
     * @param floor the first id that the sequence may ever issue
     */
    public record AfterReport(boolean ready, @Nullable Long next, long floor) {

        static AfterReport of(SequenceState state) {
            return new AfterReport(
                    state.ready(), state.next().isPresent() ? state.next().getAsLong() : null, state.floor());
        }
    }

    /**
     * A finding as a report shows it.
     *
     * @param level {@code info}, {@code warning}, {@code risk} or {@code refused}
     */
    public record FindingReport(String level, String message) {

        public static FindingReport of(Finding finding) {
            return new FindingReport(lowerCase(finding.level()), finding.message());
        }
    }

    public TableReport {
        findings = List.copyOf(findings);
    }

    public static TableReport of(PlannedTable planned, @Nullable String result) {
        return of(planned, result, null, null);
    }

    /**
     * Returns a table as it was found.
     *
     * @param probe the id that was drawn, or null
     */
    public static TableReport of(PlannedTable planned, @Nullable String result, @Nullable Long probe) {
        return of(planned, result, null, probe);
    }

    static TableReport of(
            PlannedTable planned, @Nullable String result, @Nullable SequenceState after, @Nullable Long probe) {
        SourceColumn column = planned.reading().column();
        Seed.Next next = planned.seed() instanceof Seed.Next given ? given : null;
        return new TableReport(
                column.qualifiedTable(),
                column.column(),
                column.typeText(),
                column.seed(),
                column.increment(),
                planned.reading().furthest(),
                planned.reading().lastValue(),
                next == null ? null : lowerCase(next.basis()),
                planned.next(),
                next == null ? null : next.percentLeft(),
                planned.sample(),
                target(planned, next),
                after == null ? null : AfterReport.of(after),
                probe,
                lowerCase(planned.action()),
                result,
                planned.findings().stream().map(FindingReport::of).toList());
    }

    private static @Nullable TargetReport target(PlannedTable planned, Seed.@Nullable Next next) {
        TargetTable target = planned.target();
        if (target == null) {
            return null;
        }
        SequenceState state = planned.state();
        String type = state != null ? lowerCase(state.spec().type()) : next != null ? lowerCase(next.type()) : null;
        return new TargetReport(
                target.keyspace(),
                target.table(),
                target.column(),
                target.sequence(),
                type,
                state == null ? null : state.ready(),
                state == null || state.next().isEmpty() ? null : state.next().getAsLong(),
                state == null ? null : state.floor());
    }

    private static String lowerCase(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
