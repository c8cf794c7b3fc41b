package dev.cassidy.jdbc.value;

import dev.cassidy.definition.SqlType;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * A parameter's value as it was when the application gave it; it is converted when the column's type is known.
 *
 * @param given the zone of values that have none; null for that of the JVM
 * @param variable the variable of a script whose value it is; null if the application gave it
 */
public record Parameter(
        @Nullable Object value,
        @Nullable ZoneId given,
        @Nullable Declared variable) {

    /** What DECLARE says of a variable. */
    public record Declared(String name, SqlType type) {}

    public Parameter(@Nullable Object value, @Nullable ZoneId given) {
        this(value, given, null);
    }

    /** Returns what messages call it; its index is from 0. */
    public String label(int index) {
        return variable == null ? "parameter " + (index + 1) : "the variable " + variable.name();
    }

    /** Returns the zone of values that have none. */
    public ZoneId zone() {
        return given == null ? ZoneId.systemDefault() : given;
    }
}
