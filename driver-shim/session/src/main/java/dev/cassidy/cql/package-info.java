/** {@link dev.cassidy.cql.IdentitySession}: a CqlSession that fills identity columns. */
@NullMarked
package dev.cassidy.cql;

import org.jspecify.annotations.NullMarked;
