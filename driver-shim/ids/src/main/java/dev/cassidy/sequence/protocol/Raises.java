package dev.cassidy.sequence.protocol;

import dev.cassidy.async.Timer;
import dev.cassidy.sequence.Order;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.store.ChangeLog;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.HeldClaim;
import dev.cassidy.sequence.store.Incarnations;
import dev.cassidy.sequence.store.SequenceCatalog;
import dev.cassidy.sequence.store.SequenceEntry;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Raises sequences, and knows when a raise is complete. Every change is a compare-and-set on what was read, so any number
 * may run at once, and each may be run again.
 *
 * <p>A raise of a sequence whose ids have been granted moves its incarnation. It is complete when nobody will issue an id of
 * an older one. Acknowledgements show this, one for each datacenter that was granted any:
 *
 * <ol>
 *   <li>The global incarnation moves to <i>n</i>: from here on no datacenter is granted anything in an older one.
 *   <li>Each process that notices the raise ends its blocks, and then removes their claim rows.
 *   <li>Each datacenter moves the reserve of every stripe to <i>n</i>: from here on no claim of an older one succeeds.
 *   <li>After that, and only after, a process of the datacenter reads the datacenter's claims of older incarnations. When
 *       there are none, the datacenter acknowledges <i>n</i>.
 * </ol>
 *
 * <p>An old claim that lands late cannot overtake an acknowledgement. A claim is one compare-and-set on its reserve's
 * incarnation, which never goes back, in the partition that also has the claim's row. So either the claim landed before step
 * 3 and its row is seen in step 4, or it is refused for ever. What a claim's row stands for ends before the row does: a
 * process removes the row when every id was drawn or the block was ended. A process that stopped without doing so keeps its
 * row, and with it delays the acknowledgement, until a caller who knows that it is gone {@linkplain HeldClaims#release
 * releases} it.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
public final class Raises {

    /** The share of a sequence's ids that a restart may pass over without a confirmation. */
    private static final double LARGEST_UNCONFIRMED = 0.05;

    private static final Logger LOG = LoggerFactory.getLogger(Raises.class);

    private final SequenceCatalog catalog;
    private final SequenceRegistry registry;
    private final HeldClaims claims;
    private final RaiseProgress progress;
    private final Announcements announcements;
    private final ChangeRetries retries;
    private final Timer timer;
    private final LongSupplier nanoTime;

    /** @param changes where a raise that is not complete is announced again */
    public Raises(
            SequenceCatalog catalog,
            ChangeLog changes,
            SequenceRegistry registry,
            HeldClaims claims,
            AllocatorContext context) {
        this.catalog = catalog;
        this.registry = registry;
        this.claims = claims;
        this.progress = new RaiseProgress(catalog);
        this.announcements = new Announcements(changes);
        this.retries = new ChangeRetries(context);
        this.timer = context.timer();
        this.nanoTime = context.nanoTime();
    }

    /**
     * The processes and datacenters that may still issue ids from before the last raise.
     *
     * @param holders the claims of this datacenter's processes
     * @param datacenters the names of the datacenters that have not acknowledged, this one included
     * @param forgettable how long nodes may still forget the change itself; zero if they cannot any more
     */
    public record Behind(List<HeldClaim> holders, List<String> datacenters, Duration forgettable) {
        static final Behind NOBODY = new Behind(List.of(), List.of(), Duration.ZERO);

        public boolean isNobody() {
            return datacenters.isEmpty() && forgettable.isZero();
        }
    }

    /** Raises the sequence so that no id before {@code next} is issued any more, and makes it ready. */
    public CompletionStage<SequenceEntry> seed(String name, long next) {
        return retries.run(again -> requireCounted(name).thenCompose(seen -> {
            long target = ordinalWithin(seen.spec(), seen.spec().ordinalOf(next), next);
            // Compared with where the incarnation began, not with next: what lies between was granted, and may still be
            // issued.
            if (seen.ready() && target <= seen.origin()) {
                return registry.join(seen);
            }
            return registry.used(seen)
                    .thenCompose(used -> registry.change(
                            again,
                            seen,
                            (seen.untouched() || !seen.ready()) && used.isAsIn(seen)
                                    ? seen.beginningAt(Math.max(seen.next(), target))
                                    : seen.raisedTo(used.incarnation(), Math.max(used.end(), target))));
        }));
    }

    /**
     * Makes {@code next} the next id that is granted.
     *
     * @param confirmed whether the caller knows that ids which are passed over are never issued, however many
     * @return a stage that fails with {@link SequenceException.Conflict} if it may have been issued, is not one of the
     *     sequence's ids, or passes over many of them unconfirmed
     */
    public CompletionStage<SequenceEntry> restart(String name, long next, boolean confirmed) {
        return retries.run(again -> requireCounted(name).thenCompose(seen -> {
            SequenceSpec spec = seen.spec();
            BigInteger at = spec.ordinalOf(next);
            long target = ordinalWithin(spec, at, next);
            if (spec.idAt(target) != next) {
                throw new SequenceException.Conflict("sequence " + name + " cannot restart with " + next
                        + ", which it never issues: start=" + spec.start() + " increment=" + spec.increment()
                        + "; the next of its ids is " + spec.idAt(target));
            }
            return registry.used(seen).thenCompose(used -> restartAt(again, seen, used, target, confirmed));
        }));
    }

    private CompletionStage<SequenceEntry> restartAt(
            ChangeRetries.Again<SequenceEntry> again,
            SequenceEntry seen,
            SequenceRegistry.Used used,
            long target,
            boolean confirmed) {
        String name = seen.name();
        SequenceSpec spec = seen.spec();
        if (target == used.end() && target == seen.origin()) {
            return seen.ready() ? registry.join(seen) : registry.change(again, seen, seen.beginningAt(target));
        }
        if (target < used.end()) {
            // If older ids are still held, this is the same restart, run again: the caller waits for it.
            return datacentersBehind(seen).thenCompose(behind -> {
                if (target == seen.origin() && !behind.isEmpty()) {
                    return registry.join(seen);
                }
                throw new SequenceException.Conflict("sequence " + name + " cannot restart with " + spec.idAt(target)
                        + ", which may have been issued: ids before " + idOrEnd(spec, used.end())
                        + " are taken, and a row that is inserted with one a second time overwrites the first."
                        + " Restart with " + idOrEnd(spec, used.end()) + " or past it");
            });
        }
        if (!confirmed) {
            requireSmall(spec, used.end(), target);
        }
        return registry.change(
                again,
                seen,
                (seen.untouched() || !seen.ready()) && used.isAsIn(seen)
                        ? seen.beginningAt(target)
                        : seen.raisedTo(used.incarnation(), target));
    }

    /** A single statement, by mistake or by an injection, must not use up a sequence: nothing lowers it again. */
    private static void requireSmall(SequenceSpec spec, long from, long target) {
        double share = (double) (target - from) / spec.count();
        if (share > LARGEST_UNCONFIRMED) {
            throw new SequenceException.Conflict(String.format(
                    Locale.ROOT,
                    "sequence %s would restart with %d instead of %s, and never issue the ids between them, %.1f %% of all."
                            + " No statement may do that. If it is meant, confirm it by the sequence's name, in Java:"
                            + " sequences.admin().restart(\"%s\", %d, \"%s\")",
                    spec.name(),
                    spec.idAt(target),
                    idOrEnd(spec, from),
                    100 * share,
                    spec.name(),
                    spec.idAt(target),
                    spec.name()));
        }
    }

    private static String idOrEnd(SequenceSpec spec, long ordinal) {
        return ordinal < spec.count() ? Long.toString(spec.idAt(ordinal)) : "its end";
    }

    /**
     * Raises the sequence so that no id up to {@code id} is granted in its incarnation: the origin then lies past {@code id}.
     * {@link #raiseFloor} moves the floor, once nobody holds an older id.
     */
    public CompletionStage<SequenceEntry> recallPast(String name, long id) {
        return retries.run(again -> requireCounted(name).thenCompose(seen -> {
            SequenceSpec spec = seen.spec();
            BigInteger at = spec.ordinalOf(id);
            boolean issuable = at.signum() >= 0 && at.bitLength() < Long.SIZE && spec.idAt(at.longValueExact()) == id;
            long target = ordinalWithin(spec, issuable ? at.add(BigInteger.ONE) : at, id);
            if (!seen.ready()) {
                throw new SequenceException.NotReady(
                        "sequence " + name + " awaits its seed: seed it past " + id + " instead of advancing it");
            }
            // If it was recalled before, another raise would only burn what has been granted since.
            return target <= seen.origin()
                    ? registry.join(seen)
                    : registry.used(seen)
                            .thenCompose(used -> registry.change(
                                    again, seen, seen.raisedTo(used.incarnation(), Math.max(used.end(), target))));
        }));
    }

    /**
     * Makes the origin of {@code entry} the floor, if every datacenter has acknowledged it.
     *
     * @param entry as {@link #recallPast} returned it
     * @return a stage that fails with {@link SequenceException.NotAcknowledged}; it completes when no node forgets the floor
     *     any more
     */
    public CompletionStage<SequenceEntry> raiseFloor(SequenceEntry entry) {
        return registry.lasting(() -> raiseFloorOnce(entry));
    }

    private CompletionStage<SequenceEntry> raiseFloorOnce(SequenceEntry entry) {
        return retries.run(again -> registry.require(entry.name()).thenCompose(seen -> {
            if (seen.floor() >= entry.origin()
                    || !Incarnations.sameGeneration(seen.incarnation(), entry.incarnation())) {
                return registry.join(seen);
            }
            return datacentersBehind(entry).thenCompose(behind -> {
                if (!behind.isEmpty()) {
                    throw new SequenceException.NotAcknowledged("sequence " + entry.name()
                            + " keeps its floor: datacenters " + behind + " have not acknowledged");
                }
                return registry.change(again, seen, seen.withFloor(entry.origin()));
            });
        }));
    }

    /** Reads a sequence that is there, not dropped and not time-ordered. */
    private CompletionStage<SequenceEntry> requireCounted(String name) {
        return registry.require(name).thenApply(entry -> {
            if (entry.spec().order() == Order.TIME) {
                throw new SequenceException.Conflict(
                        "sequence " + name + " is time-ordered: its ids come from the clock,"
                                + " and it can be neither seeded nor restarted nor advanced");
            }
            return entry;
        });
    }

    private static long ordinalWithin(SequenceSpec spec, BigInteger ordinal, long id) {
        if (ordinal.compareTo(BigInteger.valueOf(spec.count())) >= 0) {
            throw new SequenceException.Exhausted("sequence " + spec.name() + " has no id left at or past " + id
                    + ": it ends at " + spec.idAt(spec.count() - 1) + " (" + spec.type() + ")");
        }
        return ordinal.max(BigInteger.ZERO).longValueExact();
    }

    /**
     * Does this datacenter's part in the sequence's last raise: moves its reserves, waits until no node forgets this, and
     * acknowledges if none of its processes holds older ids. May be called at any time, by any process of the datacenter, any
     * number of times.
     *
     * @param entry the sequence as it is, or as it was
     * @return the claims that prevent the acknowledgement; empty if nothing is to be acknowledged, or nothing is left to
     */
    public CompletionStage<List<HeldClaim>> acknowledge(SequenceEntry entry) {
        return progress.isOwedHere(entry).thenCompose(owes -> {
            if (!owes) {
                return catalog.findCopy(entry.name())
                        .thenCompose(copy -> copy.isPresent()
                                ? registry.join(entry).thenCompose(this::noted).thenCompose(noted -> none())
                                : none());
            }
            // The order matters: once the reserves have moved for good, no old claim can succeed after the claims were
            // read.
            return registry.joinLasting(entry)
                    .thenCompose(claims::claimsBefore)
                    .thenCompose(held -> held.isEmpty()
                            ? write(entry, catalog.datacenter())
                                    .thenCompose(written -> noted(entry))
                                    .thenApply(noted -> held)
                            : CompletableFuture.completedFuture(held));
        });
    }

    /**
     * Saves later processes the same look. A failure does no harm. Where nodes may forget the acknowledgement, it is looked at
     * first, in the background: a note without it would keep everybody from acknowledging again. Its loss does no other
     * harm, because what it said stays true.
     */
    private CompletionStage<Void> noted(SequenceEntry entry) {
        if (!Incarnations.isRaised(entry.incarnation())) {
            return done();
        }
        if (!registry.standing().isNeeded()) {
            return note(entry);
        }
        CompletionStage<Void> unused = noteOnceItStands(entry, StandingSequences.MAX_REPEATS)
                .exceptionally(failure -> {
                    LOG.debug(
                            "whether sequence {} is still acknowledged could not be looked at", entry.name(), failure);
                    return null;
                });
        return done();
    }

    private CompletionStage<Void> noteOnceItStands(SequenceEntry entry, int tries) {
        return timer.after(registry.standing().period())
                .thenCompose(waited -> progress.isOwedHere(entry))
                .thenCompose(owes -> !owes
                        ? note(entry)
                        : tries == 0
                                ? done()
                                : write(entry, catalog.datacenter())
                                        .thenCompose(written -> noteOnceItStands(entry, tries - 1)));
    }

    private CompletionStage<Void> note(SequenceEntry entry) {
        return catalog.noteAcknowledged(entry.name(), entry.incarnation()).exceptionally(failure -> {
            LOG.debug("that sequence {} is acknowledged could not be noted", entry.name(), failure);
            return null;
        });
    }

    /** Lost: another process of the datacenter has written the same. Unknown: it is repeated, which does no harm. */
    private CompletionStage<Void> write(SequenceEntry entry, String datacenter) {
        return retries.run(again -> catalog.acknowledge(entry.name(), entry.incarnation(), datacenter)
                .thenCompose(outcome -> outcome instanceof ClaimOutcome.Unknown ? again.get() : done()));
    }

    /** Reads which datacenters were granted ids before an entry's incarnation, and have not acknowledged it. */
    public CompletionStage<List<String>> datacentersBehind(SequenceEntry entry) {
        return progress.datacentersBehind(entry);
    }

    /**
     * What became of a change.
     *
     * @param entry the sequence as the change made it
     * @param behind who may still issue older ids; nobody if it is complete
     */
    public record Carried(SequenceEntry entry, Behind behind) {}

    /**
     * Makes a change, and makes it again while nodes forget it. Then acknowledges for this datacenter and waits for the
     * others.
     *
     * @param change may be repeated, and joins
     * @param made learns what it made, before anything is waited for
     * @param most how long to wait at most for those that hold older ids; zero means to look once, and not to wait until
     *     no node forgets the change either
     * @param look the pause between two looks
     */
    public CompletionStage<Carried> carryOut(
            Supplier<CompletionStage<SequenceEntry>> change,
            Consumer<SequenceEntry> made,
            Duration most,
            Duration look) {
        Supplier<CompletionStage<SequenceEntry>> told = () -> change.get().thenApply(entry -> {
            made.accept(entry);
            return entry;
        });
        return most.isZero() && registry.standing().isNeeded()
                ? told.get().thenCompose(entry -> registry.standing()
                        .untilKnown(entry)
                        .thenCompose(forgettable -> forgettable.isZero()
                                ? carriedOut(told, most, look)
                                : behind(entry)
                                        .thenApply(behind ->
                                                new Carried(entry, new Behind(List.of(), behind, forgettable)))))
                : carriedOut(told, most, look);
    }

    private CompletionStage<List<String>> behind(SequenceEntry entry) {
        return Incarnations.isRaised(entry.incarnation())
                ? datacentersBehind(entry)
                : CompletableFuture.completedFuture(List.of());
    }

    private CompletionStage<Carried> carriedOut(
            Supplier<CompletionStage<SequenceEntry>> change, Duration most, Duration look) {
        return registry.lasting(change)
                .thenCompose(entry -> settle(entry, most, look).thenApply(behind -> new Carried(entry, behind)));
    }

    /** Returns how long what is acknowledged may still be forgotten; zero if nothing is. */
    public Duration standing() {
        return registry.standing().period();
    }

    /** Returns how long {@link #carryOut} takes at most in addition to the wait for others. */
    public Duration longestStanding() {
        return registry.standing().longest();
    }

    /**
     * Acknowledges for this datacenter and waits for the others. The datacenter has joined the entry before.
     *
     * @param most how long to wait at most
     * @param look the pause between two looks
     * @return who has not let go by then; nobody if the raise is complete
     */
    public CompletionStage<Behind> settle(SequenceEntry entry, Duration most, Duration look) {
        if (!Incarnations.isRaised(entry.incarnation())) {
            // There is no older incarnation, so nobody holds ids of one.
            return CompletableFuture.completedFuture(Behind.NOBODY);
        }
        return settle(entry, nanoTime.getAsLong() + most.toNanos(), look, false);
    }

    /** @param announced whether an announcement has arrived since the call began; the one before it may have been lost */
    private CompletionStage<Behind> settle(SequenceEntry entry, long deadline, Duration look, boolean announced) {
        return acknowledge(entry)
                .thenCompose(held ->
                        progress.datacentersBehind(entry).thenApply(behind -> new Behind(held, behind, Duration.ZERO)))
                .thenCompose(behind -> {
                    if (behind.isNobody()) {
                        return CompletableFuture.completedFuture(behind);
                    }
                    return (announced
                                    ? CompletableFuture.completedFuture(true)
                                    : announcements.announce(ChangeLog.Level.GLOBAL, entry.name()))
                            .thenCompose(arrived -> nanoTime.getAsLong() - deadline >= 0
                                    ? CompletableFuture.completedFuture(behind)
                                    : timer.after(look).thenCompose(waited -> settle(entry, deadline, look, arrived)));
                });
    }

    /**
     * Acknowledges for a datacenter that is gone for good; a no-op if it owes nothing.
     *
     * @return a stage that fails with {@link SequenceException.Conflict} if it was never granted any ids
     */
    public CompletionStage<Void> releaseDatacenter(SequenceEntry entry, String datacenter) {
        return datacentersBehind(entry)
                .thenCompose(behind -> behind.contains(datacenter)
                        ? write(entry, datacenter)
                        : progress.datacenters(entry).thenAccept(granted -> {
                            if (!granted.contains(datacenter)) {
                                throw new SequenceException.Conflict("sequence " + entry.name()
                                        + " has granted no ids to a datacenter '" + datacenter
                                        + "', so nothing is released. It has to " + granted
                                        + "; its last raise is not acknowledged by " + behind);
                            }
                        }));
    }

    private static CompletionStage<Void> done() {
        return CompletableFuture.completedFuture(null);
    }

    private static CompletionStage<List<HeldClaim>> none() {
        return CompletableFuture.completedFuture(List.of());
    }
}
