package dev.cassidy.reliability.checker;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Where each granted position is when everything is at rest: issued, still available, held by a process, or leaked. A
 * position that is in two of these places will be issued twice, even if that has not happened yet. Not safe for use by
 * several threads.
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

    /** Records positions that may still be given to a process: none of them may have been issued. */
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

    /** Records positions that a process claimed; a part of them may have been issued. */
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

    /** Returns how many positions were claimed by a process and not issued. */
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
