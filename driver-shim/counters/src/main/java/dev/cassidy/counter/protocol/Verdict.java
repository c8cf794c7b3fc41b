package dev.cassidy.counter.protocol;

/** What became of an increment. {@link #COUNTED} and {@link #NOT_COUNTED} never change. */
public enum Verdict {
    /** It counts, for ever. */
    COUNTED,

    /** It does not count, and never will. */
    NOT_COUNTED,

    /** Its writer still holds its slot, and no majority is known to have the increment. */
    OPEN,

    /** Nothing that is stored shows that there ever was such an increment. */
    UNKNOWN,

    /** The nodes have forgotten what was decided. */
    FORGOTTEN
}
