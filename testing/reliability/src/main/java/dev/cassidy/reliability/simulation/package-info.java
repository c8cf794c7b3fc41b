/** The real allocator in a simulated world: one thread, a virtual clock, and a store that delays, drops and lies. */
@NullMarked
package dev.cassidy.reliability.simulation;

import org.jspecify.annotations.NullMarked;
