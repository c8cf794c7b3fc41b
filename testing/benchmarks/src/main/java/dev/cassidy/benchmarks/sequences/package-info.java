/** Sequences beside their rivals: in the process, and on a real node. */
@NullMarked
package dev.cassidy.benchmarks.sequences;

import org.jspecify.annotations.NullMarked;
