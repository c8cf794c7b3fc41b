package dev.cassidy.counter.store;

/**
 * An epoch that ended without being given back, so that some of its increments may not have been acknowledged. It is
 * noted for ever: receipts of all other epochs that ended are counted.
 *
 * @param swept whether the counters that its holder noted as touched have been settled
 */
public record BrokenOff(int epoch, boolean swept) {}
