/** Counters for columns of rows: what the JDBC driver finds. */
@NullMarked
package dev.cassidy.counter.rows;

import org.jspecify.annotations.NullMarked;
