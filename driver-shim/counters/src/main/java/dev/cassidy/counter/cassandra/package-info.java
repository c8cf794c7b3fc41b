/** The stores of counters in CQL, and the checks of a counter's table. */
@NullMarked
package dev.cassidy.counter.cassandra;

import org.jspecify.annotations.NullMarked;
