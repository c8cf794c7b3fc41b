/** The protocol of counters: leased slots, increments that are confirmed, folds, settlements. */
@NullMarked
package dev.cassidy.counter.protocol;

import org.jspecify.annotations.NullMarked;
