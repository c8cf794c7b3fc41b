package dev.cassidy.reliability.simulation;

import dev.cassidy.reliability.checker.Account;
import dev.cassidy.reliability.checker.IssueHistory;
import dev.cassidy.reliability.simulation.SimulatedCluster.Datacenter;
import dev.cassidy.reliability.simulation.SimulatedCluster.Held;
import dev.cassidy.reliability.simulation.SimulatedCluster.Partition;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.Grant;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.sequence.store.Stripe;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Where every ordinal is at the end of a schedule. Each is in one place at most. In the newest incarnation, each that
 * is nowhere, or in the row of a claim from which nothing more will be issued, has a cause:
 *
 * <ul>
 *   <li>a claim that took effect in doubt, and was given up: its process removes the row, or leaves it;
 *   <li>a claim that took effect in doubt, and was given up: its process removes the row, or leaves it;
 *   <li>a process that is gone, whose row nobody may reclaim: its claims are too young or too old;
 *   <li>a cursor or a thread that ended: a part of a block;
 *   <li>a reserve that was deleted: all that it had been granted;
 *   <li>a raise that a datacenter does not know of, since it is lost for good.
 * </ul>
 */
final class Accounting {

    private static final long LARGEST_GAP = 255;

    private final SimulatedCluster cluster;
    private final List<Datacenter> datacenters;
    private final List<Datacenter> living;
    private final Promises promises;
    private final IssueHistory history;
    private final Doubts doubts;
    private final BiPredicate<String, Datacenter> gone;
    private final List<String> violations = new ArrayList<>();

    /**
     * @param datacenters all that there were
     * @param living those that are not lost for good
     * @param gone whether a holder is gone from its datacenter
     */
    Accounting(
            SimulatedCluster cluster,
            List<Datacenter> datacenters,
            List<Datacenter> living,
            Promises promises,
            IssueHistory history,
            Doubts doubts,
            BiPredicate<String, Datacenter> gone) {
        this.cluster = cluster;
        this.datacenters = datacenters;
        this.living = living;
        this.promises = promises;
        this.history = history;
        this.doubts = doubts;
        this.gone = gone;
    }

    /**
     * Returns what is wrong; empty if nothing is.
     *
     * @param quiet whether nothing went wrong, so that nobody may be left to hold anything
     * @param cursorsEnded how many cursors and threads may have left a gap each
     * @param lost where a reserve was deleted, if any was
     * @param lostStripe of which stripe
     */
    List<String> violations(boolean quiet, long cursorsEnded, @Nullable Datacenter lost, @Nullable Stripe lostStripe) {
        Account account = new Account(history);
        cluster.grants()
                .forEach((key, grant) -> account.granted(
                        key.toString(),
                        promises.position(grant.incarnation(), grant.span().lo()),
                        promises.position(grant.incarnation(), grant.span().hi())));
        datacenters.forEach(datacenter ->
                datacenter.partitions.forEach((stripe, row) -> place(account, datacenter, stripe.number(), row)));
        violations.addAll(account.violations());
        if (quiet && account.leaked() + account.held() > cursorsEnded * LARGEST_GAP) {
            violations.add("nothing went wrong, but " + account.leaked() + " ids leaked and nobody holds "
                    + account.held() + " more; cursors and threads: " + cursorsEnded);
        }
        judgeLeaks(cursorsEnded, lost, lostStripe);
        return violations;
    }

    private void place(Account account, Datacenter datacenter, int stripe, Partition row) {
        String where = datacenter.name + "/" + stripe;
        if (isLostAndLeftBehind(datacenter, row)) {
            return;
        }
        long base = promises.position(row.incarnation, 0);
        account.available(where, base + row.next, base + row.hi);
        if (row.hasUpcoming()) {
            account.available(where + " upcoming", base + row.nlo, base + row.nhi);
        }
        for (Span tail : row.tails.spans()) {
            account.available(where + " tail", base + tail.lo(), base + tail.hi());
            if (cluster.grants().values().stream()
                    .noneMatch(grant -> grant.incarnation() == row.incarnation && contains(grant, tail))) {
                violations.add("a tail from before a reseed is to be had again: " + where + " " + tail);
            }
        }
        for (Grant grant : notAbsorbed(datacenter, stripe, row)) {
            account.available(
                    where + " not absorbed",
                    base + grant.span().lo(),
                    base + grant.span().hi());
        }
        for (Held held : row.claims.values()) {
            int incarnation = held.claim().incarnation();
            account.held(
                    where + " " + held.claim(),
                    promises.position(incarnation, held.claim().span().lo()),
                    promises.position(incarnation, held.claim().span().hi()));
        }
    }

    /** What a datacenter that is lost for good had in reserve before a raise is available to nobody. */
    private boolean isLostAndLeftBehind(Datacenter datacenter, Partition row) {
        return !living.contains(datacenter) && row.incarnation < newest();
    }

    private int newest() {
        return Objects.requireNonNull(cluster.entry()).incarnation();
    }

    private List<Grant> notAbsorbed(Datacenter datacenter, int stripe, Partition row) {
        List<Grant> all = new ArrayList<>();
        cluster.grants().forEach((key, grant) -> {
            if (key.datacenter().equals(datacenter.name)
                    && key.stripe() == stripe
                    && key.incarnation() == row.incarnation
                    && key.number() > row.grantNumber) {
                all.add(grant);
            }
        });
        return all;
    }

    private static boolean contains(Grant grant, Span tail) {
        return grant.span().lo() <= tail.lo() && tail.lo() < grant.span().hi();
    }

    private void judgeLeaks(long cursorsEnded, @Nullable Datacenter lost, @Nullable Stripe lostStripe) {
        int newest = newest();
        List<Span> accounted = new ArrayList<>();
        for (Claim claim : doubts.madeInDoubt()) {
            if (claim.incarnation() == newest) {
                accounted.add(claim.span());
            }
        }
        for (Datacenter datacenter : datacenters) {
            datacenter.partitions.forEach((stripe, row) -> {
                if (row.incarnation == newest) {
                    accounted.add(new Span(row.next, row.hi));
                    if (row.hasUpcoming()) {
                        accounted.add(new Span(row.nlo, row.nhi));
                    }
                    accounted.addAll(row.tails.spans());
                }
                notAbsorbed(datacenter, stripe.number(), row).forEach(grant -> accounted.add(grant.span()));
                row.claims.values().stream()
                        .filter(held -> held.claim().incarnation() == newest)
                        .forEach(held -> {
                            accounted.add(held.claim().span());
                            judge(held, datacenter);
                        });
            });
        }
        accounted.removeIf(Span::isEmpty);
        accounted.sort(Comparator.comparingLong(Span::lo));
        List<Span> nowhere = new ArrayList<>();
        cluster.grants().forEach((key, grant) -> {
            boolean deleted = lost != null
                    && lostStripe != null
                    && key.datacenter().equals(lost.name)
                    && key.stripe() == lostStripe.number();
            if (key.incarnation() == newest && !deleted) {
                between(grant.span(), accounted, newest, nowhere);
            }
        });
        long leaked = nowhere.stream().mapToLong(Span::size).sum();
        if (leaked > cursorsEnded * LARGEST_GAP) {
            violations.add(leaked + " ids leaked without a cause: ordinals " + nowhere + " of incarnation " + newest
                    + "; cursors and threads: " + cursorsEnded);
        }
    }

    /** Adds what of a grant is not accounted for and was never issued. */
    private void between(Span grant, List<Span> accounted, int incarnation, List<Span> nowhere) {
        long from = grant.lo();
        for (Span span : accounted) {
            if (from < span.lo() && from < grant.hi()) {
                nowhere.addAll(promises.unused(incarnation, new Span(from, Math.min(span.lo(), grant.hi()))));
            }
            from = Math.max(from, span.hi());
        }
        if (from < grant.hi()) {
            nowhere.addAll(promises.unused(incarnation, new Span(from, grant.hi())));
        }
    }

    /** All processes have closed: what a row still holds was given up for a reason. */
    private void judge(Held held, Datacenter datacenter) {
        Claim claim = held.claim();
        boolean excused =
                gone.test(held.holder(), datacenter) || doubts.isMadeInDoubt(claim) || doubts.wasReturnedInVain(claim);
        if (!excused && !promises.unused(claim.incarnation(), claim.span()).isEmpty()) {
            violations.add("ids are held without a cause: " + datacenter.name + " " + held);
        }
    }
}
