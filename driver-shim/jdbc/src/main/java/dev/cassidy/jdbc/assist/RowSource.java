package dev.cassidy.jdbc.assist;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Reads rows of tables. Safe for use by many threads. */
@FunctionalInterface
public interface RowSource {

    /**
     * Reads the rows that have given values in some columns. For each page that it reads, it takes its rows from the budget.
     *
     * @param columns of which the values are returned
     * @param by what is given: the whole key, or the partition key and perhaps the first clustering columns, or a column with an index;
     *     nothing for all rows
     * @param values what these have, a list for each request; no two are equal. Whole numbers are Long and within the column's range,
     *     the others String, {@link java.util.UUID} and {@link java.time.LocalDate}
     * @return the rows, in any order; each has its values in the order of the columns, as the driver's codecs give them: a moment is an
     *     Instant
     */
    CompletionStage<List<List<@Nullable Object>>> read(
            TableModel table,
            List<ColumnModel> columns,
            List<ColumnModel> by,
            List<List<Object>> values,
            Budget budget);
}
