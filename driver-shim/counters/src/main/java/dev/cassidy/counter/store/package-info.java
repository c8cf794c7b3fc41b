/** What counters are stored in, and its values. No I/O: the stores are interfaces. */
@NullMarked
package dev.cassidy.counter.store;

import org.jspecify.annotations.NullMarked;
