package dev.cassidy.counter;

/** What became of an increment. */
public enum ReceiptStatus {

    /** It counts, exactly once. This does not change any more. */
    COUNTED,

    /** It does not count, and never will. It may be repeated, which gives a new receipt. */
    NOT_COUNTED,

    /**
     * Its process is alive, or died and its slot is not free yet, and the increment is not known to have reached a majority of
     * replicas. Ask again: the slot is freed within some minutes, or by {@link Counters#clean}.
     */
    OPEN,

    /**
     * Nothing that is stored shows that there ever was such an increment: the receipt was made up or changed, the table was
     * emptied, or nodes have forgotten what was decided. Repeat it only if a double increment is better than a missing one.
     */
    UNKNOWN
}
