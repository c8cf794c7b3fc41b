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
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The rows of the bank, read by the bare java-driver. */
final class BankNodes {

    private static final String MARK = "cassidy_tx";
    private static final int AT_A_TIME = 24;

    /** The keys of the tables. */
    private static final Map<String, List<String>> TABLES = new TreeMap<>(Map.of(
            "a_book", List.of("id"),
            "acct_a", List.of("id"),
            "acct_b", List.of("id"),
            "acct_c", List.of("id"),
            "daybook", List.of("id"),
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
            Set<List<Object>> keys = new LinkedHashSet<>();
            for (Row row : all("SELECT " + String.join(", ", columns) + " FROM bank." + table)) {
                keys.add(columns.stream()
                        .map(row::getObject)
                        .map(Objects::requireNonNull)
                        .toList());
            }
            if (table.equals("a_book")) {
                perhaps.forEach(id -> keys.add(List.of(id)));
            }
            held.addAll(held(table, columns, List.copyOf(keys)));
        });
        return held;
    }

    private List<Held> held(String table, List<String> columns, List<List<Object>> keys) {
        String query = "SELECT " + MARK + " FROM bank." + table + " WHERE "
                + columns.stream().map(column -> column + " = ?").collect(Collectors.joining(" AND "));
        List<Held> held = new ArrayList<>();
        for (int from = 0; from < keys.size(); from += AT_A_TIME) {
            List<List<Object>> some = keys.subList(from, Math.min(keys.size(), from + AT_A_TIME));
            List<CompletionStage<AsyncResultSet>> rows = some.stream()
                    .map(key -> session.executeAsync(SimpleStatement.newInstance(query, key.toArray())
                            .setConsistencyLevel(ConsistencyLevel.LOCAL_SERIAL)))
                    .toList();
            for (int i = 0; i < some.size(); i++) {
                Row row = rows.get(i).toCompletableFuture().join().one();
                if (row != null && !isFree(row)) {
                    held.add(new Held(table, some.get(i), isPlaceholder(row.getByteBuffer(MARK))));
                }
            }
        }
        return held;
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
        return new BankHistory.End(accounts, journal, orders, ordered, stock, held);
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
