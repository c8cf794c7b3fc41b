package dev.cassidy.sequence;

/**
 * What becomes of a block that has not stood for the sync period of Cassandra's commit logs yet, where no other is left: a
 * node that is killed within that period may forget the claim, and its ids may come a second time.
 */
public enum FreshClaims {
    /** It is served, and counted. At a process's start, and when ids are used up within seconds. */
    SERVE,
    /** Callers wait until it has stood and was read back. */
    WAIT
}
