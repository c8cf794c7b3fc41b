package dev.cassidy.snowflake.protocol;

import dev.cassidy.async.Stages;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.protocol.Retries;
import dev.cassidy.sequence.protocol.StandingGrants;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.Numbering;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.store.GrantedTo;
import dev.cassidy.snowflake.store.NodeGrant;
import dev.cassidy.snowflake.store.NodeLedger;
import dev.cassidy.snowflake.store.NodeRow;
import dev.cassidy.snowflake.store.NodeShare;
import dev.cassidy.snowflake.store.NodeStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gets node numbers for one sequencer, in this order: a number that never had an owner; one that its owner has given
 * up; new ones from the global level, up to a quarter of all without need; one whose row has not changed for 30 s of
 * our own monotonic time, the lowest limit first; beyond the quarter, new ones again.
 *
 * <p>In every case the same compare-and-set on the row's epoch and limit takes the number, and only later milliseconds
 * are issued. An owner that was only paused may go on up to the limit that it has proof of, and no further: no clock is
 * trusted, and the 30 s are a courtesy.
 *
 * <p>Only once can a number be a new one, usable from its first millisecond on. So its row is made by a single
 * statement, sent once, by the process that the number was granted to. A process that finds another's grant that was
 * not absorbed waits for a while and then skips it. Whatever is lost, and whatever lands late, no row is ever made
 * again.
 *
 * <p>One acquisition at a time.
 */
final class NodeAssigner {

    /** How long a row must have stood still before its number is taken from its owner. */
    static final Duration STILL = Duration.ofSeconds(30);

    private static final Logger LOG = LoggerFactory.getLogger(NodeAssigner.class);
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(3);

    /** How long to wait for a grantee, besides what its grant has to stand. */
    private static final Duration OVERDUE = Duration.ofSeconds(10);

    private final SnowflakeSpec spec;
    private final NodeStore store;
    private final NodeRegistry registry;
    private final SnowflakeContext context;
    private final LogicalClock clock;
    private final Map<Integer, Seen> seen = new HashMap<>();
    private final Set<Integer> gone = new HashSet<>();
    private final StandingGrants standing;

    /** Our own; no other sequencer of this process has it. */
    private final UUID grantee;

    /** The numbers whose rows we have asked for, whatever the outcome. */
    private final Set<Integer> prepared = ConcurrentHashMap.newKeySet();

    private @Nullable Unabsorbed unabsorbed;

    private volatile boolean disowned;

    NodeAssigner(
            SnowflakeSpec spec, NodeStore store, NodeRegistry registry, SnowflakeContext context, LogicalClock clock) {
        this.spec = spec;
        this.store = store;
        this.registry = registry;
        this.context = context;
        this.clock = clock;
        this.grantee = context.tokens().get();
        this.standing = new StandingGrants(
                Numbering.NONE,
                context.safety(),
                context.timer(),
                context.nanoTime(),
                (grant, repair) -> store.standing(
                        spec.name(),
                        new NodeGrant(grant.number(), (int) grant.span().lo(), (int)
                                grant.span().hi()),
                        repair));
    }

    /**
     * A number that is ours.
     *
     * @param row as it was stored with our token
     * @param after only later milliseconds may be issued
     * @param sentAt when the step that took it was sent, by the monotonic clock
     * @param acknowledgedAt when it was known that the step had been executed
     */
    record Assigned(NodeRow row, long after, long sentAt, long acknowledgedAt) {}

    private record Seen(NodeRow row, long since) {}

    /** Another process's grant, and when we saw it first. */
    private record Unabsorbed(NodeGrant grant, long since) {}

    private enum Refill {
        /** The copy has moved on. */
        GAINED,
        /** Another process was faster, or the outcome is unknown: the next look tells. */
        CONTESTED,
        NONE_LEFT
    }

    /** Returns how long an acquisition takes at most, without its last step. */
    private static Duration longest(SnowflakeContext context) {
        Duration looks = STILL.plus(LOOK_AGAIN.multipliedBy(2)).plus(context.timeout());
        return context.freshNumbersWait() ? looks.plus(context.safety().standing()) : looks;
    }

    /** Returns how long it takes at most until a number can be used, without the last step. */
    static Duration longestAttempt(SnowflakeContext context) {
        Duration taken = longest(context);
        return context.freshNumbersWait() ? taken.plus(context.longestTrial()) : taken;
    }

    private static Refill refilled(ClaimOutcome outcome) {
        return outcome instanceof ClaimOutcome.Claimed ? Refill.GAINED : Refill.CONTESTED;
    }

    /** Whether the grantee, which is not us, has had enough time. */
    private boolean isOverdue(NodeGrant grant) {
        long now = context.nanoTime().getAsLong();
        Unabsorbed first = unabsorbed;
        if (first == null || !first.grant().equals(grant)) {
            first = new Unabsorbed(grant, now);
            unabsorbed = first;
        }
        Duration patience =
                context.freshNumbersWait() ? OVERDUE.plus(context.safety().standing()) : OVERDUE;
        return now - first.since() >= patience.toNanos();
    }

    /** Stops making rows and looking for numbers: another copy of this process, with our tokens, may go on. */
    void disown() {
        disowned = true;
    }

    boolean isDisowned() {
        return disowned;
    }

    /** Whether no number can be taken any more, because its limit would lie beyond the sequence's end. */
    boolean hasEnded() {
        return now() + context.leadMillis() > SnowflakeSpec.LAST_MILLI;
    }

    private long now() {
        return Math.max(clock.now(), clock.timeOfDay());
    }

    /** Says that a sequence is past its end, or about to be. */
    static SequenceException.Exhausted ended(SnowflakeSpec spec) {
        return new SequenceException.Exhausted("sequence " + spec.name() + " ended at " + spec.end()
                + ", 2^40 ms after its epoch " + spec.epoch() + ". Create one of a later epoch under another name");
    }

    /** Takes a number. Fails with a {@link SequenceException}. */
    CompletionStage<Assigned> acquire() {
        return new Acquisition().begin();
    }

    private final class Acquisition {

        private final Retries retries =
                context.retries("sequence " + spec.name() + " got no node number", longest(context));

        CompletionStage<Assigned> begin() {
            if (disowned) {
                return CompletableFuture.failedFuture(copied());
            }
            long ofDay = clock.timeOfDay();
            if (ofDay < 1) {
                return CompletableFuture.failedFuture(new SequenceException.Conflict("sequence " + spec.name()
                        + " begins at its epoch " + spec.epoch() + ", which this machine's clock has not reached"));
            }
            if (hasEnded()) {
                return CompletableFuture.failedFuture(ended(spec));
            }
            return registry.share(spec).thenCompose(this::search);
        }

        private CompletionStage<Assigned> search(NodeShare share) {
            return search(share, share.grants().size() - 1, new ArrayList<>());
        }

        /** The newest grant first: that is where the numbers are that never had an owner. */
        private CompletionStage<Assigned> search(NodeShare share, int index, List<NodeRow> found) {
            if (index < 0) {
                return choose(share, found);
            }
            return retries.orAgain(
                    glance(share.grants().get(index)),
                    rows -> {
                        List<NodeRow> fresh =
                                rows.stream().filter(NodeRow::isFresh).toList();
                        if (!fresh.isEmpty()) {
                            return take(any(fresh));
                        }
                        found.addAll(rows);
                        return search(share, index - 1, found);
                    },
                    this::begin);
        }

        private CompletionStage<List<NodeRow>> glance(NodeGrant grant) {
            CompletionStage<List<NodeRow>> all = CompletableFuture.completedFuture(new ArrayList<>());
            for (int number = grant.lo(); number < grant.hi(); number++) {
                int which = number;
                all = all.thenCombine(store.glance(spec.name(), number), (rows, row) -> {
                    row.ifPresentOrElse(rows::add, () -> warnOf(which));
                    return rows;
                });
            }
            return all;
        }

        /** Its row was requested before its grant was absorbed: probably it was lost after many ids were issued. */
        private void warnOf(int number) {
            if (gone.add(number)) {
                LOG.warn("sequence {}: node number {} has no row; it stays unused", spec.name(), number);
            }
        }

        private CompletionStage<Assigned> choose(NodeShare share, List<NodeRow> found) {
            List<NodeRow> reachable = found.stream().filter(this::isReachable).toList();
            List<NodeRow> free = reachable.stream().filter(NodeRow::free).toList();
            if (!free.isEmpty()) {
                return take(any(free));
            }
            observe(found);
            Optional<NodeRow> still =
                    reachable.stream().filter(this::hasStoodStill).min(Comparator.comparingLong(NodeRow::tsHigh));
            boolean spare = share.size() < spec.nodes() / 4;
            if (still.isPresent() && !spare) {
                return take(still.get());
            }
            if (spare || retries.lasted(STILL.plus(LOOK_AGAIN))) {
                return refill(share)
                        .handle((refill, thrown) -> {
                            if (refill == Refill.GAINED) {
                                return begin();
                            }
                            return refill == Refill.CONTESTED
                                    ? retries.again(this::begin)
                                    : notRefilled(share, still, thrown);
                        })
                        .thenCompose(next -> next);
            }
            return retries.again(this::begin, () -> context.timer().after(LOOK_AGAIN));
        }

        private CompletionStage<Assigned> notRefilled(
                NodeShare share, Optional<NodeRow> still, @Nullable Throwable thrown) {
            if (thrown != null) {
                Throwable cause = Stages.cause(thrown);
                if (cause instanceof SequenceException) {
                    return CompletableFuture.failedFuture(cause);
                }
                retries.failed(cause);
            }
            if (still.isPresent()) {
                return take(still.get());
            }
            // If there are no numbers to watch, the global level is asked for as long as a caller waits.
            boolean none = share.grants().isEmpty();
            Duration wait = none ? context.timeout() : STILL.plus(LOOK_AGAIN);
            if (thrown == null && retries.lasted(wait)) {
                return CompletableFuture.failedFuture(noneLeft(share));
            }
            if (none) {
                return retries.lasted(wait)
                        ? CompletableFuture.failedFuture(retries.timeUp(wait))
                        : retries.again(this::begin);
            }
            return retries.again(this::begin, () -> context.timer().after(LOOK_AGAIN));
        }

        private SequenceException noneLeft(NodeShare share) {
            boolean none = share.grants().isEmpty();
            return new SequenceException.Exhausted("sequence " + spec.name() + ": "
                    + (none
                            ? "this datacenter has no node numbers"
                            : "all " + share.size() + " node numbers of this datacenter are in use or lost")
                    + ", and of the sequence's " + spec.nodes() + " none is left to be granted. "
                    + (none ? "Create" : "Detach a node, or create") + " a sequence of more nodes under another name");
        }

        private NodeRow any(List<NodeRow> rows) {
            return rows.get(context.random().nextInt(rows.size()));
        }

        /** A row that was written by a clock far ahead of ours cannot be used until ours has caught up. */
        private boolean isReachable(NodeRow row) {
            return row.tsHigh() <= now() + context.leadMillis();
        }

        private void observe(List<NodeRow> found) {
            long at = context.nanoTime().getAsLong();
            found.forEach(row -> seen.merge(
                    row.number(),
                    new Seen(row, at),
                    (before, after) -> before.row().equals(row) ? before : after));
        }

        private boolean hasStoodStill(NodeRow row) {
            Seen first = seen.get(row.number());
            return first != null && context.nanoTime().getAsLong() - first.since() >= STILL.toNanos();
        }

        private CompletionStage<Assigned> take(NodeRow row) {
            UUID token = context.tokens().get();
            long until = Math.max(now(), row.tsHigh()) + context.leadMillis();
            if (until > SnowflakeSpec.LAST_MILLI) {
                return CompletableFuture.failedFuture(ended(spec));
            }
            NodeRow ours = new NodeRow(row.number(), row.epoch() + 1, until, token, false);
            long sent = context.nanoTime().getAsLong();
            return retries.orAgain(
                    store.take(spec.name(), row, ours),
                    outcome -> {
                        // A refusal, too, is judged by what is stored: a take that was executed twice is refused by its
                        // own success.
                        return outcome instanceof ClaimOutcome.Claimed
                                ? CompletableFuture.completedFuture(assigned(ours, row.tsHigh(), sent))
                                : prove(ours, row.tsHigh(), sent);
                    },
                    this::begin);
        }

        private Assigned assigned(NodeRow ours, long after, long sent) {
            return new Assigned(ours, after, sent, context.nanoTime().getAsLong());
        }

        private CompletionStage<Assigned> prove(NodeRow ours, long after, long sent) {
            return store.node(spec.name(), ours.number())
                    .exceptionally(noAnswer -> Optional.empty())
                    .thenCompose(now -> now.isPresent() && now.get().isSameLease(ours)
                            ? CompletableFuture.completedFuture(assigned(now.get(), after, sent))
                            // It may still become ours. Then it stands still until another process takes it over.
                            : retries.again(this::begin));
        }

        /** Absorbs the next grant if it is ours, and makes it if there is none; skips those that others leave. */
        private CompletionStage<Refill> refill(NodeShare share) {
            int number = share.grantNumber() + 1;
            return requireKnown(share)
                    .thenCompose(known -> store.grantAt(spec.name(), number))
                    .thenCompose(next -> next.isPresent()
                            ? store.highestGrant(spec.name())
                                    .thenCompose(highest -> granted(share, next.get(), highest))
                            : store.ledger(spec.name()).thenCompose(ledger -> grant(share, number, ledger)));
        }

        /** The grant that was absorbed last must be there. If not, the global level was set back behind it. */
        private CompletionStage<Void> requireKnown(NodeShare share) {
            if (share.grantNumber() == 0) {
                return CompletableFuture.completedFuture(null);
            }
            return store.grantAt(spec.name(), share.grantNumber()).thenAccept(known -> {
                if (known.isEmpty()) {
                    throw setBack("its grant " + share.grantNumber() + " is gone from the global keyspace");
                }
            });
        }

        private CompletionStage<Refill> granted(NodeShare share, GrantedTo next, int highest) {
            if (highest > next.grant().number()) {
                return share.grants().isEmpty() ? skip(share, highest) : overtaken(share, highest);
            }
            if (next.grantee().equals(grantee)) {
                return absorbStanding(share, next.grant());
            }
            return isOverdue(next.grant())
                    ? skip(share, next.grant().number())
                    : CompletableFuture.completedFuture(Refill.CONTESTED);
        }

        private CompletionStage<Refill> skip(NodeShare share, int to) {
            LOG.warn(
                    "sequence {}: no process took up this datacenter's grants {} to {}; their node numbers stay unused",
                    spec.name(),
                    share.grantNumber() + 1,
                    to);
            return store.skip(spec.name(), share.grantNumber(), to).thenApply(NodeAssigner::refilled);
        }

        /**
         * A grant is made only once the copy has moved past the one before it. So a copy that has numbers and is two
         * grants behind was set back, and its rows with it. A copy without numbers is harmless: it was made late, by a
         * process that had looked long before.
         */
        private CompletionStage<Refill> overtaken(NodeShare share, int highest) {
            return store.share(spec.name()).thenApply(now -> {
                if (now.isPresent() && now.get().grantNumber() == share.grantNumber()) {
                    throw setBack(
                            "its copy stands at grant " + share.grantNumber() + ", but grant " + highest + " was made");
                }
                return Refill.CONTESTED;
            });
        }

        private CompletionStage<Refill> grant(NodeShare share, int number, Optional<NodeLedger> found) {
            if (found.isEmpty()) {
                return CompletableFuture.failedFuture(setBack("its global row is gone"));
            }
            NodeLedger ledger = found.get();
            if (ledger.destroyed()) {
                return CompletableFuture.failedFuture(NodeRegistry.destroyed(spec.name()));
            }
            if (ledger.next() < share.highest()) {
                return CompletableFuture.failedFuture(setBack("its next node number is " + ledger.next()
                        + " in the global keyspace, but this datacenter has numbers up to " + share.highest()));
            }
            if (ledger.next() >= spec.nodes()) {
                return CompletableFuture.completedFuture(Refill.NONE_LEFT);
            }
            int size = Math.max(4, Math.min(16, spec.nodes() / 32));
            NodeGrant wanted = new NodeGrant(number, ledger.next(), Math.min(spec.nodes(), ledger.next() + size));
            return store.grant(ledger, wanted, grantee)
                    .thenCompose(outcome -> outcome instanceof ClaimOutcome.Claimed
                            ? absorbStanding(share, wanted)
                            // Whatever the outcome, the next look finds this grant or makes it.
                            : CompletableFuture.completedFuture(Refill.CONTESTED));
        }

        /** Absorbs our own grant, once no node forgets it any more if numbers are to stand before they are used. */
        private CompletionStage<Refill> absorbStanding(NodeShare share, NodeGrant grant) {
            if (!context.freshNumbersWait()) {
                return absorb(grant);
            }
            return standing.verdict(grant.asGrant()).thenCompose(verdict -> switch (verdict) {
                case STOOD -> absorb(grant);
                case TAKEN -> {
                    LOG.warn(
                            "sequence {}: node numbers {} to {} were granted again, since nodes that were killed had"
                                    + " forgotten that they are this datacenter's; they stay unused here",
                            spec.name(),
                            grant.lo(),
                            grant.hi() - 1);
                    yield store.skip(spec.name(), share.grantNumber(), grant.number())
                            .thenApply(NodeAssigner::refilled);
                }
                // The next look makes another one. Node numbers have neither incarnations nor another numbering.
                case LOST, RAISED, RENUMBERED -> CompletableFuture.completedFuture(Refill.CONTESTED);
            });
        }

        /** The rows first: if an absorbed number has no row, the row was lost, and the number stays unused. */
        private CompletionStage<Refill> absorb(NodeGrant grant) {
            CompletionStage<Void> all = CompletableFuture.completedFuture(null);
            for (int number = grant.lo(); number < grant.hi(); number++) {
                all = all.thenCombine(prepare(number), (before, done) -> null);
            }
            return all.thenCompose(sent -> store.absorb(spec.name(), grant)).thenApply(NodeAssigner::refilled);
        }

        /** Never twice, even if the outcome is unknown: the row may be made and lost, and the second try remakes it. */
        private CompletionStage<Void> prepare(int number) {
            if (disowned) {
                return CompletableFuture.failedFuture(copied());
            }
            if (!prepared.add(number)) {
                return CompletableFuture.completedFuture(null);
            }
            return store.prepare(spec.name(), number).handle((outcome, notExecuted) -> {
                if (notExecuted != null) {
                    prepared.remove(number);
                    throw new CompletionException(notExecuted);
                }
                return null;
            });
        }

        private SequenceException copied() {
            return new SequenceException.Detached(
                    "the process was copied while it looked for a node number of sequence " + spec.name());
        }

        private SequenceException setBack(String evidence) {
            return new SequenceException.Conflict("sequence " + spec.name() + " was set back: " + evidence
                    + ". A backup was restored or rows were deleted; nothing is issued of it any more. Create one under"
                    + " another name, with an epoch that puts it above every id that was issued, or restore the rows");
        }
    }
}
