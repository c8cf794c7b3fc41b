package dev.cassidy.counter.store;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one actor of one counter, as one read returned them.
 *
 * @param actor whose rows they are
 * @param rows in ascending order of their versions
 */
public record ActorRows(String actor, List<CounterRow> rows) {

    public ActorRows {
        rows = List.copyOf(rows);
    }

    /**
     * What is known of an epoch.
     *
     * @param folded the last number that its base contains; 0 if there is no base
     * @param sum of the base and of the increments that follow it without a gap
     * @param last the number of the last of these increments
     * @param left how many rows there are after a gap
     */
    public record EpochSum(int epoch, long folded, BigInteger sum, long last, int left) {

        /** Returns the fold of everything before the first gap; empty if there is nothing to fold. */
        public Optional<Fold> fold() {
            return last > folded ? Optional.of(new Fold(epoch, sum, Versions.of(epoch, last))) : Optional.empty();
        }
    }

    /** Returns the base of all settled epochs, if it is among the rows. */
    public Optional<Settled> settled() {
        return row(Versions.SETTLED)
                .filter(CounterRow::isBase)
                .map(row -> new Settled(Versions.epoch(upto(row) + 1), increment(row)));
    }

    /** Returns what is known of each epoch that is not settled, in order. */
    public List<EpochSum> epochs() {
        long settled = settled().map(Settled::upto).orElse(0L);
        SortedMap<Integer, List<CounterRow>> byEpoch = new TreeMap<>();
        for (CounterRow row : rows) {
            // Of what is settled, a replica that was away for longer than gc_grace_seconds may bring rows back.
            if (row.version() > settled && row.version() != Versions.LAST) {
                byEpoch.computeIfAbsent(Versions.epoch(row.version()), first -> new ArrayList<>())
                        .add(row);
            }
        }
        List<EpochSum> sums = new ArrayList<>();
        for (Map.Entry<Integer, List<CounterRow>> epoch : byEpoch.entrySet()) {
            sums.add(sum(epoch.getKey(), epoch.getValue()));
        }
        return sums;
    }

    private static EpochSum sum(int epoch, List<CounterRow> rows) {
        long folded = 0;
        BigInteger sum = BigInteger.ZERO;
        long last = 0;
        int left = 0;
        for (CounterRow row : rows) {
            long number = Versions.number(row.version());
            if (row.isBase()) {
                folded = Versions.number(upto(row));
                sum = increment(row);
                last = folded;
            } else if (Versions.isIncrement(row.version()) && number > folded) {
                if (number == last + 1) {
                    sum = sum.add(increment(row));
                    last = number;
                } else {
                    left++;
                }
            }
        }
        return new EpochSum(epoch, folded, sum, last, left);
    }

    /** Returns the fold that an epoch's base holds; empty if there is no base. */
    public Optional<Fold> base(int epoch) {
        return row(Versions.base(epoch))
                .filter(CounterRow::isBase)
                .map(row -> new Fold(epoch, increment(row), upto(row)));
    }

    /** Returns the row of a version; empty if it is not among the rows. */
    public Optional<CounterRow> row(long version) {
        return rows.stream().filter(row -> row.version() == version).findFirst();
    }

    /** Returns what a client of another kind has written among the rows, in words; empty if there is nothing. */
    public Optional<String> foreign() {
        return rows.stream()
                .map(ActorRows::foreign)
                .filter(found -> found != null)
                .findFirst()
                .map(found -> "actor '" + actor + "', " + found);
    }

    private static @Nullable String foreign(CounterRow row) {
        String name = "version " + row.version();
        if (row.expires()) {
            return name + " has a time to live";
        }
        boolean bookend = Versions.isBookend(row.version());
        if (row.increment() == null && !bookend) {
            return name + " has no increment";
        }
        Long upto = row.upto();
        if (upto == null && !Versions.isIncrement(row.version())) {
            return name + " is no version of an increment";
        }
        if (upto != null && Versions.isIncrement(row.version())) {
            // It would be taken for the sum of everything before it.
            return name + " is an increment, and has upto " + upto;
        }
        long expected = upto == null ? row.version() : upto;
        return row.timestamp() == expected
                ? null
                : name + " has the write timestamp " + row.timestamp() + " in place of " + expected;
    }

    private static long upto(CounterRow row) {
        Long upto = row.upto();
        if (upto == null) {
            throw new IllegalStateException("is no base: " + row);
        }
        return upto;
    }

    private static BigInteger increment(CounterRow row) {
        BigInteger increment = row.increment();
        if (increment == null) {
            throw new IllegalStateException("has no increment: " + row);
        }
        return increment;
    }
}
