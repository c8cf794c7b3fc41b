package dev.cassidy.sequence;

/** The order in which a sequence issues its ids. */
public enum Order {

    /** Ids increase within the process (in the sequence's direction), no matter which thread draws them. */
    PROCESS,

    /**
     * Ids increase within each thread. A thread draws ids ahead and then issues them without sharing anything with others.
     * This is faster if many cores draw at the same time. What a thread has drawn and does not use may be a gap.
     */
    THREAD,

    /**
     * Time-ordered 64-bit ids, which increase with time in every process: milliseconds, a node number and a counter. The
     * first id too is made in memory. Such a sequence is created with an epoch. It cannot be seeded or restarted, and lasts
     * until its last date.
     */
    TIME
}
