package dev.cassidy.jdbc.run;

import dev.cassidy.insert.ConditionalWrite;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.table.TableWrites;
import dev.cassidy.tsql.TsqlStep;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One UPDATE or DELETE of a table whose writes are exact, and its values.
 *
 * @param parameters those of the script, and behind them the key of the row, if the statement is of several rows
 * @param key where that begins
 * @param comparisons what it compares by collations
 */
record ExactStatement(
        ConditionalWrite write,
        TableWrites writes,
        TsqlStep.Cql step,
        CqlInsert.Table table,
        List<@Nullable Parameter> parameters,
        int key,
        List<CollatedComparison> comparisons) {

    ExactStatement {
        comparisons = List.copyOf(comparisons);
    }

    /**
     * Returns the same of one row.
     *
     * @param row its key, as the driver's codecs give it
     */
    ExactStatement of(List<Object> row) {
        List<@Nullable Parameter> all = new ArrayList<>(parameters);
        row.forEach(value -> all.add(bindable(value)));
        return new ExactStatement(write, writes, step, table, all, parameters.size(), comparisons);
    }

    /** Returns a value that was read as one that can be bound. */
    static Parameter bindable(@Nullable Object value) {
        return new Parameter(value instanceof ByteBuffer bytes ? array(bytes) : value, null);
    }

    private static byte[] array(ByteBuffer bytes) {
        byte[] array = new byte[bytes.remaining()];
        bytes.duplicate().get(array);
        return array;
    }

    int parameter(ConditionalWrite.Source source) {
        return source instanceof ConditionalWrite.Source.Key column
                ? key + column.column()
                : step.parameters().get(((ConditionalWrite.Source.Given) source).marker());
    }
}
