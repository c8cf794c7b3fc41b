package dev.cassidy.jdbc.overlay;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.cql.Row;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The values of one row, as the driver's codecs give them. Immutable.
 *
 * @param values by the internal names of their columns; those that are not there are NULL
 */
public record RowImage(Map<String, Object> values) {

    public RowImage {
        values = Map.copyOf(values);
    }

    /** Returns what the server says of a row. */
    public static RowImage of(Row row) {
        Map<String, Object> values = new HashMap<>();
        row.getColumnDefinitions().forEach(column -> {
            CqlIdentifier name = column.getName();
            // The codec would return an empty collection for a missing one.
            Object value = row.isNull(name) ? null : row.getObject(name);
            if (value != null) {
                values.put(name.asInternal(), value);
            }
        });
        return new RowImage(values);
    }

    /** Returns the value of a column; null if it is NULL. */
    public @Nullable Object value(String column) {
        return values.get(column);
    }

    /** Returns the values of columns that are not NULL, such as those of a key. */
    public List<Object> values(List<String> columns) {
        List<Object> found = new ArrayList<>(columns.size());
        for (String column : columns) {
            Object value = values.get(column);
            if (value == null) {
                throw new IllegalStateException("column " + column + " of a key is NULL");
            }
            found.add(value);
        }
        return found;
    }

    /** Returns the same row with other values in some columns. */
    RowImage with(Map<String, @Nullable Object> changed) {
        Map<String, Object> then = new HashMap<>(values);
        changed.forEach((column, value) -> {
            if (value == null) {
                then.remove(column);
            } else {
                then.put(column, value);
            }
        });
        return new RowImage(then);
    }
}
