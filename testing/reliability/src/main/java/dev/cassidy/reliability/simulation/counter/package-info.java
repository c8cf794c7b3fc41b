/** The real counters in a simulated world: replicas that hear of writes in any order, and processes that pause and die. */
@NullMarked
package dev.cassidy.reliability.simulation.counter;

import org.jspecify.annotations.NullMarked;
