package dev.cassidy.sequence;

/** Whether the settings of Cassandra's nodes on which uniqueness depends are checked. */
public enum ServerChecks {
    /** Each node of this datacenter is asked. If a node cannot be asked, opening fails and names the missing right. */
    CHECK,
    /** The nodes are not asked. Use this only if you have checked {@code paxos_variant} on every node. */
    SKIP
}
