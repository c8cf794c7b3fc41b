package dev.cassidy.reliability.program;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The rows of exact tables, and which of them transactions hold, read by the bare java-driver. */
public final class HeldRows {

    private static final String MARK = "cassidy_tx";
    private static final int AT_A_TIME = 24;
    private static final int MAX_TRIES = 20;

    /**
     * A row that is not free.
     *
     * @param columns of the primary key
     * @param isPlaceholder whether it is the lock of an insert
     */
    public record Held(String table, List<String> columns, List<Object> key, boolean isPlaceholder) {}

    private final CqlSession session;
    private final String keyspace;
    private final Map<String, List<String>> tables;

    /** @param tables the primary key of each table, whose first column is the partition's */
    public HeldRows(CqlSession session, String keyspace, Map<String, List<String>> tables) {
        this.session = session;
        this.keyspace = keyspace;
        this.tables = new TreeMap<>(tables);
    }

    public static boolean isFree(Row row) {
        ByteBuffer mark = row.getByteBuffer(MARK);
        return mark != null && mark.hasRemaining() && mark.get(mark.position()) == (byte) 0xff;
    }

    /**
     * Ends what is under way of every row, in the order of conditional writes, and returns those that are held.
     *
     * @param perhaps partition keys of tables that may be there, although no replica shows them
     */
    public List<Held> held(Map<String, ? extends Set<?>> perhaps) {
        List<Held> held = new ArrayList<>();
        tables.forEach((table, columns) -> {
            String partition = columns.get(0);
            Set<Object> keys = new LinkedHashSet<>();
            all("SELECT " + partition + " FROM " + keyspace + "." + table)
                    .forEach(row -> keys.add(Objects.requireNonNull(row.getObject(0))));
            if (perhaps.containsKey(table)) {
                keys.addAll(perhaps.get(table));
            }
            String query = "SELECT " + MARK + ", " + String.join(", ", columns) + " FROM " + keyspace + "." + table
                    + " WHERE " + partition + " = ?";
            for (Row row : inOrder(query, List.copyOf(keys))) {
                if (!isFree(row)) {
                    List<Object> key = columns.stream()
                            .map(row::getObject)
                            .map(Objects::requireNonNull)
                            .toList();
                    held.add(new Held(table, columns, key, isPlaceholder(row.getByteBuffer(MARK))));
                }
            }
        });
        return held;
    }

    private List<Row> inOrder(String query, List<Object> keys) {
        List<Row> rows = new ArrayList<>();
        for (int from = 0; from < keys.size(); from += AT_A_TIME) {
            keys.subList(from, Math.min(keys.size(), from + AT_A_TIME)).stream()
                    .map(key -> inOrder(query, key, MAX_TRIES))
                    .toList()
                    .forEach(page ->
                            page.toCompletableFuture().join().currentPage().forEach(rows::add));
        }
        return rows;
    }

    /** What was under way may have to be ended first, and may take too long for one read. */
    private CompletionStage<AsyncResultSet> inOrder(String query, Object key, int tries) {
        return session.executeAsync(
                        SimpleStatement.newInstance(query, key).setConsistencyLevel(ConsistencyLevel.LOCAL_SERIAL))
                .exceptionallyCompose(failure ->
                        tries == 1 ? CompletableFuture.failedFuture(failure) : inOrder(query, key, tries - 1));
    }

    private static boolean isPlaceholder(@Nullable ByteBuffer mark) {
        return mark != null && mark.remaining() == 18 && mark.get(mark.limit() - 1) == 1;
    }

    /** Reads all replicas. */
    public Iterable<Row> all(String query) {
        return session.execute(SimpleStatement.newInstance(query).setConsistencyLevel(ConsistencyLevel.ALL));
    }

    /**
     * Returns all rows of a table, when nothing is under way.
     *
     * @param held gets those that are held
     */
    public List<Row> rows(String table, List<String> held) {
        List<Row> rows = new ArrayList<>();
        for (Row row : all("SELECT * FROM " + keyspace + "." + table)) {
            rows.add(row);
            if (!isFree(row)) {
                held.add(table + " " + row.getFormattedContents());
            }
        }
        return rows;
    }

    /** Returns how many transactions' records are left, by their states. */
    public Map<String, Long> records() {
        Map<String, Long> states = new TreeMap<>();
        all("SELECT state FROM cassidy_dc1.transactions")
                .forEach(row -> states.merge(String.valueOf(row.getString("state")), 1L, Long::sum));
        return states;
    }
}
