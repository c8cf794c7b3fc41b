package dev.cassidy.migration.source;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What all engines have in common: how often and in which order the identity columns are read. */
abstract class JdbcSource implements Source {

    private static final Logger LOG = LoggerFactory.getLogger(JdbcSource.class);

    private final SourceLogin login;
    private final Connection connection;
    private final int queryTimeoutSeconds;

    JdbcSource(SourceLogin login, Connection connection, Duration queryTimeout) {
        this.login = login;
        this.connection = connection;
        this.queryTimeoutSeconds = Math.toIntExact(queryTimeout.toSeconds());
    }

    /** Returns all identity columns with the last value that each remembers, ordered by schema and table. */
    abstract Map<SourceColumn, Optional<BigInteger>> lastValues();

    @Override
    public final SourceUrl url() {
        return login.url();
    }

    @Override
    public final Connection connection() {
        return connection;
    }

    @Override
    public final Connection connect() {
        return login.connect();
    }

    @Override
    public final List<Reading> read(UnaryOperator<List<SourceColumn>> choose) {
        List<SourceColumn> columns = choose.apply(List.copyOf(lastValues().keySet()));
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
        BigInteger last = lastValue.orElse(null);
        BigInteger ahead = last != null && column.beyond(column.seed(), last) ? ahead(column, last) : null;
        return new Reading(column, furthest.orElse(null), last, ahead);
    }

    private Optional<BigInteger> furthest(SourceColumn column) {
        String function = column.increment().signum() > 0 ? "MAX" : "MIN";
        return integer(column, "SELECT " + function + "(" + quote(column.column()) + ") FROM " + table(column));
    }

    private @Nullable BigInteger ahead(SourceColumn column, BigInteger lastValue) {
        boolean ascending = column.increment().signum() > 0;
        String id = quote(column.column());
        String sql = "SELECT " + (ascending ? "MIN(" : "MAX(") + id + ") FROM " + table(column) + " WHERE " + id
                + (ascending ? " > ?" : " < ?");
        return integer(column, sql, new BigDecimal(lastValue)).orElse(null);
    }

    private String table(SourceColumn column) {
        return quoted(column.schema(), column.table());
    }

    private Optional<BigInteger> integer(SourceColumn column, String sql, Object... parameters) {
        return rows(
                        "cannot read " + column.qualifiedTable() + " (" + sql + ")",
                        sql,
                        row -> integer(row.getBigDecimal(1)),
                        parameters)
                .get(0);
    }

    static Optional<BigInteger> integer(@Nullable BigDecimal value) {
        return Optional.ofNullable(value).map(BigDecimal::toBigIntegerExact);
    }

    /** Takes one row of a result. */
    interface Row<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** Runs a query; a failure is {@link ExitCode#SOURCE} and begins with {@code failure}. */
    final <T> List<T> rows(String failure, String sql, Row<T> mapper, Object... parameters) {
        List<T> found = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setQueryTimeout(queryTimeoutSeconds);
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(mapper.read(rows));
                }
            }
        } catch (SQLException e) {
            throw SourceLogin.failure(failure, e);
        }
        return found;
    }

    @Override
    public final void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            // Everything has been read: the answer is complete.
            LOG.debug("cannot close the connection to {}", login, e);
        }
    }
}
