package dev.cassidy.jdbc.value;

import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * A parameter's value as it was when the application gave it; it is converted when the column's type is known.
 *
 * @param given the zone of values that have none; null for that of the JVM
 */
public record Parameter(@Nullable Object value, @Nullable ZoneId given) {

    /** Returns the zone of values that have none. */
    public ZoneId zone() {
        return given == null ? ZoneId.systemDefault() : given;
    }
}
