package dev.cassidy.reliability.unique;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.reliability.program.HeldRows;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The accounts and the reservations of their values, read by the bare java-driver. */
final class UniqueNodes {

    private static final String KEYSPACE = "members";
    private static final String RESERVATIONS = "cassidy_unique_";

    private final HeldRows rows;

    /** The tables of reservations, and the columns of which they are. */
    private final Map<String, String> columns = new TreeMap<>();

    UniqueNodes(CqlSession session) {
        session.execute("SELECT table_name, comment FROM system_schema.tables WHERE keyspace_name = '" + KEYSPACE + "'")
                .forEach(this::add);
        if (!Set.copyOf(columns.values()).equals(Set.copyOf(UniqueHistory.COLUMNS)) || columns.size() != 2) {
            throw new IllegalStateException("reservations: " + columns);
        }
        Map<String, List<String>> keys = new HashMap<>(Map.of("account", List.of("id")));
        columns.keySet().forEach(table -> keys.put(table, List.of("value")));
        this.rows = new HeldRows(session, KEYSPACE, keys);
    }

    private void add(Row table) {
        String name = Objects.requireNonNull(table.getString("table_name"));
        if (name.startsWith(RESERVATIONS)) {
            String comment = String.valueOf(table.getString("comment"));
            columns.put(name, comment.contains("code") ? "code" : comment.contains("email") ? "email" : comment);
        }
    }

    /** Returns what is held: rows by {@code id ID}, values by {@code COLUMN VALUE}. */
    List<String> held() {
        Map<String, Set<ByteBuffer>> perhaps = columns.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, table -> values(table.getValue())));
        return rows.held(perhaps).stream()
                .map(row -> row.table().equals("account")
                        ? "id " + row.key().get(0)
                        : columns.get(row.table()) + " "
                                + decoded(columns.get(row.table()), (ByteBuffer)
                                        row.key().get(0)))
                .toList();
    }

    /** Returns all values that may be reserved, although no replica shows it. */
    private static Set<ByteBuffer> values(String column) {
        return (column.equals("email") ? Registrar.EMAILS : Registrar.CODES)
                .stream().map(word -> encoded(column, word)).collect(Collectors.toSet());
    }

    Map<String, Long> records() {
        return rows.records();
    }

    /** Returns what stands, when nothing is under way. */
    UniqueHistory.End end() {
        List<String> held = new ArrayList<>();
        Map<String, UniqueHistory.Account> accounts = new TreeMap<>();
        rows.rows("account", held)
                .forEach(row -> accounts.put(
                        "" + row.getInt("id"),
                        new UniqueHistory.Account(
                                Change.word(row.getObject("email")),
                                Change.word(row.getObject("code")),
                                row.getInt("n"))));
        List<UniqueHistory.Reservation> reservations = new ArrayList<>();
        columns.forEach((table, column) -> rows.rows(table, held)
                .forEach(row -> reservations.add(new UniqueHistory.Reservation(
                        column,
                        decoded(column, Objects.requireNonNull(row.getByteBuffer("value"))),
                        decoded("id", Objects.requireNonNull(row.getByteBuffer("row_key")))))));
        return new UniqueHistory.End(accounts, reservations, held);
    }

    // ---- values, each with its length before it

    private static ByteBuffer encoded(String column, String word) {
        if (word.equals(Change.NULL)) {
            return ByteBuffer.allocate(4).putInt(-1).flip();
        }
        byte[] bytes = column.equals("email")
                ? word.getBytes(StandardCharsets.UTF_8)
                : ByteBuffer.allocate(4).putInt(Integer.parseInt(word)).array();
        return ByteBuffer.allocate(4 + bytes.length)
                .putInt(bytes.length)
                .put(bytes)
                .flip();
    }

    private static String decoded(@Nullable String column, ByteBuffer value) {
        ByteBuffer left = value.duplicate();
        int length = left.getInt();
        if (length < 0) {
            return Change.NULL;
        }
        if (!"email".equals(column)) {
            return "" + left.getInt();
        }
        byte[] text = new byte[length];
        left.get(text);
        return Change.word(new String(text, StandardCharsets.UTF_8));
    }
}
