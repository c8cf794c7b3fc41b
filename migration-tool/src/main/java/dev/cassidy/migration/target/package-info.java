/** Cassandra, as the commands use it. */
@NullMarked
package dev.cassidy.migration.target;

import org.jspecify.annotations.NullMarked;
