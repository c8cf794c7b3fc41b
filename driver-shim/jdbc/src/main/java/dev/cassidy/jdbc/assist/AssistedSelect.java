package dev.cassidy.jdbc.assist;

import java.util.List;
import java.util.concurrent.CompletionStage;

/** A SELECT with parameters whose rows are known by how they are found. */
public interface AssistedSelect {

    /** Returns what it reads, in order: what a read takes from the rows of others comes after those. */
    List<PlannedRead> reads();

    /**
     * Evaluates the statement over no rows, so that what is not served is told before it runs. Its parameters count as unknown, whatever
     * was given: what depends on their types is told when it runs.
     *
     * @throws NotAssistedException if a part of it is not served
     * @throws EvaluationException if SQL Server refuses the statement too
     */
    void check();

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
     * @return the result. It fails with {@link BoundExceededException} if the rows are more than the budget, with {@link
     *     EvaluationException} if SQL Server refuses the statement too, with {@link NotAssistedException} if a part of it is not served,
     *     and with what reading fails with
     */
    CompletionStage<Evaluated> run(RowSource source, Budget budget);
}
