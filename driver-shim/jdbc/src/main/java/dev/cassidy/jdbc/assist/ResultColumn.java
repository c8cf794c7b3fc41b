package dev.cassidy.jdbc.assist;

import dev.cassidy.definition.SqlType;

/**
 * A column of a result.
 *
 * @param label its name or alias as it is written; empty if it has none, as of {@code SELECT a + 1}
 * @param type as T-SQL has it for the expression
 */
public record ResultColumn(String label, SqlType type) {}
