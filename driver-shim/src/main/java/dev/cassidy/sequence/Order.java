package dev.cassidy.sequence;

/** In which order a sequence's ids come. */
public enum Order {

    /** Ids increase within the process (in the sequence's direction), whichever thread draws them. */
    PROCESS,

    /**
     * Ids increase within each thread. Threads draw ahead of need from blocks of their own, so they share nothing, and an
     * id costs less than half; what a thread has drawn and not used when it ends is a gap.
     */
    THREAD
}
