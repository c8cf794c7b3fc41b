package dev.cassidy.migration;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.sequence.cassandra.DatacenterStatus;
import dev.cassidy.sequence.cassandra.Holder;
import dev.cassidy.sequence.cassandra.SequenceStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The result of {@code status}. Counts are ids; shares are percent of the sequence's space; times are ISO-8601.
 *
 * @param minHeadroom as it was given; null if it was not
 */
record StatusReport(String command, int exitCode, @Nullable Double minHeadroom, List<SequenceReport> sequences)
        implements Report {

    /**
     * One sequence.
     *
     * @param next the next id that no datacenter has been granted; null when none is left
     * @param last the last id
     * @param low whether {@code headroomPercent} is below {@code --min-headroom}
     * @param ends when nothing is left to grant, as projected; null if unknown
     * @param endsNote why there is no such date; null where there is one
     * @param note what did not answer; null when there is nothing to say
     */
    record SequenceReport(
            String sequence,
            String type,
            boolean ready,
            int incarnation,
            @Nullable Long next,
            long last,
            long space,
            long used,
            double headroomPercent,
            boolean low,
            double perDay7,
            double perDay28,
            @Nullable String ends,
            @Nullable String endsNote,
            @Nullable String note,
            List<DatacenterReport> datacenters) {

        SequenceReport {
            datacenters = List.copyOf(datacenters);
        }
    }

    /**
     * One datacenter of a sequence. What could not be read is null, and {@code note} says why.
     *
     * @param notAbsorbed the part of {@code reserved} that was granted and is not in the reserve yet
     * @param lastsHours how long the reserve lasts at the busiest hour's rate; null as well while nothing was claimed
     */
    record DatacenterReport(
            String datacenter,
            long granted,
            @Nullable Long reserved,
            @Nullable Double reservedPercent,
            @Nullable Long notAbsorbed,
            @Nullable Long issuedAtMost,
            @Nullable Double issuedPercent,
            @Nullable Long tails,
            @Nullable Long claimedThisHour,
            @Nullable Long busiestHour,
            @Nullable Double lastsHours,
            @Nullable Integer blocks,
            @Nullable Long blockIds,
            @Nullable String oldestHolder,
            @Nullable String oldestSince,
            @Nullable String note) {}

    StatusReport {
        sequences = List.copyOf(sequences);
    }

    static StatusReport of(List<SequenceStatus> found, @Nullable Double minHeadroom) {
        List<SequenceReport> reports =
                found.stream().map(status -> report(status, minHeadroom)).toList();
        boolean low = reports.stream().anyMatch(SequenceReport::low);
        return new StatusReport("status", (low ? ExitCode.LOW : ExitCode.OK).code(), minHeadroom, reports);
    }

    private static SequenceReport report(SequenceStatus status, @Nullable Double minHeadroom) {
        return new SequenceReport(
                status.spec().name(),
                status.spec().type().name().toLowerCase(Locale.ROOT),
                status.ready(),
                status.incarnation(),
                status.next().isPresent() ? status.next().getAsLong() : null,
                status.last(),
                status.space(),
                status.used(),
                status.headroomPercent(),
                minHeadroom != null && status.headroomPercent() < minHeadroom,
                status.projection().perDay7(),
                status.projection().perDay28(),
                status.projection().end().map(Instant::toString).orElse(null),
                orNull(status.projection().note()),
                orNull(status.note()),
                status.datacenters().stream()
                        .map(datacenter -> report(status, datacenter))
                        .toList());
    }

    private static DatacenterReport report(SequenceStatus status, DatacenterStatus datacenter) {
        DatacenterStatus.InHand inHand = datacenter.reserve().orElse(null);
        if (inHand == null) {
            return new DatacenterReport(
                    datacenter.datacenter(),
                    datacenter.granted(),
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    orNull(datacenter.note()));
        }
        DatacenterStatus.LiveBlocks blocks = inHand.blocks().orElse(null);
        Holder oldest = blocks == null ? null : blocks.oldest().orElse(null);
        return new DatacenterReport(
                datacenter.datacenter(),
                datacenter.granted(),
                inHand.reserved(),
                status.percent(inHand.reserved()),
                inHand.notAbsorbed(),
                inHand.issuedAtMost(),
                status.percent(inHand.issuedAtMost()),
                inHand.tails(),
                inHand.claimedThisHour(),
                inHand.busiestHour(),
                inHand.lasts().map(StatusReport::hours).orElse(null),
                blocks == null ? null : blocks.count(),
                blocks == null ? null : blocks.ids(),
                oldest == null ? null : oldest.process(),
                oldest == null ? null : oldest.since().toString(),
                orNull(datacenter.note()));
    }

    private static double hours(Duration time) {
        return time.toSeconds() / 3_600.0;
    }

    private static @Nullable String orNull(String text) {
        return text.isEmpty() ? null : text;
    }

    @Override
    public String text() {
        return TextTable.of(this);
    }
}
