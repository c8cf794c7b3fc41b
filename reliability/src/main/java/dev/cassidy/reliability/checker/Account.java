package dev.cassidy.reliability.checker;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Where every position that was granted is when all is quiet: issued, still to be had, in somebody's hands, or leaked.
 * Whatever is in two of these places will be issued twice, though nobody has yet. Not safe for use by several threads.
 */
public final class Account {

    private final IssueHistory history;
    private final List<Entry> granted = new ArrayList<>();
    private final List<Entry> placed = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private long available;
    private long held;

    private record Entry(String where, long lo, long hi) {}

    public Account(IssueHistory history) {
        this.history = history;
    }

    /** Records that positions {@code lo} to {@code hi} exclusive were taken from the sequence. */
    public void granted(String to, long lo, long hi) {
        add(granted, new Entry(to, lo, hi));
    }

    /** Records that somebody may still be given these: none of them may have been issued. */
    public void available(String where, long lo, long hi) {
        add(placed, new Entry(where, lo, hi));
        available += hi - lo;
        if (lo < hi && history.isRecalled(lo)) {
            violations.add(
                    "from before an acknowledged reseed, and to be had again: " + where + " " + lo + " to " + hi);
        }
        long issued = history.issuedWithin(lo, hi);
        if (issued > 0) {
            violations.add(issued + " of the positions " + lo + " to " + hi + " were issued, and are to be had again: "
                    + where);
        }
    }

    /** Records that somebody claimed these; a part of them may have been issued. */
    public void held(String who, long lo, long hi) {
        add(placed, new Entry(who, lo, hi));
        held += hi - lo - history.issuedWithin(lo, hi);
    }

    private static void add(List<Entry> entries, Entry entry) {
        if (entry.lo() < entry.hi()) {
            entries.add(entry);
        }
    }

    /** Returns how many positions were granted, were not issued, and are nowhere. */
    public long leaked() {
        return granted.stream().mapToLong(entry -> entry.hi() - entry.lo()).sum()
                - history.distinct()
                - available
                - held;
    }

    /** Returns how many positions somebody has claimed and not issued. */
    public long held() {
        return held;
    }

    /** Returns what is wrong; empty if nothing is. */
    public List<String> violations() {
        List<String> all = new ArrayList<>(violations);
        requireApart(granted, all);
        requireApart(placed, all);
        for (Entry entry : placed) {
            if (granted.stream().noneMatch(grant -> grant.lo() <= entry.lo() && entry.lo() < grant.hi())) {
                all.add("never granted: " + entry);
            }
        }
        if (leaked() < 0) {
            all.add("more is accounted for than was granted, by " + -leaked());
        }
        return all;
    }

    private static void requireApart(List<Entry> entries, List<String> violations) {
        entries.sort(Comparator.comparingLong(Entry::lo));
        for (int i = 1; i < entries.size(); i++) {
            if (entries.get(i).lo() < entries.get(i - 1).hi()) {
                violations.add("in two places: " + entries.get(i - 1) + " and " + entries.get(i));
            }
        }
    }
}
