package dev.cassidy.counter.protocol;

/**
 * A counter that could not be settled after the process of its actor died. It is tried again in each turn of the janitor;
 * its value has what was acknowledged.
 *
 * @param why what is wrong, and what to do
 */
public record Unsettled(String counter, String actor, String why) {}
