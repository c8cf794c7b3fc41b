package dev.cassidy.reliability.simulation;

import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.GrantStanding;
import dev.cassidy.sequence.store.Numbering;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.store.GrantedTo;
import dev.cassidy.snowflake.store.NodeGrant;
import dev.cassidy.snowflake.store.NodeLedger;
import dev.cassidy.snowflake.store.NodeRow;
import dev.cassidy.snowflake.store.NodeShare;
import dev.cassidy.snowflake.store.NodeStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One process's view of a time-ordered sequence whose global partition is on replicas that forget. What a datacenter has of
 * its own is not forgotten: {@link ReplicatedNodeStore} has that.
 */
final class GrantedNodeStore implements NodeStore {

    private record GrantKey(String datacenter, int number) {}

    /** The global partition. */
    static final class GlobalRow {
        @Nullable
        NodeLedger ledger;

        final Map<GrantKey, GrantedTo> grants = new HashMap<>();

        GlobalRow(@Nullable NodeLedger ledger) {
            this.ledger = ledger;
        }
    }

    static final Replicas.Format<GlobalRow> GLOBAL = new Replicas.Format<>() {
        @Override
        public Map<Object, @Nullable Object> cells(GlobalRow row) {
            Map<Object, @Nullable Object> cells = new HashMap<>();
            NodeLedger ledger = row.ledger;
            cells.put("spec", ledger == null ? null : ledger.spec());
            cells.put("destroyed", ledger == null ? null : ledger.destroyed());
            cells.put("next", ledger == null ? null : ledger.next());
            cells.putAll(row.grants);
            return cells;
        }

        @Override
        public GlobalRow partition(Map<Object, @Nullable Object> cells) {
            Object spec = cells.get("spec");
            GlobalRow row = new GlobalRow(
                    spec == null
                            ? null
                            : new NodeLedger(
                                    (SnowflakeSpec) spec, Boolean.TRUE.equals(cells.get("destroyed")), (Integer)
                                            Objects.requireNonNullElse(cells.get("next"), 0)));
            cells.forEach((key, value) -> {
                if (key instanceof GrantKey grant && value != null) {
                    row.grants.put(grant, (GrantedTo) value);
                }
            });
            return row;
        }
    };

    /** What a datacenter has of its own. */
    static final class Local {
        final String datacenter;

        @Nullable
        NodeShare share;

        final Map<Integer, NodeRow> rows = new HashMap<>();

        Local(String datacenter) {
            this.datacenter = datacenter;
        }
    }

    private final Replicas<GlobalRow> global;
    private final Local local;
    private final SimulatedLink link;

    GrantedNodeStore(Replicas<GlobalRow> global, Local local, SimulatedLink link) {
        this.global = global;
        this.local = local;
        this.link = link;
    }

    private static ClaimOutcome outcome(boolean applied) {
        return applied ? new ClaimOutcome.Claimed() : new ClaimOutcome.Lost();
    }

    private <T> CompletionStage<T> inOrder(Function<GlobalRow, T> look) {
        return link.read(true, () -> global.readInOrder(look));
    }

    private CompletionStage<ClaimOutcome> everywhere(Function<GlobalRow, Boolean> step) {
        return link.write(true, () -> global.compareAndSet(row -> outcome(step.apply(row))));
    }

    private CompletionStage<ClaimOutcome> here(BooleanSupplier step) {
        return link.write(false, () -> outcome(step.getAsBoolean()));
    }

    @Override
    public CompletionStage<Optional<NodeLedger>> ledger(String sequence) {
        return inOrder(row -> Optional.ofNullable(row.ledger));
    }

    @Override
    public CompletionStage<ClaimOutcome> create(SnowflakeSpec spec) {
        return everywhere(row -> {
            boolean none = row.ledger == null;
            if (none) {
                row.ledger = new NodeLedger(spec, false, 0);
            }
            return none;
        });
    }

    @Override
    public CompletionStage<ClaimOutcome> destroy(NodeLedger seen) {
        throw new UnsupportedOperationException("nothing is destroyed");
    }

    @Override
    public CompletionStage<Integer> highestGrant(String sequence) {
        return inOrder(row -> row.grants.keySet().stream()
                .filter(key -> key.datacenter().equals(local.datacenter))
                .mapToInt(GrantKey::number)
                .max()
                .orElse(0));
    }

    @Override
    public CompletionStage<Optional<GrantedTo>> grantAt(String sequence, int number) {
        return inOrder(row -> Optional.ofNullable(row.grants.get(new GrantKey(local.datacenter, number))));
    }

    @Override
    public CompletionStage<GrantStanding> standing(String sequence, NodeGrant grant, boolean repair) {
        Function<GlobalRow, GrantStanding> look = row -> {
            GrantKey key = new GrantKey(local.datacenter, grant.number());
            List<Span> others = new ArrayList<>();
            row.grants.forEach((other, made) -> {
                if (!other.equals(key)) {
                    others.add(made.grant().asGrant().span());
                }
            });
            GrantedTo own = row.grants.get(key);
            return new GrantStanding(
                    0,
                    Numbering.NONE,
                    row.ledger == null ? 0 : row.ledger.next(),
                    own == null ? null : own.grant().asGrant().span(),
                    others);
        };
        return repair ? link.read(true, () -> global.readAndRepair(look)) : inOrder(look);
    }

    @Override
    public CompletionStage<ClaimOutcome> grant(NodeLedger seen, NodeGrant wanted, UUID grantee) {
        return everywhere(row -> {
            NodeLedger now = row.ledger;
            GrantKey key = new GrantKey(local.datacenter, wanted.number());
            if (now == null || now.next() != seen.next() || row.grants.containsKey(key)) {
                return false;
            }
            row.ledger = new NodeLedger(now.spec(), false, wanted.hi());
            row.grants.put(key, new GrantedTo(wanted, grantee));
            return true;
        });
    }

    @Override
    public CompletionStage<Optional<NodeShare>> share(String sequence) {
        return link.read(false, () -> Optional.ofNullable(local.share));
    }

    @Override
    public CompletionStage<ClaimOutcome> join(SnowflakeSpec spec, int grantNumber) {
        return here(() -> {
            boolean none = local.share == null;
            if (none) {
                local.share = new NodeShare(spec, false, grantNumber, List.of());
            }
            return none;
        });
    }

    @Override
    public CompletionStage<ClaimOutcome> destroyHere(String sequence) {
        throw new UnsupportedOperationException("nothing is destroyed");
    }

    @Override
    public CompletionStage<Boolean> seemsDestroyed(String sequence) {
        return link.read(false, () -> false);
    }

    @Override
    public CompletionStage<ClaimOutcome> prepare(String sequence, int number) {
        return here(() -> local.rows.putIfAbsent(number, NodeRow.fresh(number)) == null);
    }

    @Override
    public CompletionStage<ClaimOutcome> absorb(String sequence, NodeGrant grant) {
        return here(() -> {
            NodeShare now = Objects.requireNonNull(local.share);
            boolean next = now.grantNumber() == grant.number() - 1;
            if (next) {
                List<NodeGrant> grants = new ArrayList<>(now.grants());
                grants.add(grant);
                local.share = new NodeShare(now.spec(), false, grant.number(), grants);
            }
            return next;
        });
    }

    @Override
    public CompletionStage<ClaimOutcome> skip(String sequence, int from, int to) {
        return here(() -> {
            NodeShare now = Objects.requireNonNull(local.share);
            boolean same = now.grantNumber() == from;
            if (same) {
                local.share = new NodeShare(now.spec(), false, to, now.grants());
            }
            return same;
        });
    }

    @Override
    public CompletionStage<Optional<NodeRow>> glance(String sequence, int number) {
        return node(sequence, number);
    }

    @Override
    public CompletionStage<Optional<NodeRow>> node(String sequence, int number) {
        return link.read(false, () -> Optional.ofNullable(local.rows.get(number)));
    }

    @Override
    public CompletionStage<Optional<NodeRow>> agreed(String sequence, int number) {
        return node(sequence, number);
    }

    @Override
    public CompletionStage<ClaimOutcome> take(String sequence, NodeRow seen, NodeRow wanted) {
        return change(wanted, now -> now.epoch() == seen.epoch() && now.tsHigh() == seen.tsHigh());
    }

    @Override
    public CompletionStage<ClaimOutcome> renew(String sequence, NodeRow lease, long tsHigh) {
        NodeRow wanted = new NodeRow(lease.number(), lease.epoch(), tsHigh, lease.token(), false);
        return change(wanted, now -> now.isSameLease(lease) && now.tsHigh() < tsHigh);
    }

    @Override
    public CompletionStage<ClaimOutcome> release(String sequence, NodeRow lease, long last) {
        NodeRow wanted = new NodeRow(lease.number(), lease.epoch(), last, lease.token(), true);
        return change(wanted, now -> now.isSameLease(lease));
    }

    private CompletionStage<ClaimOutcome> change(NodeRow wanted, Function<NodeRow, Boolean> condition) {
        return here(() -> {
            NodeRow now = local.rows.get(wanted.number());
            boolean applied = now != null && condition.apply(now);
            if (applied) {
                local.rows.put(wanted.number(), wanted);
            }
            return applied;
        });
    }
}
