/** Unique ids from ranges: values, the allocator's tiers, and the {@link dev.cassidy.sequence.RangeStore} they draw on. */
@NullMarked
package dev.cassidy.sequence;

import org.jspecify.annotations.NullMarked;
