package dev.cassidy.sequence.protocol;

import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.store.GrantHistory;
import dev.cassidy.sequence.store.HeldClaim;
import dev.cassidy.sequence.store.Holdings;
import dev.cassidy.sequence.store.Incarnations;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.sequence.store.Stripe;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Looks for signs that rows of grants are missing: a restore from a backup, or a majority of the replicas that was lost, takes
 * them away. Then ids that were issued look as if they were never granted.
 *
 * <p>A sign is a contradiction between the global rows and those of the datacenters. Everything that a datacenter has stems
 * from a grant. So if the datacenters were read before the entry, and the entry before the grants, then whatever they have is
 * explained by the grants that are read, however many processes go on meanwhile.
 *
 * <p>That no sign is found does not prove that no row was lost: all tables may have been restored from one moment.
 */
final class LostRows {

    private record Account(int incarnation, String datacenter, int stripe) {}

    private final SequenceEntry entry;
    private final Map<Account, TreeSet<Integer>> numbers = new HashMap<>();

    /** What the entry's generation was granted, merged and in ascending order. */
    private final List<Span> granted;

    private LostRows(SequenceEntry entry, GrantHistory history) {
        this.entry = entry;
        history.grants().forEach(grant -> numbers.computeIfAbsent(
                        new Account(grant.incarnation(), grant.datacenter(), grant.stripe()), first -> new TreeSet<>())
                .add(grant.number()));
        this.granted = merged(granted(entry, history));
    }

    /** Returns the grants of the entry's generation, in ascending order. */
    static List<Span> granted(SequenceEntry entry, GrantHistory history) {
        return history.grants().stream()
                .filter(grant -> Incarnations.sameGeneration(grant.incarnation(), entry.incarnation()))
                .map(GrantHistory.Granted::span)
                .sorted(Comparator.comparingLong(Span::lo))
                .toList();
    }

    private static List<Span> merged(List<Span> ascending) {
        List<Span> merged = new ArrayList<>();
        for (Span span : ascending) {
            int last = merged.size() - 1;
            if (last >= 0 && merged.get(last).hi() >= span.lo()) {
                Span before = merged.get(last);
                merged.set(last, new Span(before.lo(), Math.max(before.hi(), span.hi())));
            } else {
                merged.add(span);
            }
        }
        return merged;
    }

    /**
     * Refuses if there is any sign.
     *
     * @param entry as it was read after {@code holdings} and before {@code history}
     * @throws SequenceException.Conflict that names all signs
     */
    static void requireNone(SequenceEntry entry, GrantHistory history, List<Holdings> holdings) {
        List<String> signs = new ArrayList<>();
        LostRows look = new LostRows(entry, history);
        look.holes(signs);
        look.overlaps(signs, granted(entry, history));
        holdings.forEach(each -> look.contradictions(signs, each));
        if (!signs.isEmpty()) {
            throw new SequenceException.Conflict("sequence " + entry.name() + " cannot be repaired: "
                    + String.join("; ", signs)
                    + ". So rows of its grants are missing, by a restore from a backup or with a majority of the replicas, and"
                    + " ids that look as if they were never granted may have been issued. Seed it past"
                    + " every id that was ever issued, as after a restore; if it has none left, give the table another"
                    + " sequence, which starts past them");
        }
    }

    private void holes(List<String> signs) {
        numbers.forEach((account, found) -> {
            int last = found.last();
            if (found.size() < last) {
                int missing = 1;
                while (found.contains(missing)) {
                    missing++;
                }
                signs.add("datacenter " + account.datacenter() + ", stripe " + account.stripe()
                        + ", got grant " + last + " of incarnation " + account.incarnation()
                        + ", and of the grants before it "
                        + (last - found.size()) + " are not there, such as grant " + missing);
            }
        });
    }

    private void overlaps(List<String> signs, List<Span> ascending) {
        for (int i = 1; i < ascending.size(); i++) {
            if (ascending.get(i - 1).hi() > ascending.get(i).lo()) {
                signs.add("ids " + shown(ascending.get(i)) + " were granted twice");
                return;
            }
        }
    }

    private void contradictions(List<String> signs, Holdings holdings) {
        String at = "datacenter " + holdings.datacenter();
        holdings.copy()
                .filter(copy -> copy.incarnation() > entry.incarnation())
                .ifPresent(copy -> signs.add(at + " has a copy of incarnation " + copy.incarnation() + ", later than "
                        + entry.incarnation() + ", which the sequence has"));
        holdings.reserves().forEach((stripe, reserve) -> reserve(signs, at, holdings.datacenter(), stripe, reserve));
        for (HeldClaim held : holdings.claims()) {
            String sign = claim(held);
            if (sign != null) {
                signs.add(at + ", stripe " + held.stripe().number() + ", " + sign);
                // One of many is enough.
                return;
            }
        }
    }

    private void reserve(List<String> signs, String at, String datacenter, Stripe stripe, Reserve reserve) {
        String which = at + ", stripe " + stripe.number() + ", has a reserve of incarnation " + reserve.incarnation();
        if (reserve.incarnation() > entry.incarnation()) {
            signs.add(which + ", later than " + entry.incarnation() + ", which the sequence has");
            return;
        }
        TreeSet<Integer> own = numbers.get(new Account(reserve.incarnation(), datacenter, stripe.number()));
        int highest = own == null ? 0 : own.last();
        if (reserve.grantNumber() > highest) {
            signs.add(which + " that took grant " + reserve.grantNumber() + ", and the last grant to it is "
                    + (highest == 0 ? "none" : highest));
        }
        if (Incarnations.sameGeneration(reserve.incarnation(), entry.incarnation())) {
            Stream.concat(
                            Stream.of(reserve.current(), reserve.upcoming() == null ? Span.EMPTY : reserve.upcoming()),
                            reserve.tails().spans().stream())
                    .filter(span -> !isGranted(span))
                    .findFirst()
                    .ifPresent(span -> signs.add(which + " with ids " + shown(span) + ", which no grant has"));
        }
    }

    private @Nullable String claim(HeldClaim held) {
        int incarnation = held.claim().incarnation();
        if (incarnation > entry.incarnation()) {
            return "has a claim of incarnation " + incarnation + ", later than " + entry.incarnation()
                    + ", which the sequence has";
        }
        return isGranted(held.claim().span())
                ? null
                : "has a claim of " + held.holder() + " to ids "
                        + shown(held.claim().span()) + ", which no grant has";
    }

    private boolean isGranted(Span span) {
        return span.isEmpty() || granted.stream().anyMatch(grant -> grant.lo() <= span.lo() && span.hi() <= grant.hi());
    }

    private String shown(Span span) {
        SequenceSpec spec = entry.spec();
        return span.hi() <= spec.count()
                ? spec.idAt(span.lo()) + " to " + spec.idAt(span.hi() - 1)
                : "of ordinals " + span.lo() + " to " + (span.hi() - 1);
    }
}
