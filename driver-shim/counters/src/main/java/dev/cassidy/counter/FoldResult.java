package dev.cassidy.counter;

/**
 * What a fold did.
 *
 * @param folded how many rows of increments are now within a sum
 * @param waiting how many rows could not be folded yet, since a row before them is not known here: a later fold takes
 *     them
 */
public record FoldResult(long folded, long waiting) {}
