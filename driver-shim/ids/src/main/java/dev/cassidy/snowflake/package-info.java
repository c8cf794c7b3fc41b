/** Time-ordered 64-bit ids: milliseconds, a node number leased from Cassandra, a counter. */
@NullMarked
package dev.cassidy.snowflake;

import org.jspecify.annotations.NullMarked;
