/** CRDT counters. {@link dev.cassidy.counter.CrdtFunctions} installs what they need on the server. */
@NullMarked
package dev.cassidy.counter;

import org.jspecify.annotations.NullMarked;
