package dev.cassidy.functions;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;

/**
 * The rows of one (type, actor) as increments and folds write them, with what a replica that was away may bring back. The
 * sum of all increments is known whatever is folded.
 */
final class FoldedCounter {

    record Row(Long upto, BigInteger increment) {}

    private static final long BOOKEND = 0xFFFFFFFFL;
    private static final int MAX_EPOCHS = 3;

    final String type;
    final String actor;
    BigInteger total = BigInteger.ZERO;

    private final NavigableMap<Long, Row> rows = new TreeMap<>();
    private final NavigableMap<Long, Row> deleted = new TreeMap<>();
    private long epoch;
    private long seq;
    private long settled;

    FoldedCounter(String type, String actor) {
        this.type = type;
        this.actor = actor;
    }

    /** The first row after a version, as the table is now. */
    Map.Entry<Long, Row> next(long version) {
        return rows.higherEntry(version);
    }

    void increment(Random random) {
        BigInteger increment = new BigInteger(random.nextInt(70), random);
        increment = random.nextBoolean() ? increment : increment.negate();
        seq++;
        rows.put(epoch << 32 | seq, new Row(null, increment));
        total = total.add(increment);
    }

    void beginEpoch() {
        if (epoch < MAX_EPOCHS && seq > 0) {
            epoch++;
            seq = 0;
        }
    }

    /** What a fold may do while others read: the sum stays. */
    void fold(Random random) {
        switch (random.nextInt(4)) {
            case 0 -> settle();
            case 1 -> resurrect(random);
            default -> foldEpoch(random);
        }
    }

    /** Folds the beginning of one epoch into its base. */
    private void foldEpoch(Random random) {
        long of = random.nextLong(epoch + 1);
        long base = of << 32;
        if (of == 0 || base <= settled) {
            // The base of epoch 0 is that of all epochs.
            return;
        }
        List<Long> plain = plain(base);
        if (!plain.isEmpty()) {
            long upto = plain.get(random.nextInt(plain.size()));
            BigInteger sum = sum(base, upto);
            delete(base, upto);
            rows.put(base, new Row(upto, sum));
            rows.put(base | BOOKEND, new Row(upto, null));
        }
    }

    /** Folds all epochs that are complete, or the beginning of epoch 0, into the base of all. */
    private void settle() {
        List<Long> ofEpoch0 = plain(0);
        long upto =
                epoch > 0 ? (epoch - 1) << 32 | BOOKEND : ofEpoch0.isEmpty() ? 0 : ofEpoch0.get(ofEpoch0.size() / 2);
        if (upto > settled) {
            BigInteger sum = sum(0, upto);
            delete(0, upto);
            rows.put(0L, new Row(upto, sum));
            rows.put(Long.MAX_VALUE, new Row(upto, null));
            settled = upto;
        }
    }

    private void resurrect(Random random) {
        deleted.forEach((version, row) -> {
            if (random.nextInt(3) == 0) {
                rows.putIfAbsent(version, row);
            }
        });
    }

    /** The single increments of an epoch that its base does not contain. */
    private List<Long> plain(long base) {
        long contained = Math.max(settled, contained(base));
        List<Long> plain = new ArrayList<>();
        rows.subMap(base, false, base | BOOKEND, false).keySet().forEach(version -> {
            if (version > contained) {
                plain.add(version);
            }
        });
        return plain;
    }

    private long contained(long base) {
        Row row = rows.get(base);
        return row == null || row.upto() == null ? 0 : row.upto();
    }

    /** The sum of the versions in [base, upto], each counted once. */
    private BigInteger sum(long base, long upto) {
        BigInteger sum = BigInteger.ZERO;
        for (Map.Entry<Long, Row> entry : rows.subMap(base, true, upto, true).entrySet()) {
            long version = entry.getKey();
            long epochBase = version >>> 32 << 32;
            boolean isOld =
                    version != 0 && version <= settled || version != epochBase && version <= contained(epochBase);
            if (!isOld && entry.getValue().increment() != null) {
                sum = sum.add(entry.getValue().increment());
            }
        }
        return sum;
    }

    private void delete(long base, long upto) {
        NavigableMap<Long, Row> gone = rows.subMap(base, false, upto, true);
        gone.forEach(deleted::putIfAbsent);
        gone.clear();
    }
}
