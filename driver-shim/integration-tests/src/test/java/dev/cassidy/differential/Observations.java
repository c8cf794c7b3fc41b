package dev.cassidy.differential;

import java.sql.BatchUpdateException;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Observations of a database, step by step: values with their classes, counts, labels, and exceptions. */
final class Observations {

    @FunctionalInterface
    interface Step {
        Object run() throws SQLException;
    }

    /** SQL Server's error numbers for H2's, because applications that check numbers check SQL Server's. */
    private static final Map<Integer, Integer> SQL_SERVERS_NUMBER =
            Map.of(23505, 2627, 23502, 515, 42101, 2714, 42102, 208, 42104, 208, 42122, 207);

    private final Map<String, String> seen = new LinkedHashMap<>();

    void step(String name, Step step) {
        String observed;
        try {
            observed = show(step.run());
        } catch (SQLException e) {
            observed = show(e);
        }
        if (seen.put(name, observed) != null) {
            throw new IllegalArgumentException("must be a step's only name: " + name);
        }
    }

    Map<String, String> seen() {
        return seen;
    }

    /** Returns the rows from the cursor's position on. Each row is the list of its values from getObject. */
    static List<List<Object>> rows(ResultSet result) throws SQLException {
        List<List<Object>> rows = new ArrayList<>();
        while (result.next()) {
            List<Object> row = new ArrayList<>();
            for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
                row.add(result.getObject(i));
            }
            rows.add(row);
        }
        return rows;
    }

    /** Returns the label and the class of each column. */
    static List<Object> columns(ResultSetMetaData columns) throws SQLException {
        List<Object> described = new ArrayList<>();
        for (int i = 1; i <= columns.getColumnCount(); i++) {
            described.add(new Shown(columns.getColumnLabel(i) + " " + simple(columns.getColumnClassName(i))));
        }
        return described;
    }

    /** Text that is shown unchanged. */
    record Shown(String text) {}

    private static String simple(String className) {
        return className.substring(className.lastIndexOf('.') + 1);
    }

    private static String show(Object value) {
        if (value == null) {
            return "null";
        }
        if (value instanceof Shown shown) {
            return shown.text();
        }
        if (value instanceof List<?> list) {
            return list.stream().map(Observations::show).collect(Collectors.joining(", ", "[", "]"));
        }
        if (value instanceof int[] counts) {
            return "counts " + Arrays.toString(counts);
        }
        if (value instanceof byte[] bytes) {
            return "byte[] " + HexFormat.of().formatHex(bytes);
        }
        return value.getClass().getSimpleName() + " " + value;
    }

    /** Shows JDBC's exception class, the class of the SQLState, and SQL Server's error number if there is one. */
    private static String show(SQLException thrown) {
        Class<?> type = thrown.getClass();
        while (!type.getPackageName().startsWith("java.")) {
            type = type.getSuperclass();
        }
        int number = SQL_SERVERS_NUMBER.getOrDefault(thrown.getErrorCode(), thrown.getErrorCode());
        // H2's other numbers are its own: SQLStates, or numbers from 90000 on.
        boolean known = number > 0 && number < 10_000;
        String counts = thrown instanceof BatchUpdateException batch
                ? IntStream.of(batch.getUpdateCounts()).boxed().toList() + " "
                : "";
        return type.getSimpleName() + " " + counts
                + (thrown.getSQLState() == null ? null : thrown.getSQLState().substring(0, 2) + "...")
                + (known ? ", error " + number : "");
    }
}
