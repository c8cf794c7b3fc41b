package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.type.DataType;
import dev.cassidy.collation.Collation;
import dev.cassidy.insert.ConditionalWrite;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlLiteral;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.tsql.TsqlStep;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes the comparisons of a statement with the values of one execution. */
final class CollatedComparisons {

    private CollatedComparisons() {}

    /**
     * Returns what a statement compares, with its values. They are converted here and nowhere else: some can be read only once.
     *
     * @param collations of the columns
     */
    static List<CollatedComparison> of(
            List<ConditionalWrite.Match> matches,
            CqlInsert.Table table,
            Map<String, Collation> collations,
            TsqlStep.Cql step,
            List<@Nullable Parameter> parameters,
            Binder binder)
            throws SQLException {
        Tables tables = binder.session().tables();
        Map<String, DataType> types = tables.types(table);
        List<CollatedComparison> comparisons = new ArrayList<>();
        for (ConditionalWrite.Match match : matches) {
            Collation collation = collations.get(match.column());
            DataType type = types.get(match.column());
            if (collation == null || type == null) {
                throw new SQLTransientException(
                        "Column " + match.column() + " of table " + tables.qualified(table)
                                + " was changed since the statement was read, and nothing was sent. Run it again",
                        SqlStates.CONFLICT);
            }
            List<String> values = new ArrayList<>();
            for (ConditionalWrite.Operand each : match.values()) {
                if (!SetArithmetic.isNull(each, step, parameters)) {
                    values.add(string(each, Column.of(match.column(), type), step, parameters, binder));
                }
            }
            boolean unequal = match.operator().equals("!=");
            comparisons.add(new CollatedComparison(match.column(), collation, unequal, values));
        }
        return comparisons;
    }

    private static String string(
            ConditionalWrite.Operand operand,
            Column column,
            TsqlStep.Cql step,
            List<@Nullable Parameter> parameters,
            Binder binder)
            throws SQLException {
        String literal = operand.literal();
        if (literal != null) {
            Parameter given = new Parameter(CqlLiteral.read(literal), null);
            return binder.string(given, column.type(), "the literal for column " + column.label());
        }
        int index = step.parameters().get(operand.marker());
        return binder.string(
                SetArithmetic.given(operand, step, parameters),
                column.type(),
                "parameter " + (index + 1) + " (" + column + ")");
    }
}
