package dev.cassidy.reliability.simulation;

import dev.cassidy.reliability.simulation.SimulatedLink.SimulatedFault;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.GrantStanding;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.store.GrantedTo;
import dev.cassidy.snowflake.store.NodeGrant;
import dev.cassidy.snowflake.store.NodeLedger;
import dev.cassidy.snowflake.store.NodeRow;
import dev.cassidy.snowflake.store.NodeShare;
import dev.cassidy.snowflake.store.NodeStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One process's view of the rows of one datacenter's node numbers, on replicas that forget. All of the sequence's numbers were
 * granted long ago, and no node forgets that.
 */
final class ReplicatedNodeStore implements NodeStore {

    /** The partition of one number. */
    static final class Numbered {
        final int number;

        @Nullable
        NodeRow row;

        Numbered(int number, @Nullable NodeRow row) {
            this.number = number;
            this.row = row;
        }
    }

    /** @param number whose partition it is */
    record Columns(int number) implements Replicas.Format<Numbered> {
        @Override
        public Map<Object, @Nullable Object> cells(Numbered partition) {
            Map<Object, @Nullable Object> cells = new HashMap<>();
            NodeRow row = partition.row;
            if (row != null) {
                cells.put("epoch", row.epoch());
                cells.put("ts_high", row.tsHigh());
                cells.put("lease", row.token());
                cells.put("free", row.free());
            }
            return cells;
        }

        @Override
        public Numbered partition(Map<Object, @Nullable Object> cells) {
            Object epoch = cells.get("epoch");
            Object tsHigh = cells.get("ts_high");
            Object token = cells.get("lease");
            return new Numbered(
                    number,
                    epoch == null || tsHigh == null || token == null
                            ? null
                            : new NodeRow(number, (Long) epoch, (Long) tsHigh, (UUID) token, (Boolean)
                                    Objects.requireNonNullElse(cells.get("free"), false)));
        }
    }

    private final SnowflakeSpec spec;
    private final List<Replicas<Numbered>> numbers;
    private final SimulatedLink link;
    private final BooleanSupplier cutOff;

    /** @param cutOff whether the process reaches no node */
    ReplicatedNodeStore(
            SnowflakeSpec spec, List<Replicas<Numbered>> numbers, SimulatedLink link, BooleanSupplier cutOff) {
        this.spec = spec;
        this.numbers = numbers;
        this.link = link;
        this.cutOff = cutOff;
    }

    private static <T> CompletionStage<T> known(T value) {
        return CompletableFuture.completedFuture(value);
    }

    private NodeGrant granted() {
        return new NodeGrant(1, 0, numbers.size());
    }

    @Override
    public CompletionStage<Optional<NodeLedger>> ledger(String sequence) {
        return known(Optional.of(new NodeLedger(spec, false, spec.nodes())));
    }

    @Override
    public CompletionStage<ClaimOutcome> create(SnowflakeSpec same) {
        return known(new ClaimOutcome.Lost());
    }

    @Override
    public CompletionStage<ClaimOutcome> destroy(NodeLedger seen) {
        return known(new ClaimOutcome.Lost());
    }

    @Override
    public CompletionStage<Integer> highestGrant(String sequence) {
        return known(1);
    }

    @Override
    public CompletionStage<Optional<GrantedTo>> grantAt(String sequence, int number) {
        return known(number == 1 ? Optional.of(new GrantedTo(granted(), new UUID(0, 0))) : Optional.empty());
    }

    @Override
    public CompletionStage<GrantStanding> standing(String sequence, NodeGrant grant, boolean repair) {
        throw new UnsupportedOperationException("nothing is granted here");
    }

    @Override
    public CompletionStage<ClaimOutcome> grant(NodeLedger seen, NodeGrant wanted, UUID grantee) {
        return known(new ClaimOutcome.Lost());
    }

    @Override
    public CompletionStage<Optional<NodeShare>> share(String sequence) {
        return known(Optional.of(new NodeShare(spec, false, 1, List.of(granted()))));
    }

    @Override
    public CompletionStage<ClaimOutcome> join(SnowflakeSpec same, int grantNumber) {
        return known(new ClaimOutcome.Lost());
    }

    @Override
    public CompletionStage<ClaimOutcome> destroyHere(String sequence) {
        return known(new ClaimOutcome.Lost());
    }

    @Override
    public CompletionStage<Boolean> seemsDestroyed(String sequence) {
        return known(false);
    }

    @Override
    public CompletionStage<ClaimOutcome> prepare(String sequence, int number) {
        return known(new ClaimOutcome.Lost());
    }

    @Override
    public CompletionStage<ClaimOutcome> absorb(String sequence, NodeGrant grant) {
        return known(new ClaimOutcome.Lost());
    }

    @Override
    public CompletionStage<ClaimOutcome> skip(String sequence, int from, int to) {
        return known(new ClaimOutcome.Lost());
    }

    @Override
    public CompletionStage<Optional<NodeRow>> glance(String sequence, int number) {
        return agreed(sequence, number);
    }

    @Override
    public CompletionStage<Optional<NodeRow>> agreed(String sequence, int number) {
        return read(() -> numbers.get(number).readAndRepair(found -> Optional.ofNullable(found.row)));
    }

    @Override
    public CompletionStage<Optional<NodeRow>> node(String sequence, int number) {
        return read(() -> numbers.get(number).readInOrder(found -> Optional.ofNullable(found.row)));
    }

    @Override
    public CompletionStage<ClaimOutcome> take(String sequence, NodeRow seen, NodeRow wanted) {
        return change(
                seen.number(), row -> row.epoch() == seen.epoch() && row.tsHigh() == seen.tsHigh(), row -> wanted);
    }

    @Override
    public CompletionStage<ClaimOutcome> renew(String sequence, NodeRow lease, long tsHigh) {
        return change(
                lease.number(),
                row -> row.isSameLease(lease) && row.tsHigh() < tsHigh,
                row -> new NodeRow(row.number(), row.epoch(), tsHigh, row.token(), false));
    }

    @Override
    public CompletionStage<ClaimOutcome> release(String sequence, NodeRow lease, long last) {
        return change(
                lease.number(),
                row -> row.isSameLease(lease),
                row -> new NodeRow(row.number(), row.epoch(), last, row.token(), true));
    }

    private <T> CompletionStage<T> read(Supplier<T> look) {
        return link.read(false, () -> {
            requireReachable();
            return look.get();
        });
    }

    private CompletionStage<ClaimOutcome> change(
            int number, Predicate<NodeRow> condition, Function<NodeRow, NodeRow> step) {
        return link.write(false, () -> {
            requireReachable();
            return numbers.get(number).compareAndSet(found -> {
                if (found.row == null || !condition.test(found.row)) {
                    return new ClaimOutcome.Lost();
                }
                found.row = step.apply(found.row);
                return new ClaimOutcome.Claimed();
            });
        });
    }

    private void requireReachable() {
        if (cutOff.getAsBoolean()) {
            throw new SimulatedFault("cut off");
        }
    }
}
