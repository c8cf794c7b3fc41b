package dev.cassidy.counter.store;

/**
 * An epoch that ended without being given back, so that some of its increments may not have been acknowledged. It is
 * noted for ever: of all other epochs that ended, every row counts.
 *
 * @param swept whether the counters that its holder noted as touched have been settled
 */
public record BrokenOff(int epoch, boolean swept) {}
