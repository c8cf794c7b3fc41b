package dev.cassidy.flyway;

import com.datastax.oss.driver.api.core.CqlSession;
import java.sql.SQLException;
import java.sql.Statement;
import org.flywaydb.core.internal.database.base.Database;
import org.flywaydb.core.internal.database.base.Schema;
import org.flywaydb.core.internal.database.base.Table;
import org.flywaydb.core.internal.exception.FlywaySqlException;
import org.jspecify.annotations.Nullable;

/** A table as Flyway knows it; in use, its history, with the lock that Flyway takes for each migration. */
final class HistoryTable extends Table<Database<?>, Schema<?, ?>> {

    private final HistoryTemplate template;
    private @Nullable MigrationLock lock;

    HistoryTable(HistoryTemplate template, Database<?> database, Schema<?, ?> schema, String name) {
        super(template, database, schema, name);
        this.template = template;
    }

    @Override
    protected boolean doExists() throws SQLException {
        return exists(name);
    }

    private boolean exists(String table) throws SQLException {
        return jdbcTemplate.queryForString(
                        "SELECT table_name FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?",
                        schema.getName(),
                        table)
                != null;
    }

    /**
     * Locks the history, also before it is there, so that one process alone makes it. Flyway locks it once more before it writes
     * what a migration did.
     */
    @Override
    public void lock() {
        try {
            if (lockDepth == 0) {
                doLock();
            } else {
                held().requireHeld();
            }
            lockDepth++;
        } catch (SQLException e) {
            throw new FlywaySqlException("Unable to lock " + this, e);
        }
    }

    /** Flyway also unlocks what it could not lock. */
    @Override
    public void unlock() {
        if (lockDepth > 0 && --lockDepth == 0) {
            doUnlock();
        }
    }

    @Override
    protected void doLock() throws SQLException {
        MigrationLock taken = held();
        if (!exists(MigrationLock.tableName(name))) {
            try (Statement statement = template.getConnection().createStatement()) {
                statement.execute(taken.definition());
            }
        }
        taken.take();
        template.progress().locked();
    }

    @Override
    protected void doUnlock() {
        template.progress().unlocked();
        if (template.progress().isOpen()) {
            held().keep();
        } else {
            held().release();
        }
    }

    private MigrationLock held() {
        MigrationLock known = lock;
        if (known == null) {
            try {
                known = new MigrationLock(template.getConnection().unwrap(CqlSession.class), schema.getName(), name);
            } catch (SQLException e) {
                throw new FlywaySqlException("Unable to lock " + this, e);
            }
            lock = known;
        }
        return known;
    }

    @Override
    protected void doDrop() {
        throw new UnsupportedOperationException("Flyway drops a table in clean, which is not served: " + this);
    }
}
