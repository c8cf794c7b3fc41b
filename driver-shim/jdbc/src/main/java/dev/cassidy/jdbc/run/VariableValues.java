package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.type.DataType;
import dev.cassidy.definition.SqlType;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.jdbc.value.ConversionException;
import dev.cassidy.jdbc.value.DeclaredType;
import dev.cassidy.jdbc.value.EvaluatedValues;
import dev.cassidy.jdbc.value.Parameter;
import dev.cassidy.tsql.TsqlScript;
import dev.cassidy.tsql.TsqlStep;
import dev.cassidy.tsql.Variable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The variables of one run of a script: the last of its parameters. A value has the type that is declared of its variable. */
final class VariableValues {

    /** What a connection knows for {@code @@ROWCOUNT} and {@code SCOPE_IDENTITY()}. */
    interface Known {
        long rowCount();

        @Nullable
        Long lastIdentity() throws SQLException;
    }

    /** Converts what is not converted here. */
    interface Cast {
        @Nullable
        Object cast(Object value, SqlType type, String name) throws SQLException;
    }

    private final TsqlScript script;
    private final List<@Nullable Parameter> parameters;
    /** The indexes of those that the connection knows. */
    private final List<Integer> system = new ArrayList<>();

    private final Known known;
    private final Cast cast;
    private final Consumer<SQLWarning> warnings;

    /** @param own the parameters of the statement */
    VariableValues(
            TsqlScript script, List<@Nullable Parameter> own, Known known, Cast cast, Consumer<SQLWarning> warnings) {
        this.script = script;
        this.parameters = new ArrayList<>(own);
        this.known = known;
        this.cast = cast;
        this.warnings = warnings;
        for (Variable variable : script.variables()) {
            if (variable.source() != Variable.Source.SCRIPT) {
                system.add(parameters.size());
            }
            parameters.add(parameter(variable, null));
        }
    }

    /** Returns the parameters of the steps, those of the statement first; what is assigned shows in them. */
    List<@Nullable Parameter> parameters() {
        return parameters;
    }

    private static Parameter parameter(Variable variable, @Nullable Object value) {
        return new Parameter(value, null, new Parameter.Declared(variable.name(), variable.type()));
    }

    /** Reads what the connection knows, for the step that is about to run. */
    void before(TsqlStep step) throws SQLException {
        for (int i = 0; i < script.variables().size(); i++) {
            Variable variable = script.variables().get(i);
            int index = script.parameterCount() + i;
            if (variable.source() == Variable.Source.SCRIPT
                    || !step.parameters().contains(index)) {
                continue;
            }
            if (variable.source() == Variable.Source.ROW_COUNT) {
                long count = known.rowCount();
                if (count < 0) {
                    throw Unserved.feature("@@ROWCOUNT after a SELECT is not served: its rows are fetched as they are"
                            + " read; count them by SELECT COUNT(*)");
                }
                parameters.set(index, parameter(variable, Math.toIntExact(count)));
            } else {
                Long id = known.lastIdentity();
                parameters.set(index, parameter(variable, id == null ? null : BigDecimal.valueOf(id)));
            }
        }
    }

    // ---- assignments

    void assign(TsqlStep.AssignValue step) throws SQLException {
        Variable.Target target = step.target();
        Object value = step.parameter() < 0 ? step.literal() : value(step.parameter());
        SqlType type = step.cast();
        assign(target, type == null ? value : converted(value, type, target.variable()));
    }

    /**
     * Assigns what a query gives.
     *
     * @return how many rows it has
     */
    long assign(TsqlStep.AssignRows step, Cursor rows) throws SQLException {
        List<Variable.Target> targets = step.targets();
        if (rows.columns().size() != targets.size()) {
            throw SqlServerErrors.rule(
                    116,
                    "Only one expression can be specified in the select list when the subquery is not introduced with"
                            + " EXISTS: SET assigns one value");
        }
        long count = 0;
        List<@Nullable Object> last = new ArrayList<>();
        while (rows.next()) {
            if (++count > 1 && step.single()) {
                throw SqlServerErrors.rule(
                        512,
                        "Subquery returned more than 1 value. This is not permitted when it follows =: name one row, by"
                                + " its key or by TOP 1 and ORDER BY, or use an aggregate");
            }
            last.clear();
            for (int i = 0; i < targets.size(); i++) {
                last.add(rows.value(i));
            }
        }
        for (int i = 0; i < targets.size(); i++) {
            if (count > 0) {
                assign(targets.get(i), last.get(i));
            } else if (step.single()) {
                assign(targets.get(i), null);
            }
        }
        return step.single() ? 1 : count;
    }

    private void assign(Variable.Target target, @Nullable Object value) throws SQLException {
        Variable variable = target.variable();
        parameters.set(target.parameter(), parameter(variable, converted(value, variable.type(), variable)));
    }

    private @Nullable Object value(int index) throws SQLException {
        Parameter parameter = Guards.set(index, parameters);
        try {
            return EvaluatedValues.ofParameter(parameter, warnings);
        } catch (ConversionException e) {
            throw e.in(parameter.label(index));
        }
    }

    // ---- SELECT of variables

    static List<Column> columns(TsqlStep.SelectValues step) {
        List<Column> columns = new ArrayList<>();
        for (TsqlStep.SelectValues.Value value : step.values()) {
            DataType type = EvaluatedValues.cqlType(value.type());
            columns.add(Column.evaluated(value.label(), type, new DeclaredType(value.type())));
        }
        return columns;
    }

    Cursor select(TsqlStep.SelectValues step) throws SQLException {
        List<@Nullable Object> row = new ArrayList<>();
        for (TsqlStep.SelectValues.Value each : step.values()) {
            Object value = value(each.source().parameter());
            row.add(EvaluatedValues.toCql(
                    converted(value, each.type(), each.source().variable())));
        }
        return new Cursor.Listed(columns(step), List.of(row));
    }

    // ---- conversion

    /** Returns a value in a type: as SQL Server converts it where it is assigned, so a string that is too long is cut off. */
    private @Nullable Object converted(@Nullable Object value, SqlType type, Variable variable) throws SQLException {
        if (value == null) {
            return null;
        }
        BigInteger whole = whole(value);
        Object own =
                switch (type.name()) {
                    case TINYINT, SMALLINT, INT, BIGINT -> whole == null ? null : ranged(whole, type);
                    case DECIMAL, NUMERIC ->
                        whole == null ? decimal(value, type) : decimal(new BigDecimal(whole), type);
                    case CHAR, NCHAR, VARCHAR, NVARCHAR -> value instanceof String text ? text(text, type) : null;
                    case XML -> value instanceof String ? value : null;
                    case BIT -> value instanceof Boolean ? value : null;
                    case FLOAT -> value instanceof Double ? value : null;
                    case DATE -> value instanceof LocalDate ? value : null;
                    case UNIQUEIDENTIFIER -> value instanceof UUID ? value : null;
                    default -> null;
                };
        return own == null ? cast.cast(value, type, variable.name()) : own;
    }

    private static @Nullable BigInteger whole(Object value) {
        if (value instanceof Byte || value instanceof Short || value instanceof Integer || value instanceof Long) {
            return BigInteger.valueOf(((Number) value).longValue());
        }
        if (value instanceof BigInteger number) {
            return number;
        }
        return value instanceof BigDecimal decimal && decimal.scale() == 0 ? decimal.unscaledValue() : null;
    }

    private static Object ranged(BigInteger value, SqlType type) throws SQLException {
        int bits =
                switch (type.name()) {
                    case SMALLINT -> Short.SIZE;
                    case INT -> Integer.SIZE;
                    default -> Long.SIZE;
                };
        boolean fits = type.name() == SqlType.Name.TINYINT
                ? value.signum() >= 0 && value.bitLength() <= Byte.SIZE
                : value.bitLength() < bits;
        if (!fits) {
            boolean small = type.name() == SqlType.Name.TINYINT || type.name() == SqlType.Name.SMALLINT;
            throw new SQLDataException(
                    small
                            ? "Arithmetic overflow error for data type " + type + ", value = " + value
                            : "Arithmetic overflow error converting expression to data type " + type,
                    SqlStates.OUT_OF_RANGE,
                    small ? SqlServerErrors.SMALL_OVERFLOW : SqlServerErrors.OVERFLOW);
        }
        return switch (type.name()) {
            case TINYINT, SMALLINT -> (Object) value.shortValueExact();
            case INT -> value.intValueExact();
            default -> value.longValueExact();
        };
    }

    /** Returns a number that the type has as it is; null if it must be rounded, or does not fit. */
    private static @Nullable Object decimal(Object value, SqlType type) {
        if (!(value instanceof BigDecimal number)) {
            return null;
        }
        boolean same = number.scale() <= type.scale()
                && number.precision() - number.scale() <= type.precision() - type.scale();
        return same ? number.setScale(type.scale()) : null;
    }

    private static String text(String text, SqlType type) {
        if (type.length() == SqlType.MAX) {
            return text;
        }
        boolean fixed = type.name() == SqlType.Name.CHAR || type.name() == SqlType.Name.NCHAR;
        String cut = text.length() > type.length() ? text.substring(0, type.length()) : text;
        return fixed ? cut + " ".repeat(type.length() - cut.length()) : cut;
    }

    /** Returns the rows of a query's result. */
    static Cursor rows(StepResult result) {
        return Objects.requireNonNull(result.rows());
    }
}
