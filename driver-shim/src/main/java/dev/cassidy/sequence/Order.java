package dev.cassidy.sequence;

/** In which order a sequence's ids come. */
public enum Order {

    /** Ids increase within the process (in the sequence's direction), whichever thread draws them. */
    PROCESS,

    /**
     * Ids increase within each thread, which draws ahead of need and shares nothing until that is used up. Pays where many
     * cores draw at once; what a thread has drawn and not used may be a gap.
     */
    THREAD
}
