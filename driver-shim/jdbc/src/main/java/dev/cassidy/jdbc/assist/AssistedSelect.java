package dev.cassidy.jdbc.assist;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A SELECT with parameters whose rows are known by how they are found. */
public interface AssistedSelect {

    /** Returns what it reads, in order: what a read takes from the rows of others comes after those. */
    List<PlannedRead> reads();

    /**
     * Evaluates the statement over no rows, so that what is not served is told before it runs. Its parameters count as unknown, whatever
     * was given: what depends on their types is told when it runs.
     *
     * @return the columns of its result, as they are with parameters that are NULL
     * @throws NotAssistedException if a part of it is not served
     * @throws EvaluationException if SQL Server refuses the statement too
     */
    List<ResultColumn> check();

    /**
     * Returns the columns of its result, whatever its parameters are; empty if these decide. Evaluates it over no rows, as {@link #check}.
     */
    List<ResultColumn> columns();

    /**
     * A read of one table.
     *
     * @param reach by what its rows are found
     * @param by the names of the columns by which they are found; none of a scan
     * @param unindexed of a scan, the names of columns for which the statement demands values, and which would need an index
     */
    record PlannedRead(TableModel table, Reach reach, List<String> by, List<String> unindexed) {
        public PlannedRead {
            by = List.copyOf(by);
            unindexed = List.copyOf(unindexed);
        }
    }

    /** By what rows are found. */
    enum Reach {
        /** The whole primary key: one row for each key. */
        KEY,
        /** The whole partition key, and perhaps the first clustering columns. */
        PARTITION,
        /** One column with an index. */
        INDEX,
        /** Nothing: all rows are read. */
        SCAN
    }

    /**
     * Reads the rows, and evaluates the statement over them, on the thread that completes the last read.
     *
     * @param stop ends the evaluation soon, if it is cancelled; it then fails with {@link java.util.concurrent.CancellationException}
     * @return the result. It fails with {@link BoundExceededException} if the rows are more than the budget, with {@link
     *     EvaluationException} if SQL Server refuses the statement too, with {@link NotAssistedException} if a part of it is not served,
     *     and with what reading fails with
     */
    CompletionStage<Evaluated> run(RowSource source, Budget budget, CompletableFuture<?> stop);
}
