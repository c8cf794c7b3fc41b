package dev.cassidy.check;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the old database says of itself. Immutable.
 *
 * @param defaults what it gives columns that an INSERT leaves out: the expressions by table and column, in small letters
 * @param names of its schemas, tables, columns, procedures, functions and sequences, in small letters
 */
record OldDatabase(Map<String, Map<String, String>> defaults, Set<String> names) {

    private static final Logger LOG = LoggerFactory.getLogger(OldDatabase.class);

    /** More columns than a database of one application has. */
    private static final int MOST = 200_000;

    OldDatabase {
        defaults = Map.copyOf(defaults);
        names = Set.copyOf(names);
    }

    /** Reads it once, before the application uses the connection; nothing of what the database does not tell. */
    static OldDatabase read(Connection connection) {
        Map<String, Map<String, String>> defaults = new HashMap<>();
        Set<String> names = new HashSet<>();
        try {
            DatabaseMetaData database = connection.getMetaData();
            String catalog = Objects.requireNonNullElse(connection.getCatalog(), "");
            names.add(small(catalog));
            try (ResultSet columns = database.getColumns(connection.getCatalog(), null, "%", "%")) {
                for (int count = 0; count < MOST && columns.next(); count++) {
                    addColumn(columns, defaults, names);
                }
            }
            addNames(database.getProcedures(connection.getCatalog(), null, "%"), "PROCEDURE_NAME", names);
            addNames(database.getFunctions(connection.getCatalog(), null, "%"), "FUNCTION_NAME", names);
            addSequences(connection, names);
        } catch (SQLException | RuntimeException e) {
            LOG.warn("Cassidy's check does not know all names and defaults of the old database", e);
        }
        return new OldDatabase(defaults, names);
    }

    private static void addColumn(ResultSet columns, Map<String, Map<String, String>> defaults, Set<String> names)
            throws SQLException {
        String schema = small(columns.getString("TABLE_SCHEM"));
        String table = small(columns.getString("TABLE_NAME"));
        String column = small(columns.getString("COLUMN_NAME"));
        names.add(schema);
        names.add(table);
        names.add(column);
        String expression = columns.getString("COLUMN_DEF");
        boolean own = !"sys".equals(schema) && !"information_schema".equals(schema);
        if (own
                && expression != null
                && !expression.equalsIgnoreCase("null")
                && !"YES".equalsIgnoreCase(columns.getString("IS_AUTOINCREMENT"))) {
            defaults.computeIfAbsent(table, absent -> new HashMap<>()).put(column, expression);
        }
    }

    private static void addNames(ResultSet rows, String label, Set<String> names) throws SQLException {
        try (rows) {
            for (int count = 0; count < MOST && rows.next(); count++) {
                // SQL Server's driver adds the number of the version: name;1.
                names.add(small(rows.getString(label)).replaceFirst(";[0-9]+$", ""));
            }
        }
    }

    /** JDBC has no method for them, and not every database has the view. */
    private static void addSequences(Connection connection, Set<String> names) {
        try (Statement statement = connection.createStatement()) {
            addNames(
                    statement.executeQuery("SELECT SEQUENCE_NAME FROM INFORMATION_SCHEMA.SEQUENCES"),
                    "SEQUENCE_NAME",
                    names);
        } catch (SQLException e) {
            LOG.debug("Cassidy's check does not know the names of the old database's sequences", e);
        }
    }

    /** Returns the expressions by column, in small letters. */
    Map<String, String> defaultsOf(String table) {
        return defaults.getOrDefault(small(table), Map.of());
    }

    static String small(String name) {
        return Objects.requireNonNullElse(name, "").toLowerCase(Locale.ROOT);
    }
}
