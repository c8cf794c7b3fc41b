package dev.cassidy.definition;

import dev.cassidy.collation.Collation;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A column as T-SQL defines it.
 *
 * @param name internal name in Cassandra
 * @param label the name as it was written, without quotes
 * @param type null if Cassandra's type says all that is known
 * @param required whether it is NOT NULL
 * @param collation empty if none is given
 * @param twin by what rows are found in place of it; null if they are found by its bytes
 * @param counted whether statements add to it, and set it to nothing: it is the beginning, and what was added is counted elsewhere
 */
public record ColumnDefinition(
        String name,
        String label,
        @Nullable SqlType type,
        boolean required,
        String collation,
        @Nullable Twin twin,
        boolean counted) {

    public ColumnDefinition {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(label, "label");
        Objects.requireNonNull(collation, "collation");
    }

    /** A column to which nothing is added. */
    public ColumnDefinition(
            String name,
            String label,
            @Nullable SqlType type,
            boolean required,
            String collation,
            @Nullable Twin twin) {
        this(name, label, type, required, collation, twin, false);
    }

    /** A column without a twin. */
    public ColumnDefinition(String name, String label, @Nullable SqlType type, boolean required, String collation) {
        this(name, label, type, required, collation, null);
    }

    /** Returns the same with a twin, or without one. */
    public ColumnDefinition withTwin(@Nullable Twin then) {
        return new ColumnDefinition(name, label, type, required, collation, then, counted);
    }

    /** Returns the same as one that counts. */
    public ColumnDefinition asCounted() {
        return new ColumnDefinition(name, label, type, required, collation, twin, true);
    }

    /** A column of which the name alone is known. */
    public static ColumnDefinition named(String name) {
        return new ColumnDefinition(name, name, null, false, "");
    }

    /**
     * Returns the collation by which two of its strings are equal, by the newest tables: nothing is stored by it. Empty if they are equal
     * by their bytes: the column is no CHAR, VARCHAR, NCHAR or NVARCHAR, its collation is binary, or what that takes for equal is not
     * known.
     */
    public Optional<Collation> equality() {
        if (type == null) {
            return Optional.empty();
        }
        return switch (type.name()) {
            case CHAR, VARCHAR, NCHAR, NVARCHAR -> {
                try {
                    yield Optional.of(Collation.of(collation.isEmpty() ? Collation.DEFAULT_NAME : collation))
                            .filter(known -> !known.isBinary());
                } catch (IllegalArgumentException unknown) {
                    // Equal bytes are equal by every collation. A refusal would keep a statement from rows whose
                    // strings it has written itself.
                    yield Optional.empty();
                }
            }
            default -> Optional.empty();
        };
    }
}
