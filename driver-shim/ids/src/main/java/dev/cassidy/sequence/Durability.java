package dev.cassidy.sequence;

/**
 * What happens if a node acknowledges writes before they are on its disk ({@code commitlog_sync: periodic}, Cassandra's
 * default), or if it is unknown whether it does. A node that is killed within its sync period may forget the claim of a
 * block, and its ids may be issued a second time.
 */
public enum Durability {
    /**
     * A warning is logged, once for each cluster. It says which ids may be issued twice: those of a block whose claim has
     * not stood for the sync period, if no other ids are left. Such a block is served, and counted as fresh. This happens
     * when a process starts, and when ids are used up in seconds.
     */
    WARN,
    /** As {@link #WARN}, but callers wait until the claim has stood and has been read back: no id is issued twice. */
    WAIT,
    /** Nothing is claimed while this datacenter has such a node. */
    REFUSE,
    /** The nodes are not asked. Blocks are served as with {@link #WARN}. */
    IGNORE
}
