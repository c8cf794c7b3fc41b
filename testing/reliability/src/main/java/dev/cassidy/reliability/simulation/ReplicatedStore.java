package dev.cassidy.reliability.simulation;

import dev.cassidy.reliability.simulation.SimulatedCluster.ClaimKey;
import dev.cassidy.reliability.simulation.SimulatedCluster.Datacenter;
import dev.cassidy.reliability.simulation.SimulatedCluster.Held;
import dev.cassidy.reliability.simulation.SimulatedCluster.Partition;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.Standing;
import dev.cassidy.sequence.store.Stripe;
import dev.cassidy.sequence.store.Tails;
import dev.cassidy.sequence.store.Usage;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One process's view of a cluster whose datacenter keeps the one stripe on replicas that forget. */
final class ReplicatedStore extends SimulatedStore {

    /** Of the one partition that has the reserve and the claims. */
    static final Replicas.Columns<Partition> COLUMNS = new Replicas.Columns<>() {
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
            cells.putAll(row.claims);
            return cells;
        }

        @Override
        public Partition row(Map<Object, Object> cells) {
            Partition row = new Partition((Integer) value(cells, "inc"), (Integer) value(cells, "grant_no"));
            row.next = (Long) value(cells, "next");
            row.hi = (Long) value(cells, "hi");
            row.nlo = (Long) value(cells, "nlo");
            row.nhi = (Long) value(cells, "nhi");
            row.tails = (Tails) value(cells, "free");
            row.usage = (Usage) value(cells, "usage");
            cells.forEach((key, value) -> {
                if (key instanceof ClaimKey claim) {
                    row.claims.put(claim, (Held) value);
                }
            });
            return row;
        }

        private static Object value(Map<Object, Object> cells, String column) {
            return Objects.requireNonNull(cells.get(column));
        }

        @Override
        public boolean isOfWhole(Object key) {
            return key instanceof String;
        }
    };

    private final Replicas<Partition> replicas;

    ReplicatedStore(
            SimulatedCluster cluster,
            Datacenter datacenter,
            String holder,
            SimulatedLink link,
            Replicas<Partition> replicas) {
        super(cluster, datacenter, Map.of(), 1, holder, link, () -> 500_000);
        this.replicas = replicas;
    }

    @Override
    ClaimOutcome execute(Stripe stripe, Function<@Nullable Partition, ClaimOutcome> step) {
        return replicas.compareAndSet(step);
    }

    @Override
    <T> T look(Stripe stripe, Function<@Nullable Partition, T> look) {
        return replicas.readInOrder(look);
    }

    @Override
    public CompletionStage<Optional<Reserve>> glance(Stripe stripe) {
        return link.read(
                false,
                () -> replicas.readAndRepair(row -> Optional.ofNullable(row).map(Partition::reserve)));
    }

    @Override
    public CompletionStage<Standing> standing(Stripe stripe, Claim claim, int most, boolean repair) {
        return link.read(
                false,
                () -> repair
                        ? replicas.readAndRepair(row -> standing(row, claim, most))
                        : replicas.readInOrder(row -> standing(row, claim, most)));
    }
}
