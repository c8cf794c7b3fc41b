package dev.cassidy.sequence.store;

import java.util.UUID;

/**
 * A range that one allocator wants or owns.
 *
 * @param incarnation of the sequence, in which the ordinals are meant
 * @param span the ordinals
 * @param token a new one for each wanted range, kept across the retries of that range only: the proof that the row
 *     found in the store is this very claim
 */
public record Claim(int incarnation, Span span, UUID token) {}
