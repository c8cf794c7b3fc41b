package dev.cassidy.jdbc;

import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * A parameter's value as it was when the application gave it; it is converted when the column's type is known.
 *
 * @param zone of values that have none
 */
record Parameter(@Nullable Object value, ZoneId zone) {}
