package dev.cassidy.flyway;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.configuration.Configuration;
import org.flywaydb.core.internal.database.base.Database;
import org.flywaydb.core.internal.database.base.Table;
import org.flywaydb.core.internal.exception.FlywaySqlException;
import org.flywaydb.core.internal.jdbc.JdbcConnectionFactory;
import org.flywaydb.core.internal.jdbc.StatementInterceptor;
import org.flywaydb.core.internal.util.Pair;
import org.jspecify.annotations.Nullable;

/**
 * The cluster behind the JDBC driver, and the statements by which Flyway keeps its history there. The history is one partition, so
 * that one read at one set of replicas sees all of it, in order. Each write to it is conditional, and none replaces a row of another
 * process.
 */
// Flyway's signatures are raw.
@SuppressWarnings("rawtypes")
final class CassidyDatabase extends Database<KeyspaceConnection> {

    private static final String PARTITION = "history = 'flyway'";

    private static final List<String> COLUMNS = List.of(
            "installed_rank",
            "version",
            "description",
            "type",
            "script",
            "checksum",
            "installed_by",
            "execution_time",
            "success");

    private final Progress progress = new Progress();

    CassidyDatabase(Configuration configuration, JdbcConnectionFactory factory, StatementInterceptor interceptor) {
        super(configuration, factory, interceptor);
    }

    @Override
    protected KeyspaceConnection doGetConnection(java.sql.Connection connection) {
        return new KeyspaceConnection(this, connection, progress);
    }

    /** @throws FlywayException if a keyspace is missing, or if reads might miss what another process has written */
    @Override
    public void ensureSupported(Configuration configuration) {
        for (String name : configuration.getSchemas()) {
            requireExists(getMainConnection().getSchema(name));
        }
        KeyspaceSchema holdsHistory = getMainConnection().getSchema(keyspaceOfHistory(configuration));
        requireExists(holdsHistory);
        requireReadsThatSeeEveryWrite(holdsHistory.getName());
    }

    private static void requireExists(KeyspaceSchema keyspace) {
        if (!keyspace.exists()) {
            throw keyspace.missing();
        }
    }

    private @Nullable String keyspaceOfHistory(Configuration configuration) {
        if (configuration.getDefaultSchema() != null) {
            return configuration.getDefaultSchema();
        }
        return configuration.getSchemas().length == 0
                ? getMainConnection().getCurrentSchema().getName()
                : configuration.getSchemas()[0];
    }

    private void requireReadsThatSeeEveryWrite(String keyspace) {
        CqlSession session;
        try {
            session = getMainConnection().getJdbcConnection().unwrap(CqlSession.class);
        } catch (SQLException e) {
            throw new FlywaySqlException("Unable to read the replication of keyspace " + keyspace, e);
        }
        String level =
                session.getContext().getConfig().getDefaultProfile().getString(DefaultDriverOption.REQUEST_CONSISTENCY);
        Row row = session.execute(SimpleStatement.newInstance(
                        "SELECT replication FROM system_schema.keyspaces WHERE keyspace_name = ?", keyspace))
                .one();
        Map<String, String> replication =
                Objects.requireNonNull(Objects.requireNonNull(row).getMap("replication", String.class, String.class));
        Set<String> datacenters = session.getMetadata().getNodes().values().stream()
                .map(Node::getDatacenter)
                .filter(Objects::nonNull)
                .collect(Collectors.toSet());
        if (!seesEveryWrite(level, replication, datacenters)) {
            throw new FlywayException(
                    "must be QUORUM or ALL, or LOCAL_QUORUM if the keyspace is in one datacenter alone:"
                            + " consistency=" + level + " keyspace=" + keyspace + " replication=" + replication
                            + ". Otherwise a process may not see that another one has applied a migration, and apply it again."
                            + " Give Flyway a URL of its own with consistency=QUORUM (flyway.url, with Spring Boot"
                            + " spring.flyway.url)");
        }
    }

    /**
     * Returns whether a read sees each write that was acknowledged, in whatever datacenter that was.
     *
     * @param replication as system_schema.keyspaces has it
     * @param datacenters of the cluster's nodes
     */
    static boolean seesEveryWrite(String level, Map<String, String> replication, Set<String> datacenters) {
        if (level.equals(ConsistencyLevel.LOCAL_QUORUM.name())) {
            boolean byDatacenter = replication.getOrDefault("class", "").endsWith("NetworkTopologyStrategy");
            return (byDatacenter ? datacenters.stream().filter(replication::containsKey) : datacenters.stream()).count()
                    <= 1;
        }
        return level.equals(ConsistencyLevel.QUORUM.name()) || level.equals(ConsistencyLevel.ALL.name());
    }

    /** A keyspace stands for a database. */
    @Override
    protected @Nullable String doGetCatalog() throws SQLException {
        return getMainConnection().getJdbcConnection().getSchema();
    }

    @Override
    public boolean supportsDdlTransactions() {
        return false;
    }

    /** A transaction would keep the writes of a migration back until its commit, and DDL not. */
    @Override
    public boolean supportsMultiStatementTransactions() {
        return false;
    }

    @Override
    public String getBooleanTrue() {
        return "1";
    }

    @Override
    public String getBooleanFalse() {
        return "0";
    }

    @Override
    public boolean catalogIsSchema() {
        return false;
    }

    @Override
    public String getRawCreateScript(Table table, boolean baseline) {
        // In T-SQL: processes that create it at once create the same table. Without lengths: the row of a migration
        // that ran must fit.
        return "CREATE TABLE " + table + " (history NVARCHAR(6) NOT NULL, installed_rank INT NOT NULL,"
                + " version NVARCHAR(MAX), description NVARCHAR(MAX), type NVARCHAR(MAX) NOT NULL,"
                + " script NVARCHAR(MAX) NOT NULL, checksum INT, installed_by NVARCHAR(MAX) NOT NULL,"
                + " installed_on DATETIME2 NOT NULL, execution_time INT NOT NULL, success BIT NOT NULL,"
                + " PRIMARY KEY (history, installed_rank)) WITH (plain)"
                + (baseline ? "\nGO\n" + getBaselineStatement(table) : "");
    }

    @Override
    public String getInsertStatement(Table table) {
        return "INSERT INTO " + table + " (history, installed_on, " + String.join(", ", COLUMNS)
                + ") VALUES ('flyway', GETDATE(), "
                + String.join(", ", COLUMNS.stream().map(column -> "?").toList())
                + ") IF NOT EXISTS";
    }

    @Override
    public String getUpdateStatement(Table table) {
        return "UPDATE " + table + " SET description = ?, type = ?, checksum = ? WHERE " + PARTITION
                + " AND installed_rank = ? IF EXISTS";
    }

    @Override
    public String getSelectStatement(Table table) {
        return "SELECT " + String.join(", ", COLUMNS) + ", installed_on FROM " + table + " WHERE " + PARTITION
                + " AND installed_rank > ? ORDER BY installed_rank";
    }

    /** Returns null if there is no such row any more, as Flyway takes it. */
    @Override
    public @Nullable Pair<String, Object> getDeleteStatement(Table table, boolean version, String filter) {
        try {
            String rank = getMainConnection()
                    .getJdbcTemplate()
                    .queryForString(
                            "SELECT installed_rank FROM " + table + " WHERE " + PARTITION + " AND success = 0 AND "
                                    + (version ? "version" : "description") + " = ?",
                            filter);
            return rank == null
                    ? null
                    : Pair.of(
                            "DELETE FROM " + table + " WHERE " + PARTITION
                                    + " AND installed_rank = ? IF success = false",
                            Integer.valueOf(rank));
        } catch (SQLException e) {
            throw new FlywaySqlException("Unable to read the failed migrations of " + table, e);
        }
    }
}
