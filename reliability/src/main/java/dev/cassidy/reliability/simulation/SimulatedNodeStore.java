package dev.cassidy.reliability.simulation;

import dev.cassidy.sequence.ClaimOutcome;
import dev.cassidy.sequence.Timer;
import dev.cassidy.snowflake.NodeGrant;
import dev.cassidy.snowflake.NodeLedger;
import dev.cassidy.snowflake.NodeRow;
import dev.cassidy.snowflake.NodeShare;
import dev.cassidy.snowflake.NodeStore;
import dev.cassidy.snowflake.SnowflakeSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One process's view of the node numbers in a simulated cluster. Every step is linearizable, takes a while, and may end in
 * any way that Cassandra allows; hints may be old; and now and then the datacenter, or the process, is cut off.
 *
 * <p>A planted bug is a step that judges its condition carelessly, or an answer that is not what is stored.
 */
final class SimulatedNodeStore implements NodeStore {

    /** What goes wrong when the protocol is made a little simpler. */
    enum Bug {
        /** Renewal looks at the epoch alone, so that one which lands late lowers the limit. */
        RENEWAL_LOWERS,
        /** Taking looks at the epoch alone, so that what the owner renewed in between is overlooked. */
        TAKEN_WITHOUT_LIMIT,
        /** Taking leaves the epoch as it is, and the token unasked: two owners renew. */
        TAKEN_WITHOUT_EPOCH,
        /** A renewal whose outcome is unknown counts as done. */
        RENEWAL_UNPROVED,
        /** A take-over whose outcome is unknown counts as done. */
        TAKE_UNPROVED,
        /** The successor begins below the limit of its predecessor. */
        LIMIT_UNDERSTATED,
        /** A number is let go of at the millisecond before the last one. */
        RELEASED_TOO_LOW,
        /** Two datacenters are granted the same numbers. */
        GRANTED_TWICE,
        /** The rows of a grant are made anew by whoever absorbs it late. */
        PREPARED_AGAIN,
        /** A new copy of the sequence begins at grant 0, so that lost rows are made anew. */
        ABSORBED_AGAIN
    }

    private static final long STALE_NANOS = 3_000_000_000L;

    /** What all datacenters share. */
    static final class Global {
        @Nullable
        NodeLedger ledger;

        private final Map<String, List<NodeGrant>> grants = new HashMap<>();

        List<NodeGrant> grants(String datacenter) {
            return grants.computeIfAbsent(datacenter, none -> new ArrayList<>());
        }
    }

    /** What the processes of one datacenter share. */
    static final class Local {
        final String datacenter;

        @Nullable
        NodeShare share;

        final Map<Integer, NodeRow> rows = new HashMap<>();
        private final Map<Integer, Old> before = new HashMap<>();
        private final List<CompareAndSet> held = new ArrayList<>();
        boolean cutOff;

        Local(String datacenter) {
            this.datacenter = datacenter;
        }

        /** The tables are truncated, or restored from a backup of before the sequence. */
        void lose() {
            share = null;
            rows.clear();
            before.clear();
        }

        void put(NodeRow row, long now) {
            NodeRow old = rows.put(row.number(), row);
            if (old != null) {
                before.put(row.number(), new Old(old, now + STALE_NANOS));
            }
        }

        /** What a replica that lags behind may still show. */
        @Nullable
        NodeRow stale(int number, long now) {
            Old old = before.get(number);
            return old != null && now < old.until() ? old.row() : null;
        }
    }

    private record Old(NodeRow row, long until) {}

    /** Checks its condition and writes if it holds; says whether it did. */
    @FunctionalInterface
    private interface CompareAndSet {
        boolean applied();
    }

    private final Global global;
    private final Local local;
    private final VirtualTime time;
    private final RandomGenerator random;
    private final SimulatedLink.Faults faults;
    private final double slow;
    private final Timer process;
    private final BooleanSupplier cutOff;
    private final @Nullable Bug bug;
    private long faultsFired;

    /**
     * @param slow how probably a step takes seconds
     * @param process runs what the process does; the dead do nothing, and the paused do it later
     * @param cutOff whether the process reaches nobody at all
     */
    SimulatedNodeStore(
            Global global,
            Local local,
            VirtualTime time,
            RandomGenerator random,
            SimulatedLink.Faults faults,
            double slow,
            Timer process,
            BooleanSupplier cutOff,
            @Nullable Bug bug) {
        this.global = global;
        this.local = local;
        this.time = time;
        this.random = random;
        this.faults = faults;
        this.slow = slow;
        this.process = process;
        this.cutOff = cutOff;
        this.bug = bug;
    }

    long faultsFired() {
        return faultsFired;
    }

    @Override
    public CompletionStage<Optional<NodeLedger>> ledger(String sequence) {
        return read(true, () -> Optional.ofNullable(global.ledger));
    }

    @Override
    public CompletionStage<ClaimOutcome> create(SnowflakeSpec spec) {
        return write(true, () -> {
            if (global.ledger != null) {
                return false;
            }
            global.ledger = new NodeLedger(spec, false, 0);
            return true;
        });
    }

    @Override
    public CompletionStage<ClaimOutcome> destroy(String sequence) {
        return write(true, () -> {
            NodeLedger now = global.ledger;
            if (now == null || now.destroyed()) {
                return false;
            }
            global.ledger = new NodeLedger(now.spec(), true, now.next());
            return true;
        });
    }

    @Override
    public CompletionStage<Integer> highestGrant(String sequence) {
        return read(
                true,
                () -> bug == Bug.ABSORBED_AGAIN
                        ? 0
                        : global.grants(local.datacenter).size());
    }

    @Override
    public CompletionStage<Optional<NodeGrant>> grantAt(String sequence, int number) {
        return read(true, () -> granted(number));
    }

    private Optional<NodeGrant> granted(int number) {
        List<NodeGrant> grants = global.grants(local.datacenter);
        return number <= grants.size() ? Optional.of(grants.get(number - 1)) : Optional.empty();
    }

    @Override
    public CompletionStage<ClaimOutcome> grant(NodeLedger seen, NodeGrant wanted, UUID token) {
        return write(true, () -> {
            NodeLedger now = global.ledger;
            if (now == null
                    || now.destroyed()
                    || (now.next() != seen.next() && bug != Bug.GRANTED_TWICE)
                    || granted(wanted.number()).isPresent()) {
                return false;
            }
            global.ledger = new NodeLedger(now.spec(), false, wanted.hi());
            global.grants(local.datacenter).add(wanted);
            return true;
        });
    }

    @Override
    public CompletionStage<Optional<NodeShare>> share(String sequence) {
        return read(false, () -> Optional.ofNullable(local.share));
    }

    @Override
    public CompletionStage<ClaimOutcome> join(SnowflakeSpec spec, int grantNumber) {
        return write(false, () -> {
            if (local.share != null) {
                return false;
            }
            local.share = new NodeShare(spec, false, grantNumber, List.of());
            return true;
        });
    }

    @Override
    public CompletionStage<ClaimOutcome> destroyHere(String sequence) {
        return write(false, () -> {
            NodeShare now = local.share;
            if (now == null || now.destroyed()) {
                return false;
            }
            local.share = new NodeShare(now.spec(), true, now.grantNumber(), now.grants());
            return true;
        });
    }

    @Override
    public CompletionStage<Boolean> seemsDestroyed(String sequence) {
        return read(
                false,
                () -> (local.share != null && local.share.destroyed())
                        || (!local.cutOff && global.ledger != null && global.ledger.destroyed()));
    }

    @Override
    public CompletionStage<ClaimOutcome> prepare(String sequence, int number) {
        return write(false, () -> {
            if (local.rows.containsKey(number) && bug != Bug.PREPARED_AGAIN) {
                return false;
            }
            local.put(NodeRow.fresh(number), time.nanoTime());
            return true;
        });
    }

    @Override
    public CompletionStage<ClaimOutcome> absorb(String sequence, NodeGrant grant) {
        return write(false, () -> {
            NodeShare now = local.share;
            if (now == null || now.grantNumber() != grant.number() - 1) {
                return false;
            }
            List<NodeGrant> grants = new ArrayList<>(now.grants());
            grants.add(grant);
            local.share = new NodeShare(now.spec(), now.destroyed(), grant.number(), grants);
            return true;
        });
    }

    @Override
    public CompletionStage<Optional<NodeRow>> glance(String sequence, int number) {
        return read(false, () -> {
            NodeRow old = random.nextInt(3) == 0 ? local.stale(number, time.nanoTime()) : null;
            return Optional.ofNullable(old != null ? old : local.rows.get(number))
                    .map(this::shown);
        });
    }

    private NodeRow shown(NodeRow row) {
        return new NodeRow(row.number(), row.epoch(), shown(row.tsHigh()), row.token(), row.free());
    }

    private long shown(long tsHigh) {
        return bug == Bug.LIMIT_UNDERSTATED ? Math.max(0, tsHigh - 9_000) : tsHigh;
    }

    @Override
    public CompletionStage<Optional<NodeRow>> node(String sequence, int number) {
        return read(false, () -> Optional.ofNullable(local.rows.get(number)));
    }

    @Override
    public CompletionStage<ClaimOutcome> take(String sequence, NodeRow seen, NodeRow wanted) {
        NodeRow stored = bug == Bug.TAKEN_WITHOUT_EPOCH
                ? new NodeRow(wanted.number(), Math.max(1, seen.epoch()), wanted.tsHigh(), wanted.token(), false)
                : wanted;
        CompletionStage<ClaimOutcome> step = write(false, () -> {
            NodeRow now = local.rows.get(seen.number());
            boolean same = now != null
                    && now.epoch() == seen.epoch()
                    && (shown(now.tsHigh()) == seen.tsHigh() || bug == Bug.TAKEN_WITHOUT_LIMIT);
            if (same) {
                local.put(stored, time.nanoTime());
            }
            return same;
        });
        return bug == Bug.TAKE_UNPROVED ? step.thenApply(SimulatedNodeStore::believed) : step;
    }

    @Override
    public CompletionStage<ClaimOutcome> renew(String sequence, NodeRow lease, long tsHigh) {
        CompletionStage<ClaimOutcome> step = write(false, () -> {
            NodeRow now = local.rows.get(lease.number());
            if (now == null) {
                return false;
            }
            boolean careless =
                    bug == Bug.TAKEN_WITHOUT_EPOCH || (bug == Bug.RENEWAL_LOWERS && now.epoch() == lease.epoch());
            boolean same = careless || (isSameLease(now, lease) && !now.free() && now.tsHigh() < tsHigh);
            if (same) {
                local.put(new NodeRow(now.number(), now.epoch(), tsHigh, now.token(), now.free()), time.nanoTime());
            }
            return same;
        });
        return bug == Bug.RENEWAL_UNPROVED ? step.thenApply(SimulatedNodeStore::believed) : step;
    }

    @Override
    public CompletionStage<ClaimOutcome> release(String sequence, NodeRow lease, long last) {
        return write(false, () -> {
            NodeRow now = local.rows.get(lease.number());
            if (now == null || now.free() || !isSameLease(now, lease)) {
                return false;
            }
            long limit = bug == Bug.RELEASED_TOO_LOW ? last - 1 : last;
            local.put(new NodeRow(now.number(), now.epoch(), limit, now.token(), true), time.nanoTime());
            local.held.forEach(late -> time.schedule(late::applied, Duration.ofMillis(random.nextLong(300))));
            local.held.clear();
            return true;
        });
    }

    private static boolean isSameLease(NodeRow row, NodeRow lease) {
        return row.epoch() == lease.epoch() && row.token().equals(lease.token());
    }

    private static ClaimOutcome believed(ClaimOutcome outcome) {
        return outcome instanceof ClaimOutcome.Unknown ? new ClaimOutcome.Claimed() : outcome;
    }

    private <T> CompletionStage<T> read(boolean acrossDatacenters, Supplier<T> look) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        after(() -> {
            boolean unreachable = cutOff.getAsBoolean() || (acrossDatacenters && local.cutOff);
            if (unreachable || chance(faults.notExecuted())) {
                faultsFired++;
                answerLater(() -> answer.completeExceptionally(new IllegalStateException("simulated: no answer")));
            } else {
                T seen = look.get();
                answerLater(() -> answer.complete(seen));
            }
        });
        return answer;
    }

    private CompletionStage<ClaimOutcome> write(boolean acrossDatacenters, CompareAndSet step) {
        CompletableFuture<ClaimOutcome> answer = new CompletableFuture<>();
        after(() -> {
            if (cutOff.getAsBoolean()) {
                faultsFired++;
                answerLater(() ->
                        answer.complete(new ClaimOutcome.Unknown(new IllegalStateException("simulated: cut off"))));
            } else if ((acrossDatacenters && local.cutOff) || chance(faults.notExecuted())) {
                faultsFired++;
                answerLater(() -> answer.completeExceptionally(new IllegalStateException("simulated: unavailable")));
            } else if (chance(faults.unknown())) {
                faultsFired++;
                if (random.nextBoolean()) {
                    step.applied();
                } else if (chance(faults.late())) {
                    // It is still queued at its coordinator, and takes effect when the client has long moved on: at any
                    // time, or, as an adversary would have it, right behind the row's change of hands.
                    if (random.nextBoolean()) {
                        local.held.add(step);
                    } else {
                        time.schedule(step::applied, Duration.ofMillis(random.nextLong(1, 40_000)));
                    }
                }
                answerLater(() ->
                        answer.complete(new ClaimOutcome.Unknown(new IllegalStateException("simulated: time-out"))));
            } else {
                ClaimOutcome outcome = step.applied() ? new ClaimOutcome.Claimed() : new ClaimOutcome.Lost();
                answerLater(() -> answer.complete(outcome));
            }
        });
        return answer;
    }

    private void after(Runnable step) {
        // Now and then the network is slow.
        long most = chance(slow) ? 8_000 : 30;
        time.schedule(step, Duration.ofMillis(random.nextLong(most)));
    }

    private void answerLater(Runnable answer) {
        process.schedule(answer, Duration.ofMillis(random.nextLong(0, 30)));
    }

    private boolean chance(double probability) {
        return random.nextDouble() < probability;
    }
}
