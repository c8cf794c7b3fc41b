package dev.cassidy.reliability.checker;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Who issued which id, in the order in which it was recorded, and what is wrong with it. Not safe for use by several
 * threads.
 */
public final class IssueHistory {

    private final long first;
    private final long increment;
    private final long last;
    private final Map<Long, String> issuers = new HashMap<>();
    private final Map<String, Long> latest = new HashMap<>();
    private final List<String> violations = new ArrayList<>();
    private long floor;

    /**
     * @param first the first id that may be issued
     * @param increment the distance between two ids, negative when they descend
     * @param last the last id that may be issued
     */
    public IssueHistory(long first, long increment, long last) {
        this.first = first;
        this.increment = increment;
        this.last = last;
        this.floor = first;
    }

    /** Records that {@code process} handed out {@code id}. */
    public void issued(String process, long id) {
        String other = issuers.putIfAbsent(id, process);
        if (other != null) {
            violations.add("id " + id + " was issued twice: by " + other + " and by " + process);
        }
        if (before(id, first) || before(last, id)) {
            violations.add("id " + id + " lies outside " + first + " to " + last + ": " + process);
        }
        if ((id - first) % increment != 0) {
            violations.add("id " + id + " is not " + first + " plus a multiple of " + increment + ": " + process);
        }
        if (before(id, floor)) {
            violations.add("id " + id + " lies before the acknowledged reseed to " + floor + ": " + process);
        }
        Long previous = latest.put(process, id);
        if (previous != null && !before(previous, id)) {
            violations.add("id " + id + " follows " + previous + " in " + process);
        }
    }

    /** Records that from now on nothing before {@code id} may be issued by anybody. */
    public void reseeded(long id) {
        if (before(floor, id)) {
            floor = id;
        }
    }

    private boolean before(long one, long other) {
        return increment > 0 ? one < other : one > other;
    }

    /** Returns how many different ids were issued. */
    public int distinct() {
        return issuers.size();
    }

    /** Returns what is wrong, in the order in which it was found; empty if nothing is. */
    public List<String> violations() {
        return List.copyOf(violations);
    }
}
