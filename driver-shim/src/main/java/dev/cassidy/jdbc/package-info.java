/** The JDBC driver: T-SQL idioms in, JDBC semantics out, on top of {@link dev.cassidy.cql.IdentitySession}. */
@NullMarked
package dev.cassidy.jdbc;

import org.jspecify.annotations.NullMarked;
