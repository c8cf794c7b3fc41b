package dev.cassidy.sequence.protocol;

/**
 * What happens if no other ids are left than those of a block whose claim has not stood for the sync period of Cassandra's
 * commit logs. A node that is killed within that period may forget the claim, and its ids may be issued a second time.
 */
public enum FreshClaims {
    /** The block is served, and counted as fresh. This happens when a process starts, and when ids are used up in seconds. */
    SERVE,
    /** Callers wait until the claim has stood and has been read back. */
    WAIT
}
