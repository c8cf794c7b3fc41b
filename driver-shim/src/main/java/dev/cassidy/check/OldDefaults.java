package dev.cassidy.check;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the old database gives columns that an INSERT leaves out. Immutable.
 *
 * @param byTable the expressions by table and column, in small letters
 */
record OldDefaults(Map<String, Map<String, String>> byTable) {

    private static final Logger LOG = LoggerFactory.getLogger(OldDefaults.class);

    /** More columns than a database of one application has. */
    private static final int MOST = 200_000;

    OldDefaults {
        byTable = Map.copyOf(byTable);
    }

    /** Reads them once, before the application uses the connection; none if the database does not tell. */
    static OldDefaults read(Connection connection) {
        Map<String, Map<String, String>> byTable = new HashMap<>();
        try (ResultSet columns = connection.getMetaData().getColumns(connection.getCatalog(), null, "%", "%")) {
            for (int count = 0; count < MOST && columns.next(); count++) {
                String expression = columns.getString("COLUMN_DEF");
                boolean own = !"sys".equalsIgnoreCase(columns.getString("TABLE_SCHEM"))
                        && !"INFORMATION_SCHEMA".equalsIgnoreCase(columns.getString("TABLE_SCHEM"));
                if (own
                        && expression != null
                        && !expression.equalsIgnoreCase("null")
                        && !"YES".equalsIgnoreCase(columns.getString("IS_AUTOINCREMENT"))) {
                    byTable.computeIfAbsent(small(columns.getString("TABLE_NAME")), absent -> new HashMap<>())
                            .put(small(columns.getString("COLUMN_NAME")), expression);
                }
            }
        } catch (SQLException | RuntimeException e) {
            LOG.warn("Cassidy's check does not know the old database's defaults", e);
        }
        return new OldDefaults(byTable);
    }

    /** Returns the expressions by column, in small letters. */
    Map<String, String> of(String table) {
        return byTable.getOrDefault(small(table), Map.of());
    }

    static String small(String name) {
        return Objects.requireNonNullElse(name, "").toLowerCase(Locale.ROOT);
    }
}
