package dev.cassidy.jdbc.value;

import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.jdbc.error.Unserved;
import java.sql.Array;
import java.sql.JDBCType;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The elements of a list, a set or a vector; of a parameter as given, of a column as getObject returns them.
 *
 * @param resultSets makes the result set of {@link #getResultSet()}
 * @param typeName CQL's name, or the name given to createArrayOf: the column decides on the type
 */
public record ArrayValue(String typeName, int sqlType, List<@Nullable Object> elements, ResultSets resultSets)
        implements Array {

    public static ArrayValue of(String typeName, @Nullable Object[] elements, ResultSets resultSets) {
        int sqlType = Arrays.stream(JDBCType.values())
                .filter(type -> type.getName().equalsIgnoreCase(typeName))
                .findFirst()
                .map(JDBCType::getVendorTypeNumber)
                .orElse(Types.OTHER);
        return new ArrayValue(typeName, sqlType, Arrays.asList(elements.clone()), resultSets);
    }

    @Override
    public String getBaseTypeName() {
        return typeName;
    }

    @Override
    public int getBaseType() {
        return sqlType;
    }

    @Override
    public Object getArray() {
        return elements.toArray();
    }

    @Override
    public Object getArray(@Nullable Map<String, Class<?>> map) throws SQLException {
        Unserved.requireEmpty(map);
        return getArray();
    }

    @Override
    public Object getArray(long index, int count) throws SQLException {
        int from = Lobs.offset(index, elements.size());
        return elements.subList(from, from + Lobs.length(count, elements.size() - from))
                .toArray();
    }

    @Override
    public Object getArray(long index, int count, @Nullable Map<String, Class<?>> map) throws SQLException {
        Unserved.requireEmpty(map);
        return getArray(index, count);
    }

    /** As JDBC specifies: the element's index, from 1, and the element. */
    @Override
    public ResultSet getResultSet() throws SQLException {
        return getResultSet(1, elements.size());
    }

    @Override
    public ResultSet getResultSet(@Nullable Map<String, Class<?>> map) throws SQLException {
        Unserved.requireEmpty(map);
        return getResultSet();
    }

    @Override
    public ResultSet getResultSet(long index, int count) throws SQLException {
        int from = Lobs.offset(index, elements.size());
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (int i = from; i < from + Lobs.length(count, elements.size() - from); i++) {
            rows.add(Arrays.asList(i + 1, elements.get(i)));
        }
        return resultSets.of(
                List.of(Column.of("INDEX", DataTypes.INT), Column.of("VALUE", DataTypes.custom(typeName))), rows);
    }

    @Override
    public ResultSet getResultSet(long index, int count, @Nullable Map<String, Class<?>> map) throws SQLException {
        Unserved.requireEmpty(map);
        return getResultSet(index, count);
    }

    @Override
    public void free() {}
}
