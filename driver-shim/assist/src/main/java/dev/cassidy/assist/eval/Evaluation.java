package dev.cassidy.assist.eval;

import dev.cassidy.definition.SqlType;
import dev.cassidy.jdbc.assist.ColumnModel;
import dev.cassidy.jdbc.assist.Evaluated;
import dev.cassidy.jdbc.assist.ResultColumn;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import net.sf.jsqlparser.schema.Table;
import org.h2.api.ErrorCode;
import org.jspecify.annotations.Nullable;

/** One statement in one connection: its rows go in as temporary tables, it runs, and the tables go. */
final class Evaluation {

    private final Database database;
    private final ZoneId zone;
    private final Limits limits;

    Evaluation(Database database, ZoneId zone, Limits limits) {
        this.database = database;
        this.zone = zone;
        this.limits = limits;
    }

    Evaluated run(Dialect.Written written, IdentityHashMap<Table, FedTable> tables) throws SQLException {
        Connection connection = database.borrow();
        List<String> made = new ArrayList<>();
        boolean clean = false;
        try {
            for (Map.Entry<Table, String> each : written.tables().entrySet()) {
                FedTable table = tables.get(each.getKey());
                if (table != null) {
                    made.add(each.getValue());
                    feed(connection, each.getValue(), table);
                }
            }
            Evaluated result = select(connection, written);
            drop(connection, made);
            clean = true;
            return result;
        } finally {
            if (clean) {
                database.giveBack(connection);
            } else {
                // Its temporary tables go with it.
                connection.close();
            }
        }
    }

    private static void drop(Connection connection, List<String> made) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String each : made) {
                statement.execute("DROP TABLE " + each);
            }
        }
    }

    private void feed(Connection connection, String name, FedTable table) throws SQLException {
        List<ColumnModel> columns = new ArrayList<>();
        table.columns().forEach(each -> columns.add(table.model().column(each).orElseThrow()));
        StringBuilder definitions = new StringBuilder();
        StringBuilder arrays = new StringBuilder();
        for (int i = 0; i < columns.size(); i++) {
            String type = Types.h2(columns.get(i).type());
            definitions.append("C").append(i).append(' ').append(type).append(", ");
            arrays.append("C").append(i).append(' ').append(type).append(" = ?, ");
        }
        try (Statement statement = connection.createStatement()) {
            // A table needs a column, also if only its rows are counted.
            statement.execute("CREATE LOCAL TEMPORARY TABLE " + name + " (" + definitions + "R INTEGER)");
            String key = key(table, columns);
            if (!key.isEmpty()) {
                // Not unique: what the collation takes for equal may be two rows.
                statement.execute("CREATE INDEX " + name + "_KEY ON " + name + " (" + key + ")");
            }
        }
        if (table.rows().isEmpty()) {
            return;
        }
        String insert = "INSERT INTO " + name + " SELECT * FROM TABLE(" + arrays + "R INTEGER = ?)";
        try (PreparedStatement statement = connection.prepareStatement(insert)) {
            int rows = table.rows().size();
            for (int i = 0; i < columns.size(); i++) {
                SqlType type = columns.get(i).type();
                @Nullable Object[] values = new @Nullable Object[rows];
                for (int row = 0; row < rows; row++) {
                    Object value = table.rows().get(row)[i];
                    values[row] = value == null ? null : Values.toH2(value, type, zone);
                }
                statement.setObject(i + 1, values);
            }
            statement.setObject(columns.size() + 1, new Integer[rows]);
            statement.executeUpdate();
        } catch (SQLException e) {
            if (e.getErrorCode() == ErrorCode.VALUE_TOO_LONG_2) {
                throw new NotEvaluatedException(
                        "A row of " + table.model().qualified(),
                        "one of its values is longer than H2 takes",
                        "Read the row in a statement of its own");
            }
            throw e;
        }
    }

    /** Returns the columns of the primary key that were read, up to the first one that was not. */
    private static String key(FedTable table, List<ColumnModel> columns) {
        List<String> names = new ArrayList<>(table.model().partitionKey());
        names.addAll(table.model().clustering());
        StringBuilder key = new StringBuilder();
        for (String name : names) {
            int index = -1;
            for (int i = 0; i < columns.size(); i++) {
                index = columns.get(i).name().equals(name) ? i : index;
            }
            if (index < 0) {
                break;
            }
            key.append(key.isEmpty() ? "" : ", ").append('C').append(index);
        }
        return key.toString();
    }

    private Evaluated select(Connection connection, Dialect.Written written) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(written.sql())) {
            for (int i = 0; i < written.bound().size(); i++) {
                statement.setObject(i + 1, written.bound().get(i));
            }
            setTimeout(connection);
            statement.setMaxRows(limits.resultRows() + 1);
            try (ResultSet result = statement.executeQuery()) {
                return new Evaluated(written.columns(), rows(result, written.columns()));
            }
        }
    }

    /** By H2's statement, because JDBC's method takes whole seconds. */
    private void setTimeout(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET QUERY_TIMEOUT " + limits.time().toMillis());
        }
    }

    private List<@Nullable Object[]> rows(ResultSet result, List<ResultColumn> columns) throws SQLException {
        List<@Nullable Object[]> rows = new ArrayList<>();
        while (result.next()) {
            if (rows.size() == limits.resultRows()) {
                throw new NotEvaluatedException(
                        "The statement",
                        "its result has more than " + limits.resultRows() + " rows",
                        "Write TOP, or filter by keys");
            }
            @Nullable Object[] row = new @Nullable Object[columns.size()];
            for (int i = 0; i < row.length; i++) {
                SqlType type = columns.get(i).type();
                row[i] = Values.fromH2(result.getObject(i + 1, Values.classOf(type)), type, zone);
            }
            rows.add(row);
        }
        return rows;
    }
}
