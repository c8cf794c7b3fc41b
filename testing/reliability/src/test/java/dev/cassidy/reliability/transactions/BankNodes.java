package dev.cassidy.reliability.transactions;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.reliability.program.HeldRows;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The rows of the bank, read by the bare java-driver. */
final class BankNodes {

    /** The keys of the tables. */
    private static final Map<String, List<String>> TABLES = new TreeMap<>();

    static {
        for (String table : List.of(
                "a_book", "acct_a", "acct_b", "acct_c", "daybook", "duty", "gate", "goods", "orders", "turnstile")) {
            TABLES.put(table, List.of("id"));
        }
        TABLES.put("line", List.of("orders", "no"));
    }

    private final HeldRows rows;

    BankNodes(CqlSession session) {
        this.rows = new HeldRows(session, "bank", TABLES);
    }

    /**
     * As {@link HeldRows#held}.
     *
     * @param perhaps keys of {@code a_book} that may be there, although no replica shows them
     */
    List<HeldRows.Held> held(Set<String> perhaps) {
        return rows.held(Map.of("a_book", perhaps));
    }

    Map<String, Long> records() {
        return rows.records();
    }

    /** Returns the rows that stand, when nothing is under way. */
    BankHistory.End end() {
        List<String> held = new ArrayList<>();
        Map<String, BankHistory.Account> accounts = new HashMap<>();
        for (String table : List.of("acct_a", "acct_b", "acct_c")) {
            for (Row row : rows.rows(table, held)) {
                String name = table.equals("acct_b") ? row.getString("id") : table.charAt(5) + "" + row.getInt("id");
                accounts.put(name, new BankHistory.Account(row.getInt("balance"), text(row, "note")));
            }
        }
        List<BankHistory.Entry> journal = new ArrayList<>();
        rows.rows("a_book", held)
                .forEach(row -> journal.add(new BankHistory.Entry(text(row, "id"), text(row, "moves"))));
        rows.rows("daybook", held)
                .forEach(row -> journal.add(new BankHistory.Entry(text(row, "transfer"), text(row, "moves"))));
        Map<Integer, BankHistory.Order> orders = new HashMap<>();
        rows.rows("orders", held)
                .forEach(row ->
                        orders.put(row.getInt("id"), new BankHistory.Order(text(row, "tag"), row.getInt("size"))));
        Map<Integer, Map<Integer, String>> lines = new TreeMap<>();
        rows.rows("line", held).forEach(row -> lines.computeIfAbsent(row.getInt("orders"), id -> new TreeMap<>())
                .put(row.getInt("no"), row.getInt("good") + ":" + row.getInt("qty")));
        Map<Integer, List<String>> ordered = new HashMap<>();
        lines.forEach((id, all) -> ordered.put(id, List.copyOf(all.values())));
        Map<Integer, Integer> stock = new HashMap<>();
        rows.rows("goods", held).forEach(row -> stock.put(row.getInt("id"), row.getInt("stock")));
        Map<Integer, Integer> duty = new HashMap<>();
        rows.rows("duty", held).forEach(row -> duty.put(row.getInt("id"), row.getInt("present")));
        Map<Integer, Integer> turns = new HashMap<>();
        rows.rows("turnstile", held).forEach(row -> turns.put(row.getInt("id"), row.getInt("turns")));
        return new BankHistory.End(accounts, journal, orders, ordered, stock, duty, turns, held);
    }

    private static String text(Row row, String column) {
        return String.valueOf(row.getString(column));
    }
}
