/** The quickstart: a shop moves from SQL Server's dialect to Cassandra, and every number of it is checked. */
@NullMarked
package dev.cassidy.examples.quickstart;

import org.jspecify.annotations.NullMarked;
