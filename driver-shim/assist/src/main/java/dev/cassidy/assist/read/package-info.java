/** Reads the rows of a plan, in its order, up to a bound. */
@NullMarked
package dev.cassidy.assist.read;

import org.jspecify.annotations.NullMarked;
