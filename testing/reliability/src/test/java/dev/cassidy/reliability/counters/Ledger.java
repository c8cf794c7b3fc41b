package dev.cassidy.reliability.counters;

import dev.cassidy.counter.Receipt;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a client knows of its increments. Increment k of a counter adds 4<sup>k</sup>, so that the total, in base 4, tells
 * how often each increment counts. A counter has at most 31 increments, so that the total fits a long even if each counts
 * three times. For counters on which an increment may count more often the base is 64. Safe for use by many threads.
 */
final class Ledger {

    private static final int BITS_OF_TOTAL = 62;
    private static final int BITS = 2;
    private static final int BITS_OF_MANY = 6;

    /** What the client knows of one increment. */
    enum Known {
        SENT,
        ACKNOWLEDGED,
        UNKNOWN,
        NOT_COUNTED
    }

    private static final String SEPARATOR = " ";

    private final Map<String, Counted> counters = new LinkedHashMap<>();
    private final int bits;
    private final Consumer<String> listener;
    private int acknowledged;

    private static final class Counted {
        private final Known[] known;
        private final @Nullable Receipt[] receipts;

        Counted(int increments) {
            known = new Known[increments];
            receipts = new Receipt[increments];
        }
    }

    /** How often increments count that should count once. */
    record Figures(int acknowledged, int lost, int twice, int inDoubt, int inDoubtCounted, int inDoubtTwice) {

        Figures plus(Figures other) {
            return new Figures(
                    acknowledged + other.acknowledged,
                    lost + other.lost,
                    twice + other.twice,
                    inDoubt + other.inDoubt,
                    inDoubtCounted + other.inDoubtCounted,
                    inDoubtTwice + other.inDoubtTwice);
        }
    }

    Ledger() {
        this(false, line -> {});
    }

    /**
     * @param many whether an increment may count more than three times
     * @param listener gets each entry as a line, before the entry is made
     */
    Ledger(boolean many, Consumer<String> listener) {
        this.bits = many ? BITS_OF_MANY : BITS;
        this.listener = listener;
    }

    static Ledger ofMany() {
        return new Ledger(true, line -> {});
    }

    /** Returns how many increments a counter has at most. */
    int perCounter() {
        return BITS_OF_TOTAL / bits;
    }

    long delta(int k) {
        return 1L << bits * k;
    }

    /** Returns how often increment {@code k} is in a total. */
    int times(BigInteger total, int k) {
        return total.shiftRight(bits * k).intValue() & ((1 << bits) - 1);
    }

    void sent(String counter, int k) {
        enter(Known.SENT, counter, k, null);
    }

    void acknowledged(String counter, int k, @Nullable Receipt receipt) {
        enter(Known.ACKNOWLEDGED, counter, k, receipt);
    }

    void unknown(String counter, int k, @Nullable Receipt receipt) {
        enter(Known.UNKNOWN, counter, k, receipt);
    }

    void notCounted(String counter, int k) {
        enter(Known.NOT_COUNTED, counter, k, null);
    }

    /** Makes the entry that another process told. */
    void read(String line) {
        String[] words = line.split(SEPARATOR, 4);
        enter(
                Known.valueOf(words[0]),
                words[1],
                Integer.parseInt(words[2]),
                words.length == 4 ? Receipt.parse(words[3]) : null);
    }

    private void enter(Known what, String counter, int k, @Nullable Receipt receipt) {
        listener.accept(what + SEPARATOR + counter + SEPARATOR + k + (receipt == null ? "" : SEPARATOR + receipt));
        synchronized (this) {
            Counted of = counters.computeIfAbsent(counter, first -> new Counted(perCounter()));
            of.known[k] = what;
            of.receipts[k] = receipt;
            if (what == Known.ACKNOWLEDGED) {
                acknowledged++;
                notifyAll();
            }
        }
    }

    synchronized List<String> counters() {
        return List.copyOf(counters.keySet());
    }

    synchronized int acknowledged() {
        return acknowledged;
    }

    /** Returns null for an increment that was never sent. */
    synchronized @Nullable Known of(String counter, int k) {
        Counted of = counters.get(counter);
        return of == null ? null : of.known[k];
    }

    synchronized @Nullable Receipt receipt(String counter, int k) {
        Counted of = counters.get(counter);
        return of == null ? null : of.receipts[k];
    }

    /** Returns what any total of the counter must contain that is read after this call. */
    synchronized long acknowledgedTotal(String counter) {
        long total = 0;
        for (int k = 0; k < perCounter(); k++) {
            total += of(counter, k) == Known.ACKNOWLEDGED ? delta(k) : 0;
        }
        return total;
    }

    /** Returns in which ways a total is wrong that was read after all entries of the ledger were made. */
    List<String> violations(String counter, BigInteger total) {
        return violations(counter, acknowledgedTotal(counter), total);
    }

    /** @param before the {@link #acknowledgedTotal} before the read began */
    synchronized List<String> violations(String counter, long before, BigInteger total) {
        List<String> found = new ArrayList<>();
        if (total.signum() < 0 || total.bitLength() > BITS_OF_TOTAL) {
            found.add("no total of such increments");
        }
        for (int k = 0; k < perCounter(); k++) {
            int times = times(total, k);
            Known known = of(counter, k);
            boolean mustCount = times(BigInteger.valueOf(before), k) == 1;
            boolean mayCount = known != null && known != Known.NOT_COUNTED;
            if (times > 1 || (mustCount && times == 0) || (!mayCount && times > 0)) {
                found.add("increment " + k + ", " + (mustCount ? "acknowledged" : known) + ", counts " + times
                        + " times");
            }
        }
        return found.stream()
                .map(violation ->
                        "counter " + counter + ": " + violation + "; the total is " + total.toString(1 << bits))
                .toList();
    }

    Figures figures(Function<String, BigInteger> totals) {
        Figures all = new Figures(0, 0, 0, 0, 0, 0);
        for (String counter : counters()) {
            BigInteger total = totals.apply(counter);
            for (int k = 0; k < perCounter(); k++) {
                all = all.plus(figures(of(counter, k), times(total, k)));
            }
        }
        return all;
    }

    private static Figures figures(@Nullable Known known, int times) {
        int counts = times > 0 ? 1 : 0;
        int twice = times > 1 ? 1 : 0;
        if (known == Known.ACKNOWLEDGED) {
            return new Figures(1, 1 - counts, twice, 0, 0, 0);
        }
        return known == null || known == Known.NOT_COUNTED
                ? new Figures(0, 0, 0, 0, 0, 0)
                : new Figures(0, 0, 0, 1, counts, twice);
    }
}
