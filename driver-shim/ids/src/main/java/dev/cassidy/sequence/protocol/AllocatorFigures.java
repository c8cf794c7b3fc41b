package dev.cassidy.sequence.protocol;

/**
 * What an allocator has done since it was opened.
 *
 * @param drawn ids that callers took, including those that a thread or a cursor drew ahead of need
 * @param held ids that are in memory for the next callers
 * @param claims blocks that were claimed
 * @param fresh blocks that were served before their claims had stood for a sync period of the commit logs
 * @param lost blocks that Cassandra forgot, or gave to others in part, before their claims had stood
 */
public record AllocatorFigures(long drawn, long held, long claims, long fresh, long lost) {}
