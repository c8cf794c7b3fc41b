/** Inserts through the JDBC driver, beside the bare java-driver and the JDBC wrapper that exists. */
@NullMarked
package dev.cassidy.benchmarks.driver;

import org.jspecify.annotations.NullMarked;
