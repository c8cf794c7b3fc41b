/** One runnable class per use of Cassidy. */
@NullMarked
package dev.cassidy.examples;

import org.jspecify.annotations.NullMarked;
