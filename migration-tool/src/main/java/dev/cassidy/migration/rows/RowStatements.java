package dev.cassidy.migration.rows;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatementBuilder;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.definition.RowMark;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import java.nio.ByteBuffer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The statements that write rows, each with a timestamp of its own text. All of them may be sent again. Rows do not expire, also where
 * the table has a default_time_to_live: they did not expire in the source.
 */
final class RowStatements {

    private RowStatements() {}

    /**
     * Prepares what writes a row, with its mark where the table's writes are exact.
     *
     * @param timestamp in microseconds since 1970
     * @throws MigrationException if the table's writes are exact and a new row of it would not be later
     */
    static PreparedStatement prepareInsert(CqlSession session, RowTable table, long timestamp) {
        if (table.isMarked() && timestamp >= RowMark.FRESH_MICROS) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    "must be below " + RowMark.FRESH_MICROS + " for table " + table.target()
                            + ", whose writes are exact: what"
                            + " the application writes has to be later than what is copied. Leave --timestamp out: --timestamp "
                            + timestamp);
        }
        return session.prepare(statement("INSERT INTO " + table.target() + " ("
                + table.columns().stream()
                        .map(column -> column.to().asCql(true))
                        .collect(Collectors.joining(", "))
                + (table.isMarked() ? ", " + RowMark.COLUMN : "")
                + ") VALUES ("
                + table.columns().stream().map(column -> "?").collect(Collectors.joining(", "))
                + (table.isMarked() ? ", " + RowMark.FREE : "")
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
