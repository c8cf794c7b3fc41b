package dev.cassidy.reliability.checker;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which process issued which id, in the order in which it was recorded, and what is wrong with it. Every id is judged,
 * even those of a range of a million: one bit for each position. Not safe for use by several threads.
 *
 * <p>The position of an id is its number within the sequence, from 0: {@code (id - first) / increment}.
 */
public final class IssueHistory {

    private static final int PAGE = 1 << 12;

    private final long first;
    private final long increment;
    private final long last;
    private final Map<Long, BitSet> pages = new HashMap<>();
    private final List<Run> runs = new ArrayList<>();
    private final Map<String, Long> latest = new HashMap<>();
    private final List<String> violations = new ArrayList<>();
    private long distinct;
    private long floor;

    /** Positions {@code lo} to {@code hi} exclusive, issued at once. */
    private record Run(String line, long lo, long hi) {}

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

    /** Records that {@code line} handed out {@code id}. */
    public void issued(String line, long id) {
        issued(line, id, increment, 1);
    }

    /**
     * Records that ids were handed out at once.
     *
     * @param line the ids within it must follow each other: a process, or one of its threads or cursors
     * @param from the first of them
     * @param step the distance between them
     * @param count how many, at least 1
     */
    public void issued(String line, long from, long step, long count) {
        long to = from + step * (count - 1);
        if (step != increment || (from - first) % increment != 0) {
            violations.add(from + " and on by " + step + " is not " + first + " and on by " + increment + ": " + line);
            return;
        }
        if (before(from, first) || before(last, to) || before(to, from)) {
            violations.add("ids " + from + " to " + to + " lie outside " + first + " to " + last + ": " + line);
            return;
        }
        if (before(from, floor)) {
            violations.add("id " + from + " lies before the acknowledged reseed to " + floor + ": " + line);
        }
        Long previous = latest.put(line, to);
        if (previous != null && !before(previous, from)) {
            violations.add("id " + from + " follows " + previous + " in " + line);
        }
        long lo = (from - first) / increment;
        mark(line, lo, lo + count);
        runs.add(new Run(line, lo, lo + count));
    }

    private void mark(String line, long lo, long hi) {
        for (long at = lo; at < hi; at = pageEnd(at, hi)) {
            BitSet page = pages.computeIfAbsent(at / PAGE, number -> new BitSet());
            int begin = (int) (at % PAGE);
            int end = begin + (int) (pageEnd(at, hi) - at);
            int taken = page.nextSetBit(begin);
            if (taken >= 0 && taken < end) {
                long twice = at - begin + taken;
                violations.add("id " + (first + twice * increment) + " was issued twice: by " + issuerOf(twice)
                        + " and by " + line);
                distinct -= page.get(begin, end).cardinality();
            }
            page.set(begin, end);
            distinct += end - begin;
        }
    }

    private static long pageEnd(long at, long hi) {
        return Math.min(hi, (at / PAGE + 1) * PAGE);
    }

    private String issuerOf(long position) {
        return runs.stream()
                .filter(run -> run.lo() <= position && position < run.hi())
                .findFirst()
                .map(Run::line)
                .orElseThrow();
    }

    /** Records that from now on no process may issue anything before {@code id}. */
    public void reseeded(long id) {
        if (before(floor, id)) {
            floor = id;
        }
    }

    /**
     * Records that the sequence was repaired: ids from {@code id} on may be issued, and may follow higher ones. None may be
     * issued twice all the same.
     */
    public void repaired(long id) {
        floor = id;
        latest.clear();
    }

    /** Whether the id at {@code position} may not be issued any more, since a reseed past it was acknowledged. */
    boolean isRecalled(long position) {
        return before(first + position * increment, floor);
    }

    private boolean before(long one, long other) {
        return increment > 0 ? one < other : one > other;
    }

    /** Returns how many different ids were issued. */
    public long distinct() {
        return distinct;
    }

    /** Returns how many ids were issued at positions {@code lo} to {@code hi} exclusive. */
    public long issuedWithin(long lo, long hi) {
        long count = 0;
        for (long at = lo; at < hi; at = pageEnd(at, hi)) {
            BitSet page = pages.get(at / PAGE);
            if (page != null) {
                int begin = (int) (at % PAGE);
                count += page.get(begin, begin + (int) (pageEnd(at, hi) - at)).cardinality();
            }
        }
        return count;
    }

    /** Positions {@code lo} to {@code hi} exclusive. */
    public record Gap(long lo, long hi) {}

    /** Returns what was not issued at positions {@code lo} to {@code hi} exclusive, in ascending order. */
    public List<Gap> gapsWithin(long lo, long hi) {
        List<Gap> gaps = new ArrayList<>();
        long from = lo;
        for (long at = lo; at < hi; at = pageEnd(at, hi)) {
            BitSet page = pages.getOrDefault(at / PAGE, new BitSet());
            int begin = (int) (at % PAGE);
            int end = begin + (int) (pageEnd(at, hi) - at);
            int untaken = begin;
            for (int taken = page.nextSetBit(begin); taken >= 0 && taken < end; taken = page.nextSetBit(untaken)) {
                long position = at - begin + taken;
                if (from < position) {
                    gaps.add(new Gap(from, position));
                }
                untaken = Math.min(end, page.nextClearBit(taken));
                from = at - begin + untaken;
            }
        }
        if (from < hi) {
            gaps.add(new Gap(from, hi));
        }
        return gaps;
    }

    /** Returns what is wrong, in the order in which it was found; empty if nothing is. */
    public List<String> violations() {
        return List.copyOf(violations);
    }
}
