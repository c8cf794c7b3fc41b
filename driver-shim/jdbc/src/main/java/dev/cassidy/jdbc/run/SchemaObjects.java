package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.tsql.SchemaObject;
import java.sql.SQLException;

/** What the schema has. The cluster is asked, because the driver's view of the schema lags. */
final class SchemaObjects {

    private final SharedSession session;

    SchemaObjects(SharedSession session) {
        this.session = session;
    }

    boolean exists(SchemaObject object) throws SQLException {
        if (object.kind() == SchemaObject.Kind.NOTHING) {
            return false;
        }
        String keyspace = SequenceStatements.keyspace(session.plain(), object.keyspace());
        return switch (object.kind()) {
            case TABLE, ANY ->
                new StoredTables(session).id(keyspace, object.name()).isPresent();
            case COLUMN ->
                read(
                                        "SELECT column_name FROM system_schema.columns WHERE keyspace_name = ? AND table_name = ?"
                                                + " AND column_name = ?",
                                        keyspace,
                                        String.valueOf(object.table()),
                                        object.name())
                                .one()
                        != null;
            case INDEX ->
                read(
                                        "SELECT index_name FROM system_schema.indexes WHERE keyspace_name = ? AND table_name = ?"
                                                + " AND index_name = ?",
                                        keyspace,
                                        String.valueOf(object.table()),
                                        object.name())
                                .one()
                        != null;
            case SEQUENCE -> hasSequence(keyspace + "." + object.name());
            case NOTHING -> false;
        };
    }

    private ResultSet read(String cql, Object... values) {
        return session.plain().execute(SimpleStatement.newInstance(cql, values));
    }

    private boolean hasSequence(String name) {
        try {
            return session.identity()
                    .sequences()
                    .admin()
                    .find(name)
                    .filter(found -> !found.dropped())
                    .isPresent();
        } catch (SequenceException.SchemaMissing e) {
            // Without Cassidy there are no sequences.
            return false;
        }
    }
}
