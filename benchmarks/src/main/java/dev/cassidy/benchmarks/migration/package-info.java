/** The migration tool beside the bare driver. */
@NullMarked
package dev.cassidy.benchmarks.migration;

import org.jspecify.annotations.NullMarked;
