package dev.cassidy.flyway;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.flywaydb.core.internal.database.DatabaseType;
import org.flywaydb.core.internal.jdbc.JdbcTemplate;

/** Writes Flyway's history. */
final class HistoryTemplate extends JdbcTemplate {

    private static final int ATTEMPTS = 3;

    /** Where an insert has the name of the migration's script. */
    private static final int SCRIPT = 4;

    private final Progress progress;

    HistoryTemplate(Connection connection, DatabaseType databaseType, Progress progress) {
        super(connection, databaseType);
        this.progress = progress;
    }

    Progress progress() {
        return progress;
    }

    /**
     * Executes a conditional write of the history.
     *
     * @throws SQLException also if the condition did not hold, which Flyway would not notice
     */
    @Override
    public void update(String sql, Object... params) throws SQLException {
        if (!isWritten(sql, params)) {
            throw new SQLException(
                    "Another process has changed the history at the same time: compare flyway info with what both"
                            + " processes did",
                    "40001");
        }
        progress.recorded();
    }

    private boolean isWritten(String sql, Object[] params) throws SQLException {
        for (int attempt = 1; ; attempt++) {
            try (PreparedStatement statement = prepareStatement(sql, params);
                    ResultSet answer = statement.executeQuery()) {
                answer.next();
                // Where the answer to the first attempt was lost, the second one meets the row that the first has
                // written.
                return answer.getBoolean("[applied]") || (attempt > 1 && isOwn(sql, answer, params));
            } catch (SQLException e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private static boolean isOwn(String sql, ResultSet found, Object[] params) throws SQLException {
        return sql.startsWith("INSERT") && params[SCRIPT].equals(found.getString("script"));
    }
}
