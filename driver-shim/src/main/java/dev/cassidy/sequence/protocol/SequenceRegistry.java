package dev.cassidy.sequence.protocol;

import dev.cassidy.sequence.Order;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.store.ChangeLog;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.HeldClaim;
import dev.cassidy.sequence.store.Incarnations;
import dev.cassidy.sequence.store.Participation;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.SequenceCatalog;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.sequence.store.Stripe;
import dev.cassidy.sequence.store.Tails;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which sequences there are: created once for all datacenters, copied into each that joins, moved only upwards. Every
 * change is a compare-and-set on what was read, so any number may run at once, and each may be run again.
 *
 * <p><b>Raising</b> a sequence whose ids have been granted moves its incarnation. It is complete when nobody will issue an
 * id of an older one, and that is known from acknowledgements, one for each datacenter that was granted any:
 *
 * <ol>
 *   <li>the global incarnation moves to <i>n</i>: from here on no datacenter is granted anything in an older one;
 *   <li>each process that notices ends its blocks, and then removes their claim rows;
 *   <li>each datacenter moves the reserve of every stripe to <i>n</i>: from here on no claim of an older one succeeds;
 *   <li>after that, and only after, somebody in the datacenter reads its claims of older incarnations. When there are none,
 *       the datacenter acknowledges <i>n</i>.
 * </ol>
 *
 * <p>An acknowledgement can not be overtaken by an old claim that lands late: a claim is one compare-and-set on its
 * reserve's incarnation, which never goes back, in the partition that also has the claim's row. So it landed before step 3
 * and its row is seen in step 4, or it is refused for ever. What a claim's row stands for ends before the row does: a
 * process removes it when every id was drawn or the block was ended. A process that stopped without doing so keeps its row,
 * and with it the acknowledgement, until somebody who knows that it is gone {@linkplain #release releases} it.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
public final class SequenceRegistry {

    private static final Duration PAUSE = Duration.ofMillis(50);

    /** A process that claimed more lately than that is not taken for gone. */
    private static final Duration YOUNGEST_ABANDONED = Duration.ofHours(1);

    private static final Logger LOG = LoggerFactory.getLogger(SequenceRegistry.class);

    private final SequenceCatalog catalog;
    private final RangeStore store;
    private final ChangeLog changes;
    private final Duration timeout;
    private final Timer timer;
    private final LongSupplier nanoTime;
    private final Supplier<UUID> tokens;

    /** @param changes is told of what this changes, for others to notice */
    public SequenceRegistry(SequenceCatalog catalog, RangeStore store, ChangeLog changes, AllocatorContext context) {
        this.catalog = catalog;
        this.store = store;
        this.changes = changes;
        this.timeout = context.claimTimeout();
        this.timer = context.timer();
        this.nanoTime = context.nanoTime();
        this.tokens = context.tokens();
    }

    /**
     * Who may still issue ids from before the last raise.
     *
     * @param holders the processes of this datacenter
     * @param datacenters that have not acknowledged, by name; this one too
     */
    public record Behind(List<HeldClaim> holders, List<String> datacenters) {
        public boolean isNobody() {
            return datacenters.isEmpty();
        }
    }

    /** Reads a sequence, dropped or not; empty also for a name that only stands for streams. */
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

    /** As {@link #require}, for what only a sequence that counts can do. */
    private CompletionStage<SequenceEntry> requireCounted(String name) {
        return require(name).thenApply(entry -> {
            if (entry.spec().order() == Order.TIME) {
                throw new SequenceException.Conflict(
                        "sequence " + name + " is time-ordered: its ids come from the clock,"
                                + " and it can be neither seeded nor restarted nor advanced");
            }
            return entry;
        });
    }

    /** Returns what says that a sequence was dropped, and how to go on. */
    public static SequenceException dropped(String name) {
        return new SequenceException.Dropped("sequence " + name + " was dropped, and issues nothing any more. What it"
                + " issued stays taken: create it anew past that, or give the table another sequence");
    }

    private static SequenceException notFound(String name) {
        return new SequenceException.NotFound("there is no sequence " + name
                + "; nothing creates one by itself. Register it: java -jar migration-tool/target/migration-tool.jar"
                + " register --table KEYSPACE.TABLE --column COLUMN --start N");
    }

    /**
     * Creates the sequence if there is none, and joins this datacenter to it.
     *
     * @param ready whether it issues ids at once; else it awaits its seed
     */
    public CompletionStage<SequenceEntry> create(SequenceSpec spec, boolean ready) {
        // What the streams agree on first: once it is there, it stays, and whoever comes later finds it.
        return spec.streams() == 0
                ? createOne(spec, ready)
                : agree(spec.interleaved(), spec.streams()).thenCompose(agreed -> createOne(spec, ready));
    }

    private CompletionStage<Void> agree(SequenceSpec interleaved, int streams) {
        return withRetries(again -> catalog.find(interleaved.name()).thenCompose(found -> {
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
                    + " is interleaved otherwise, so that streams would issue the same ids: stored " + found.streams()
                    + " streams of " + spec + ", asked " + streams + " streams of " + wanted);
        }
    }

    private CompletionStage<SequenceEntry> createOne(SequenceSpec spec, boolean ready) {
        return withRetries(again -> catalog.find(spec.name()).thenCompose(found -> {
            if (found.isPresent() && found.get().dropped()) {
                return createAnew(again, found.get(), spec, ready);
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
        // A registration states where to begin if nobody has begun; a creation states everything.
        boolean same =
                ready ? spec.equals(wanted) : spec.type() == wanted.type() && spec.increment() == wanted.increment();
        if (!same) {
            throw new SequenceException.Conflict("sequence " + spec.name()
                    + " exists with another specification: stored " + spec + ", asked " + wanted);
        }
    }

    /**
     * A dropped sequence begins again as another generation, whose ordinals may mean other ids. So nobody may hold anything
     * of the old one, by old or new ordinals, and the new ids lie past all that were granted.
     */
    private CompletionStage<SequenceEntry> createAnew(
            Retry<SequenceEntry> again, SequenceEntry dropped, SequenceSpec spec, boolean ready) {
        requirePast(dropped, spec);
        return datacentersBehind(dropped).thenCompose(behind -> {
            if (!behind.isEmpty()) {
                throw new SequenceException.NotAcknowledged("sequence " + spec.name()
                        + " was dropped, but datacenters " + behind + " have not let go of its ids, and may still issue"
                        + " them; it can be created anew when they have. Drop it again to wait for them");
            }
            int incarnation = Incarnations.firstOfNextGeneration(spec.name(), dropped.incarnation());
            return change(again, dropped, SequenceEntry.fresh(spec, incarnation, ready));
        });
    }

    private static void requirePast(SequenceEntry dropped, SequenceSpec wanted) {
        SequenceSpec old = dropped.spec();
        if (old.order() == Order.TIME || wanted.order() == Order.TIME) {
            throw new SequenceException.Conflict("sequence " + wanted.name() + " was dropped, and was in order "
                    + old.order() + "; what may have been issued under it can not be told from ids in order "
                    + wanted.order() + ": give it another name");
        }
        int direction = Long.signum(old.increment());
        if (Long.signum(wanted.increment()) != direction) {
            // Ids before the start may be those of a generation before the last.
            throw new SequenceException.Conflict(
                    "sequence " + wanted.name() + " was dropped, and counted the other way:"
                            + " increment=" + wanted.increment() + ", was " + old.increment()
                            + "; keep the direction, or give it another name");
        }
        // What would have been granted next, not what follows the last that was: an advance or a seed may have promised
        // that an id between the two, and every id before it, will not be issued.
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
        for (Stripe stripe : stripes(entry.spec())) {
            reserves = reserves.thenCompose(before -> join(stripe, entry.incarnation()));
        }
        // The reserves first: whoever finds the copy counts on them.
        return reserves.thenCompose(joined -> copy(entry)).thenApply(copied -> entry);
    }

    private CompletionStage<Void> join(Stripe stripe, int incarnation) {
        return withRetries(again -> store.reserve(stripe).thenCompose(found -> {
            if (found.isPresent() && found.get().incarnation() >= incarnation) {
                return done();
            }
            // Whatever the outcome, only the next look tells whether the reserve is there: unknown is not done.
            return (found.isPresent() ? adopt(stripe, found.get(), incarnation) : establish(stripe, incarnation))
                    .thenCompose(outcome -> took(outcome) ? done() : again.get());
        }));
    }

    private CompletionStage<ClaimOutcome> adopt(Stripe stripe, Reserve seen, int incarnation) {
        return store.highestGrant(stripe, incarnation)
                .thenCompose(grant -> store.adopt(stripe, seen, incarnation, grant));
    }

    private CompletionStage<ClaimOutcome> establish(Stripe stripe, int incarnation) {
        // In this order, a grant that lands in between is a gap; in the other, what can be claimed would be called
        // lost.
        return lostClaims(stripe, incarnation).thenCompose(lost -> store.highestGrant(stripe, incarnation)
                .thenCompose(grant -> store.establish(stripe, incarnation, grant, lost)));
    }

    /**
     * Grants are made to reserves only. So a stripe without one that was granted ids has lost it, and with it the rows that
     * say which processes hold them.
     */
    private CompletionStage<List<Claim>> lostClaims(Stripe stripe, int incarnation) {
        return catalog.participations(stripe.sequence()).thenCompose(all -> {
            CompletionStage<List<Claim>> lost = CompletableFuture.completedFuture(new ArrayList<>());
            for (Participation each : all) {
                if (each.granted()
                        && each.datacenter().equals(catalog.datacenter())
                        && each.incarnation() <= incarnation
                        && Incarnations.sameGeneration(each.incarnation(), incarnation)) {
                    lost = lost.thenCombine(lostClaim(stripe, each.incarnation()), (list, claim) -> {
                        claim.ifPresent(list::add);
                        return list;
                    });
                }
            }
            return lost;
        });
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

    private static List<Stripe> stripes(SequenceSpec spec) {
        // Where ids come from clocks, nothing is granted.
        return IntStream.range(0, spec.order() == Order.TIME ? 0 : spec.stripes())
                .mapToObj(number -> new Stripe(spec.name(), number))
                .toList();
    }

    private CompletionStage<Void> copy(SequenceEntry entry) {
        return withRetries(again -> catalog.findCopy(entry.name()).thenCompose(found -> {
            if (found.isEmpty()) {
                return catalog.insertCopy(entry)
                        .thenCompose(outcome -> announced(outcome, ChangeLog.Level.DATACENTER, entry.name()))
                        .thenCompose(outcome -> took(outcome) ? done() : again.get());
            }
            SequenceEntry seen = found.get();
            // A copy never goes back: a slow writer may carry what another has overtaken.
            return entry.isLaterThan(seen)
                    ? catalog.replaceCopy(seen, entry)
                            .thenCompose(outcome -> announced(outcome, ChangeLog.Level.DATACENTER, entry.name()))
                            .thenCompose(outcome -> took(outcome) ? done() : again.get())
                    : done();
        }));
    }

    /** Raises the sequence so that nothing before {@code next} will be issued any more, and makes it ready. */
    public CompletionStage<SequenceEntry> seed(String name, long next) {
        return withRetries(again -> requireCounted(name).thenCompose(seen -> {
            long target = ordinalWithin(seen.spec(), seen.spec().ordinalOf(next), next);
            if (!seen.ready()) {
                return change(again, seen, seen.beginningAt(Math.max(seen.next(), target)));
            }
            // Judged by where the incarnation began, not by next: what lies between was granted, and may be issued yet.
            if (target <= seen.origin()) {
                return join(seen);
            }
            return change(
                    again,
                    seen,
                    seen.untouched() ? seen.beginningAt(target) : seen.raisedTo(Math.max(seen.next(), target)));
        }));
    }

    /**
     * Makes {@code next} the next id that is granted.
     *
     * @return a stage that fails with {@link SequenceException.Conflict} if it may have been issued, or is none of the
     *     sequence's ids
     */
    public CompletionStage<SequenceEntry> restart(String name, long next) {
        return withRetries(again -> requireCounted(name).thenCompose(seen -> {
            SequenceSpec spec = seen.spec();
            BigInteger at = spec.ordinalOf(next);
            long target = ordinalWithin(spec, at, next);
            if (spec.idAt(target) != next) {
                throw new SequenceException.Conflict("sequence " + name + " can not restart with " + next
                        + ", which it never issues: start=" + spec.start() + " increment=" + spec.increment()
                        + "; the next of its ids is " + spec.idAt(target));
            }
            if (target == seen.next() && target == seen.origin()) {
                return seen.ready() ? join(seen) : change(again, seen, seen.beginningAt(target));
            }
            if (target < seen.next()) {
                // Run again while somebody still held older ids: then it is the same restart, to be waited for.
                return datacentersBehind(seen).thenCompose(behind -> {
                    if (target == seen.origin() && !behind.isEmpty()) {
                        return join(seen);
                    }
                    throw new SequenceException.Conflict("sequence " + name + " can not restart with " + next
                            + ", which may have been issued: ids before " + idOrEnd(spec, seen.next())
                            + " are taken, and a row that is inserted with one a second time overwrites the first."
                            + " Restart with " + idOrEnd(spec, seen.next()) + " or past it");
                });
            }
            return change(
                    again, seen, seen.untouched() || !seen.ready() ? seen.beginningAt(target) : seen.raisedTo(target));
        }));
    }

    private static String idOrEnd(SequenceSpec spec, long ordinal) {
        return ordinal < spec.count() ? Long.toString(spec.idAt(ordinal)) : "its end";
    }

    /**
     * Drops the sequence for good: nothing more is granted, and the processes let go as for a raise. What stays behind says
     * so, and keeps what was issued from being issued again.
     */
    public CompletionStage<SequenceEntry> drop(String name) {
        return withRetries(again ->
                requireKnown(name).thenCompose(seen -> seen.dropped() ? join(seen) : change(again, seen, seen.drop())));
    }

    /**
     * Sees to it that no id up to {@code id} is granted in the sequence's incarnation: its origin then lies past it. The
     * floor is left to {@link #raiseFloor}, once nobody holds an older one.
     */
    public CompletionStage<SequenceEntry> recallPast(String name, long id) {
        return withRetries(again -> requireCounted(name).thenCompose(seen -> {
            SequenceSpec spec = seen.spec();
            BigInteger at = spec.ordinalOf(id);
            boolean issuable = at.signum() >= 0 && at.bitLength() < Long.SIZE && spec.idAt(at.longValueExact()) == id;
            long target = ordinalWithin(spec, issuable ? at.add(BigInteger.ONE) : at, id);
            if (!seen.ready()) {
                throw new SequenceException.NotReady(
                        "sequence " + name + " awaits its seed: seed it past " + id + " instead of advancing it");
            }
            // If it was recalled before, once more would only burn what has been granted since.
            return target <= seen.origin()
                    ? join(seen)
                    : change(again, seen, seen.raisedTo(Math.max(seen.next(), target)));
        }));
    }

    /**
     * Makes where {@code entry} began the floor, if every datacenter has acknowledged it.
     *
     * @param entry as {@link #recallPast} returned it
     * @return a stage that fails with {@link SequenceException.NotAcknowledged}
     */
    public CompletionStage<SequenceEntry> raiseFloor(SequenceEntry entry) {
        return withRetries(again -> require(entry.name()).thenCompose(seen -> {
            if (seen.floor() >= entry.origin()
                    || !Incarnations.sameGeneration(seen.incarnation(), entry.incarnation())) {
                return join(seen);
            }
            return datacentersBehind(entry).thenCompose(behind -> {
                if (!behind.isEmpty()) {
                    throw new SequenceException.NotAcknowledged("sequence " + entry.name()
                            + " keeps its floor: datacenters " + behind + " have not acknowledged");
                }
                return change(again, seen, seen.withFloor(entry.origin()));
            });
        }));
    }

    private CompletionStage<SequenceEntry> change(Retry<SequenceEntry> again, SequenceEntry seen, SequenceEntry after) {
        // Refused or unknown: read again. What is there then tells whether anything is left to do.
        return catalog.replace(seen, after)
                .thenCompose(outcome -> announced(outcome, ChangeLog.Level.GLOBAL, after.name()))
                .thenCompose(outcome -> took(outcome) ? join(after) : again.get());
    }

    /** Tells of what took effect, or may have. */
    private CompletionStage<ClaimOutcome> announced(ClaimOutcome outcome, ChangeLog.Level level, String name) {
        return outcome instanceof ClaimOutcome.Lost
                ? CompletableFuture.completedFuture(outcome)
                : announce(level, name).thenApply(told -> outcome);
    }

    /** A hint that does not arrive fails nothing: others look at everything now and then. */
    private CompletionStage<Void> announce(ChangeLog.Level level, String name) {
        return tell(level, name).thenAccept(told -> {});
    }

    /** Returns whether it arrived. */
    private CompletionStage<Boolean> tell(ChangeLog.Level level, String name) {
        return changes.announce(level, new ChangeLog.Change(ChangeLog.Kind.SEQUENCE, name))
                .handle((done, failure) -> {
                    if (failure != null) {
                        LOG.debug("the change of sequence {} could not be told to level {}", name, level, failure);
                    }
                    return failure == null;
                });
    }

    /**
     * Does this datacenter's part in the sequence's last raise: moves its reserves, and acknowledges if none of its
     * processes holds older ids. May be called at any time, by anybody in the datacenter, any number of times.
     *
     * @param entry as it is, or was
     * @return the claims that stand in the way; none if there is nothing to acknowledge, or no more
     */
    public CompletionStage<List<HeldClaim>> acknowledge(SequenceEntry entry) {
        return catalog.participations(entry.name()).thenCompose(all -> {
            boolean owes = owing(all, entry.incarnation()).contains(catalog.datacenter());
            if (!owes) {
                return catalog.findCopy(entry.name())
                        .thenCompose(copy -> copy.isPresent()
                                ? join(entry).thenCompose(this::noted).thenCompose(noted -> none())
                                : none());
            }
            // The order matters: only reserves that have moved let nothing old be claimed after we have looked.
            return join(entry)
                    .thenCompose(this::claimsBefore)
                    .thenCompose(held -> held.isEmpty()
                            ? write(entry, catalog.datacenter())
                                    .thenCompose(written -> noted(entry))
                                    .thenApply(noted -> held)
                            : CompletableFuture.completedFuture(held));
        });
    }

    /** For those who come later; that it fails is no matter. */
    private CompletionStage<Void> noted(SequenceEntry entry) {
        return Incarnations.isRaised(entry.incarnation())
                ? catalog.noteAcknowledged(entry.name(), entry.incarnation()).exceptionally(failure -> {
                    LOG.debug("that sequence {} is acknowledged could not be noted", entry.name(), failure);
                    return null;
                })
                : done();
    }

    /** Lost: another process of the datacenter has written the same. Unknown: the same again does no harm. */
    private CompletionStage<Void> write(SequenceEntry entry, String datacenter) {
        return withRetries(again -> catalog.acknowledge(entry.name(), entry.incarnation(), datacenter)
                .thenCompose(outcome -> outcome instanceof ClaimOutcome.Unknown ? again.get() : done()));
    }

    /** Reads which datacenters were granted ids before an entry's incarnation, and have not acknowledged it. */
    public CompletionStage<List<String>> datacentersBehind(SequenceEntry entry) {
        return catalog.participations(entry.name()).thenApply(all -> List.copyOf(owing(all, entry.incarnation())));
    }

    private static Set<String> owing(List<Participation> all, int incarnation) {
        Set<String> done = all.stream()
                .filter(each -> each.acknowledged() && each.incarnation() >= incarnation)
                .map(Participation::datacenter)
                .collect(Collectors.toSet());
        return all.stream()
                .filter(each -> each.granted() && each.incarnation() < incarnation)
                .filter(each -> Incarnations.sameGeneration(each.incarnation(), incarnation))
                .map(Participation::datacenter)
                .filter(datacenter -> !done.contains(datacenter))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * Acknowledges for this datacenter and waits for the others.
     *
     * @param most how long at the most
     * @param look how long between two looks
     * @return who has not let go by then; nobody if the raise is complete
     */
    public CompletionStage<Behind> settle(SequenceEntry entry, Duration most, Duration look) {
        return settle(entry, nanoTime.getAsLong() + most.toNanos(), look, false);
    }

    /** @param told whether all who may hold older ids were told since this was called: the first time it may have been lost */
    private CompletionStage<Behind> settle(SequenceEntry entry, long deadline, Duration look, boolean told) {
        return acknowledge(entry)
                .thenCompose(held -> datacentersBehind(entry).thenApply(behind -> new Behind(held, behind)))
                .thenCompose(behind -> {
                    if (behind.isNobody()) {
                        return CompletableFuture.completedFuture(behind);
                    }
                    return (told ? CompletableFuture.completedFuture(true) : tell(ChangeLog.Level.GLOBAL, entry.name()))
                            .thenCompose(arrived -> nanoTime.getAsLong() - deadline >= 0
                                    ? CompletableFuture.completedFuture(behind)
                                    : timer.after(look).thenCompose(waited -> settle(entry, deadline, look, arrived)));
                });
    }

    /** Returns the claims of this datacenter in older incarnations. */
    public CompletionStage<List<HeldClaim>> claimsBefore(SequenceEntry entry) {
        // Those of older generations are none: it was created anew only when everybody had acknowledged the drop.
        int first = Incarnations.first(Incarnations.generation(entry.incarnation()));
        return claims(entry, first, entry.incarnation());
    }

    private CompletionStage<List<HeldClaim>> claims(SequenceEntry entry, int from, int before) {
        CompletionStage<List<HeldClaim>> all = CompletableFuture.completedFuture(new ArrayList<>());
        for (Stripe stripe : stripes(entry.spec())) {
            all = all.thenCompose(found -> catalog.claims(stripe, from, before).thenApply(more -> {
                found.addAll(more);
                return found;
            }));
        }
        return all;
    }

    /** Returns the claims of this datacenter in the entry's incarnation. */
    public CompletionStage<List<HeldClaim>> claimsOf(SequenceEntry entry) {
        return claims(entry, entry.incarnation(), Math.addExact(entry.incarnation(), 1));
    }

    /**
     * The claims of a process that is said to be gone.
     *
     * @param reclaimable may be given back, less what was used of them
     * @param tooOld must not: a row as old as that may be one that was removed long ago, brought back by a replica that has
     *     never heard of it, and others may have had its ids since
     */
    public record Abandoned(List<HeldClaim> reclaimable, List<HeldClaim> tooOld) {}

    /**
     * Finds the claims of one holder in the entry's incarnation.
     *
     * @param asked the holder, as {@link HolderName#find} takes it
     * @return a stage that fails with {@link SequenceException.Conflict} if it claimed anything within the last hour, or if
     *     several holders are meant
     */
    public CompletionStage<Abandoned> abandonedBy(SequenceEntry entry, String asked) {
        return claimsOf(entry).thenCombine(catalog.forgottenFor(), (claims, forgottenFor) -> {
            Optional<String> holder = anotherHolder(asked, claims);
            // Half of it, as a margin for the clocks of the servers, and for a setting that was lowered.
            Duration oldest = forgottenFor.dividedBy(2);
            List<HeldClaim> reclaimable = new ArrayList<>();
            List<HeldClaim> tooOld = new ArrayList<>();
            for (HeldClaim each : claims) {
                if (!holder.equals(Optional.of(each.holder()))) {
                    continue;
                }
                if (each.age().compareTo(YOUNGEST_ABANDONED) < 0) {
                    throw new SequenceException.Conflict("sequence " + entry.name() + ": process " + each.holder()
                            + " claimed ids " + each.age() + " ago, and so may well be alive; nothing is reclaimed of a"
                            + " process that claimed any within " + YOUNGEST_ABANDONED);
                }
                (each.age().compareTo(oldest) < 0 ? reclaimable : tooOld).add(each);
            }
            return new Abandoned(reclaimable, tooOld);
        });
    }

    private Optional<String> anotherHolder(String asked, List<HeldClaim> held) {
        Optional<String> found =
                HolderName.find(asked, held.stream().map(HeldClaim::holder).collect(Collectors.toSet()));
        if (store.holder().equals(found.orElse(asked))) {
            throw new IllegalArgumentException("must be a process that is gone: process='" + asked + "' is this one, "
                    + store.holder() + "; it lets go by itself");
        }
        return found;
    }

    /**
     * Ends a claim for a process that is gone, and makes what it did not use tails.
     *
     * @param unused of the claim's ordinals, in ascending order
     * @return whether this call did so; else the claim had ended before
     */
    public CompletionStage<Boolean> reclaim(HeldClaim abandoned, List<Span> unused) {
        Stripe stripe = abandoned.stripe();
        Claim claim = abandoned.claim();
        AtomicBoolean doubtful = new AtomicBoolean();
        return withRetries(again -> store.claimAt(
                        stripe, claim.incarnation(), claim.span().lo())
                .thenCombine(store.reserve(stripe), (row, reserve) -> {
                    boolean there = row.isPresent() && row.get().equals(claim);
                    boolean sameIncarnation =
                            reserve.isPresent() && reserve.get().incarnation() == claim.incarnation();
                    if (!there || !sameIncarnation) {
                        // Gone after a try of ours that ended unknown: then it was ours.
                        return CompletableFuture.completedFuture(!there && doubtful.get());
                    }
                    // On the claim's own token: of any number of tries, of this and of others, one takes effect.
                    return store.giveBack(stripe, reserve.get(), List.of(claim), plus(reserve.get(), unused), List.of())
                            .thenCompose(outcome -> {
                                if (took(outcome)) {
                                    return CompletableFuture.completedFuture(true);
                                }
                                doubtful.compareAndSet(false, outcome instanceof ClaimOutcome.Unknown);
                                return again.get();
                            });
                })
                .thenCompose(stage -> stage));
    }

    private static Tails plus(Reserve reserve, List<Span> unused) {
        try {
            return reserve.tails().plus(unused);
        } catch (IllegalArgumentException overlap) {
            throw new SequenceException.Conflict(
                    "its ids were given back before, so its row is one that was removed and"
                            + " came back; nothing is reclaimed of it: " + overlap.getMessage());
        }
    }

    /**
     * Lets go for one holder of this datacenter that is gone: removes its claims of older incarnations.
     *
     * @param asked the holder, as {@link HolderName#find} takes it
     * @return a stage that fails with {@link SequenceException.Conflict} if several holders are meant
     */
    public CompletionStage<Void> release(SequenceEntry entry, String asked) {
        return claimsBefore(entry).thenCompose(held -> {
            Optional<String> holder = anotherHolder(asked, held);
            CompletionStage<Void> all = done();
            for (HeldClaim each : held) {
                if (holder.equals(Optional.of(each.holder()))) {
                    all = all.thenCompose(before -> forget(each));
                }
            }
            return all;
        });
    }

    /** On the claim's own token: the same again does no harm. */
    private CompletionStage<Void> forget(HeldClaim held) {
        return withRetries(again -> (held.lost()
                        ? store.forgetLost(held.stripe(), held.claim())
                        : store.forget(held.stripe(), held.claim()))
                .thenCompose(outcome -> outcome instanceof ClaimOutcome.Unknown ? again.get() : done()));
    }

    /** Acknowledges for a datacenter that is gone for good. */
    public CompletionStage<Void> releaseDatacenter(SequenceEntry entry, String datacenter) {
        return datacentersBehind(entry)
                .thenCompose(behind -> behind.contains(datacenter) ? write(entry, datacenter) : done());
    }

    /** This datacenter's copy if it is ready; else the global one, since another datacenter may have seeded it since. */
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

    private static long ordinalWithin(SequenceSpec spec, BigInteger ordinal, long id) {
        if (ordinal.compareTo(BigInteger.valueOf(spec.count())) >= 0) {
            throw new SequenceException.Exhausted("sequence " + spec.name() + " has no id left at or past " + id
                    + ": it ends at " + spec.idAt(spec.count() - 1) + " (" + spec.type() + ")");
        }
        return ordinal.max(BigInteger.ZERO).longValueExact();
    }

    private static boolean took(ClaimOutcome outcome) {
        return outcome instanceof ClaimOutcome.Claimed;
    }

    private static CompletionStage<Void> done() {
        return CompletableFuture.completedFuture(null);
    }

    private static CompletionStage<List<HeldClaim>> none() {
        return CompletableFuture.completedFuture(List.of());
    }

    /** Reads and tries again, after a pause, until the time is up. */
    private interface Retry<T> {
        CompletionStage<T> get();
    }

    private <T> CompletionStage<T> withRetries(Function<Retry<T>, CompletionStage<T>> body) {
        return attempt(
                body,
                new Retries(
                        nanoTime,
                        timeout,
                        () -> timer.after(PAUSE),
                        (within, failure) -> new SequenceException.Unavailable("the change did not settle within "
                                + within + "; run it again, it does no harm twice")));
    }

    private <T> CompletionStage<T> attempt(Function<Retry<T>, CompletionStage<T>> body, Retries retries) {
        return body.apply(() -> retries.again(() -> attempt(body, retries)));
    }
}
