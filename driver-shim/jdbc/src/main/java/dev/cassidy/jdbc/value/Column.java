package dev.cassidy.jdbc.value;

import com.datastax.oss.driver.api.core.cql.ColumnDefinition;
import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.jdbc.error.SqlStates;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One column of a result, or one parameter of a statement.
 *
 * @param label internal form
 * @param keyspace empty if it comes from no table
 * @param table empty if it comes from no table
 * @param digits of a calculated decimal; null where the type alone says how many there are
 * @param declared the type of T-SQL that an evaluated column has; null where the table says it
 */
public record Column(
        String label,
        DataType type,
        String keyspace,
        String table,
        @Nullable Digits digits,
        @Nullable DeclaredType declared) {

    /**
     * How many digits a decimal has.
     *
     * @param precision of all
     * @param scale of those after the point
     */
    public record Digits(int precision, int scale) {}

    /** A column with the digits of its type. */
    public Column(String label, DataType type, String keyspace, String table) {
        this(label, type, keyspace, table, null, null);
    }

    /** A column that was evaluated in the client. */
    public static Column evaluated(String label, DataType type, DeclaredType declared) {
        return new Column(label, type, "", "", null, declared);
    }

    public static Column of(String label, DataType type) {
        return new Column(label, type, "", "");
    }

    static Column text(String label) {
        return of(label, DataTypes.TEXT);
    }

    public static Column of(ColumnDefinition definition) {
        return new Column(
                definition.getName().asInternal(),
                definition.getType(),
                definition.getKeyspace().asInternal(),
                definition.getTable().asInternal());
    }

    public static List<Column> of(ColumnDefinitions definitions) {
        List<Column> columns = new ArrayList<>(definitions.size());
        definitions.forEach(definition -> columns.add(of(definition)));
        return columns;
    }

    public JdbcType jdbcType() {
        return JdbcType.of(type);
    }

    /** Returns how many digits, or characters, the longest value has; 0 for a number that has no limit. */
    public int precision() {
        return digits == null ? jdbcType().precision() : digits.precision();
    }

    /** Returns how many digits a value has after the point; 0 if that is not fixed. */
    public int scale() {
        return digits == null ? jdbcType().scale() : digits.scale();
    }

    /** Returns how many characters show every value; as {@link #precision()} if there is no limit. */
    public int displaySize() {
        // A sign and a point.
        return digits == null ? jdbcType().displaySize() : digits.precision() + 2;
    }

    /** Returns the index, from 0, of the column with that label: the exact one, otherwise in any case. */
    public static int index(List<Column> columns, String label) throws SQLException {
        int anyCase = -1;
        for (int i = 0; i < columns.size(); i++) {
            String candidate = columns.get(i).label();
            if (candidate.equals(label)) {
                return i;
            }
            if (anyCase < 0 && candidate.equalsIgnoreCase(label)) {
                anyCase = i;
            }
        }
        if (anyCase < 0) {
            throw new SQLSyntaxErrorException(
                    "The result has no column '" + label + "'; its columns are "
                            + columns.stream().map(Column::label).collect(Collectors.joining(", ")),
                    SqlStates.NO_COLUMN);
        }
        return anyCase;
    }

    @Override
    public String toString() {
        return label + " " + JdbcType.name(type);
    }
}
