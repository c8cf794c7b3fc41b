/** Rows: read, converted, written to Cassandra or to files, compared, and held against contracts. */
@NullMarked
package dev.cassidy.migration.rows;

import org.jspecify.annotations.NullMarked;
