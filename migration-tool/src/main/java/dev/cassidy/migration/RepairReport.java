package dev.cassidy.migration;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The result of {@code repair}.
 *
 * @param result planned or repaired
 * @param gaps all ranges of ids that were never granted; empty after a repair
 * @param passedOver the one that is proposed; null after a repair
 * @param grantedBefore whether ids before them were granted; if not, an old database may have given them away; null after a repair
 * @param grantedSince whether ids past them were granted, which are never issued again; null after a repair
 * @param used which of the ids that could be issued are in the columns; null if none, and after a repair
 * @param next what to repair with, or the first id that the repaired sequence issues; null if there is no proposal
 * @param last the last id that the sequence may issue
 * @param clientsStopped whether the statement {@code --clients-stopped} is needed; null after a repair
 * @param columns where ids were looked for
 * @param missing registered columns that are not there
 * @param joinIn after a repair with stopped clients, the datacenters that still have the old floor; null if one could not be asked
 * @param holders the processes of all datacenters that hold ids; the repair waits for them
 */
record RepairReport(
        String command,
        int exitCode,
        String result,
        String sequence,
        List<Ids> gaps,
        @Nullable Ids passedOver,
        @Nullable Boolean grantedBefore,
        @Nullable Boolean grantedSince,
        @Nullable Used used,
        @Nullable Long next,
        long last,
        @Nullable Boolean clientsStopped,
        List<String> columns,
        List<String> missing,
        @Nullable List<String> joinIn,
        List<String> holders)
        implements Report {

    /** A range of ids, both inclusive, in the sequence's direction. */
    record Ids(long first, long last) {}

    /** The lowest and the highest of some ids, and where one of them is. */
    record Used(long lowest, long highest, String where) {}

    RepairReport {
        gaps = List.copyOf(gaps);
        columns = List.copyOf(columns);
        missing = List.copyOf(missing);
        joinIn = joinIn == null ? null : List.copyOf(joinIn);
        holders = List.copyOf(holders);
    }

    @Override
    public String text() {
        if (passedOver == null) {
            return "sequence " + sequence + " issues " + next + " to " + last
                    + " now. Restart clients that still fail.\n"
                    + (missing.isEmpty() ? "" : "Not looked for ids in " + String.join(", ", missing) + ".\n")
                    + join();
        }
        StringBuilder text = new StringBuilder();
        text.append("sequence ").append(sequence).append(", nothing was changed\n");
        line(text, "passed over by a raise", passedOver.first() + " to " + passedOver.last());
        if (gaps.size() > 1) {
            line(
                    text,
                    "all such ranges",
                    gaps.stream().map(gap -> gap.first() + " to " + gap.last()).collect(Collectors.joining(", ")));
        }
        line(
                text,
                "granted before them",
                Boolean.TRUE.equals(grantedBefore)
                        ? "yes"
                        : "no: were they given away by an old database? Its deleted rows are in no table");
        line(
                text,
                "granted past them",
                Boolean.TRUE.equals(grantedSince)
                        ? "yes: the repaired sequence ends with " + last + ", and they are never issued again"
                        : "no");
        line(text, "looked for ids in", String.join(", ", columns));
        if (!missing.isEmpty()) {
            line(text, "NOT looked for ids in", String.join(", ", missing) + ": registered, and not there");
        }
        line(
                text,
                "used ids found",
                used == null ? "none" : used.lowest() + " to " + used.highest() + " (" + used.where() + ")");
        line(text, "held by", holders.isEmpty() ? "no process" : String.join(", ", holders) + "; stop them");
        if (Boolean.TRUE.equals(clientsStopped)) {
            line(text, "explicit ids", "were allowed among them: stop all clients, and add --clients-stopped");
        }
        line(
                text,
                "repair with",
                next == null
                        ? "no proposal: ids near the end are used. Name a --next past used ids, or a --last before them"
                        : "--next " + next + " --confirm " + sequence + ", or a later --next");
        return text.toString();
    }

    private String join() {
        if (joinIn != null && joinIn.isEmpty()) {
            return "";
        }
        return "Before the clients of "
                + (joinIn == null ? "any other datacenter" : String.join(", ", joinIn))
                + " start, call sequences.admin().join(\"" + sequence + "\") there: the copies of these datacenters "
                + (joinIn == null ? "may still" : "still") + " have the old floor.\n";
    }

    private static void line(StringBuilder text, String what, String value) {
        text.append(String.format("  %-24s%s%n", what, value).replace("\r\n", "\n"));
    }
}
