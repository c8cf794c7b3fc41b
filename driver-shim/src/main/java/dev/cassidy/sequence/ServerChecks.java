package dev.cassidy.sequence;

/** Whether the settings of Cassandra's nodes are looked at that decide whether ids can be unique at all. */
public enum ServerChecks {
    /** Each node of this datacenter is asked; what cannot be known is refused, with the right that is missing. */
    CHECK,
    /** No node is asked: whoever says so has made sure of {@code paxos_variant} on every node. */
    SKIP
}
