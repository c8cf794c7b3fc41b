package dev.cassidy.reliability.simulation;

import dev.cassidy.async.Timer;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One process's view of the node numbers in a simulated cluster. Every step is linearizable, takes a while, and may end
 * in any way that Cassandra allows: not executed, unknown, executed late, executed twice. Hints may be old. Now and
 * then the datacenter or the process is cut off, or tables are lost.
 *
 * <p>A statement that was not executed before a loss may land after it, one that was executed may be executed once
 * more, and the last statement of each row may bring the row back. Not simulated is any other {@code prepare} that is
 * executed on both sides of a loss when its sender has given up: the second execution could not be told from the first.
 *
 * <p>A planted bug is a step that judges its condition carelessly, or an answer that is not what is stored.
 */
final class SimulatedNodeStore implements NodeStore {

    /** Simplifications of the protocol, and what goes wrong with them. */
    enum Bug {
        /** Renewal checks the epoch alone, so that a late renewal lowers the limit. */
        RENEWAL_LOWERS,
        /** Taking checks the epoch alone, so that a renewal by the owner in between is overlooked. */
        TAKEN_WITHOUT_LIMIT,
        /** Taking does not raise the epoch, and the token is not checked: two owners renew. */
        TAKEN_WITHOUT_EPOCH,
        /** A renewal whose outcome is unknown counts as done. */
        RENEWAL_UNPROVED,
        /** A take-over whose outcome is unknown counts as done. */
        TAKE_UNPROVED,
        /** The successor begins below the limit of its predecessor. */
        LIMIT_UNDERSTATED,
        /** A number is given up at the millisecond before the last one. */
        RELEASED_TOO_LOW,
        /** Two datacenters are granted the same numbers. */
        GRANTED_TWICE,
        /** The row of a number is made again by a statement that is executed a second time. */
        PREPARED_AGAIN,
        /** A row is requested again although it is not known whether it was made. */
        PREPARE_REPEATED,
        /** A grant is absorbed by any process that finds it, not by its grantee alone. */
        GRANTS_ARE_EVERYBODYS,
        /** Absorbing checks no grant number, so that a late one moves the copy back. */
        ABSORBED_OUT_OF_TURN,
        /** The copy moves past a grant without the numbers. */
        NUMBERS_FORGOTTEN,
        /** Tokens are made from the process's name, which two instances may share. */
        TOKENS_ARE_NAMES,
        /** No process learns that the sequence was destroyed. */
        DESTROYED_UNTOLD
    }

    private static final long STALE_NANOS = 3_000_000_000L;
    private static final long OVERDUE_NANOS = 9_000_000_000L;

    /** How often things go wrong; shared by all stores, and fair in the end. */
    static final class Weather {
        SimulatedLink.Faults faults;
        /** How probably a step takes seconds. */
        double slow;
        /** How probably a statement is executed twice before its sender is told. */
        double twice;
        /** Whether there are losses that statements wait for. */
        final boolean losses;

        private long fired;

        Weather(SimulatedLink.Faults faults, double slow, double twice, boolean losses) {
            this.faults = faults;
            this.slow = slow;
            this.twice = twice;
            this.losses = losses;
        }

        void clearUp() {
            faults = SimulatedLink.Faults.NONE;
            slow = 0;
            twice = 0;
        }

        long fired() {
            return fired;
        }
    }

    /** A grant, and when it was made. */
    private record Made(GrantedTo grant, long at) {}

    /** What all datacenters share. */
    static final class Global {
        @Nullable
        NodeLedger ledger;

        private final Map<String, List<Made>> grants = new HashMap<>();

        List<Made> grants(String datacenter) {
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
        private final List<CompareAndSet> heldForRelease = new ArrayList<>();
        private final List<CompareAndSet> heldForLoss = new ArrayList<>();
        private final Set<Integer> skipped = new HashSet<>();
        private int joinedAt;
        private boolean joinedLate;
        private int losses;
        boolean cutOff;

        Local(String datacenter) {
            this.datacenter = datacenter;
        }

        /** Tables are truncated; what was queued before may land now. */
        void lose(boolean copies, boolean numbers, VirtualTime time, RandomGenerator random) {
            losses++;
            if (copies) {
                share = null;
                skipped.clear();
            }
            if (numbers) {
                before.clear();
                rows.forEach((number, row) -> {
                    if (random.nextInt(4) == 0) {
                        time.schedule(() -> rows.putIfAbsent(number, row), Duration.ofMillis(random.nextLong(5_000)));
                    }
                });
                rows.clear();
            }
            int latest = random.nextBoolean() ? 500 : 8_000;
            heldForLoss.forEach(late -> time.schedule(late::applied, Duration.ofMillis(random.nextLong(latest))));
            heldForLoss.clear();
        }

        int losses() {
            return losses;
        }

        /**
         * Whether a copy was ever made by a process that did not know of the last grants. If such a copy then gets a
         * grant from before the loss, by a second late statement, it looks as if it were set back.
         */
        boolean joinedLate() {
            return joinedLate;
        }

        private void write(NodeRow row, long now) {
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

        /** Returns the grants that the copy has passed, although it neither has their numbers nor skipped them. */
        List<NodeGrant> forgotten(Global global) {
            NodeShare now = share;
            if (now == null) {
                return List.of();
            }
            return global.grants(datacenter).stream()
                    .map(made -> made.grant().grant())
                    .filter(grant -> grant.number() > joinedAt && grant.number() <= now.grantNumber())
                    .filter(grant ->
                            !skipped.contains(grant.number()) && !now.grants().contains(grant))
                    .toList();
        }
    }

    private record Old(NodeRow row, long until) {}

    /** Checks its condition and writes if it holds; returns whether it did. */
    @FunctionalInterface
    private interface CompareAndSet {
        boolean applied();
    }

    private final Global global;
    private final Local local;
    private final VirtualTime time;
    private final RandomGenerator random;
    private final Weather weather;
    private final Timer process;
    private final BooleanSupplier cutOff;
    private final List<String> violations;
    private final @Nullable Bug bug;
    private long unnoticeableUntil;
    private boolean toldDestroyed;

    /**
     * @param process runs the process's tasks; those of a dead process are dropped, those of a paused one run later
     * @param cutOff whether the process reaches no node at all
     * @param violations records that a grant was skipped without need
     */
    SimulatedNodeStore(
            Global global,
            Local local,
            VirtualTime time,
            RandomGenerator random,
            Weather weather,
            Timer process,
            BooleanSupplier cutOff,
            List<String> violations,
            @Nullable Bug bug) {
        this.global = global;
        this.local = local;
        this.time = time;
        this.random = random;
        this.weather = weather;
        this.process = process;
        this.cutOff = cutOff;
        this.violations = violations;
        this.bug = bug;
    }

    /** Returns when this process last looked whether the sequence was destroyed, and could not have learned of it. */
    long unnoticeableUntil() {
        return unnoticeableUntil;
    }

    /** Whether this process was told that the sequence was destroyed. */
    boolean toldDestroyed() {
        return toldDestroyed;
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
    public CompletionStage<ClaimOutcome> destroy(NodeLedger seen) {
        return write(true, () -> {
            NodeLedger now = global.ledger;
            if (now == null || now.destroyed() || now.next() != seen.next()) {
                return false;
            }
            global.ledger = new NodeLedger(now.spec(), true, now.next());
            return true;
        });
    }

    @Override
    public CompletionStage<Integer> highestGrant(String sequence) {
        return read(true, () -> global.grants(local.datacenter).size());
    }

    @Override
    public CompletionStage<Optional<GrantedTo>> grantAt(String sequence, int number) {
        return read(true, () -> granted(number).map(Made::grant));
    }

    private Optional<Made> granted(int number) {
        List<Made> grants = global.grants(local.datacenter);
        return number <= grants.size() ? Optional.of(grants.get(number - 1)) : Optional.empty();
    }

    @Override
    public CompletionStage<GrantStanding> standing(String sequence, NodeGrant grant, boolean repair) {
        return read(true, () -> {
            List<Span> others = new ArrayList<>();
            global.grants.forEach((datacenter, all) -> all.stream()
                    .map(made -> made.grant().grant())
                    .filter(each -> !datacenter.equals(local.datacenter) || each.number() != grant.number())
                    .forEach(each -> others.add(each.asGrant().span())));
            Span own = granted(grant.number())
                    .map(made -> made.grant().grant().asGrant().span())
                    .orElse(null);
            NodeLedger ledger = global.ledger;
            return new GrantStanding(0, Numbering.NONE, ledger == null ? 0 : ledger.next(), own, others);
        });
    }

    @Override
    public CompletionStage<ClaimOutcome> grant(NodeLedger seen, NodeGrant wanted, UUID grantee) {
        return write(true, () -> {
            NodeLedger now = global.ledger;
            if (now == null
                    || now.destroyed()
                    || (now.next() != seen.next() && bug != Bug.GRANTED_TWICE)
                    || granted(wanted.number()).isPresent()) {
                return false;
            }
            global.ledger = new NodeLedger(now.spec(), false, wanted.hi());
            global.grants(local.datacenter).add(new Made(new GrantedTo(wanted, grantee), time.nanoTime()));
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
            local.joinedAt = grantNumber;
            local.joinedLate |= granted(grantNumber + 1).isPresent();
            local.skipped.clear();
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
        return read(false, () -> {
                    boolean destroyed = (local.share != null && local.share.destroyed())
                            || (!local.cutOff && global.ledger != null && global.ledger.destroyed());
                    if (!destroyed) {
                        unnoticeableUntil = time.nanoTime();
                    }
                    return destroyed && bug != Bug.DESTROYED_UNTOLD;
                })
                .whenComplete((destroyed, noAnswer) -> {
                    if (noAnswer != null) {
                        unnoticeableUntil = time.nanoTime();
                    } else if (destroyed) {
                        toldDestroyed = true;
                    }
                });
    }

    @Override
    public CompletionStage<ClaimOutcome> prepare(String sequence, int number) {
        CompareAndSet step = () -> {
            if (local.rows.containsKey(number) && bug != Bug.PREPARED_AGAIN) {
                return false;
            }
            local.write(NodeRow.fresh(number), time.nanoTime());
            return true;
        };
        CompletionStage<ClaimOutcome> once = write(false, step, false);
        return bug == Bug.PREPARE_REPEATED
                ? once.thenCompose(outcome -> outcome instanceof ClaimOutcome.Unknown
                        ? write(false, step, false)
                        : CompletableFuture.completedFuture(outcome))
                : once;
    }

    @Override
    public CompletionStage<ClaimOutcome> absorb(String sequence, NodeGrant grant) {
        return write(false, () -> {
            NodeShare now = local.share;
            boolean next = now != null && now.grantNumber() == grant.number() - 1;
            if (now == null || !(next || bug == Bug.ABSORBED_OUT_OF_TURN)) {
                return false;
            }
            List<NodeGrant> grants = new ArrayList<>(now.grants());
            if (bug != Bug.NUMBERS_FORGOTTEN) {
                grants.add(grant);
            }
            local.share = new NodeShare(now.spec(), now.destroyed(), grant.number(), grants);
            return true;
        });
    }

    @Override
    public CompletionStage<ClaimOutcome> skip(String sequence, int from, int to) {
        return write(false, () -> {
            NodeShare now = local.share;
            if (now == null || now.grantNumber() != from) {
                return false;
            }
            boolean overtaken = granted(to + 1).isPresent() || to > from + 1;
            granted(to)
                    .filter(made -> !overtaken && time.nanoTime() - made.at() < OVERDUE_NANOS)
                    .ifPresent(made -> violations.add(local.datacenter + " skipped " + made.grant() + " at once"));
            for (int number = from + 1; number <= to; number++) {
                local.skipped.add(number);
            }
            local.share = new NodeShare(now.spec(), now.destroyed(), to, now.grants());
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
    public CompletionStage<Optional<NodeRow>> agreed(String sequence, int number) {
        return node(sequence, number);
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
                local.write(stored, time.nanoTime());
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
                local.write(new NodeRow(now.number(), now.epoch(), tsHigh, now.token(), now.free()), time.nanoTime());
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
            local.write(new NodeRow(now.number(), now.epoch(), limit, now.token(), true), time.nanoTime());
            local.heldForRelease.forEach(late -> time.schedule(late::applied, Duration.ofMillis(random.nextLong(300))));
            local.heldForRelease.clear();
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
            if (unreachable || chance(weather.faults.notExecuted())) {
                weather.fired++;
                answerLater(() -> answer.completeExceptionally(new SimulatedLink.SimulatedFault("no answer")));
            } else {
                T seen = look.get();
                answerLater(() -> answer.complete(seen));
            }
        });
        return answer;
    }

    private CompletionStage<ClaimOutcome> write(boolean acrossDatacenters, CompareAndSet step) {
        return write(acrossDatacenters, step, true);
    }

    /** @param again whether it may be executed again after its sender has given up, and also after a loss */
    private CompletionStage<ClaimOutcome> write(boolean acrossDatacenters, CompareAndSet step, boolean again) {
        CompletableFuture<ClaimOutcome> answer = new CompletableFuture<>();
        after(() -> {
            if (cutOff.getAsBoolean()) {
                weather.fired++;
                answerLater(() -> answer.complete(unknown("cut off")));
            } else if ((acrossDatacenters && local.cutOff) || chance(weather.faults.notExecuted())) {
                weather.fired++;
                answerLater(() -> answer.completeExceptionally(new SimulatedLink.SimulatedFault("unavailable")));
            } else if (chance(weather.faults.unknown())) {
                weather.fired++;
                endUnknown(step, again);
                answerLater(() -> answer.complete(unknown("time-out")));
            } else if (chance(weather.twice)) {
                weather.fired++;
                step.applied();
                after(() -> answerLater(answer, step.applied()));
            } else {
                answerLater(answer, step.applied());
            }
        });
        return answer;
    }

    private void endUnknown(CompareAndSet step, boolean again) {
        boolean late = chance(weather.faults.late());
        if (random.nextBoolean()) {
            step.applied();
            int lossesBefore = local.losses;
            if (late) {
                later(() -> (again || lossesBefore == local.losses) && step.applied());
            }
        } else if (late) {
            // It is still queued at its coordinator, and takes effect long after the client has moved on: at any time,
            // or, as an adversary would choose, right after the row changed hands, or after its loss.
            switch (random.nextInt(4)) {
                case 0 -> later(step);
                case 1 -> local.heldForRelease.add(step);
                default -> (weather.losses ? local.heldForLoss : local.heldForRelease).add(step);
            }
        }
    }

    private void later(CompareAndSet step) {
        time.schedule(step::applied, Duration.ofMillis(random.nextLong(1, 40_000)));
    }

    private static ClaimOutcome unknown(String why) {
        return new ClaimOutcome.Unknown(new SimulatedLink.SimulatedFault(why));
    }

    private void answerLater(CompletableFuture<ClaimOutcome> answer, boolean applied) {
        ClaimOutcome outcome = applied ? new ClaimOutcome.Claimed() : new ClaimOutcome.Lost();
        answerLater(() -> answer.complete(outcome));
    }

    private void after(Runnable step) {
        // Now and then the network is slow.
        long most = chance(weather.slow) ? 8_000 : 30;
        time.schedule(step, Duration.ofMillis(random.nextLong(most)));
    }

    private void answerLater(Runnable answer) {
        process.schedule(answer, Duration.ofMillis(random.nextLong(0, 30)));
    }

    private boolean chance(double probability) {
        return probability > 0 && random.nextDouble() < probability;
    }
}
