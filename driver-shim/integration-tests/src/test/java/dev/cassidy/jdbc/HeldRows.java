package dev.cassidy.jdbc;

import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.table.TableWrites;
import dev.cassidy.transaction.ChangesCodec;
import dev.cassidy.transaction.LockMark;
import dev.cassidy.transaction.RowChange;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Rows that a transaction holds which is under way, or was when its process ended.
 *
 * @param table with its keyspace; its key is {@code o} and {@code no}
 */
public record HeldRows(String table) {

    private static String records() {
        return "cassidy_" + TestCluster.NODE.localDatacenter() + ".transactions";
    }

    /** Returns the id of a transaction without rows. */
    public static UUID pending() {
        return pending(0);
    }

    /** Returns the id of a transaction that says to have so many rows, so that others wait long for it. */
    public static UUID pending(int rows) {
        UUID id = UUID.randomUUID();
        TestCluster.session()
                .execute(
                        "INSERT INTO " + records()
                                + " (id, state, holder, created, rows, writes)"
                                + " VALUES (?, 'PENDING', 'test', toTimestamp(now()), ?, ?) IF NOT EXISTS",
                        id,
                        rows,
                        ChangesCodec.encode(List.of()));
        return id;
    }

    /** Returns the state of a transaction; {@code none} if it has no record. */
    public static String state(UUID id) {
        Row record = TestCluster.session()
                .execute("SELECT state FROM " + records() + " WHERE id = ?", id)
                .one();
        return record == null ? "none" : record.getString("state");
    }

    /**
     * Returns the id of a committed transaction that has written nothing yet.
     *
     * @param quantities what it gives to the column {@code qty} of rows, by {@code no}
     */
    public UUID committed(int o, Map<Integer, Integer> quantities) {
        UUID id = UUID.randomUUID();
        String[] name = table.split("\\.");
        TableWrites writes = new TableWrites(name[0], name[1], TestCluster.NODE.localDatacenter(), null, false);
        List<RowChange> changes = quantities.keySet().stream()
                .map(no -> new RowChange(
                        writes,
                        new TreeMap<>(Map.of("o", number(o), "no", number(no))).descendingMap(),
                        1,
                        Map.of(),
                        RowChange.Kind.UPDATE,
                        Map.of("qty", number(quantities.get(no)))))
                .toList();
        TestCluster.session()
                .execute(
                        "INSERT INTO " + records()
                                + " (id, state, holder, created, rows, writes)"
                                + " VALUES (?, 'COMMITTED', 'test', toTimestamp(now()), ?, ?) IF NOT EXISTS",
                        id,
                        changes.size(),
                        ChangesCodec.encode(changes));
        quantities.keySet().forEach(no -> hold(id, o, no));
        return id;
    }

    private static ByteBuffer number(int value) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(0, value);
    }

    public void hold(UUID id, int o, int no) {
        TestCluster.session()
                .execute(
                        "UPDATE " + table + " SET cassidy_tx = ? WHERE o = ? AND no = ? IF cassidy_tx >= 0xff",
                        new LockMark(id, false).toBytes(),
                        o,
                        no);
    }

    /** Keeps the key of a row that is about to be inserted. */
    public void placeholder(UUID id, int o, int no) {
        TestCluster.session()
                .execute(
                        "INSERT INTO " + table + " (o, no, cassidy_tx) VALUES (?, ?, ?) IF NOT EXISTS",
                        o,
                        no,
                        new LockMark(id, true).toBytes());
    }
}
