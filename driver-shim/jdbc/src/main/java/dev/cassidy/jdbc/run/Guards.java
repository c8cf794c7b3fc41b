package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.definition.Twin;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.jdbc.value.ConversionException;
import dev.cassidy.jdbc.value.DateOrder;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.jdbc.value.Temporals;
import dev.cassidy.jdbc.value.ToCql;
import dev.cassidy.tsql.Guard;
import dev.cassidy.tsql.TsqlStep;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.time.ZoneId;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Checks, with the parameters of one execution, that a statement of CQL says the same as that of T-SQL. */
record Guards(Tables tables, DateOrder dateOrder, Consumer<SQLWarning> warnings) {

    /** Returns whether the statement may find rows; refuses it if it would say something else. */
    boolean findRows(TsqlStep.Cql step, List<@Nullable Parameter> parameters) throws SQLException {
        boolean finds = true;
        for (Guard guard : step.guards()) {
            if (guard instanceof Guard.NoRows) {
                finds = false;
            } else if (guard instanceof Guard.Limit limit) {
                finds &= !isZero(set(limit.parameter(), parameters));
            } else if (guard instanceof Guard.Compared compared) {
                finds &= holds(compared, parameters);
            } else if (guard instanceof Guard.NoOffset offset) {
                refuseOffset(set(offset.parameter(), parameters));
            } else if (guard instanceof Guard.NoWildcard pattern) {
                refuseWildcard(pattern, set(pattern.parameter(), parameters));
            } else if (guard instanceof Guard.SameKey key) {
                requireSame(key, parameters);
            }
        }
        return finds;
    }

    /** Gives the parameters that are not sent the type of their column. */
    void describe(TsqlStep.Cql step, List<Column> columns) {
        for (Guard guard : step.guards()) {
            if (guard instanceof Guard.NoOffset offset) {
                columns.set(offset.parameter(), Column.of("offset", DataTypes.BIGINT));
            }
            if (guard instanceof Guard.SameKey key && key.assigned().parameter() >= 0) {
                DataType type = tables.types(key.table()).get(key.column());
                if (type != null) {
                    columns.set(key.assigned().parameter(), Column.of(key.column(), type));
                }
            }
        }
    }

    /** Returns a parameter that has been set. */
    static Parameter set(int index, List<@Nullable Parameter> parameters) throws SQLException {
        Parameter parameter = parameters.get(index);
        if (parameter == null) {
            throw new SQLException(
                    "Parameter " + (index + 1) + " was never set; set it, to null if that is intended",
                    SqlStates.WRONG_PARAMETERS);
        }
        return parameter;
    }

    private static boolean holds(Guard.Compared guard, List<@Nullable Parameter> parameters) throws SQLException {
        Object left = set(guard.left(), parameters).value();
        Object right = set(guard.right(), parameters).value();
        if (left == null || right == null) {
            // As in SQL: nothing equals NULL, and nothing differs from it.
            return false;
        }
        return areEqual(guard, number(left), number(right)) == guard.equal();
    }

    /** A bit is a number, as in SQL Server. */
    private static Object number(Object value) {
        return value instanceof Boolean bit ? bit ? 1 : 0 : value;
    }

    private static boolean areEqual(Guard.Compared guard, Object left, Object right) throws SQLException {
        if (left instanceof Number && right instanceof Number) {
            return new BigDecimal(left.toString()).compareTo(new BigDecimal(right.toString())) == 0;
        }
        if (left.getClass() != right.getClass()) {
            throw notCompared(
                    guard,
                    "they are " + left.getClass().getSimpleName() + " and "
                            + right.getClass().getSimpleName() + ", and one would be converted. Give both as one type");
        }
        boolean equal = Objects.deepEquals(left, right);
        if (!equal && left instanceof String one && isPerhapsEqual(one, (String) right)) {
            throw notCompared(guard, "their collation decides it. Compare them in the application");
        }
        return equal;
    }

    private static SQLException notCompared(Guard.Compared guard, String why) {
        return Unserved.feature("A comparison of parameters " + (guard.left() + 1) + " and " + (guard.right() + 1)
                + " is not served here: " + why);
    }

    /** Whether some collation of SQL Server may take two strings for equal: of ASCII by case and trailing spaces alone. */
    private static boolean isPerhapsEqual(String left, String right) {
        boolean ascii =
                left.chars().allMatch(each -> each < 128) && right.chars().allMatch(each -> each < 128);
        return !ascii || left.stripTrailing().equalsIgnoreCase(right.stripTrailing());
    }

    private static boolean isZero(Parameter rows) {
        return rows.value() instanceof Number number && number.longValue() == 0 && number.doubleValue() == 0;
    }

    private static void refuseOffset(Parameter rows) throws SQLException {
        if (!isZero(rows)) {
            throw Unserved.feature("OFFSET " + rows.value() + " ROWS is not served: " + Guard.NoOffset.INSTEAD);
        }
    }

    private static void refuseWildcard(Guard.NoWildcard pattern, Parameter parameter) throws SQLException {
        if (parameter.value() instanceof CharSequence text && Guard.NoWildcard.isIn(text.toString())) {
            throw Unserved.feature("LIKE with a wildcard, or with a blank at the end, is not served: parameter "
                    + (pattern.parameter() + 1) + " for"
                    + " column " + pattern.column() + " is '" + text
                    + "'; give the whole string, or keep a table whose key is what is searched for");
        }
    }

    private void requireSame(Guard.SameKey guard, List<@Nullable Parameter> parameters) throws SQLException {
        DataType type = tables.types(guard.table()).get(guard.column());
        Object assigned = value(guard.assigned(), guard, type, parameters);
        Object key = value(guard.key(), guard, type, parameters);
        if (!areSame(guard, assigned, key)) {
            throw Unserved.feature("SET " + guard.column() + " = " + assigned + " WHERE " + guard.column() + " = " + key
                    + " is not served: the key is the place of a row; insert the new row, and delete the old one");
        }
    }

    private boolean areSame(Guard.SameKey guard, @Nullable Object assigned, @Nullable Object key) {
        if (assigned instanceof String one
                && key instanceof String other
                && tables.hasTwin(guard.table(), guard.column())) {
            Twin twin = tables.twin(guard.table(), guard.column());
            return twin.fold(one).equals(twin.fold(other));
        }
        return Objects.equals(assigned, key);
    }

    private @Nullable Object value(
            Guard.Operand operand, Guard.SameKey guard, @Nullable DataType type, List<@Nullable Parameter> parameters)
            throws SQLException {
        Object given = operand.literal();
        ZoneId zone = Temporals.zone(null);
        if (operand.parameter() >= 0) {
            Parameter parameter = set(operand.parameter(), parameters);
            given = parameter.value();
            zone = parameter.zone();
        }
        if (given == null || type == null) {
            return given;
        }
        try {
            return new ToCql(zone, dateOrder, warnings).convert(given, type);
        } catch (ConversionException e) {
            throw e.in("column " + guard.column());
        }
    }
}
