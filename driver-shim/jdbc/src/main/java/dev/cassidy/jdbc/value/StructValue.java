package dev.cassidy.jdbc.value;

import dev.cassidy.jdbc.error.Unserved;
import java.sql.SQLException;
import java.sql.Struct;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The parts of a tuple or of a user-defined type, in the order of its definition. */
public record StructValue(String typeName, List<@Nullable Object> attributes) implements Struct {

    @Override
    public String getSQLTypeName() {
        return typeName;
    }

    @Override
    public @Nullable Object[] getAttributes() {
        return attributes.toArray();
    }

    @Override
    public @Nullable Object[] getAttributes(@Nullable Map<String, Class<?>> map) throws SQLException {
        Unserved.requireEmpty(map);
        return getAttributes();
    }
}
