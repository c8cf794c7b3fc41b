package dev.cassidy.sequence.protocol;

import dev.cassidy.remedy.Remedy;
import dev.cassidy.sequence.Order;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.store.ChangeLog;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.GrantHistory;
import dev.cassidy.sequence.store.Incarnations;
import dev.cassidy.sequence.store.Participation;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.SequenceCatalog;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.sequence.store.Stripe;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * The sequences that exist: they are created once for all datacenters, copied into each datacenter that joins, and dropped.
 * Every change is a compare-and-set on what was read, so any number may run at once, and each may be run again. {@link
 * Raises} moves a sequence upwards; {@link HeldClaims} deals with what processes hold.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
public final class SequenceRegistry {

    private final SequenceCatalog catalog;
    private final RangeStore store;
    private final RaiseProgress progress;
    private final Announcements announcements;
    private final StandingSequences standing;
    private final ChangeRetries retries;
    private final Supplier<UUID> tokens;

    /** @param changes where changes are announced to other processes */
    public SequenceRegistry(SequenceCatalog catalog, RangeStore store, ChangeLog changes, AllocatorContext context) {
        this.catalog = catalog;
        this.store = store;
        this.progress = new RaiseProgress(catalog);
        this.announcements = new Announcements(changes);
        this.standing = new StandingSequences(catalog, store, context);
        this.retries = new ChangeRetries(context);
        this.tokens = context.tokens();
    }

    /** Reads a sequence, dropped or not. The result is empty also for a name that only stands for streams. */
    public CompletionStage<Optional<SequenceEntry>> find(String name) {
        return catalog.find(name).thenApply(found -> found.filter(entry -> entry.streams() == 0));
    }

    /**
     * Reads a sequence that is there and not dropped.
     *
     * @return a stage that fails with {@link SequenceException.NotFound} or {@link SequenceException.Dropped}
     */
    public CompletionStage<SequenceEntry> require(String name) {
        return requireKnown(name).thenApply(entry -> {
            if (entry.dropped()) {
                throw dropped(entry.name());
            }
            return entry;
        });
    }

    /**
     * Reads a sequence that is there, dropped or not.
     *
     * @return a stage that fails with {@link SequenceException.NotFound}
     */
    public CompletionStage<SequenceEntry> requireKnown(String name) {
        return catalog.find(name).thenApply(found -> {
            SequenceEntry entry = found.orElseThrow(() -> notFound(name));
            if (entry.streams() > 0) {
                throw new SequenceException.Conflict("sequence " + name + " is interleaved: only its "
                        + entry.streams() + " streams issue ids, " + name + "[1/" + entry.streams() + "] to " + name
                        + "[" + entry.streams() + "/" + entry.streams() + "]; name one of them");
            }
            return entry;
        });
    }

    /** Returns the error that says that a sequence was dropped, and how to go on. */
    public static SequenceException dropped(String name) {
        return new SequenceException.Dropped("sequence " + name + " was dropped, and issues nothing any more. What it"
                + " issued stays taken: create it again past that, or give the table another sequence");
    }

    private static SequenceException notFound(String name) {
        return new SequenceException.NotFound(
                "there is no sequence " + name + "; nothing creates one by itself", new Remedy.CreateSequence(name));
    }

    /**
     * Creates the sequence if there is none, and joins this datacenter to it.
     *
     * @param ready whether it issues ids immediately; if not, it awaits its seed
     */
    public CompletionStage<SequenceEntry> create(SequenceSpec spec, boolean ready) {
        // First the row that all streams share: once it is there, it stays, and every later caller finds it.
        return spec.streams() == 0
                ? createOne(spec, ready)
                : agree(spec.interleaved(), spec.streams()).thenCompose(agreed -> createOne(spec, ready));
    }

    private CompletionStage<Void> agree(SequenceSpec interleaved, int streams) {
        return retries.run(again -> catalog.find(interleaved.name()).thenCompose(found -> {
            if (found.isPresent()) {
                requireSameStreams(interleaved, streams, found.get());
                return done();
            }
            return catalog.insert(SequenceEntry.ofStreams(interleaved, streams))
                    .thenCompose(outcome -> took(outcome) ? done() : again.get());
        }));
    }

    private static void requireSameStreams(SequenceSpec wanted, int streams, SequenceEntry found) {
        if (found.streams() == 0) {
            throw new SequenceException.Conflict("sequence " + wanted.name() + " exists as a plain one"
                    + (found.dropped() ? ", dropped," : "") + " and has issued what its " + streams
                    + " streams would issue: interleave another name");
        }
        SequenceSpec spec = found.spec();
        boolean same = found.streams() == streams
                && spec.type() == wanted.type()
                && spec.start() == wanted.start()
                && spec.increment() == wanted.increment()
                && spec.minimum() == wanted.minimum()
                && spec.maximum() == wanted.maximum();
        if (!same) {
            throw new SequenceException.Conflict("sequence " + wanted.name()
                    + " is interleaved differently, and streams would issue the same ids: stored " + found.streams()
                    + " streams of " + spec + ", asked " + streams + " streams of " + wanted);
        }
    }

    private CompletionStage<SequenceEntry> createOne(SequenceSpec spec, boolean ready) {
        return catalog.findCopy(spec.name()).thenCompose(copy -> {
            if (copy.isPresent()) {
                return createOrFind(spec, ready);
            }
            // Not read first: if the sequence exists, its row refuses the insert.
            SequenceEntry entry = SequenceEntry.fresh(spec, Incarnations.FIRST, ready);
            return catalog.insert(entry)
                    .thenCompose(outcome -> took(outcome) ? joinNew(entry) : createOrFind(spec, ready));
        });
    }

    private CompletionStage<SequenceEntry> createOrFind(SequenceSpec spec, boolean ready) {
        return retries.run(again -> catalog.find(spec.name()).thenCompose(found -> {
            if (found.isPresent() && found.get().dropped()) {
                return createAgain(again, found.get(), spec, ready);
            }
            if (found.isPresent()) {
                requireSame(spec, ready, found.get());
                return join(found.get());
            }
            return catalog.findCopy(spec.name()).thenCompose(copy -> {
                if (copy.isPresent()) {
                    throw new SequenceException.Conflict("sequence " + spec.name() + " is known in datacenter "
                            + catalog.datacenter() + " but its global row is gone. It would start again at "
                            + spec.start() + ": restore the global keyspace instead");
                }
                SequenceEntry entry = SequenceEntry.fresh(spec, Incarnations.FIRST, ready);
                return catalog.insert(entry).thenCompose(outcome -> took(outcome) ? join(entry) : again.get());
            });
        }));
    }

    /** Joins a sequence that this call has just inserted, and of which the datacenter had no copy: so it has no reserve yet. */
    private CompletionStage<SequenceEntry> joinNew(SequenceEntry entry) {
        CompletionStage<Void> reserves = done();
        for (Stripe stripe : Stripe.of(entry.spec())) {
            reserves = reserves.thenCompose(before -> establish(stripe, entry.incarnation()))
                    .thenCompose(outcome -> took(outcome) ? done() : join(stripe, entry.incarnation()));
        }
        return reserves.thenCompose(joined -> catalog.insertCopy(entry))
                .thenCompose(outcome -> announcements.announced(outcome, ChangeLog.Level.DATACENTER, entry.name()))
                .thenCompose(outcome -> took(outcome) ? done() : copy(entry))
                .thenApply(copied -> entry);
    }

    private static void requireSame(SequenceSpec wanted, boolean ready, SequenceEntry found) {
        SequenceSpec spec = found.spec();
        if (found.streams() > 0) {
            throw new SequenceException.Conflict("sequence " + spec.name() + " is interleaved: its " + found.streams()
                    + " streams issue these ids; give the plain one another name");
        }
        if (ready && !found.ready()) {
            throw new SequenceException.Conflict(
                    "sequence " + spec.name() + " exists and awaits its seed; seed it instead of creating it");
        }
        // A registration says where to begin if nothing has begun; a creation says everything.
        boolean same =
                ready ? spec.equals(wanted) : spec.type() == wanted.type() && spec.increment() == wanted.increment();
        if (!same) {
            throw new SequenceException.Conflict("sequence " + spec.name()
                    + " exists with another specification: stored " + spec + ", asked " + wanted);
        }
    }

    /**
     * A dropped sequence begins again as another generation, whose ordinals may mean other ids. So nobody may hold ids of the
     * old one, by old or new ordinals, and the new ids lie past all that were granted.
     */
    private CompletionStage<SequenceEntry> createAgain(
            ChangeRetries.Again<SequenceEntry> again, SequenceEntry dropped, SequenceSpec spec, boolean ready) {
        requirePast(dropped, spec);
        return catalog.history(spec.name()).thenCompose(history -> {
            history.taken().forEach(taken -> requireApart(taken, spec));
            SequenceEntry fresh = SequenceEntry.fresh(
                    spec, Incarnations.firstOfNextGeneration(spec.name(), dropped.incarnation()), ready);
            return standing.isNeeded()
                    ? catalog.findCopy(spec.name())
                            .thenCompose(copy -> createAgainPast(
                                    again, dropped, sameAsForgotten(fresh, history, copy.orElse(dropped))))
                    : createAgainPast(again, dropped, fresh);
        });
    }

    /**
     * Nodes may have forgotten that it was created already. If it was granted ids, processes issue them, and what an
     * ordinal means is decided.
     */
    private static SequenceEntry sameAsForgotten(SequenceEntry fresh, GrantHistory history, SequenceEntry copy) {
        int generation = Incarnations.generation(fresh.incarnation());
        boolean copied = Incarnations.generation(copy.incarnation()) == generation;
        if ((copied && !copy.spec().equals(fresh.spec())) || (!copied && history.end(generation) > 0)) {
            throw new SequenceException.Conflict("sequence " + fresh.name()
                    + " was dropped and created again, nodes that were killed have forgotten that it was created, and"
                    + " processes may issue its ids. "
                    + (copied
                            ? "Create it as it was: " + copy.spec()
                            : "Create it in a datacenter where it was used, or give it another name"));
        }
        return fresh.grantedTo(history.end(generation));
    }

    private CompletionStage<SequenceEntry> createAgainPast(
            ChangeRetries.Again<SequenceEntry> again, SequenceEntry dropped, SequenceEntry fresh) {
        return progress.datacentersBehind(dropped).thenCompose(behind -> {
            if (!behind.isEmpty()) {
                throw new SequenceException.NotAcknowledged("sequence " + fresh.name()
                        + " was dropped, but datacenters " + behind + " have not let go of its ids, and may still issue"
                        + " them; it can be created again when they have. Drop it again to wait for them");
            }
            return change(again, dropped, fresh);
        });
    }

    /** A repaired sequence ends before ids that an older generation was granted. */
    private static void requireApart(GrantHistory.Taken taken, SequenceSpec wanted) {
        long one = wanted.start();
        long other = wanted.idAt(wanted.count() - 1);
        if (Math.min(one, other) <= taken.highest() && Math.max(one, other) >= taken.lowest()) {
            throw new SequenceException.Conflict("sequence " + wanted.name()
                    + " was repaired after it had been raised too far, and ids from " + taken.lowest() + " to "
                    + taken.highest() + " may have been issued before: it would issue " + one + " to " + other
                    + ". End it before them, start it past them, or give it another name");
        }
    }

    private static void requirePast(SequenceEntry dropped, SequenceSpec wanted) {
        SequenceSpec old = dropped.spec();
        if (old.order() == Order.TIME || wanted.order() == Order.TIME) {
            throw new SequenceException.Conflict("sequence " + wanted.name() + " was dropped, and was in order "
                    + old.order() + "; what may have been issued under it cannot be told from ids in order "
                    + wanted.order() + ": give it another name");
        }
        int direction = Long.signum(old.increment());
        if (Long.signum(wanted.increment()) != direction) {
            // Ids before the start may have been issued by an earlier generation than the last.
            throw new SequenceException.Conflict(
                    "sequence " + wanted.name() + " was dropped, and counted the other way:"
                            + " increment=" + wanted.increment() + ", was " + old.increment()
                            + "; keep the direction, or give it another name");
        }
        // What would have been granted next, not what follows the last that was granted: an advance or a seed may have
        // promised that an id between the two, and every id before it, will not be issued.
        BigInteger free = BigInteger.valueOf(old.start())
                .add(BigInteger.valueOf(dropped.next()).multiply(BigInteger.valueOf(old.increment())));
        if (BigInteger.valueOf(wanted.start()).subtract(free).signum() * direction < 0) {
            throw new SequenceException.Conflict(
                    "sequence " + wanted.name() + " was dropped, and may have issued every id"
                            + " before " + free + ": start=" + wanted.start() + ". The first id that is free is " + free
                            + ": create it with that start, or past it");
        }
    }

    /**
     * Gives this datacenter its reserves and its copy of the sequence, or brings them up to date. A new reserve begins
     * above every grant that this datacenter ever got; at grant 0 it would absorb, and issue, all of them again.
     */
    public CompletionStage<SequenceEntry> join(SequenceEntry entry) {
        CompletionStage<Void> reserves = done();
        for (Stripe stripe : Stripe.of(entry.spec())) {
            reserves = reserves.thenCompose(before -> join(stripe, entry.incarnation()));
        }
        // The reserves first: a process that finds the copy relies on them.
        return reserves.thenCompose(joined -> copy(entry)).thenApply(copied -> entry);
    }

    private CompletionStage<Void> join(Stripe stripe, int incarnation) {
        return retries.run(again -> store.reserve(stripe).thenCompose(found -> {
            if (found.isPresent() && found.get().incarnation() >= incarnation) {
                return done();
            }
            // Unless it was done, only the next read shows whether the reserve is there: unknown is not done.
            return (found.isPresent() ? adopt(stripe, found.get(), incarnation) : establish(stripe, incarnation))
                    .thenCompose(outcome -> took(outcome) ? done() : again.get());
        }));
    }

    private CompletionStage<ClaimOutcome> adopt(Stripe stripe, Reserve seen, int incarnation) {
        return store.highestGrant(stripe, incarnation)
                .thenCompose(grant -> store.adopt(stripe, seen, incarnation, grant));
    }

    private CompletionStage<ClaimOutcome> establish(Stripe stripe, int incarnation) {
        return catalog.participations(stripe.sequence()).thenCompose(all -> {
            List<Participation> granted =
                    all.stream().filter(each -> wasGranted(each, incarnation)).toList();
            if (granted.isEmpty()) {
                return store.establish(stripe, incarnation, 0, List.of());
            }
            // In this order, a grant that lands in between is a gap. In the other order, ordinals that can be claimed
            // would be recorded as lost.
            return lostClaims(stripe, granted).thenCompose(lost -> store.highestGrant(stripe, incarnation)
                    .thenCompose(grant -> store.establish(stripe, incarnation, grant, lost)));
        });
    }

    private boolean wasGranted(Participation each, int incarnation) {
        return each.granted()
                && each.datacenter().equals(catalog.datacenter())
                && each.incarnation() <= incarnation
                && Incarnations.sameGeneration(each.incarnation(), incarnation);
    }

    /**
     * Grants are made to reserves only. So a stripe without one that was granted ids has lost it, and with it the rows that
     * say which processes hold them.
     */
    private CompletionStage<List<Claim>> lostClaims(Stripe stripe, List<Participation> granted) {
        CompletionStage<List<Claim>> lost = CompletableFuture.completedFuture(new ArrayList<>());
        for (Participation each : granted) {
            lost = lost.thenCombine(lostClaim(stripe, each.incarnation()), (list, claim) -> {
                claim.ifPresent(list::add);
                return list;
            });
        }
        return lost;
    }

    private CompletionStage<Optional<Claim>> lostClaim(Stripe stripe, int incarnation) {
        return store.highestGrant(stripe, incarnation)
                .thenCompose(highest -> highest == 0
                        ? CompletableFuture.completedFuture(Optional.empty())
                        : store.grantAt(stripe, incarnation, 1)
                                .thenCombine(store.grantAt(stripe, incarnation, highest), (first, last) -> {
                                    Span span = new Span(
                                            first.or(() -> last)
                                                    .orElseThrow()
                                                    .span()
                                                    .lo(),
                                            last.orElseThrow().span().hi());
                                    return Optional.of(new Claim(incarnation, span, tokens.get()));
                                }));
    }

    private CompletionStage<Void> copy(SequenceEntry entry) {
        return retries.run(again -> catalog.findCopy(entry.name()).thenCompose(found -> {
            if (found.isEmpty()) {
                return catalog.insertCopy(entry)
                        .thenCompose(
                                outcome -> announcements.announced(outcome, ChangeLog.Level.DATACENTER, entry.name()))
                        .thenCompose(outcome -> took(outcome) ? done() : again.get());
            }
            SequenceEntry seen = found.get();
            // A copy never goes back: a slow writer may carry an entry that another writer has overtaken.
            return entry.isLaterThan(seen)
                    ? catalog.replaceCopy(seen, entry)
                            .thenCompose(outcome ->
                                    announcements.announced(outcome, ChangeLog.Level.DATACENTER, entry.name()))
                            .thenCompose(outcome -> took(outcome) ? done() : again.get())
                    : done();
        }));
    }

    StandingSequences standing() {
        return standing;
    }

    /**
     * What of an entry's generation was used, as grants and the copy show it. That is more than the entry says if nodes have
     * forgotten a raise that was acted upon: its incarnation must not mean something else again.
     *
     * @param incarnation the last one; at least the entry's
     * @param end the first ordinal that was not granted; at least the entry's next
     */
    record Used(int incarnation, long end) {
        boolean isAsIn(SequenceEntry entry) {
            return incarnation == entry.incarnation() && end == entry.next();
        }
    }

    /** Reads what was used, if nodes may have forgotten anything. */
    CompletionStage<Used> used(SequenceEntry seen) {
        if (!standing.isNeeded()) {
            return CompletableFuture.completedFuture(new Used(seen.incarnation(), seen.next()));
        }
        int generation = Incarnations.generation(seen.incarnation());
        return catalog.history(seen.name())
                .thenCombine(
                        catalog.findCopy(seen.name()),
                        (history, copy) -> new Used(
                                Math.max(
                                        Math.max(seen.incarnation(), history.lastIncarnation(generation)),
                                        copy.map(SequenceEntry::incarnation)
                                                .filter(each -> Incarnations.generation(each) == generation)
                                                .orElse(0)),
                                Math.max(seen.next(), history.end(generation))));
    }

    /**
     * Makes a change, and makes it again while nodes forget it.
     *
     * @param change may be repeated, and joins
     * @return a stage that completes when no node forgets the change any more
     */
    CompletionStage<SequenceEntry> lasting(Supplier<CompletionStage<SequenceEntry>> change) {
        return lasting(change, StandingSequences.MAX_REPEATS);
    }

    private CompletionStage<SequenceEntry> lasting(Supplier<CompletionStage<SequenceEntry>> change, int tries) {
        return change.get().thenCompose(entry -> standing
                // Row and reserves are known from here on, so that they are waited for together.
                .untilKnown(entry)
                .thenCompose(left -> standing.isKept(entry))
                .thenCompose(kept -> kept
                        ? reservesMoved(entry, StandingSequences.MAX_REPEATS)
                        : tries > 1
                                ? lasting(change, tries - 1)
                                : CompletableFuture.failedFuture(StandingSequences.forgotten(entry.name()))));
    }

    /** As {@link #join}; completes when no node forgets any more that the reserves have moved. */
    CompletionStage<SequenceEntry> joinLasting(SequenceEntry entry) {
        return join(entry).thenCompose(joined -> reservesMoved(entry, StandingSequences.MAX_REPEATS));
    }

    private CompletionStage<SequenceEntry> reservesMoved(SequenceEntry entry, int tries) {
        return standing.haveReservesMoved(entry)
                .thenCompose(moved -> moved
                        ? CompletableFuture.completedFuture(entry)
                        : tries > 1
                                ? join(entry).thenCompose(joined -> reservesMoved(entry, tries - 1))
                                : CompletableFuture.failedFuture(StandingSequences.forgotten(entry.name())));
    }

    /**
     * Looks whether a creation stands, and creates again what nodes have forgotten. For a caller who does not wait: by then
     * ids may have been granted.
     *
     * @param created as {@link #create} returned it
     * @return a stage that completes when no node forgets the creation any more
     */
    public CompletionStage<SequenceEntry> keep(SequenceEntry created) {
        return standing.isNeeded()
                ? lasting(new Supplier<>() {
                    private boolean again;

                    @Override
                    public CompletionStage<SequenceEntry> get() {
                        CompletionStage<SequenceEntry> made =
                                again ? createForgotten(created) : CompletableFuture.completedFuture(created);
                        again = true;
                        return made;
                    }
                })
                : CompletableFuture.completedFuture(created);
    }

    private CompletionStage<SequenceEntry> createForgotten(SequenceEntry created) {
        return retries.run(again -> catalog.find(created.name()).thenCompose(found -> {
            if (found.filter(now -> now.keeps(created)).isPresent()) {
                return join(created);
            }
            return catalog.history(created.name()).thenCompose(history -> {
                SequenceEntry after = created.grantedTo(history.end(Incarnations.generation(created.incarnation())));
                return found.map(now -> catalog.replace(requireBefore(created, now), after))
                        .orElseGet(() -> catalog.insert(after))
                        .thenCompose(
                                outcome -> announcements.announced(outcome, ChangeLog.Level.GLOBAL, created.name()))
                        .thenCompose(outcome -> took(outcome) ? join(after) : again.get());
            });
        }));
    }

    private static SequenceEntry requireBefore(SequenceEntry created, SequenceEntry now) {
        if (!now.dropped() || now.incarnation() >= created.incarnation()) {
            throw new SequenceException.Conflict("sequence " + created.name()
                    + " was created, nodes that were killed have forgotten it, and it was created otherwise since");
        }
        return now;
    }

    /**
     * Drops the sequence for good: nothing more is granted, and the processes let go as for a raise. Its row stays, so that
     * what was issued is not issued again.
     */
    public CompletionStage<SequenceEntry> drop(String name) {
        return retries.run(again -> requireKnown(name)
                .thenCompose(seen -> seen.dropped()
                        ? join(seen)
                        : used(seen)
                                .thenCompose(used -> change(
                                        again, seen, seen.grantedTo(used.end()).drop(used.incarnation())))));
    }

    /**
     * Drops the sequence only as it was when something was proven of it: grants may have been made since, and nothing else. If
     * it was dropped since, by any caller, nothing is left to do.
     *
     * @param proven as it was read, dropped or not
     * @return a stage that fails with {@link SequenceException.Conflict} if the sequence has changed
     */
    public CompletionStage<SequenceEntry> drop(SequenceEntry proven) {
        int dropped = proven.dropped() ? proven.incarnation() : proven.drop().incarnation();
        return retries.run(again -> requireKnown(proven.name()).thenCompose(seen -> {
            if (seen.dropped() && seen.incarnation() == dropped) {
                return join(seen);
            }
            if (seen.dropped()
                    || seen.incarnation() != proven.incarnation()
                    || seen.ready() != proven.ready()
                    || seen.origin() != proven.origin()
                    || seen.floor() != proven.floor()) {
                throw changed(proven.name());
            }
            return change(again, seen, seen.drop());
        }));
    }

    static SequenceException changed(String name) {
        return new SequenceException.Conflict("sequence " + name
                + " was changed by another operator meanwhile, and was not repaired: check it again");
    }

    /** Replaces an entry as it was read, announces this and joins; does {@code again} if that may not have taken effect. */
    CompletionStage<SequenceEntry> change(
            ChangeRetries.Again<SequenceEntry> again, SequenceEntry seen, SequenceEntry after) {
        return changeTo(again, seen, after, Optional.empty());
    }

    /** As {@link #change}, and records ids that no generation may issue again, in the same step. */
    CompletionStage<SequenceEntry> changeTo(
            ChangeRetries.Again<SequenceEntry> again,
            SequenceEntry seen,
            SequenceEntry after,
            Optional<GrantHistory.Taken> taken) {
        // Refused or unknown: read again. What is there then shows whether anything is left to do.
        return taken.map(ids -> catalog.replace(seen, after, ids))
                .orElseGet(() -> catalog.replace(seen, after))
                .thenCompose(outcome -> announcements.announced(outcome, ChangeLog.Level.GLOBAL, after.name()))
                .thenCompose(outcome -> took(outcome) ? join(after) : again.get());
    }

    /** Returns this datacenter's copy if it is ready; if not, the global entry, because another datacenter may have seeded it. */
    public CompletionStage<SequenceEntry> newestEntry(String name) {
        return catalog.findCopy(name).thenCompose(copy -> {
            if (copy.isPresent() && copy.get().ready()) {
                return CompletableFuture.completedFuture(copy.get());
            }
            return require(name).thenCompose(found -> {
                boolean nothingNew = copy.isPresent() && !found.ready();
                return nothingNew ? CompletableFuture.completedFuture(found) : join(found);
            });
        });
    }

    private static boolean took(ClaimOutcome outcome) {
        return outcome instanceof ClaimOutcome.Claimed;
    }

    private static CompletionStage<Void> done() {
        return CompletableFuture.completedFuture(null);
    }
}
