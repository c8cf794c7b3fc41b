/** Many instances that start at once. */
@NullMarked
package dev.cassidy.benchmarks.scale;

import org.jspecify.annotations.NullMarked;
