package dev.cassidy.jdbc;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.jdbc.value.Column;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A result set of metadata under construction. */
final class MetaRows {

    private final List<Column> columns;
    private final List<List<@Nullable Object>> rows = new ArrayList<>();

    /** @param columns a name, which makes a text column, or a name and {@code int}, {@code smallint}, {@code bigint}, {@code boolean} */
    MetaRows(String... columns) {
        this.columns = Arrays.stream(columns).map(MetaRows::column).toList();
    }

    private static Column column(String spec) {
        String[] parts = spec.split(" ", 2);
        DataType type = parts.length == 1
                ? DataTypes.TEXT
                : switch (parts[1]) {
                    case "int" -> DataTypes.INT;
                    case "smallint" -> DataTypes.SMALLINT;
                    case "bigint" -> DataTypes.BIGINT;
                    case "boolean" -> DataTypes.BOOLEAN;
                    default -> throw new IllegalArgumentException("unknown type: " + spec);
                };
        return Column.of(parts[0], type);
    }

    MetaRows add(@Nullable Object... values) {
        if (values.length != columns.size()) {
            throw new IllegalArgumentException("must be " + columns.size() + " values: " + values.length);
        }
        List<@Nullable Object> row = new ArrayList<>();
        Collections.addAll(row, values);
        rows.add(row);
        return this;
    }

    ResultSet resultSet() {
        return CassidyResultSet.of(columns, rows);
    }
}
