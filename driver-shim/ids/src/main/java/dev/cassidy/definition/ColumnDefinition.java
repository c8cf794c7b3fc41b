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
 * @param twin what stands in the primary key in its place; null if nothing does
 */
public record ColumnDefinition(
        String name,
        String label,
        @Nullable SqlType type,
        boolean required,
        String collation,
        @Nullable Twin twin) {

    public ColumnDefinition {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(label, "label");
        Objects.requireNonNull(collation, "collation");
    }

    /** A column without a twin. */
    public ColumnDefinition(String name, String label, @Nullable SqlType type, boolean required, String collation) {
        this(name, label, type, required, collation, null);
    }

    /** Returns the same with a twin, or without one. */
    public ColumnDefinition withTwin(@Nullable Twin then) {
        return new ColumnDefinition(name, label, type, required, collation, then);
    }

    /** A column of which the name alone is known. */
    public static ColumnDefinition named(String name) {
        return new ColumnDefinition(name, name, null, false, "");
    }
}
