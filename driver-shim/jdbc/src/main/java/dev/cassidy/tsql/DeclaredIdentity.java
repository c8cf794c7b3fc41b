package dev.cassidy.tsql;

/**
 * A column with IDENTITY.
 *
 * @param column its internal name
 * @param type BIGINT, INT or SMALLINT
 */
public record DeclaredIdentity(String column, NumericType type, long seed, long increment) {}
