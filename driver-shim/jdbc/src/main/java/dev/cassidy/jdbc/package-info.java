/**
 * The JDBC driver: T-SQL idioms in, JDBC semantics out, on top of {@link dev.cassidy.cql.IdentitySession}. The classes here are the
 * JDBC objects; what they do is in the packages below, each of which uses only those before it: {@code error}, {@code value},
 * {@code session}, {@code run}.
 */
@NullMarked
package dev.cassidy.jdbc;

import org.jspecify.annotations.NullMarked;
