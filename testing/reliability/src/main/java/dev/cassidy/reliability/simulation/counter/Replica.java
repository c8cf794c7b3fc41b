package dev.cassidy.reliability.simulation.counter;

import dev.cassidy.counter.store.CounterRow;
import dev.cassidy.reliability.simulation.counter.Mutation.RangeDelete;
import dev.cassidy.reliability.simulation.counter.Mutation.Write;
import dev.cassidy.reliability.simulation.counter.SimulatedStores.OpenTable;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A replica of the counters' table: of two writes to a cell the later timestamp wins, and of equal ones the larger value. */
final class Replica {

    private record Cell<T extends Comparable<T>>(T value, long timestamp) {

        static <T extends Comparable<T>> Cell<T> newer(Cell<T> one, Cell<T> other) {
            Comparator<Cell<T>> order = Comparator.comparingLong(Cell::timestamp);
            return order.thenComparing(Cell::value).compare(one, other) >= 0 ? one : other;
        }
    }

    private static final class Rows {
        final TreeMap<Long, Cell<BigInteger>> increments = new TreeMap<>();
        final TreeMap<Long, Cell<Long>> uptos = new TreeMap<>();
        final Set<RangeDelete> deletes = new HashSet<>();

        void merge(Rows other) {
            other.increments.forEach((version, cell) -> increments.merge(version, cell, Cell::newer));
            other.uptos.forEach((version, cell) -> uptos.merge(version, cell, Cell::newer));
            deletes.addAll(other.deletes);
        }

        Rows copy() {
            Rows copy = new Rows();
            copy.merge(this);
            return copy;
        }
    }

    /** What it was not told while it was down. */
    private record Missed(int table, Mutation mutation) {}

    /** It knows no table of the name. */
    static final int NO_TABLE = -1;

    private final Map<String, Rows> partitions = new HashMap<>();
    private final List<Missed> missed = new ArrayList<>();

    /** The id of the table that has the name, by the schema that this node knows. */
    private int table = OpenTable.KEPT;

    private int schema;
    private long truncatedAt = Long.MIN_VALUE;
    private boolean up = true;

    boolean isUp() {
        return up;
    }

    /** What it misses while it is down, it applies when it is up again. */
    void setUp(boolean now) {
        up = now;
        if (now) {
            missed.forEach(each -> apply(each.table(), each.mutation()));
            missed.clear();
        }
    }

    int table() {
        return table;
    }

    /** Returns the version of the schema that it knows. */
    int schema() {
        return schema;
    }

    /** Learns of a version of the schema. The rows of a table that was dropped are gone, unless it has the same id again. */
    void learn(int version, int now) {
        if (version <= schema) {
            return;
        }
        schema = version;
        if (now != table) {
            table = now;
            partitions.clear();
        }
    }

    /** Deletes everything. */
    void truncate(int of, long now) {
        if (of == table) {
            partitions.clear();
            truncatedAt = now;
        }
    }

    /** Applies what was kept for it since {@code sentAt}, unless it was emptied meanwhile. */
    void applyHint(int of, Mutation mutation, long sentAt) {
        if (sentAt > truncatedAt) {
            apply(of, mutation);
        }
    }

    /** Returns whether it has written it: it may be down, or have no table of that id. */
    boolean apply(int of, Mutation mutation) {
        if (!up) {
            missed.add(new Missed(of, mutation));
            return false;
        }
        if (of != table || of == NO_TABLE) {
            return false;
        }
        Rows rows = partitions.computeIfAbsent(mutation.key(), first -> new Rows());
        for (Write write : mutation.writes()) {
            if (write.increment() != null) {
                rows.increments.merge(write.version(), new Cell<>(write.increment(), write.timestamp()), Cell::newer);
            }
            if (write.upto() != null) {
                rows.uptos.merge(write.version(), new Cell<>(write.upto(), write.timestamp()), Cell::newer);
            }
        }
        if (mutation.delete() != null) {
            rows.deletes.add(mutation.delete());
        }
        return true;
    }

    /** What a replica answers to a read. */
    record Answer(Map<String, Rows> partitions) {}

    /** Returns the partitions whose keys begin with {@code prefix}, as they are now. */
    Answer read(String prefix) {
        Map<String, Rows> found = new TreeMap<>();
        partitions.forEach((key, rows) -> {
            if (key.startsWith(prefix)) {
                found.put(key, rows.copy());
            }
        });
        return new Answer(found);
    }

    /** Returns what a coordinator makes of several answers: the rows of each partition, by its key. */
    static Map<String, List<CounterRow>> merged(List<Answer> answers) {
        Map<String, Rows> all = new TreeMap<>();
        for (Answer answer : answers) {
            answer.partitions().forEach((key, rows) -> all.computeIfAbsent(key, first -> new Rows())
                    .merge(rows));
        }
        Map<String, List<CounterRow>> rows = new TreeMap<>();
        all.forEach((key, merged) -> rows.put(key, live(key.substring(key.indexOf('|') + 1), merged)));
        return rows;
    }

    private static List<CounterRow> live(String actor, Rows rows) {
        Set<Long> versions = new TreeSet<>(rows.increments.keySet());
        versions.addAll(rows.uptos.keySet());
        List<CounterRow> live = new ArrayList<>();
        for (Long version : versions) {
            @Nullable Cell<BigInteger> increment = live(version, rows.increments.get(version), rows.deletes);
            @Nullable Cell<Long> upto = live(version, rows.uptos.get(version), rows.deletes);
            if (increment != null) {
                live.add(new CounterRow(
                        actor,
                        version,
                        increment.value(),
                        upto == null ? null : upto.value(),
                        increment.timestamp(),
                        false));
            } else if (upto != null) {
                live.add(new CounterRow(actor, version, null, upto.value(), upto.timestamp(), false));
            }
        }
        return live;
    }

    private static <T extends Comparable<T>> @Nullable Cell<T> live(
            long version, @Nullable Cell<T> cell, Set<RangeDelete> deletes) {
        return cell == null || deletes.stream().anyMatch(delete -> delete.covers(version, cell.timestamp()))
                ? null
                : cell;
    }
}
