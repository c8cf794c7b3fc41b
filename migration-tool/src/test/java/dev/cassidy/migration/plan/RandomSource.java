package dev.cassidy.migration.plan;

import dev.cassidy.migration.source.Reading;
import dev.cassidy.migration.source.SourceColumn;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** An identity column of SQL Server with a random history, and everything that was ever done to it. */
public final class RandomSource {

    private static final int MAX_STEPS = 12;

    private final Random random;
    private final SourceColumn column;
    private final long lowest;
    private final long highest;
    private final Set<Long> used = new HashSet<>();
    private final TreeSet<Long> rows = new TreeSet<>();
    private final Set<Long> elsewhere = new HashSet<>();
    private @Nullable Long last;
    private boolean forgot;
    private final List<String> history = new ArrayList<>();

    /** Makes a column that was used at random, the same one for each {@code number}. */
    public static RandomSource of(int number) {
        RandomSource source = new RandomSource(new Random(number));
        source.live();
        return source;
    }

    private RandomSource(Random random) {
        this.random = random;
        String type = List.of("tinyint", "smallint", "int", "bigint", "decimal").get(random.nextInt(5));
        this.lowest = switch (type) {
            case "tinyint" -> 0;
            case "smallint" -> Short.MIN_VALUE;
            case "int" -> Integer.MIN_VALUE;
            case "bigint" -> Long.MIN_VALUE;
            default -> -999_999;
        };
        this.highest = switch (type) {
            case "tinyint" -> 255;
            case "smallint" -> Short.MAX_VALUE;
            case "int" -> Integer.MAX_VALUE;
            case "bigint" -> Long.MAX_VALUE;
            default -> 999_999;
        };
        int step = List.of(1, 1, 1, 2, 5, 100).get(random.nextInt(6));
        boolean down = lowest < 0 && random.nextInt(4) == 0;
        long seed =
                switch (random.nextInt(4)) {
                    case 0 -> type.equals("tinyint") ? 0 : lowest / 2 + random.nextInt(100);
                    case 1 -> down ? -1 : random.nextInt(200);
                    default -> down ? -1 : 1;
                };
        this.column = new SourceColumn(
                "dbo", "T", "Id", type, 6, 0, BigInteger.valueOf(seed), BigInteger.valueOf(down ? -step : step));
    }

    private void live() {
        int steps = random.nextInt(MAX_STEPS);
        for (int i = 0; i < steps; i++) {
            switch (random.nextInt(9)) {
                case 0 -> generate(1 + random.nextInt(5), false);
                case 1, 2, 3 -> generate(1 + random.nextInt(5), true);
                case 4 -> {
                    history.add("delete");
                    rows.removeIf(id -> random.nextBoolean());
                }
                case 5 -> {
                    history.add("delete all");
                    rows.clear();
                }
                case 6 -> {
                    // IDENTITY_INSERT, on the grid or off it.
                    long id = near();
                    if (id >= lowest && id <= highest) {
                        history.add("explicit " + id);
                        used.add(id);
                        rows.add(id);
                        if (last == null ? !beyond(column.seed().longValueExact(), id) : beyond(id, last)) {
                            last = id;
                        }
                    }
                }
                case 7 -> {
                    if (!rows.isEmpty()) {
                        history.add("refer");
                        elsewhere.add(rows.first());
                        elsewhere.add(rows.last());
                    }
                }
                default -> {
                    forgot = true;
                    if (lowest < 0 && random.nextInt(4) == 0) {
                        wrap();
                        continue;
                    }
                    if (random.nextBoolean()) {
                        history.add("truncate");
                        rows.clear();
                        last = null;
                    } else {
                        long to = near();
                        if (to >= lowest && to <= highest) {
                            history.add("reseed " + to);
                            last = to;
                        }
                    }
                }
            }
        }
    }

    /** Uses up the type, and begins again behind the seed. */
    private void wrap() {
        long seed = column.seed().longValueExact();
        long behind = seed - column.increment().longValueExact() * (2 + random.nextInt(30));
        if (behind >= lowest && behind <= highest && !beyond(behind, seed)) {
            long end = column.increment().signum() > 0 ? highest : lowest;
            history.add("wrap to " + behind);
            used.add(seed);
            used.add(end);
            rows.add(end);
            if (random.nextBoolean()) {
                rows.add(seed);
            }
            last = behind;
        }
    }

    private boolean beyond(long id, long other) {
        return column.beyond(BigInteger.valueOf(id), BigInteger.valueOf(other));
    }

    private long near() {
        long from = last == null ? column.seed().longValueExact() : last;
        long step = column.increment().longValueExact() * (random.nextInt(40) - 10) + random.nextInt(2);
        return random.nextInt(20) == 0 ? (column.increment().signum() > 0 ? highest : lowest) : from + step;
    }

    private void generate(int count, boolean kept) {
        for (int i = 0; i < count; i++) {
            BigInteger next =
                    last == null ? column.seed() : BigInteger.valueOf(last).add(column.increment());
            if (next.compareTo(BigInteger.valueOf(lowest)) < 0 || next.compareTo(BigInteger.valueOf(highest)) > 0) {
                return;
            }
            last = next.longValueExact();
            history.add((kept ? "insert " : "fail ") + last);
            // A reseeded column may meet a row that it has: the insert fails, and the id is used.
            used.add(last);
            if (kept) {
                rows.add(last);
            }
        }
    }

    public SourceColumn column() {
        return column;
    }

    /** Returns the ids of its rows. */
    public Set<Long> rows() {
        return Collections.unmodifiableSet(rows);
    }

    /** Returns every id that it ever had, rows or not. */
    public Set<Long> used() {
        return Collections.unmodifiableSet(used);
    }

    /** Returns ids of it that another table has, also of rows that are gone. */
    public Set<Long> elsewhere() {
        return Collections.unmodifiableSet(elsewhere);
    }

    /** Returns the value that it remembers as its last one; null if none. */
    public @Nullable Long last() {
        return last;
    }

    /** Returns whether ids were used that neither its rows nor its last value tell of. */
    public boolean forgot() {
        return forgot;
    }

    public long lowest() {
        return lowest;
    }

    public long highest() {
        return highest;
    }

    @Override
    public String toString() {
        return column + " " + history;
    }

    /** Returns what the tool reads of it. */
    Reading reading() {
        BigInteger furthest = rows.isEmpty()
                ? null
                : BigInteger.valueOf(column.increment().signum() > 0 ? rows.last() : rows.first());
        BigInteger lastValue = last == null ? null : BigInteger.valueOf(last);
        BigInteger ahead = null;
        if (last != null && column.beyond(column.seed(), lastValue)) {
            Long next = column.increment().signum() > 0 ? rows.higher(last) : rows.lower(last);
            ahead = next == null ? null : BigInteger.valueOf(next);
        }
        List<Reading.Elsewhere> holders = elsewhere.stream()
                .reduce((some, more) -> beyond(more, some) ? more : some)
                .map(id -> List.of(new Reading.Elsewhere("dbo.Other.T_Id", BigInteger.valueOf(id))))
                .orElse(List.of());
        return new Reading(column, furthest, lastValue, ahead, null, holders);
    }

    /** Returns the furthest id that it ever had; null if none. */
    public @Nullable BigInteger furthestUsed() {
        return used.stream()
                .map(BigInteger::valueOf)
                .reduce((some, more) -> column.beyond(more, some) ? more : some)
                .orElse(null);
    }
}
