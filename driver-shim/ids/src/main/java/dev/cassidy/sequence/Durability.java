package dev.cassidy.sequence;

/**
 * What happens if a node acknowledges writes before they are on its disk ({@code commitlog_sync: periodic}, Cassandra's
 * default), or if it is unknown whether it does.
 */
public enum Durability {
    /** A warning is logged, once for each cluster. It says which ids may be issued twice. */
    WARN,
    /** Nothing is claimed while this datacenter has such a node. */
    REFUSE,
    /** The nodes are not asked. */
    IGNORE
}
