package dev.cassidy.reliability.simulation;

import dev.cassidy.reliability.simulation.SimulatedCluster.ClaimKey;
import dev.cassidy.reliability.simulation.SimulatedCluster.Held;
import dev.cassidy.reliability.simulation.SimulatedCluster.Partition;
import dev.cassidy.sequence.store.Numbering;
import dev.cassidy.sequence.store.Tails;
import dev.cassidy.sequence.store.Usage;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A stripe's reserve and its claims, as table {@code reserve} has them. */
enum ReserveFormat implements Replicas.Format<Partition> {
    INSTANCE;

    @Override
    public Map<Object, @Nullable Object> cells(Partition row) {
        Map<Object, @Nullable Object> cells = new HashMap<>();
        cells.put("inc", row.incarnation);
        cells.put("next", row.next);
        cells.put("hi", row.hi);
        cells.put("nlo", row.nlo);
        cells.put("nhi", row.nhi);
        cells.put("grant_no", row.grantNumber);
        cells.put("free", row.tails);
        cells.put("usage", row.usage);
        cells.put("numbering", row.numbering);
        cells.putAll(row.claims);
        return cells;
    }

    @Override
    public Partition partition(Map<Object, @Nullable Object> cells) {
        Partition row = new Partition((Integer) value(cells, "inc"), (Integer) value(cells, "grant_no"));
        row.next = (Long) value(cells, "next");
        row.hi = (Long) value(cells, "hi");
        row.nlo = (Long) value(cells, "nlo");
        row.nhi = (Long) value(cells, "nhi");
        row.tails = (Tails) value(cells, "free");
        row.usage = (Usage) value(cells, "usage");
        row.numbering = (Numbering) value(cells, "numbering");
        cells.forEach((key, value) -> {
            if (key instanceof ClaimKey claim && value != null) {
                row.claims.put(claim, (Held) value);
            }
        });
        return row;
    }

    private static Object value(Map<Object, @Nullable Object> cells, String column) {
        return Objects.requireNonNull(cells.get(column));
    }
}
