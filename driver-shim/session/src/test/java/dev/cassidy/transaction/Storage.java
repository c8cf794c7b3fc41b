package dev.cassidy.transaction;

import dev.cassidy.definition.RowMark;
import dev.cassidy.transaction.TransactionRecord.State;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * What Cassandra keeps: rows on three replicas, whose cells have write timestamps; a plain write may be on some replicas only, and a read of
 * two replicas makes them agree on the columns that it names. Conditional statements are atomic here, on a majority. Their times are those of
 * the nodes' clocks, which are right, or wrong by an hour or by two days.
 */
final class Storage {

    /** The mark of a row that no transaction has held since it was inserted. */
    static final ByteBuffer FREE = ByteBuffer.wrap(new byte[] {(byte) 0xff});

    private static final int REPLICAS = 3;
    private static final long HOUR = 3_600_000_000L;

    private record Cell(long micros, ByteBuffer value) {
        /** Of two cells of one time, a deletion wins, and then the larger value. */
        static Cell newer(Cell one, Cell other) {
            if (one == null || other == null) {
                return one == null ? other : one;
            }
            if (one.micros != other.micros) {
                return one.micros > other.micros ? one : other;
            }
            if (one.value == null || other.value == null) {
                return one.value == null ? one : other;
            }
            return compare(one.value, other.value) >= 0 ? one : other;
        }

        private static int compare(ByteBuffer one, ByteBuffer other) {
            return Arrays.compareUnsigned(one.array(), other.array());
        }
    }

    private static final class Stored {
        private final Map<String, Cell> cells = new TreeMap<>();
        private long deleted = Long.MIN_VALUE;

        void merge(Stored other, Collection<String> columns) {
            deleted = Math.max(deleted, other.deleted);
            for (String column : columns) {
                Cell cell = Cell.newer(cells.get(column), other.cells.get(column));
                if (cell != null) {
                    cells.put(column, cell);
                }
            }
        }

        Map<String, ByteBuffer> live() {
            Map<String, ByteBuffer> live = new LinkedHashMap<>();
            cells.forEach((column, cell) -> {
                if (cell.micros > deleted && cell.value != null) {
                    live.put(column, cell.value);
                }
            });
            return live;
        }

        long micros(String column) {
            return cells.get(column).micros;
        }
    }

    private final Random random;
    private final World world;
    private final Map<String, List<Stored>> rows = new TreeMap<>();
    final Map<UUID, TransactionRecord> records = new LinkedHashMap<>();

    /** Those that one replica has, or may have later. */
    final Set<UUID> createdPartly = new HashSet<>();

    /** Those that one replica does not have any more. */
    final Map<UUID, TransactionRecord> removedPartly = new HashMap<>();

    /** All that ever were. */
    final Map<UUID, TransactionRecord> ghosts = new LinkedHashMap<>();

    /** Committed ones of which nobody has heard: a majority may not have it yet. */
    final Set<UUID> committing = new HashSet<>();

    /** When each transaction was committed, by its number, which is the last one in the logs that it writes. */
    final Map<Integer, Integer> commits = new HashMap<>();

    /** When each claim was set. */
    final Map<ByteBuffer, Integer> claimed = new HashMap<>();

    /** By how much the clocks of the nodes are wrong. */
    private final long[] clocks;

    /** Of its own, so that clocks change nothing else of a schedule. */
    private final Random choice;

    /** The last one of each partition. */
    private final Map<String, Long> ballots = new HashMap<>();

    private long micros = 1L << 50;

    private long freed;

    /** One whose clocks are right. */
    Storage(World world) {
        this(world, 0, 0);
    }

    /** One whose clocks the seed decides. */
    Storage(World world, long seed) {
        this(world, seed, new long[] {0, HOUR, 48 * HOUR}[new Random(seed).nextInt(3)]);
    }

    private Storage(World world, long seed, long wrong) {
        this.world = world;
        this.random = world.random;
        this.choice = new Random(seed);
        this.clocks = new long[] {0, wrong, -wrong};
    }

    /** The time that somebody's clock shows. */
    long someTime() {
        return ++micros + clocks[choice.nextInt(clocks.length)];
    }

    /** A mark of a row that nobody holds, unlike all others. */
    ByteBuffer anotherFree() {
        return LockMark.free(new UUID(0, ++freed));
    }

    /** By the clock of the node that is asked, and after the one before it in the partition. */
    long nextBallot(String key) {
        return ballots.merge(
                key.substring(0, key.lastIndexOf('/')), someTime(), (last, next) -> Math.max(last + 1, next));
    }

    Set<String> keys() {
        return new TreeSet<>(rows.keySet());
    }

    private List<Stored> row(String key) {
        return rows.computeIfAbsent(key, made -> List.of(new Stored(), new Stored(), new Stored()));
    }

    private List<Stored> someTwo(String key) {
        List<Stored> some = new ArrayList<>(row(key));
        Collections.shuffle(some, random);
        return some.subList(0, REPLICAS - 1);
    }

    private static Stored merged(List<Stored> replicas) {
        Stored merged = new Stored();
        replicas.forEach(replica -> merged.merge(replica, replica.cells.keySet()));
        return merged;
    }

    /** What a conditional statement reads, which repairs nothing. */
    Map<String, ByteBuffer> readInOrder(String key) {
        return merged(someTwo(key)).live();
    }

    /** What a query at a majority reads. */
    Map<String, ByteBuffer> read(String key, Collection<String> columns) {
        List<Stored> two = someTwo(key);
        Stored merged = merged(two);
        two.forEach(replica -> replica.merge(merged, columns));
        return merged.live();
    }

    HeldRow held(String key, Collection<String> columns) {
        List<Stored> two = someTwo(key);
        Stored merged = merged(two);
        two.forEach(replica -> replica.merge(merged, columns));
        ByteBuffer mark = merged.live().get(RowMark.COLUMN);
        return mark == null ? new HeldRow(null, 0) : new HeldRow(mark, merged.micros(RowMark.COLUMN));
    }

    /** @param columns null for a deletion of the row */
    private static void apply(Stored replica, Map<String, ByteBuffer> columns, long micros) {
        if (columns == null) {
            replica.deleted = Math.max(replica.deleted, micros);
        } else {
            columns.forEach((column, value) -> replica.cells.merge(column, new Cell(micros, value), Cell::newer));
        }
    }

    /** On a majority, and on the third replica some time later. */
    void write(String key, Map<String, ByteBuffer> columns, long micros) {
        List<Stored> two = someTwo(key);
        two.forEach(replica -> apply(replica, columns, micros));
        world.later(() -> row(key).forEach(replica -> apply(replica, columns, micros)));
    }

    /** On one replica, and on the others later or never. */
    void writePartly(String key, Map<String, ByteBuffer> columns, long micros) {
        apply(row(key).get(random.nextInt(REPLICAS)), columns, micros);
        if (random.nextInt(4) == 0) {
            world.later(() -> row(key).forEach(replica -> apply(replica, columns, micros)));
        }
    }

    /** Remembers when that was. */
    void committed(List<RowChange> changes) {
        for (RowChange row : changes) {
            ByteBuffer log = row.values().get("t");
            if (log != null && log.capacity() > 0) {
                commits.putIfAbsent(log.getInt(log.capacity() - Integer.BYTES), world.now());
            }
        }
    }

    /** As after a deletion whose tombstones are purged. */
    void purge(String key) {
        rows.remove(key);
    }

    void state(UUID id, State state) {
        // A condition may find one that is removed in part: what it writes is older than the removal.
        Map<UUID, TransactionRecord> where = records.containsKey(id) ? records : removedPartly;
        TransactionRecord record = where.get(id);
        where.put(
                id,
                new TransactionRecord(id, record.home(), state, record.holder(), record.created(), record.changes()));
    }
}
