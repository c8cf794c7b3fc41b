package dev.cassidy.jdbc.run;

import dev.cassidy.cql.GeneratedKeys;
import dev.cassidy.tsql.TsqlStep;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of one step of a script.
 *
 * @param count rows written, as far as Cassandra reports them; -1 for a query
 * @param rows rows to read: of a query, a conditional statement's answer, or OUTPUT; null otherwise
 * @param keys the generated keys of the rows inserted
 * @param hidden whether SET NOCOUNT ON hides the count from execute and getMoreResults
 * @param warnings of the server, unless they went to the statement already
 * @param selection what the columns of the rows are, as far as the statement tells; null otherwise
 * @param inClient whether the statement was evaluated in the client
 */
public record StepResult(
        long count,
        @Nullable Cursor rows,
        List<GeneratedKeys.Key> keys,
        boolean hidden,
        List<String> warnings,
        TsqlStep.@Nullable Selection selection,
        boolean inClient) {

    private StepResult(
            long count, @Nullable Cursor rows, List<GeneratedKeys.Key> keys, boolean hidden, List<String> warnings) {
        this(count, rows, keys, hidden, warnings, null, false);
    }

    static StepResult query(Cursor rows) {
        return query(rows, null);
    }

    static StepResult query(Cursor rows, TsqlStep.@Nullable Selection selection) {
        return new StepResult(-1, rows, List.of(), false, List.of(), selection, false);
    }

    static StepResult written(long count) {
        return new StepResult(count, null, List.of(), false, List.of());
    }

    static StepResult inserted(long count, List<GeneratedKeys.Key> keys) {
        return inserted(count, keys, List.of());
    }

    static StepResult inserted(long count, List<GeneratedKeys.Key> keys, List<String> warnings) {
        return new StepResult(count, null, keys, false, warnings);
    }

    /** Returns the same as the result of a statement that was evaluated in the client. */
    StepResult asEvaluated() {
        return new StepResult(count, rows, keys, hidden, warnings, selection, true);
    }

    StepResult withRows(Cursor cursor) {
        return new StepResult(count, cursor, keys, hidden, warnings, selection, false);
    }

    StepResult withKeys(List<GeneratedKeys.Key> found) {
        return new StepResult(count, rows, found, hidden, warnings, selection, false);
    }

    /** As a query: the rows of OUTPUT replace the count. */
    StepResult asQuery(Cursor cursor, TsqlStep.Selection columns) {
        return new StepResult(-1, cursor, keys, false, warnings, columns, false);
    }

    StepResult withCountHidden() {
        return new StepResult(count, rows, keys, true, warnings, selection, false);
    }

    public boolean isQuery() {
        return count < 0;
    }
}
