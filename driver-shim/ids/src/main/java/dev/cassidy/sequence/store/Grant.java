package dev.cassidy.sequence.store;

/**
 * A range that the global level has given to one stripe of one datacenter.
 *
 * @param incarnation of the sequence
 * @param number counted from 1 within incarnation, datacenter and stripe; each is absorbed exactly once
 * @param span the ordinals
 */
public record Grant(int incarnation, int number, Span span) {}
