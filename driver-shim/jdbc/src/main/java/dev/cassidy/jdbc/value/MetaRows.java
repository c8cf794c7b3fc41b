package dev.cassidy.jdbc.value;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A result set of metadata under construction. */
public final class MetaRows {

    private final List<Column> columns;
    private final List<List<@Nullable Object>> rows = new ArrayList<>();

    /** @param columns a name, which makes a text column, or a name and {@code int}, {@code smallint}, {@code bigint}, {@code boolean} */
    public MetaRows(String... columns) {
        this.columns = Arrays.stream(columns).map(MetaRows::column).toList();
    }

    private static Column column(String spec) {
        int blank = spec.lastIndexOf(' ');
        if (blank < 0) {
            return Column.text(spec);
        }
        DataType type =
                switch (spec.substring(blank + 1)) {
                    case "int" -> DataTypes.INT;
                    case "smallint" -> DataTypes.SMALLINT;
                    case "bigint" -> DataTypes.BIGINT;
                    case "boolean" -> DataTypes.BOOLEAN;
                    default -> throw new IllegalArgumentException("unknown type: " + spec);
                };
        return Column.of(spec.substring(0, blank), type);
    }

    public MetaRows add(@Nullable Object... values) {
        if (values.length != columns.size()) {
            throw new IllegalArgumentException("must be " + columns.size() + " values: " + values.length);
        }
        List<@Nullable Object> row = new ArrayList<>();
        Collections.addAll(row, values);
        rows.add(row);
        return this;
    }

    public List<Column> columns() {
        return columns;
    }

    public List<List<@Nullable Object>> rows() {
        return rows;
    }
}
