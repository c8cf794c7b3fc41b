/** What a benchmark found, as JSON, as a table and as a chart. */
@NullMarked
package dev.cassidy.benchmarks.report;

import org.jspecify.annotations.NullMarked;
