package dev.cassidy.jdbc.assist;

import dev.cassidy.definition.SqlType;
import org.jspecify.annotations.Nullable;

/**
 * The value of a parameter whose type is declared, as that of a variable is. The type of any other parameter follows from its value.
 *
 * @param value of a class that {@link Evaluated} has for the type, or Instant for a time; null is NULL of the type
 */
public record TypedValue(SqlType type, @Nullable Object value) {}
