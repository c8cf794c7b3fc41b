package dev.cassidy.counter.protocol;

/** What became of an increment. All but {@link #OPEN} never change. */
public enum Verdict {
    /** It counts, for ever. */
    COUNTED,

    /** It does not count, and never will. */
    NOT_COUNTED,

    /** Its writer still holds its slot, and no majority is known to have the increment. */
    OPEN,

    /** The nodes have forgotten what was decided. */
    FORGOTTEN
}
