/** Evaluates a statement over rows that were read, in H2, with T-SQL's meaning; no I/O. */
@NullMarked
package dev.cassidy.assist.eval;

import org.jspecify.annotations.NullMarked;
