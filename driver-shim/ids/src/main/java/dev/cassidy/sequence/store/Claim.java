package dev.cassidy.sequence.store;

import java.util.UUID;

/**
 * A range that one allocator wants or owns.
 *
 * @param incarnation of the sequence; the ordinals are those of this incarnation
 * @param span the ordinals
 * @param token a new one for each wanted range, kept across the retries of that range only: the proof that the row
 *     found in the store is this claim
 */
public record Claim(int incarnation, Span span, UUID token) {}
