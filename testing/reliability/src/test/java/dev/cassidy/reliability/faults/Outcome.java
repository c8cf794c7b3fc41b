package dev.cassidy.reliability.faults;

/** The outcome of a statement in the store, whatever answer its client gets. */
enum Outcome {
    /** The statement is applied before the client gets its answer, and another process continues in between. */
    APPLIED,
    NOT_APPLIED,
    /**
     * The statement is applied after the client's next statement on the table has been answered, if its condition still
     * holds.
     */
    APPLIED_LATER,
    /**
     * Another process continues before the client gets its answer. The statement is applied at the very end, if its
     * condition still holds.
     */
    OVERTAKEN
}
