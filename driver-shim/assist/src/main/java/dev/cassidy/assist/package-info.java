/** Statements that CQL has no words for: which rows they need, and what they make of these. */
@NullMarked
package dev.cassidy.assist;

import org.jspecify.annotations.NullMarked;
