package dev.cassidy.migration.plan;

import dev.cassidy.migration.error.Finding;
import dev.cassidy.migration.target.Target;
import dev.cassidy.migration.target.TargetTable;
import dev.cassidy.sequence.cassandra.Holder;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** Ids that processes hold in memory from before a sequence's last raise. They issue these until they let go of them. */
public final class Leases {

    private Leases() {}

    /**
     * Returns the tables of whose sequences a process of this datacenter still holds older ids, with what that means. Changes
     * nothing. Processes of other datacenters are not seen.
     *
     * @param parallelism how many sequences are read at once, at least 1
     */
    public static Map<PlannedTable, Finding> held(Target target, List<PlannedTable> plan, int parallelism) {
        Map<PlannedTable, Finding> held = new ConcurrentHashMap<>();
        List<PlannedTable> ready = plan.stream()
                .filter(table -> table.state() != null && table.state().ready())
                .toList();
        new Steps(parallelism).forEach(ready, table -> {
            TargetTable to = table.target();
            List<Holder> holders =
                    to == null ? List.of() : target.sequences().admin().holdersBehind(to.sequence());
            if (to != null && !holders.isEmpty()) {
                held.put(table, finding(to.sequence(), holders));
            }
        });
        return held;
    }

    private static Finding finding(String sequence, List<Holder> holders) {
        return Finding.risk(holders.stream().map(Holder::process).distinct().collect(Collectors.joining(", "))
                + " may still issue ids of " + sequence + " from before its last raise: "
                + holders.stream()
                        .map(holder ->
                                holder.ids().count() + " from " + holder.ids().first())
                        .collect(Collectors.joining(", "))
                + ". A process that runs lets go of them by itself. For one that is gone for good call"
                + " sequences.admin().release(\"" + sequence
                + "\", process); then run cassidy migrate seed again, which waits for all"
                + " datacenters");
    }
}
