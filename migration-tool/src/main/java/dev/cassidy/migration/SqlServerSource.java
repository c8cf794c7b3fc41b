package dev.cassidy.migration;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the identity columns of a SQL Server database, and changes nothing there. Not safe for use by many threads. */
final class SqlServerSource implements AutoCloseable {

    /*
     * system_type_id, not user_type_id: a column of an alias type is known by the type under it. The three values are
     * sql_variant, which only an explicit CAST makes comparable whatever its base type. sys views list what the login
     * may see, and leave out the rest without a word.
     */
    private static final String COLUMNS = """
            SELECT s.name AS schema_name, t.name AS table_name, c.name AS column_name, y.name AS type_name,
                c.[precision] AS type_precision, c.scale AS type_scale,
                CAST(c.seed_value AS DECIMAL(38, 0)) AS seed_value,
                CAST(c.increment_value AS DECIMAL(38, 0)) AS increment_value,
                CAST(c.last_value AS DECIMAL(38, 0)) AS last_value
            FROM sys.identity_columns AS c
            JOIN sys.tables AS t ON t.object_id = c.object_id
            JOIN sys.schemas AS s ON s.schema_id = t.schema_id
            JOIN sys.types AS y ON y.user_type_id = c.system_type_id
            WHERE t.is_ms_shipped = 0
            ORDER BY s.name, t.name
            """;

    private static final Logger LOG = LoggerFactory.getLogger(SqlServerSource.class);

    private final Connection connection;
    private final SourceUrl url;
    private final int queryTimeoutSeconds;

    private SqlServerSource(Connection connection, SourceUrl url, Duration queryTimeout) {
        this.connection = connection;
        this.url = url;
        this.queryTimeoutSeconds = Math.toIntExact(queryTimeout.toSeconds());
    }

    /** Connects; a failure is {@link ExitCode#SOURCE}. */
    static SqlServerSource open(
            SourceUrl url, @Nullable String user, Optional<String> password, Duration queryTimeout) {
        Properties properties = new Properties();
        if (user != null) {
            properties.setProperty("user", user);
        }
        password.ifPresent(value -> properties.setProperty("password", value));
        try {
            Connection connection = DriverManager.getConnection(url.url(), properties);
            connection.setReadOnly(true);
            return new SqlServerSource(connection, url, queryTimeout);
        } catch (SQLException e) {
            throw failure("cannot connect to " + url, e);
        }
    }

    /** Reads the chosen columns as they are now. If one changes meanwhile, the exit code is {@link ExitCode#RISK}. */
    List<Reading> readChosen(Selection selection) {
        List<SourceColumn> columns = selection.choose(List.copyOf(lastValues().keySet()));
        Map<SourceColumn, Optional<BigInteger>> furthest = new LinkedHashMap<>();
        columns.forEach(column -> furthest.put(column, furthest(column)));
        // Last: an id that is generated while the tables are read is then in last_value, if not in MAX.
        Map<SourceColumn, Optional<BigInteger>> lastValues = lastValues();
        List<Reading> readings = new ArrayList<>();
        for (SourceColumn column : columns) {
            Optional<BigInteger> lastValue = lastValues.get(column);
            if (lastValue == null) {
                throw new MigrationException(
                        ExitCode.RISK,
                        "identity column " + column.qualifiedTable() + "." + column.column()
                                + " was changed or dropped while it was read; run again when the source is at rest");
            }
            readings.add(reading(column, furthest.getOrDefault(column, Optional.empty()), lastValue));
        }
        return readings;
    }

    private Reading reading(SourceColumn column, Optional<BigInteger> furthest, Optional<BigInteger> lastValue) {
        BigInteger end = furthest.orElse(null);
        BigInteger last = lastValue.orElse(null);
        BigInteger ahead = last != null && SeedRule.wrapped(column, end, last) ? ahead(column, last) : null;
        return new Reading(column, end, last, ahead);
    }

    private Map<SourceColumn, Optional<BigInteger>> lastValues() {
        Map<SourceColumn, Optional<BigInteger>> values = new LinkedHashMap<>();
        try (Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(queryTimeoutSeconds);
            try (ResultSet rows = statement.executeQuery(COLUMNS)) {
                while (rows.next()) {
                    values.put(column(rows), integer(rows.getBigDecimal("last_value")));
                }
            }
        } catch (SQLException e) {
            throw failure("cannot read the catalogue views of " + url, e);
        }
        return values;
    }

    private static SourceColumn column(ResultSet rows) throws SQLException {
        return new SourceColumn(
                rows.getString("schema_name"),
                rows.getString("table_name"),
                rows.getString("column_name"),
                rows.getString("type_name"),
                rows.getInt("type_precision"),
                rows.getInt("type_scale"),
                rows.getBigDecimal("seed_value").toBigIntegerExact(),
                rows.getBigDecimal("increment_value").toBigIntegerExact());
    }

    private Optional<BigInteger> furthest(SourceColumn column) {
        String function = column.increment().signum() > 0 ? "MAX" : "MIN";
        String sql = "SELECT " + function + "(" + quote(column.column()) + ") FROM " + tableSql(column);
        try (Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(queryTimeoutSeconds);
            try (ResultSet rows = statement.executeQuery(sql)) {
                rows.next();
                return integer(rows.getBigDecimal(1));
            }
        } catch (SQLException e) {
            throw failure("cannot read " + column.qualifiedTable() + " (" + sql + ")", e);
        }
    }

    private @Nullable BigInteger ahead(SourceColumn column, BigInteger lastValue) {
        boolean ascending = column.increment().signum() > 0;
        String id = quote(column.column());
        String sql = "SELECT " + (ascending ? "MIN(" : "MAX(") + id + ") FROM " + tableSql(column) + " WHERE " + id
                + (ascending ? " > ?" : " < ?");
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setQueryTimeout(queryTimeoutSeconds);
            statement.setBigDecimal(1, new BigDecimal(lastValue));
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return integer(rows.getBigDecimal(1)).orElse(null);
            }
        } catch (SQLException e) {
            throw failure("cannot read " + column.qualifiedTable() + " (" + sql + ")", e);
        }
    }

    private static Optional<BigInteger> integer(@Nullable BigDecimal value) {
        return Optional.ofNullable(value).map(BigDecimal::toBigIntegerExact);
    }

    private static String tableSql(SourceColumn column) {
        return quote(column.schema()) + "." + quote(column.table());
    }

    static String quote(String identifier) {
        return "[" + identifier.replace("]", "]]") + "]";
    }

    private static MigrationException failure(String what, SQLException e) {
        return new MigrationException(
                ExitCode.SOURCE,
                what + ": " + SourceUrl.redact(String.valueOf(e.getMessage())) + " (SQLState " + e.getSQLState()
                        + ", error " + e.getErrorCode() + ")",
                e);
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            // Everything has been read: the answer is complete.
            LOG.debug("cannot close the connection to {}", url, e);
        }
    }
}
