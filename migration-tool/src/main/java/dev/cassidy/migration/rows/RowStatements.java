package dev.cassidy.migration.rows;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatementBuilder;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import java.nio.ByteBuffer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The statements that write rows, each with a timestamp of its own text. All of them may be sent again. Rows do not expire, also where
 * the table has a default_time_to_live: they did not expire in the source.
 */
final class RowStatements {

    private RowStatements() {}

    /** @param timestamp in microseconds since 1970 */
    static PreparedStatement prepareInsert(CqlSession session, RowTable table, long timestamp) {
        return session.prepare(statement("INSERT INTO " + table.target() + " ("
                + table.columns().stream()
                        .map(column -> column.to().asCql(true))
                        .collect(Collectors.joining(", "))
                + ") VALUES ("
                + table.columns().stream().map(column -> "?").collect(Collectors.joining(", "))
                + ") USING TIMESTAMP " + timestamp + " AND TTL 0"));
    }

    /** @param timestamp in microseconds since 1970 */
    static PreparedStatement prepareDelete(CqlSession session, RowTable table, long timestamp) {
        return session.prepare(statement("DELETE FROM " + table.target() + " USING TIMESTAMP " + timestamp + " WHERE "
                + table.columns().stream()
                        .limit(table.keys())
                        .map(column -> column.to().asCql(true) + " = ?")
                        .collect(Collectors.joining(" AND "))));
    }

    private static SimpleStatement statement(String cql) {
        return SimpleStatement.newInstance(cql)
                .setConsistencyLevel(ConsistencyLevel.LOCAL_QUORUM)
                .setIdempotent(true);
    }

    /** Leaves a NULL unset, for a row that is new: written, each would be a tombstone, which reads have to skip. */
    static BoundStatement bindKnown(PreparedStatement insert, @Nullable ByteBuffer[] values) {
        BoundStatementBuilder bound = insert.boundStatementBuilder();
        for (int i = 0; i < values.length; i++) {
            if (values[i] != null) {
                bound = bound.setBytesUnsafe(i, values[i]);
            }
        }
        return bound.build();
    }

    /** Writes a NULL, for a row that may have had a value there. */
    static BoundStatement bindAll(PreparedStatement statement, @Nullable ByteBuffer[] values, int count) {
        BoundStatementBuilder bound = statement.boundStatementBuilder();
        for (int i = 0; i < count; i++) {
            bound = bound.setBytesUnsafe(i, values[i]);
        }
        return bound.build();
    }
}
