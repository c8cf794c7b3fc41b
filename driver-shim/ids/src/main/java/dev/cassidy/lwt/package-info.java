/** Conditional statements and their three outcomes; the one place that knows how Cassandra answers a compare-and-set. */
@NullMarked
package dev.cassidy.lwt;

import org.jspecify.annotations.NullMarked;
