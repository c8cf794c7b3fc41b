package dev.cassidy.sequence;

/** In which order a sequence's ids come. */
public enum Order {

    /** Ids increase within the process (in the sequence's direction), whichever thread draws them. */
    PROCESS,

    /**
     * Ids increase within each thread, which draws ahead of need and shares nothing until that is used up. Pays where many
     * cores draw at once; what a thread has drawn and not used may be a gap.
     */
    THREAD,

    /**
     * Ids increase with time, in every process: 64-bit numbers of milliseconds, a node's number and a counter, made in memory
     * from the first one on. Such a sequence is created with the epoch of its time, and has nothing to be seeded,
     * restarted or used up before its last date.
     */
    TIME
}
