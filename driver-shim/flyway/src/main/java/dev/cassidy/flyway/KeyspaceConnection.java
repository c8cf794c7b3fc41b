package dev.cassidy.flyway;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import java.sql.SQLException;
import org.flywaydb.core.internal.database.base.Connection;
import org.flywaydb.core.internal.database.base.Database;
import org.jspecify.annotations.Nullable;

/** A connection whose schema is a keyspace. */
final class KeyspaceConnection extends Connection<Database<?>> {

    private final HistoryTemplate template;

    KeyspaceConnection(Database<?> database, java.sql.Connection connection, Progress progress) {
        super(database, connection);
        template = new HistoryTemplate(connection, database.getDatabaseType(), progress);
        jdbcTemplate = template;
    }

    @Override
    protected @Nullable String getCurrentSchemaNameOrSearchPath() throws SQLException {
        return getJdbcConnection().getSchema();
    }

    /**
     * Flyway calls it before each migration, and at other times without the lock.
     *
     * @param keyspace null for that of a URL without one, which no statement can bring back
     */
    @Override
    protected void doChangeCurrentSchemaOrSearchPathTo(@Nullable String keyspace) throws SQLException {
        // Callbacks have other connections.
        if (template.progress().isLocked() && database.getMigrationConnection() == this) {
            template.progress().begins();
        }
        if (keyspace != null) {
            getJdbcConnection().setSchema(CqlIdentifier.fromInternal(keyspace).asCql(true));
        }
    }

    /** @param name SQL Server's {@code dbo} is the URL's keyspace, as everywhere in the driver */
    @Override
    public KeyspaceSchema getSchema(@Nullable String name) {
        return new KeyspaceSchema(
                template, database, "dbo".equalsIgnoreCase(name) ? originalSchemaNameOrSearchPath : name);
    }
}
