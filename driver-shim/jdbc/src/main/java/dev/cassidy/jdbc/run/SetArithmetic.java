package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.insert.ConditionalWrite;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.overlay.Write;
import dev.cassidy.jdbc.value.ConversionException;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.jdbc.value.ToCql;
import dev.cassidy.tsql.TsqlStep;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Computes {@code SET n = n + ?} of a row that was read, and what WHERE compares n with. */
final class SetArithmetic {

    private SetArithmetic() {}

    /**
     * Returns their new values.
     *
     * @param types of the table's columns
     * @throws SQLException if one does not fit its column
     */
    private static List<@Nullable BigDecimal> changed(
            ExactStatement statement, List<@Nullable BigDecimal> old, Map<String, DataType> types) throws SQLException {
        ConditionalWrite write = statement.write();
        List<@Nullable BigDecimal> changed = new ArrayList<>();
        for (int i = 0; i < old.size(); i++) {
            ConditionalWrite.Change change = write.changes().get(i);
            BigDecimal before = old.get(i);
            BigDecimal by = number(change.value(), statement.step(), statement.parameters());
            if (before == null || by == null) {
                changed.add(null);
                continue;
            }
            BigDecimal result = change.minus() ? before.subtract(by) : before.add(by);
            DataType type = types.get(change.column());
            if (type != null && !type.equals(DataTypes.DECIMAL)) {
                requireFit(change, result, type);
            }
            changed.add(result);
        }
        return changed;
    }

    private static void requireFit(ConditionalWrite.Change change, BigDecimal result, DataType type)
            throws SQLException {
        try {
            Object fits = new ToCql(ZoneId.systemDefault(), ignored -> {}).convert(result, type);
            if (new BigDecimal(fits.toString()).compareTo(result) != 0) {
                throw ConversionException.type(result, type.asCql(false, false)).in("SET " + change.column());
            }
        } catch (ConversionException e) {
            throw SqlServerErrors.overflow(e.in("SET " + change.column()));
        }
    }

    /** Returns whether WHERE finds the row, as far as it compares these columns. */
    static boolean holds(ExactStatement statement, RowValues row) throws SQLException {
        for (CollatedComparison each : statement.comparisons()) {
            if (!each.holds(row.strings().get(each.column()))) {
                return false;
            }
        }
        return holds(statement, row.numbers());
    }

    private static boolean holds(ExactStatement statement, List<@Nullable BigDecimal> old) throws SQLException {
        for (ConditionalWrite.Check check : statement.write().checks()) {
            BigDecimal value = old.get(check.change());
            if (check.operator().equals(ConditionalWrite.Check.IS_NOT_NULL)) {
                if (value == null) {
                    return false;
                }
                continue;
            }
            BigDecimal with = number(check.value(), statement.step(), statement.parameters());
            if (value == null || with == null || !holds(check.operator(), value.compareTo(with))) {
                return false;
            }
        }
        return true;
    }

    private static boolean holds(String operator, int comparison) {
        return switch (operator) {
            case "=" -> comparison == 0;
            case "!=" -> comparison != 0;
            case "<" -> comparison < 0;
            case "<=" -> comparison <= 0;
            case ">" -> comparison > 0;
            default -> comparison >= 0;
        };
    }

    static boolean isNull(ConditionalWrite.Operand operand, TsqlStep.Cql step, List<@Nullable Parameter> parameters)
            throws SQLException {
        return operand.marker() < 0
                ? operand.literal() == null
                : given(operand, step, parameters).value() == null;
    }

    static Parameter given(ConditionalWrite.Operand operand, TsqlStep.Cql step, List<@Nullable Parameter> parameters)
            throws SQLException {
        int index = step.parameters().get(operand.marker());
        Parameter parameter = parameters.get(index);
        if (parameter == null) {
            throw new SQLException(
                    "Parameter " + (index + 1) + " was never set; set it, to null if that is intended",
                    SqlStates.WRONG_PARAMETERS);
        }
        return parameter;
    }

    private static @Nullable BigDecimal number(
            ConditionalWrite.Operand operand, TsqlStep.Cql step, List<@Nullable Parameter> parameters)
            throws SQLException {
        String literal = operand.literal();
        Object value = operand.marker() < 0
                ? literal
                : given(operand, step, parameters).value();
        if (value == null) {
            return null;
        }
        try {
            return (BigDecimal) new ToCql(ZoneId.systemDefault(), ignored -> {}).convert(value, DataTypes.DECIMAL);
        } catch (ConversionException e) {
            throw e.in(
                    operand.marker() < 0
                            ? "the literal " + literal
                            : "parameter " + (step.parameters().get(operand.marker()) + 1));
        }
    }

    /**
     * Returns the conditional statement with its values and those that are computed. What is wrong with a value that is written is
     * raised for rows that WHERE finds alone, as SQL Server does; so it is not raised here.
     *
     * @throws SQLException also for a value that cannot even be bound
     */
    static Write.Bound judged(
            ExactStatement statement, RowValues old, Map<String, DataType> types, Binder binder, StatementSender sender)
            throws SQLException {
        try {
            return new Write.Bound(
                    sender.looked(bound(statement, old, changed(statement, old.numbers(), types), binder)), null);
        } catch (SQLException e) {
            if (!SqlStates.isOfValue(e)) {
                throw e;
            }
            try {
                return new Write.Bound(bound(statement, old, old.numbers(), binder), e);
            } catch (SQLException unbound) {
                throw e;
            }
        }
    }

    /** Returns the conditional statement with its values and those that were computed. */
    static BatchableStatement<?> bound(
            ExactStatement statement, RowValues old, List<@Nullable BigDecimal> changed, Binder binder)
            throws SQLException {
        ConditionalWrite write = statement.write();
        List<@Nullable Parameter> all = new ArrayList<>(statement.parameters());
        List<Integer> markers = new ArrayList<>();
        for (ConditionalWrite.Source source : write.markers()) {
            Object value;
            if (source instanceof ConditionalWrite.Source.New fresh) {
                value = changed.get(fresh.change());
            } else if (source instanceof ConditionalWrite.Source.Old before) {
                value = old.numbers().get(before.change());
            } else if (source instanceof ConditionalWrite.Source.Stood stood) {
                value = Objects.requireNonNull(old.strings().get(stood.column()), stood.column());
            } else {
                markers.add(statement.parameter(source));
                continue;
            }
            markers.add(all.size());
            all.add(new Parameter(value, null));
        }
        return binder.bind(binder.session().plain(), new Binder.Unbound(write.text(), markers, false), all);
    }
}
