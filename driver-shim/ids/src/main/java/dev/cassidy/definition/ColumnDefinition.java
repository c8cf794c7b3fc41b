package dev.cassidy.definition;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A column as T-SQL defines it.
 *
 * @param name internal name in Cassandra
 * @param label the name as it was written, without quotes
 * @param type null if Cassandra's type says all that is known
 * @param required whether it is NOT NULL
 * @param collation empty if none is given
 */
public record ColumnDefinition(
        String name, String label, @Nullable SqlType type, boolean required, String collation) {

    public ColumnDefinition {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(label, "label");
        Objects.requireNonNull(collation, "collation");
    }

    /** A column of which the name alone is known. */
    public static ColumnDefinition named(String name) {
        return new ColumnDefinition(name, name, null, false, "");
    }
}
