package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.protocol.internal.ProtocolConstants;
import dev.cassidy.insert.UnsupportedSqlException;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.session.Tables;
import dev.cassidy.jdbc.value.Column;
import dev.cassidy.tsql.Calculation;
import dev.cassidy.tsql.Expression;
import dev.cassidy.tsql.NumberType;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * The columns of one result that the driver calculates from what the server returned, row by row.
 *
 * @param arguments the types of the calculation's arguments, by their indexes
 */
record CalculatedColumns(Calculation calculation, List<NumberType> arguments) {

    /** Finds the types that the calculation needs, before anything is sent. */
    static CalculatedColumns of(Calculation calculation, Tables tables, Binder binder) throws SQLException {
        List<NumberType> types = new ArrayList<>();
        if (!calculation.arguments().isEmpty()) {
            List<DataType> given = arguments(calculation, tables, binder);
            for (int i = 0; i < given.size(); i++) {
                types.add(number(calculation.arguments().get(i).cql(), given.get(i)));
            }
        }
        return new CalculatedColumns(calculation, types);
    }

    private static List<DataType> arguments(Calculation calculation, Tables tables, Binder binder) throws SQLException {
        Map<String, DataType> known = tables.types(calculation.table());
        List<DataType> types = new ArrayList<>();
        for (Calculation.Argument argument : calculation.arguments()) {
            DataType type = argument.column() == null ? null : known.get(argument.column());
            if (type == null) {
                // The schema is not known here, or it is no column.
                return Column.of(binder.prepare(
                                        binder.session().plain(),
                                        new Binder.Unbound(calculation.probe(), List.of(), false))
                                .getResultSetDefinitions())
                        .stream()
                        .map(Column::type)
                        .toList();
            }
            types.add(type);
        }
        return types;
    }

    private static NumberType number(String term, DataType type) {
        return switch (type.getProtocolCode()) {
            // Cassandra's has a sign, SQL Server's has none.
            case ProtocolConstants.DataType.TINYINT, ProtocolConstants.DataType.SMALLINT -> NumberType.SMALLINT;
            case ProtocolConstants.DataType.INT -> NumberType.INT;
            case ProtocolConstants.DataType.BIGINT, ProtocolConstants.DataType.COUNTER -> NumberType.BIGINT;
            case ProtocolConstants.DataType.VARINT, ProtocolConstants.DataType.DECIMAL -> NumberType.OPEN_DECIMAL;
            case ProtocolConstants.DataType.FLOAT -> NumberType.REAL;
            case ProtocolConstants.DataType.DOUBLE -> NumberType.FLOAT;
            default ->
                throw new UnsupportedSqlException(
                        "a calculation with " + term + " of type " + type.asCql(false, true),
                        "numbers can be calculated with: read the column, and combine its values in the application");
        };
    }

    /** Returns the result's columns. */
    List<Column> columns(List<Column> served) {
        ServedRow types = new ServedRow(served, null);
        List<Column> columns = new ArrayList<>();
        for (Calculation.Output output : calculation.outputs()) {
            if (output instanceof Calculation.Output.Served same) {
                columns.add(served.get(same.column()));
            } else if (output instanceof Calculation.Output.Calculated calculated) {
                columns.add(column(calculated.label(), calculated.expression().resultType(types)));
            }
        }
        return columns;
    }

    private static Column column(String label, NumberType type) {
        DataType cql =
                switch (type.kind()) {
                    case TINYINT, SMALLINT -> DataTypes.SMALLINT;
                    case INT -> DataTypes.INT;
                    case BIGINT -> DataTypes.BIGINT;
                    case DECIMAL -> DataTypes.DECIMAL;
                    case REAL -> DataTypes.FLOAT;
                    case FLOAT -> DataTypes.DOUBLE;
                };
        Column.Digits digits = type.isOpen()
                ? new Column.Digits(NumberType.MAX_DIGITS, 0)
                : type.kind() == NumberType.Kind.DECIMAL ? new Column.Digits(type.precision(), type.scale()) : null;
        return new Column(label, cql, "", "", digits, null);
    }

    /** Returns the result's rows. */
    Cursor rows(Cursor served) {
        return new Rows(served, columns(served.columns()));
    }

    /** What an expression sees of the server's row. */
    private final class ServedRow implements Expression.Row {
        private final List<Column> columns;
        private final @Nullable Cursor cursor;

        ServedRow(List<Column> columns, @Nullable Cursor cursor) {
            this.columns = columns;
            this.cursor = cursor;
        }

        @Override
        public NumberType column(int index) {
            Column column = columns.get(index);
            return number(column.label(), column.type());
        }

        @Override
        public NumberType argument(int index) {
            return arguments.get(index);
        }

        @Override
        public @Nullable Number value(int column) {
            try {
                return cursor == null ? null : (Number) cursor.value(column);
            } catch (SQLException e) {
                throw new CompletionException(e);
            }
        }
    }

    private final class Rows implements Cursor {
        private final Cursor served;
        private final List<Column> columns;
        private final ServedRow row;
        private final @Nullable Object[] values;
        private boolean onRow;

        Rows(Cursor served, List<Column> columns) {
            this.served = served;
            this.columns = columns;
            this.row = new ServedRow(served.columns(), served);
            this.values = new Object[columns.size()];
        }

        @Override
        public List<Column> columns() {
            return columns;
        }

        /** Calculates at once, as SQL Server does: an overflow is an error even if nobody reads the column. */
        @Override
        public boolean next() throws SQLException {
            onRow = false;
            if (!served.next()) {
                return false;
            }
            for (int i = 0; i < values.length; i++) {
                values[i] = calculate(calculation.outputs().get(i));
            }
            onRow = true;
            return true;
        }

        private @Nullable Object calculate(Calculation.Output output) throws SQLException {
            if (output instanceof Calculation.Output.Calculated calculated) {
                try {
                    return calculated.expression().result(row);
                } catch (RuntimeException e) {
                    throw SqlErrors.of(e);
                }
            }
            return null;
        }

        @Override
        public @Nullable Object value(int index) throws SQLException {
            if (!onRow) {
                throw new SQLException("No current row; call next() first", SqlStates.CURSOR_STATE);
            }
            return calculation.outputs().get(index) instanceof Calculation.Output.Served same
                    ? served.value(same.column())
                    : values[index];
        }
    }
}
