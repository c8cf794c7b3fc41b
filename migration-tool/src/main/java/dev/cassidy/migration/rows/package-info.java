/** Rows of the source: read, converted, written to Cassandra or to files, and compared. */
@NullMarked
package dev.cassidy.migration.rows;

import org.jspecify.annotations.NullMarked;
