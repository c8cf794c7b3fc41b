package dev.cassidy.tsql;

import dev.cassidy.insert.CqlInsert;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the columns of a SELECT's result come from those of the statement that is sent: it selects the operands, and the
 * driver calculates with them. Immutable.
 *
 * @param outputs the columns of the result, in their order
 * @param arguments the terms within aggregates, whose types the statement that is sent does not show
 * @param table the table that is read
 * @param probe a statement whose result has the types of {@code arguments}; it is prepared, and never run
 */
public record Calculation(List<Output> outputs, List<Argument> arguments, CqlInsert.Table table, String probe) {

    /** A column of the result. */
    public sealed interface Output {

        /** A column of the statement that is sent, by its index. */
        record Served(int column) implements Output {}

        /** What the driver calculates. */
        record Calculated(String label, Expression expression) implements Output {}
    }

    /**
     * A term within an aggregate.
     *
     * @param column the internal name of the column that it is; null if it is anything else
     */
    public record Argument(@Nullable String column, String cql) {}

    public Calculation {
        outputs = List.copyOf(outputs);
        arguments = List.copyOf(arguments);
    }
}
