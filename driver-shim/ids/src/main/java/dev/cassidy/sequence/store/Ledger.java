package dev.cassidy.sequence.store;

/**
 * The global level's account of a sequence.
 *
 * @param incarnation counts reseeds
 * @param free the ordinals that no datacenter has been granted
 * @param ready whether ranges may be granted
 * @param datacenters how many datacenters share the space
 */
public record Ledger(int incarnation, Span free, boolean ready, int datacenters) {}
