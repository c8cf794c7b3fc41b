package dev.cassidy.reliability.transactions;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The rows of the bank, read by the bare java-driver. */
final class BankNodes {

    private static final String MARK = "cassidy_tx";
    private static final int AT_A_TIME = 24;
    private static final int MAX_TRIES = 20;

    /** The keys of the tables. */
    private static final Map<String, List<String>> TABLES = new TreeMap<>(Map.of(
            "a_book", List.of("id"),
            "acct_a", List.of("id"),
            "acct_b", List.of("id"),
            "acct_c", List.of("id"),
            "daybook", List.of("id"),
            "duty", List.of("id"),
            "goods", List.of("id"),
            "line", List.of("orders", "no"),
            "orders", List.of("id")));

    /**
     * A row that is not free.
     *
     * @param isPlaceholder whether it is the lock of an insert
     */
    record Held(String table, List<Object> key, boolean isPlaceholder) {

        List<String> columns() {
            return Objects.requireNonNull(TABLES.get(table));
        }
    }

    private final CqlSession session;

    BankNodes(CqlSession session) {
        this.session = session;
    }

    private static boolean isFree(Row row) {
        ByteBuffer mark = row.getByteBuffer(MARK);
        return mark != null && mark.hasRemaining() && mark.get(mark.position()) == (byte) 0xff;
    }

    /**
     * Ends what is under way of every row, in the order of conditional writes, and returns those that are held.
     *
     * @param perhaps keys of {@code a_book} that may be there, although no replica shows them
     */
    List<Held> held(Set<String> perhaps) {
        List<Held> held = new ArrayList<>();
        TABLES.forEach((table, columns) -> {
            String partition = columns.get(0);
            Set<Object> keys = new LinkedHashSet<>();
            all("SELECT " + partition + " FROM bank." + table)
                    .forEach(row -> keys.add(Objects.requireNonNull(row.getObject(0))));
            if (table.equals("a_book")) {
                keys.addAll(perhaps);
            }
            String query = "SELECT " + MARK + ", " + String.join(", ", columns) + " FROM bank." + table + " WHERE "
                    + partition + " = ?";
            for (Row row : inOrder(query, List.copyOf(keys))) {
                if (!isFree(row)) {
                    List<Object> key = columns.stream()
                            .map(row::getObject)
                            .map(Objects::requireNonNull)
                            .toList();
                    held.add(new Held(table, key, isPlaceholder(row.getByteBuffer(MARK))));
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

    private Iterable<Row> all(String query) {
        return session.execute(SimpleStatement.newInstance(query).setConsistencyLevel(ConsistencyLevel.ALL));
    }

    /** Returns the rows that stand, when nothing is under way. */
    BankHistory.End end() {
        List<String> held = new ArrayList<>();
        Map<String, BankHistory.Account> accounts = new HashMap<>();
        for (String table : List.of("acct_a", "acct_b", "acct_c")) {
            for (Row row : rows(table, held)) {
                String name = table.equals("acct_b") ? row.getString("id") : table.charAt(5) + "" + row.getInt("id");
                accounts.put(name, new BankHistory.Account(row.getInt("balance"), text(row, "note")));
            }
        }
        List<BankHistory.Entry> journal = new ArrayList<>();
        rows("a_book", held).forEach(row -> journal.add(new BankHistory.Entry(text(row, "id"), text(row, "moves"))));
        rows("daybook", held)
                .forEach(row -> journal.add(new BankHistory.Entry(text(row, "transfer"), text(row, "moves"))));
        Map<Integer, BankHistory.Order> orders = new HashMap<>();
        rows("orders", held)
                .forEach(row ->
                        orders.put(row.getInt("id"), new BankHistory.Order(text(row, "tag"), row.getInt("size"))));
        Map<Integer, Map<Integer, String>> lines = new TreeMap<>();
        rows("line", held).forEach(row -> lines.computeIfAbsent(row.getInt("orders"), id -> new TreeMap<>())
                .put(row.getInt("no"), row.getInt("good") + ":" + row.getInt("qty")));
        Map<Integer, List<String>> ordered = new HashMap<>();
        lines.forEach((id, all) -> ordered.put(id, List.copyOf(all.values())));
        Map<Integer, Integer> stock = new HashMap<>();
        rows("goods", held).forEach(row -> stock.put(row.getInt("id"), row.getInt("stock")));
        Map<Integer, Integer> duty = new HashMap<>();
        rows("duty", held).forEach(row -> duty.put(row.getInt("id"), row.getInt("present")));
        return new BankHistory.End(accounts, journal, orders, ordered, stock, duty, held);
    }

    private static String text(Row row, String column) {
        return String.valueOf(row.getString(column));
    }

    private List<Row> rows(String table, List<String> held) {
        List<Row> rows = new ArrayList<>();
        for (Row row : all("SELECT * FROM bank." + table)) {
            rows.add(row);
            if (!isFree(row)) {
                held.add(table + " " + row.getFormattedContents());
            }
        }
        return rows;
    }

    /** Returns how many transactions' records are left, by their states. */
    Map<String, Long> records() {
        Map<String, Long> states = new TreeMap<>();
        all("SELECT state FROM cassidy_dc1.transactions")
                .forEach(row -> states.merge(text(row, "state"), 1L, Long::sum));
        return states;
    }
}
