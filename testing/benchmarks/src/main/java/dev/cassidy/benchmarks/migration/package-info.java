/** The migration tool beside the bare driver, and beside itself with one table at a time. */
@NullMarked
package dev.cassidy.benchmarks.migration;

import org.jspecify.annotations.NullMarked;
