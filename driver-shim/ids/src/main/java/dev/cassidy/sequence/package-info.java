/** Unique ids from sequences: the allocator, its specification, its settings and its errors. */
@NullMarked
package dev.cassidy.sequence;

import org.jspecify.annotations.NullMarked;
