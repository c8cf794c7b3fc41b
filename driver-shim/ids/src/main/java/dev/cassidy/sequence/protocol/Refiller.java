package dev.cassidy.sequence.protocol;

import dev.cassidy.async.Stages;
import dev.cassidy.async.Timer;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.Grant;
import dev.cassidy.sequence.store.GrantStanding.Verdict;
import dev.cassidy.sequence.store.Ledger;
import dev.cassidy.sequence.store.Numbering;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.sequence.store.Stripe;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refills a stripe's reserve from the global level, for one process. One refill runs at a time, because each one that
 * waits for silent datacenters keeps a thread of the server waiting.
 *
 * <p>A crash between the two levels neither loses nor doubles anything: grant <i>k+1</i> is made only if there is none,
 * and absorbed only by a reserve whose last grant was <i>k</i>; the next process to refill finds it and absorbs it. A
 * grant that was made, or may have been, is pursued until the reserve has it: there may be no other process, and a cut
 * would strand it.
 *
 * <p>A grant is absorbed once it stands. If nothing else is left and {@code durability=warn}, it is absorbed at once, and
 * looked at later.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
final class Refiller {

    private static final Logger LOG = LoggerFactory.getLogger(Refiller.class);

    private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);
    private static final int TRIES_TO_ABSORB = 10;

    private final RangeStore store;
    private final SequenceSpec spec;
    private final Stripe stripe;
    private final Sizing sizing;
    private final Safety safety;
    private final Timer timer;
    private final LongSupplier nanoTime;
    private final Supplier<UUID> tokens;

    private final AtomicReference<@Nullable CompletableFuture<ClaimOutcome>> underWay = new AtomicReference<>();

    /** A grant that was made, or may have been, and is not known to have been absorbed. */
    private volatile @Nullable Pending pending;

    private final AtomicBoolean pursuing = new AtomicBoolean();
    private volatile Duration pause = SHORTEST_PAUSE;

    /** When the last refill ended that brought nothing; otherwise null. */
    private volatile @Nullable Long failedAt;

    /** Null before the first grant: of most sequences a process uses nothing. */
    private @Nullable StandingGrants standing;

    private volatile boolean onTrial;
    private volatile boolean closed;

    /** @param due when it can stand, by the monotonic clock */
    private record Pending(int incarnation, int number, long wanted, long due) {}

    Refiller(RangeStore store, SequenceSpec spec, Stripe stripe, Sizing sizing, AllocatorContext context) {
        this.store = store;
        this.spec = spec;
        this.stripe = stripe;
        this.sizing = sizing;
        this.safety = context.safety();
        this.timer = context.timer();
        this.nanoTime = context.nanoTime();
        this.tokens = context.tokens();
    }

    /**
     * Absorbs the next grant, and makes it first if no process has. The reserve must be read again afterwards. A caller
     * that comes while a refill is under way gets the outcome of that refill.
     *
     * @param seen the reserve as it was just read
     * @param wanted the size of the block that is wanted from it
     */
    CompletionStage<ClaimOutcome> refill(Reserve seen, long wanted) {
        CompletableFuture<ClaimOutcome> mine = new CompletableFuture<>();
        CompletableFuture<ClaimOutcome> others = underWay.compareAndExchange(null, mine);
        if (others != null) {
            return others;
        }
        start(seen, wanted).whenComplete((outcome, thrown) -> {
            settle(outcome instanceof ClaimOutcome.Claimed);
            if (outcome != null) {
                mine.complete(outcome);
            } else {
                mine.completeExceptionally(Stages.cause(thrown));
            }
        });
        return mine;
    }

    private CompletionStage<ClaimOutcome> start(Reserve seen, long wanted) {
        try {
            return absorbNext(seen, wanted);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void settle(boolean filled) {
        failedAt = filled ? null : nanoTime.getAsLong();
        pause = filled ? SHORTEST_PAUSE : longer(pause);
        underWay.set(null);
        pursue();
    }

    private static Duration longer(Duration pause) {
        Duration twice = pause.multipliedBy(2);
        return twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
    }

    /** As {@link #refill}, in the background; not while a refill runs, nor soon after one that brought nothing. */
    void refillAhead(Reserve seen, long wanted) {
        Long failed = failedAt;
        boolean soon = failed != null && nanoTime.getAsLong() - failed < pause.toNanos();
        if (!soon && underWay.get() == null && untilDue().isZero()) {
            refill(seen, wanted).whenComplete((done, failure) -> {
                if (failure != null) {
                    // No caller waits for it, and a later claim tries again; the reserve still lasts.
                    LOG.debug("sequence {} was not refilled ahead of need", stripe, failure);
                }
            });
        }
    }

    /** Returns how long it takes until the pending grant can stand; zero if there is none. */
    private Duration untilDue() {
        Pending wanted = pending;
        return wanted == null ? Duration.ZERO : Duration.ofNanos(Math.max(0, wanted.due() - nanoTime.getAsLong()));
    }

    /** Whether what was granted has to stand before it is absorbed. */
    boolean isOnTrial() {
        return onTrial;
    }

    /** Looks after a while whether the pending grant has arrived; if not, absorbs it. Repeats until it has arrived. */
    private void pursue() {
        if (pending == null || closed || !pursuing.compareAndSet(false, true)) {
            return;
        }
        timer.schedule(
                () -> store.reserve(stripe).thenCompose(this::arrive).whenComplete((done, failure) -> {
                    pursuing.set(false);
                    if (failure != null) {
                        Throwable cause = Stages.cause(failure);
                        LOG.debug("sequence {}: grant {} has not arrived yet", stripe, pending, cause);
                        if (cause instanceof SequenceException) {
                            pending = null;
                        }
                    }
                    pursue();
                }),
                untilDue().compareTo(pause) > 0 ? untilDue() : pause);
    }

    private CompletionStage<ClaimOutcome> arrive(Optional<Reserve> found) {
        Pending wanted = pending;
        if (found.isEmpty()) {
            // The reserve was lost; the process that makes it again begins above every grant.
            pending = null;
        } else {
            seen(found.get());
        }
        return pending == null || wanted == null || closed
                ? CompletableFuture.completedFuture(new ClaimOutcome.Claimed())
                : refill(found.get(), wanted.wanted());
    }

    private void seen(Reserve reserve) {
        Pending wanted = pending;
        if (wanted != null
                && (reserve.incarnation() != wanted.incarnation()
                        || reserve.grantNumber() >= wanted.number()
                        // There is no room for another one; the process that uses this one up finds it.
                        || reserve.upcoming() != null)) {
            pending = null;
        }
    }

    /** Stops pursuing: a pending grant waits in the global keyspace for the next process that refills. */
    void close() {
        closed = true;
    }

    /** Nodes have forgotten the sequence's creation, and it was created otherwise: an ordinal means another id there. */
    SequenceException renumbered() {
        return new SequenceException.Dropped("sequence " + stripe + " was opened with start=" + spec.start()
                + " and increment=" + spec.increment()
                + ", and was created again with others: nodes that were killed have"
                + " forgotten its creation. Ask for its allocator again. If that is refused as well, advance the sequence"
                + " past every id that was issued");
    }

    private CompletionStage<ClaimOutcome> absorbNext(Reserve reserve, long wanted) {
        seen(reserve);
        if (!reserve.isNumberedAs(Numbering.of(spec))) {
            return CompletableFuture.failedFuture(renumbered());
        }
        int number = reserve.grantNumber() + 1;
        return requireKnown(reserve)
                .thenCompose(known -> store.grantAt(stripe, reserve.incarnation(), number))
                .thenCompose(grant -> grant.isPresent()
                        ? requireLast(reserve).thenCompose(last -> absorbIfNext(reserve, grant.get(), wanted))
                        : store.ledger(stripe.sequence())
                                .thenCompose(ledger -> grant(reserve, number, ledger, wanted)));
    }

    private CompletionStage<ClaimOutcome> absorbIfNext(Reserve reserve, Grant grant, long wanted) {
        return reserve.canAbsorb(grant)
                ? absorbStanding(reserve, grant, wanted)
                : CompletableFuture.completedFuture(new ClaimOutcome.Lost(reserve));
    }

    private synchronized StandingGrants standing() {
        StandingGrants made = standing;
        if (made == null) {
            made = new StandingGrants(
                    Numbering.of(spec),
                    safety,
                    timer,
                    nanoTime,
                    (grant, repair) -> store.standing(stripe, grant, repair));
            standing = made;
        }
        return made;
    }

    private CompletionStage<ClaimOutcome> absorbStanding(Reserve reserve, Grant grant, long wanted) {
        return standing().untilKnown(grant).thenCompose(left -> absorbStanding(reserve, grant, wanted, left));
    }

    /** @param left how long the grant may still be forgotten */
    private CompletionStage<ClaimOutcome> absorbStanding(Reserve reserve, Grant grant, long wanted, Duration left) {
        if (left.isZero() || !standing().mayBeUsedBefore()) {
            onTrial = !left.isZero();
            return standing()
                    .verdict(grant)
                    .whenComplete((verdict, failure) -> onTrial = false)
                    .thenCompose(verdict -> judged(reserve, grant, wanted, verdict));
        }
        if (reserve.claimable().isEmpty()) {
            return absorb(reserve, grant, wanted).thenApply(outcome -> {
                if (outcome instanceof ClaimOutcome.Claimed) {
                    lookLater(grant, left);
                }
                return outcome;
            });
        }
        pending = new Pending(grant.incarnation(), grant.number(), wanted, nanoTime.getAsLong() + left.toNanos());
        return CompletableFuture.completedFuture(new ClaimOutcome.Lost(reserve));
    }

    private CompletionStage<ClaimOutcome> judged(Reserve reserve, Grant grant, long wanted, Verdict verdict) {
        return switch (verdict) {
            case STOOD -> absorb(reserve, grant, wanted);
            case LOST -> {
                LOG.warn(
                        "sequence {}: nodes that were killed have forgotten grant {} before it was used; another one is"
                                + " made",
                        stripe,
                        grant);
                yield CompletableFuture.completedFuture(new ClaimOutcome.Lost(reserve));
            }
            case TAKEN -> {
                LOG.warn(
                        "sequence {}: ids of grant {} were granted again, since nodes that were killed had forgotten it;"
                                + " it is given up, and none of it is issued here",
                        stripe,
                        grant);
                yield absorb(reserve, new Grant(grant.incarnation(), grant.number(), Span.EMPTY), wanted);
            }
            case RAISED ->
                store.ledger(stripe.sequence())
                        .thenCompose(
                                ledger -> ledger.isPresent() && ledger.get().incarnation() > reserve.incarnation()
                                        ? adopt(reserve, ledger.get().incarnation())
                                        : CompletableFuture.completedFuture(new ClaimOutcome.Lost(reserve)));
            case RENUMBERED -> CompletableFuture.failedFuture(renumbered());
        };
    }

    /** Looks whether a grant stands that was absorbed before. */
    private void lookLater(Grant grant, Duration delay) {
        timer.schedule(
                () -> {
                    if (!closed) {
                        standing()
                                .verdict(grant)
                                .thenCompose(verdict -> keep(grant, verdict))
                                .thenCompose(again -> again
                                        ? standing().untilKnown(grant).thenAccept(left -> lookLater(grant, left))
                                        : CompletableFuture.completedFuture(null))
                                .exceptionally(failure -> {
                                    LOG.debug("sequence {}: grant {} cannot be looked at", stripe, grant, failure);
                                    lookLater(grant, LONGEST_PAUSE);
                                    return null;
                                });
                    }
                },
                delay);
    }

    /** Returns whether the grant was made again, and has to be looked at again. */
    private CompletionStage<Boolean> keep(Grant grant, Verdict verdict) {
        return switch (verdict) {
            case STOOD, RAISED -> CompletableFuture.completedFuture(false);
            case TAKEN, RENUMBERED -> withdraw(grant);
            case LOST ->
                store.ledger(stripe.sequence())
                        .thenCompose(ledger -> ledger.isPresent()
                                        && ledger.get().incarnation() == grant.incarnation()
                                        && ledger.get().free().lo()
                                                <= grant.span().lo()
                                // Whatever the outcome: the next look tells.
                                ? store.grant(stripe, ledger.get(), grant, tokens.get())
                                        .thenApply(outcome -> true)
                                : withdraw(grant));
        };
    }

    private CompletionStage<Boolean> withdraw(Grant grant) {
        return store.reserve(stripe).thenCompose(found -> {
            Reserve now = found.orElse(null);
            if (now == null
                    || now.incarnation() != grant.incarnation()
                    || now.without(grant.span()).equals(now)) {
                LOG.error(
                        "sequence {}: nodes that were killed have forgotten that ids {} to {} were granted to this"
                                + " datacenter, and they were or will be granted again. Some were issued here at once,"
                                + " because no others were left (durability=warn), and may be issued twice. No further"
                                + " ones are claimed",
                        stripe,
                        spec.idAt(grant.span().lo()),
                        spec.idAt(grant.span().hi() - 1));
                return CompletableFuture.completedFuture(false);
            }
            // Whatever the outcome: the next look tells.
            return store.withdraw(stripe, now, grant.span()).thenCompose(outcome -> withdraw(grant));
        });
    }

    private CompletionStage<ClaimOutcome> absorb(Reserve reserve, Grant grant, long wanted) {
        pending = new Pending(grant.incarnation(), grant.number(), wanted, nanoTime.getAsLong());
        return absorb(reserve, grant, TRIES_TO_ABSORB);
    }

    /** Other processes' claims may change the reserve meanwhile; the refusal tells what it is now. */
    private CompletionStage<ClaimOutcome> absorb(Reserve reserve, Grant grant, int tries) {
        return store.absorb(stripe, reserve, grant, Numbering.of(spec)).thenCompose(outcome -> {
            if (outcome instanceof ClaimOutcome.Claimed) {
                pending = null;
            }
            return outcome instanceof ClaimOutcome.Lost lost
                            && lost.now() != null
                            && lost.now().canAbsorb(grant)
                            && tries > 1
                    ? absorb(lost.now(), grant, tries - 1)
                    : CompletableFuture.completedFuture(outcome);
        });
    }

    /** The grant that the reserve absorbed last must be there. If not, the global level was set back behind it. */
    private CompletionStage<Void> requireKnown(Reserve reserve) {
        if (reserve.grantNumber() == 0) {
            return CompletableFuture.completedFuture(null);
        }
        return store.grantAt(stripe, reserve.incarnation(), reserve.grantNumber())
                .thenAccept(known -> {
                    if (known.isEmpty()) {
                        throw setBack("its grant " + reserve.grantNumber() + " is gone from the global keyspace");
                    }
                });
    }

    /**
     * A grant is made only once the one before it was absorbed. A reserve that is two grants behind was set back: it
     * would absorb a grant a second time, and issue its ids a second time.
     */
    private CompletionStage<Void> requireLast(Reserve reserve) {
        return store.grantAt(stripe, reserve.incarnation(), reserve.grantNumber() + 2)
                .thenCompose(beyond -> beyond.isEmpty()
                        ? CompletableFuture.<Void>completedFuture(null)
                        : store.reserve(stripe).thenAccept(now -> {
                            if (now.isPresent()
                                    && now.get().incarnation() == reserve.incarnation()
                                    && now.get().grantNumber() == reserve.grantNumber()) {
                                throw setBack("its reserve stands at grant " + reserve.grantNumber() + ", but grant "
                                        + (reserve.grantNumber() + 2) + " was made");
                            }
                        }));
    }

    private SequenceException setBack(String evidence) {
        return new SequenceException.Conflict("sequence " + stripe + " was set back: " + evidence
                + ". A backup was restored or rows were deleted; nothing more is claimed until it is seeded above every"
                + " id that was issued");
    }

    private CompletionStage<ClaimOutcome> grant(Reserve reserve, int number, Optional<Ledger> found, long wanted) {
        if (found.isEmpty()) {
            return CompletableFuture.failedFuture(new SequenceException.Conflict("sequence " + stripe
                    + " is known in this datacenter but its global row is gone. Nothing is granted: restore it, never"
                    + " create it again"));
        }
        Ledger ledger = found.get();
        if (ledger.incarnation() > reserve.incarnation()) {
            return adopt(reserve, ledger.incarnation());
        }
        if (ledger.incarnation() < reserve.incarnation()) {
            return CompletableFuture.failedFuture(setBack("its global incarnation is " + ledger.incarnation()
                    + ", this datacenter has seen " + reserve.incarnation()));
        }
        if (!Numbering.of(ledger.entry().spec()).equals(Numbering.of(spec))) {
            return CompletableFuture.failedFuture(renumbered());
        }
        if (!ledger.ready()) {
            return CompletableFuture.failedFuture(new SequenceException.NotReady(
                    "sequence " + stripe + " awaits its seed: run the migration tool's seed, or register, for it"));
        }
        if (ledger.free().lo() < reserve.highest()) {
            return CompletableFuture.failedFuture(setBack("its global next is "
                    + ledger.free().lo() + ", this datacenter holds ordinals up to " + reserve.highest()));
        }
        if (ledger.free().isEmpty()) {
            return exhausted(reserve, ledger);
        }
        Span span = ledger.free().first(sizing.grant(wanted, reserve, ledger));
        Grant grant = new Grant(reserve.incarnation(), number, span);
        return store.grant(stripe, ledger, grant, tokens.get()).thenCompose(outcome -> {
            if (!(outcome instanceof ClaimOutcome.Lost)) {
                pending = new Pending(grant.incarnation(), number, wanted, nanoTime.getAsLong());
            }
            if (outcome instanceof ClaimOutcome.Claimed) {
                return absorbStanding(reserve, grant, wanted);
            }
            // Whatever the outcome, the next look finds grant `number` or makes it.
            return CompletableFuture.completedFuture(outcome);
        });
    }

    /** Moves the reserve to a newer incarnation. */
    CompletionStage<ClaimOutcome> adopt(Reserve reserve, int newer) {
        return store.highestGrant(stripe, newer).thenCompose(grant -> store.adopt(stripe, reserve, newer, grant));
    }

    private CompletionStage<ClaimOutcome> exhausted(Reserve seen, Ledger ledger) {
        // The last grant may have been absorbed between our two reads; then there is something to claim after all.
        return store.reserve(stripe).thenApply(now -> {
            if (now.isPresent() && !now.get().equals(seen)) {
                return new ClaimOutcome.Lost();
            }
            throw new SequenceException.Exhausted("sequence " + stripe + " is exhausted: its ids up to the last, "
                    + spec.idAt(ledger.free().hi() - 1) + " (" + spec.type()
                    + "), are granted to datacenters, and this one's are used up. Draw further ids from a new sequence"
                    + " whose bounds or type leave room");
        });
    }
}
