/** Counters beside Cassandra's own, and their sums beside Cassandra's own. */
@NullMarked
package dev.cassidy.benchmarks.counters;

import org.jspecify.annotations.NullMarked;
