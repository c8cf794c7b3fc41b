package dev.cassidy.sequence;

/**
 * What is done about a node that acknowledges writes before they are on its disk ({@code commitlog_sync: periodic}, the
 * default of Cassandra), or of which this cannot be known.
 */
public enum Durability {
    /** It is said in the log, once for each cluster, with what may be issued twice. */
    WARN,
    /** Nothing is claimed while there is such a node in this datacenter. */
    REFUSE,
    /** No node is asked. */
    IGNORE
}
