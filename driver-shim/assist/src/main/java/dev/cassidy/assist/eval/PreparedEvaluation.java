package dev.cassidy.assist.eval;

import dev.cassidy.definition.SqlType;
import dev.cassidy.jdbc.assist.ColumnModel;
import dev.cassidy.jdbc.assist.Evaluated;
import dev.cassidy.jdbc.assist.ResultColumn;
import dev.cassidy.jdbc.assist.SessionLanguage;
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
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import net.sf.jsqlparser.schema.Table;
import org.h2.api.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * A statement in a connection of its own: its rows go into temporary tables, it runs, and a rollback takes the rows out. So the tables are
 * empty between two runs, and nobody else sees them. If anything fails, the connection is closed, and they go with it.
 *
 * <p>H2 plans the statement by the rows of its first run. {@link Key} therefore says how many rows there are, too.
 */
final class PreparedEvaluation {

    /** With more rows in a table, making the tables and the plan costs little beside the evaluation. */
    private static final int MOST_ROWS = 64;

    /** As many as most statements by key read from a table. */
    private static final int FEW_ROWS = 8;

    /** Of a text that is kept, and of the strings that functions made of it: H2 keeps what is constant with the statement. */
    static final int MOST_CHARACTERS = 50_000;

    /**
     * What has to be the same for two evaluations to be one statement.
     *
     * @param sql of H2
     * @param tables what makes each of its tables
     * @param fills how many rows each has: 0 is a few
     * @param language what H2 has calculated while it prepared the statement may depend on it, and on the zone
     */
    record Key(String sql, List<List<String>> tables, List<Integer> fills, SessionLanguage language, ZoneId zone) {

        /** Returns whether another evaluation may use what this one has prepared. */
        boolean isKept() {
            return sql.length() <= MOST_CHARACTERS && fills.stream().allMatch(fill -> fill <= 1);
        }
    }

    /** A table of the statement. */
    record Fed(String name, FedTable table, List<ColumnModel> columns) {

        static List<Fed> of(Dialect.Written written, IdentityHashMap<Table, FedTable> tables) {
            // In one order, whatever the order of identities is.
            Map<String, Fed> all = new TreeMap<>();
            for (Map.Entry<Table, String> each : written.tables().entrySet()) {
                FedTable table = tables.get(each.getKey());
                if (table != null) {
                    all.put(each.getValue(), of(each.getValue(), table));
                }
            }
            return List.copyOf(all.values());
        }

        private static Fed of(String name, FedTable table) {
            List<ColumnModel> columns = new ArrayList<>();
            table.columns()
                    .forEach(each -> columns.add(table.model().column(each).orElseThrow()));
            return new Fed(name, table, columns);
        }

        /** Returns the statements that make it. */
        List<String> made() {
            StringBuilder definitions = new StringBuilder();
            for (int i = 0; i < columns.size(); i++) {
                definitions
                        .append("C")
                        .append(i)
                        .append(' ')
                        .append(Types.h2(columns.get(i).type()))
                        .append(", ");
            }
            // A table needs a column, also if only its rows are counted.
            String create = "CREATE LOCAL TEMPORARY TABLE " + name + " (" + definitions + "R INTEGER)";
            String key = key();
            return key.isEmpty()
                    ? List.of(create)
                    // Not unique: what the collation takes for equal may be two rows.
                    : List.of(create, "CREATE INDEX " + name + "_KEY ON " + name + " (" + key + ")");
        }

        /** Returns the columns of the primary key that were read, up to the first one that was not. */
        private String key() {
            List<String> names = new ArrayList<>(table.model().partitionKey());
            names.addAll(table.model().clustering());
            StringBuilder key = new StringBuilder();
            for (String each : names) {
                int index = -1;
                for (int i = 0; i < columns.size(); i++) {
                    index = columns.get(i).name().equals(each) ? i : index;
                }
                if (index < 0) {
                    break;
                }
                key.append(key.isEmpty() ? "" : ", ").append('C').append(index);
            }
            return key.toString();
        }

        int fill() {
            int rows = table.rows().size();
            return rows <= FEW_ROWS ? 0 : rows <= MOST_ROWS ? 1 : 2;
        }

        String insert() {
            StringBuilder arrays = new StringBuilder();
            for (int i = 0; i < columns.size(); i++) {
                arrays.append("C")
                        .append(i)
                        .append(' ')
                        .append(Types.h2(columns.get(i).type()))
                        .append(" = ?, ");
            }
            return "INSERT INTO " + name + " SELECT * FROM TABLE(" + arrays + "R INTEGER = ?)";
        }
    }

    private final Key key;
    private final Connection connection;
    private final Map<String, PreparedStatement> inserts = new TreeMap<>();
    private @Nullable PreparedStatement select;
    private long timeout = -1;

    private PreparedEvaluation(Key key, Connection connection) {
        this.key = key;
        this.connection = connection;
    }

    Key key() {
        return key;
    }

    /** Makes the tables of a statement in a connection, which is closed if that fails. */
    static PreparedEvaluation make(Connection connection, Key key) throws SQLException {
        boolean clean = false;
        try (Statement statement = connection.createStatement()) {
            for (List<String> each : key.tables()) {
                for (String sql : each) {
                    statement.execute(sql);
                }
            }
            connection.setAutoCommit(false);
            clean = true;
            return new PreparedEvaluation(key, connection);
        } finally {
            if (!clean) {
                connection.close();
            }
        }
    }

    /** @param stop ends it, if it is cancelled */
    Evaluated evaluate(Dialect.Written written, List<Fed> fed, ZoneId zone, Limits limits, CompletableFuture<?> stop)
            throws SQLException {
        for (Fed each : fed) {
            if (!each.table().rows().isEmpty()) {
                feed(each, zone);
            }
        }
        setTimeout(limits);
        if (select == null) {
            // Only now, so that H2 knows how many rows there are.
            select = connection.prepareStatement(key.sql());
            select.setMaxRows(limits.resultRows() + 1);
        }
        for (int i = 0; i < written.bound().size(); i++) {
            select.setObject(i + 1, written.bound().get(i));
        }
        List<@Nullable Object[]> rows;
        Stopping stopping = new Stopping(select);
        var unused = stop.whenComplete((value, failure) -> stopping.stop());
        try {
            requireGoingOn(stop);
            try (ResultSet result = select.executeQuery()) {
                rows = rows(result, written.columns(), zone, limits);
            }
        } finally {
            // Before anybody else has the connection: what comes later would end his statement.
            stopping.ended();
        }
        select.clearParameters();
        connection.rollback();
        return new Evaluated(written.columns(), rows);
    }

    private static void requireGoingOn(CompletableFuture<?> stop) {
        if (stop.isCancelled()) {
            throw new CancellationException("The evaluation was ended");
        }
    }

    private void feed(Fed fed, ZoneId zone) throws SQLException {
        PreparedStatement insert = inserts.get(fed.name());
        if (insert == null) {
            insert = connection.prepareStatement(fed.insert());
            inserts.put(fed.name(), insert);
        }
        List<@Nullable Object[]> all = fed.table().rows();
        int columns = fed.columns().size();
        try {
            for (int i = 0; i < columns; i++) {
                SqlType type = fed.columns().get(i).type();
                @Nullable Object[] values = new @Nullable Object[all.size()];
                for (int row = 0; row < values.length; row++) {
                    Object value = all.get(row)[i];
                    values[row] = value == null ? null : Values.toH2(value, type, zone);
                }
                insert.setObject(i + 1, values);
            }
            insert.setObject(columns + 1, new Integer[all.size()]);
            insert.executeUpdate();
            insert.clearParameters();
        } catch (SQLException e) {
            if (e.getErrorCode() == ErrorCode.VALUE_TOO_LONG_2) {
                throw new NotEvaluatedException(
                        "A row of " + fed.table().model().qualified(),
                        "one of its values is longer than H2 takes",
                        "Read the row in a statement of its own");
            }
            throw e;
        }
    }

    /** By H2's statement, because JDBC's method takes whole seconds. */
    private void setTimeout(Limits limits) throws SQLException {
        long millis = limits.time().toMillis();
        if (millis != timeout) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET QUERY_TIMEOUT " + millis);
            }
            timeout = millis;
        }
    }

    private static List<@Nullable Object[]> rows(
            ResultSet result, List<ResultColumn> columns, ZoneId zone, Limits limits) throws SQLException {
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

    /** Its tables and its rows go with the connection. */
    void close() throws SQLException {
        connection.close();
    }
}
