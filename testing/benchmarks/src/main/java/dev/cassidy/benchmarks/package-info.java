/** The command that runs one benchmark and writes its report. */
@NullMarked
package dev.cassidy.benchmarks;

import org.jspecify.annotations.NullMarked;
