package dev.cassidy.sequence.cassandra;

/**
 * Ids that a sequence was granted before a repair, past the end that the repair gave it. No generation issues them again.
 *
 * @param lowest the first one, whatever the direction of the sequence
 * @param highest the last one, inclusive
 */
public record TakenIds(long lowest, long highest) {}
