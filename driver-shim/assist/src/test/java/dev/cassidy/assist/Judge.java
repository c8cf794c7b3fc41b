package dev.cassidy.assist;

import dev.cassidy.jdbc.assist.ColumnModel;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What statements give over whole tables, in a database of its own: H2, without the driver. */
public final class Judge implements AutoCloseable {

    private final Connection h2;
    private final boolean byCollation;

    /** @param byCollation whether strings of columns with a collation are equal without regard to case and to blanks at the end */
    public Judge(boolean byCollation) throws SQLException {
        this.h2 = DriverManager.getConnection("jdbc:h2:mem:;DATABASE_TO_UPPER=FALSE");
        this.byCollation = byCollation;
    }

    /** Creates a table. */
    public void create(String name, List<ColumnModel> columns, List<List<@Nullable Object>> rows) throws SQLException {
        try (Statement statement = h2.createStatement()) {
            statement.execute("CREATE LOCAL TEMPORARY TABLE " + name
                    + columns.stream()
                            .map(column -> column.name() + " " + type(column))
                            .collect(Collectors.joining(", ", " (", ")")));
        }
        insert(name, columns, rows);
    }

    private String type(ColumnModel column) {
        if (!column.isString()) {
            return "BIGINT";
        }
        return byCollation && column.collation() != null ? "VARCHAR_IGNORECASE" : "VARCHAR";
    }

    /** Makes these the rows of a table. */
    public void replace(String name, List<ColumnModel> columns, List<List<@Nullable Object>> rows) throws SQLException {
        try (Statement statement = h2.createStatement()) {
            statement.execute("DELETE FROM " + name);
        }
        insert(name, columns, rows);
    }

    private void insert(String name, List<ColumnModel> columns, List<List<@Nullable Object>> rows) throws SQLException {
        String markers = columns.stream().map(column -> "?").collect(Collectors.joining(", "));
        try (PreparedStatement insert = h2.prepareStatement("INSERT INTO " + name + " VALUES (" + markers + ")")) {
            for (List<@Nullable Object> row : rows) {
                for (int i = 0; i < row.size(); i++) {
                    insert.setObject(i + 1, withoutBlanks(row.get(i)));
                }
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    public void drop(String name) throws SQLException {
        try (Statement statement = h2.createStatement()) {
            statement.execute("DROP TABLE " + name);
        }
    }

    /** Returns the rows of a statement in their order, a string for each, in which a bar ends each value. */
    public List<String> rows(String sql, List<@Nullable Object> parameters) throws SQLException {
        String asked = byCollation ? sql.replaceAll("'(\\w) '", "'$1'") : sql;
        try (PreparedStatement statement = h2.prepareStatement(asked)) {
            for (int i = 0; i < parameters.size(); i++) {
                statement.setObject(i + 1, withoutBlanks(parameters.get(i)));
            }
            try (ResultSet found = statement.executeQuery()) {
                return rows(found);
            }
        }
    }

    /** As {@link #rows(String, List)}, of any result. */
    public static List<String> rows(ResultSet found) throws SQLException {
        List<String> rows = new ArrayList<>();
        int columns = found.getMetaData().getColumnCount();
        while (found.next()) {
            StringBuilder row = new StringBuilder();
            for (int i = 1; i <= columns; i++) {
                row.append(found.getString(i)).append('|');
            }
            rows.add(row.toString());
        }
        return rows;
    }

    /** H2 knows no blanks that do not count. */
    private @Nullable Object withoutBlanks(@Nullable Object value) {
        return byCollation && value instanceof String text ? text.stripTrailing() : value;
    }

    @Override
    public void close() throws SQLException {
        h2.close();
    }
}
