package dev.cassidy.jdbc.value;

import dev.cassidy.jdbc.error.Unserved;
import java.sql.SQLException;
import java.sql.Struct;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a tuple or of a user-defined type, in the order of its definition.
 *
 * @param text what tools show of it
 */
public record StructValue(String typeName, List<@Nullable Object> attributes, String text) implements Struct {

    public StructValue(String typeName, List<@Nullable Object> attributes) {
        this(typeName, attributes, typeName + attributes);
    }

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

    /** A part may be an array, as of a blob. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof StructValue struct
                && typeName.equals(struct.typeName)
                && Arrays.deepEquals(attributes.toArray(), struct.attributes.toArray());
    }

    @Override
    public int hashCode() {
        return Arrays.deepHashCode(attributes.toArray());
    }

    @Override
    public String toString() {
        return text;
    }
}
