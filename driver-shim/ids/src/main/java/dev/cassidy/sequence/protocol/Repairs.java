package dev.cassidy.sequence.protocol;

import dev.cassidy.sequence.IdRange;
import dev.cassidy.sequence.Order;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.store.GrantHistory;
import dev.cassidy.sequence.store.HeldClaim;
import dev.cassidy.sequence.store.Holdings;
import dev.cassidy.sequence.store.Incarnations;
import dev.cassidy.sequence.store.SequenceCatalog;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.Span;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Repairs a sequence that was raised too far: it issues again from within the ids that the raise passed over.
 *
 * <p>A repair is a drop and a creation, with everything that protects those: the drop moves the incarnation, so that
 * nothing is granted or claimed any more; every datacenter acknowledges that no process holds ids; the repaired sequence
 * is the next generation, of which older allocators issue nothing. What differs is where it may begin. A creation begins
 * past all that was granted, and relies on that alone. A repair begins before the raise, and relies on this:
 *
 * <ol>
 *   <li>The rows of grants stay for ever, and every id that was issued was granted first. Once the drop has taken effect
 *       no grant is added. So the ids between two grants, the <i>gap</i>, were never issued, whatever any process did. If
 *       what the datacenters have shows that rows of grants are missing ({@link LostRows}), the repair is refused.
 *   <li>The repaired sequence ends where the gap ends. What the raise made it issue lies past its end.
 *   <li>Ids that others gave to rows, such as an old database, are in the tables, which the caller reads after the drop.
 * </ol>
 *
 * <p>Ids past the end of the repaired sequence are recorded in the same step, so that no later generation issues them.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
public final class Repairs {

    /** So many ids before the new beginning must be unused too: some may have been drawn elsewhere and not be stored yet. */
    private static final long MARGIN = 10_000;

    /** Of a small sequence, the margin is one id in so many. */
    private static final long MARGIN_SHARE = 100;

    private final SequenceCatalog catalog;
    private final SequenceRegistry registry;
    private final RaiseProgress progress;
    private final ChangeRetries retries;

    public Repairs(SequenceCatalog catalog, SequenceRegistry registry, AllocatorContext context) {
        this.catalog = catalog;
        this.registry = registry;
        this.progress = new RaiseProgress(catalog);
        this.retries = new ChangeRetries(context);
    }

    /**
     * A range of ids between grants, or between the last grant and the sequence's position.
     *
     * @param entry the sequence as it was read before the grants
     * @param span its ordinals; not empty
     * @param granted whether there are grants past it
     */
    public record Gap(SequenceEntry entry, Span span, boolean granted) {

        public Gap {
            if (span.isEmpty()) {
                throw new IllegalArgumentException("must not be empty: span=" + span);
            }
        }

        /** Returns the ids of the gap. */
        public IdRange ids() {
            return ids(span);
        }

        /** Returns the ids that may be issued after a repair, less those before {@code from}. */
        Span issuable(long from, OptionalLong end) {
            return new Span(from, end.orElse(granted ? span.hi() : entry.spec().count()));
        }

        IdRange ids(Span of) {
            return new IdRange(entry.spec().idAt(of.lo()), entry.spec().increment(), of.size());
        }

        /** Returns how many ids before the new beginning must be unused. */
        public long margin() {
            return Math.min(MARGIN, entry.spec().count() / MARGIN_SHARE);
        }

        /** Returns the ids that an unbounded repair could issue. */
        public IdRange issuable() {
            return ids(issuable(span.lo(), OptionalLong.empty()));
        }
    }

    /**
     * A repair that Cassidy's own tables allow.
     *
     * @param gap in which it begins
     * @param issues the ordinals that the repaired sequence will issue, as the gap's entry counts them
     * @param bounded whether the caller named its end
     */
    public record Target(Gap gap, Span issues, boolean bounded) {

        /**
         * Returns the ids that no row may have: those to be issued, and the margin before them. The margin may reach into ids
         * that were granted: of one that is used it is not known who gave it away.
         */
        public IdRange mustBeUnused() {
            long from = Math.max(0, issues.lo() - gap.margin());
            return gap.ids(new Span(from, issues.hi()));
        }

        SequenceSpec spec() {
            SequenceSpec old = gap.entry().spec();
            long first = old.idAt(issues.lo());
            long last = old.idAt(issues.hi() - 1);
            boolean whole = issues.hi() == old.count();
            return new SequenceSpec(
                    old.name(),
                    old.type(),
                    first,
                    old.increment(),
                    whole || old.increment() > 0 ? old.minimum() : last,
                    whole || old.increment() < 0 ? old.maximum() : last,
                    old.order(),
                    old.stripes(),
                    old.block(),
                    old.reserve());
        }

        /** Returns the ids past the end that may have been issued; empty if there are none. */
        Optional<GrantHistory.Taken> taken() {
            SequenceSpec old = gap.entry().spec();
            // A caller who names an end before any grant knows of ids past it.
            long end = bounded && !gap.granted() ? old.count() : gap.entry().next();
            if (issues.hi() >= end) {
                return Optional.empty();
            }
            long one = old.idAt(issues.hi());
            long other = old.idAt(end - 1);
            return Optional.of(new GrantHistory.Taken(Math.min(one, other), Math.max(one, other)));
        }
    }

    /**
     * What a repair would rely on.
     *
     * @param entry the sequence
     * @param gaps the ranges before the sequence's position that no grant has, in ascending order; at least one
     * @param holdings what each datacenter has of the sequence, read before the entry
     */
    public record Evidence(SequenceEntry entry, List<Gap> gaps, List<Holdings> holdings) {

        public Evidence {
            gaps = List.copyOf(gaps);
            holdings = List.copyOf(holdings);
        }

        /** Returns the last gap that is wider than the margin, or the widest one if there is none. */
        public Gap gap() {
            return gaps.stream()
                    .filter(gap -> gap.span().size() > gap.margin())
                    .reduce((one, later) -> later)
                    .orElseGet(() -> gaps.stream()
                            .max(Comparator.comparingLong(gap -> gap.span().size()))
                            .orElseThrow());
        }

        /** Returns the gap that has an id; if there is none, {@link #gap()}. */
        public Gap gap(long id) {
            BigInteger at = entry.spec().ordinalOf(id);
            return gaps.stream()
                    .filter(gap -> at.compareTo(BigInteger.valueOf(gap.span().lo())) >= 0
                            && at.compareTo(BigInteger.valueOf(gap.span().hi())) < 0)
                    .findFirst()
                    .orElseGet(this::gap);
        }

        /** Returns the claims of all datacenters in the entry's generation. */
        public List<HeldClaim> holders() {
            return holdings.stream().flatMap(each -> each.claims().stream()).toList();
        }
    }

    /**
     * Reads what every datacenter has, and then what was granted, and finds the gaps.
     *
     * @return a stage that fails with {@link SequenceException.Conflict} if there is nothing to repair, or if rows of grants
     *     are missing; and with {@link SequenceException.Unavailable} if a datacenter does not answer
     */
    public CompletionStage<Evidence> evidence(String name) {
        return registry.requireKnown(name).thenCompose(before -> {
            requireRepairable(before);
            // In this order: what the datacenters have stems from grants, and these are then in the history.
            return catalog.holdings(before)
                    .thenCompose(holdings -> registry.requireKnown(name).thenCompose(entry -> {
                        requireRepairable(entry);
                        if (!Incarnations.sameGeneration(before.incarnation(), entry.incarnation())) {
                            throw SequenceRegistry.changed(name);
                        }
                        return catalog.history(name).thenApply(history -> {
                            LostRows.requireNone(entry, history, holdings);
                            return new Evidence(entry, requireAny(entry, gaps(entry, history)), holdings);
                        });
                    }));
        });
    }

    private static List<Gap> requireAny(SequenceEntry entry, List<Gap> gaps) {
        if (gaps.isEmpty()) {
            throw new SequenceException.Conflict("sequence " + entry.name()
                    + " has passed over no ids, so there is nothing to repair: every id before its position was"
                    + " granted to a datacenter");
        }
        return gaps;
    }

    private static void requireRepairable(SequenceEntry entry) {
        SequenceSpec spec = entry.spec();
        if (spec.order() == Order.TIME) {
            throw new SequenceException.Conflict(
                    "sequence " + spec.name() + " is time-ordered: its ids come from the clock, and nothing raises it");
        }
        if (spec.streams() > 0) {
            throw new SequenceException.Conflict("sequence " + spec.name()
                    + " is a stream, which must stay as its other streams are; it cannot be repaired");
        }
        if (!entry.ready() && !entry.dropped()) {
            throw new SequenceException.NotReady("sequence " + spec.name() + " awaits its seed: seed it");
        }
    }

    /** Returns the ranges before the sequence's position that no grant has, in ascending order. */
    private static List<Gap> gaps(SequenceEntry entry, GrantHistory history) {
        List<Gap> gaps = new ArrayList<>();
        long end = 0;
        for (Span grant : LostRows.granted(entry, history)) {
            if (grant.lo() > end) {
                gaps.add(new Gap(entry, new Span(end, grant.lo()), true));
            }
            end = Math.max(end, grant.hi());
        }
        if (entry.next() > end) {
            gaps.add(new Gap(entry, new Span(end, entry.next()), false));
        }
        return gaps;
    }

    /**
     * Judges a repair by Cassidy's own tables.
     *
     * @param next the first id that the repaired sequence will issue
     * @param last the last one; empty for as many as there are
     * @param clientsStopped whether the caller says that no client of any datacenter runs
     * @throws SequenceException.Conflict if it may not be made
     */
    public static Target target(Gap gap, long next, OptionalLong last, boolean clientsStopped) {
        SequenceEntry entry = gap.entry();
        String name = entry.name();
        long from = ordinal(gap, next, "next");
        if (from < gap.span().lo() || from >= gap.span().hi()) {
            throw new SequenceException.Conflict("sequence " + name + " cannot be repaired to issue from " + next
                    + " on: the ids that a raise passed over are " + shown(gap.ids())
                    + ", and all others may have been issued. Name one of these");
        }
        Span issues = gap.issuable(from, OptionalLong.empty());
        if (last.isPresent()) {
            long end = ordinal(gap, last.getAsLong(), "last") + 1;
            if (end <= from || end > issues.hi()) {
                throw new SequenceException.Conflict("sequence " + name + " cannot be repaired to end with "
                        + last.getAsLong() + ": it may issue " + shown(gap.ids(issues)) + ", or less");
            }
            issues = new Span(from, end);
        }
        if (entry.floor() > from && !clientsStopped) {
            throw new SequenceException.Conflict("sequence " + name + " has its floor past " + next + ", "
                    + entry.spec().idAt(Math.min(entry.floor(), entry.spec().count() - 1))
                    + ": clients may insert explicit ids before it, and one that is about to do so would overwrite a"
                    + " row. Stop the clients of every datacenter, and say so (clientsStopped)");
        }
        return new Target(gap, issues, last.isPresent());
    }

    private static long ordinal(Gap gap, long id, String what) {
        SequenceSpec spec = gap.entry().spec();
        BigInteger ordinal = spec.ordinalOf(id);
        boolean within = ordinal.signum() >= 0 && ordinal.compareTo(BigInteger.valueOf(spec.count())) < 0;
        if (!within || spec.idAt(ordinal.longValueExact()) != id) {
            throw new SequenceException.Conflict("sequence " + spec.name() + " never issues " + id + ": " + what + "="
                    + id + " start=" + spec.start() + " increment=" + spec.increment());
        }
        return ordinal.longValueExact();
    }

    private static String shown(IdRange ids) {
        return ids.first() + " to " + ids.last();
    }

    /**
     * Returns the sequence if it already is what a repair that issues from {@code next} on would make of it, and was not
     * raised again. Mostly such a repair did it, and the caller may not have learned that it took effect; a drop and a creation
     * with that start give the same, and then there is as little left to do.
     */
    public CompletionStage<Optional<SequenceEntry>> alreadyIssuing(String name, long next, OptionalLong last) {
        return registry.requireKnown(name).thenCompose(entry -> {
            SequenceSpec spec = entry.spec();
            boolean done = entry.ready()
                    && Incarnations.generation(entry.incarnation()) > 0
                    && spec.start() == next
                    && (last.isEmpty() || spec.idAt(spec.count() - 1) == last.getAsLong());
            if (!done) {
                return CompletableFuture.completedFuture(Optional.<SequenceEntry>empty());
            }
            return catalog.history(name)
                    .thenCompose(history -> gaps(entry, history).isEmpty()
                            ? registry.join(entry).thenApply(Optional::of)
                            : CompletableFuture.completedFuture(Optional.<SequenceEntry>empty()));
        });
    }

    /**
     * Makes the repaired sequence of a dropped one.
     *
     * @param target of the dropped sequence, made of a gap that was read after the drop had taken effect. No row may have
     *     {@linkplain Target#mustBeUnused these ids}
     * @return a stage that fails with {@link SequenceException.NotAcknowledged} if a process may hold ids, and with {@link
     *     SequenceException.Conflict} if the sequence has changed meanwhile
     */
    public CompletionStage<SequenceEntry> repair(Target target) {
        return registry.lasting(() -> repairOnce(target));
    }

    private CompletionStage<SequenceEntry> repairOnce(Target target) {
        SequenceEntry dropped = target.gap().entry();
        String name = dropped.name();
        if (!dropped.dropped()) {
            // It was created again after the drop.
            return CompletableFuture.failedFuture(SequenceRegistry.changed(name));
        }
        SequenceEntry after = SequenceEntry.fresh(
                target.spec(), Incarnations.firstOfNextGeneration(name, dropped.incarnation()), true);
        return retries.run(again -> registry.requireKnown(name).thenCompose(seen -> {
            if (seen.ready()
                    && Incarnations.sameGeneration(seen.incarnation(), after.incarnation())
                    && seen.spec().equals(after.spec())) {
                return registry.join(seen);
            }
            // Everything that was proven was proven of the entry as it was.
            if (!seen.equals(dropped)) {
                throw SequenceRegistry.changed(name);
            }
            return progress.datacentersBehind(seen).thenCompose(behind -> {
                if (!behind.isEmpty()) {
                    throw new SequenceException.NotAcknowledged("sequence " + name
                            + " cannot be repaired yet: datacenters " + behind
                            + " have not let go of its ids, and may still issue them");
                }
                return registry.changeTo(again, seen, after, target.taken());
            });
        }));
    }
}
