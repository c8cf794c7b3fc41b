/** Values in both directions: parameters to CQL types, columns to Java types, and the java.sql values that are held in memory. */
@NullMarked
package dev.cassidy.jdbc.value;

import org.jspecify.annotations.NullMarked;
