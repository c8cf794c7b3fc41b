package dev.cassidy.flyway;

import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.internal.database.base.Database;
import org.flywaydb.core.internal.database.base.Schema;
import org.jspecify.annotations.Nullable;

/** A keyspace as Flyway's schema. */
final class KeyspaceSchema extends Schema<Database<?>, HistoryTable> {

    private final HistoryTemplate template;

    KeyspaceSchema(HistoryTemplate template, Database<?> database, @Nullable String name) {
        super(template, database, name);
        this.template = template;
    }

    @Override
    protected boolean doExists() throws SQLException {
        // The node is asked, because the driver's view of the schema lags.
        return jdbcTemplate.queryForString(
                        "SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = ?", name)
                != null;
    }

    /**
     * Returns whether there is nothing that was made without Flyway. So it is empty if the history is there: Flyway asks only after
     * it has found no history, and another process may have begun since.
     */
    @Override
    protected boolean doEmpty() throws SQLException {
        String history = database.getConfiguration().getTable();
        List<String> tables = tables();
        return tables.contains(history)
                || Set.of(MigrationLock.tableName(history)).containsAll(tables);
    }

    private List<String> tables() throws SQLException {
        return jdbcTemplate.queryForStringList(
                "SELECT table_name FROM system_schema.tables WHERE keyspace_name = ?", name);
    }

    @Override
    protected HistoryTable[] doAllTables() throws SQLException {
        return tables().stream().map(this::getTable).toArray(HistoryTable[]::new);
    }

    @Override
    public HistoryTable getTable(String table) {
        return new HistoryTable(template, database, this, table);
    }

    @Override
    protected void doCreate() {
        throw missing();
    }

    /** Returns the error that says how to create the keyspace: only an operator knows where its replicas belong. */
    FlywayException missing() {
        return new FlywayException("must exist: keyspace " + name
                + ". Flyway cannot create it, because it does not know"
                + " how many replicas each datacenter is to have. Create it, for example: CREATE KEYSPACE " + this
                + " WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 3}");
    }

    @Override
    protected void doDrop() {
        throw unserved();
    }

    @Override
    protected void doClean() {
        throw unserved();
    }

    private FlywayException unserved() {
        return new FlywayException("clean is not served: it would drop all tables of keyspace " + name
                + " at once. For tests use a keyspace for each run, or drop it and create it again:"
                + " DROP KEYSPACE " + this + ". Ids of sequences continue all the same, because none is issued twice");
    }
}
