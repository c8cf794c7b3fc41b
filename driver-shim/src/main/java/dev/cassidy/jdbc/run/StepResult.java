package dev.cassidy.jdbc.run;

import dev.cassidy.cql.GeneratedKeys;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of one step of a script.
 *
 * @param count rows written, as far as Cassandra reports them; -1 for a query
 * @param rows rows to read: of a query, a conditional statement's answer, or OUTPUT; null otherwise
 * @param keys the identities of the rows inserted
 * @param hidden whether SET NOCOUNT ON hides the count from execute and getMoreResults
 */
public record StepResult(long count, @Nullable Cursor rows, List<GeneratedKeys.Key> keys, boolean hidden) {

    static StepResult query(Cursor rows) {
        return new StepResult(-1, rows, List.of(), false);
    }

    static StepResult written(long count) {
        return new StepResult(count, null, List.of(), false);
    }

    static StepResult inserted(long count, List<GeneratedKeys.Key> keys) {
        return new StepResult(count, null, keys, false);
    }

    StepResult withRows(Cursor cursor) {
        return new StepResult(count, cursor, keys, hidden);
    }

    /** As a query: the rows of OUTPUT replace the count. */
    StepResult asQuery(Cursor cursor) {
        return new StepResult(-1, cursor, keys, false);
    }

    StepResult withCountHidden() {
        return new StepResult(count, rows, keys, true);
    }

    public boolean isQuery() {
        return count < 0;
    }
}
