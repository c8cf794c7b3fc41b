package dev.cassidy.reliability.faults;

/** What becomes of a statement in the store, whatever its client is told. */
enum Outcome {
    /** Before the client is told; another process goes on in between. */
    APPLIED,
    NOT_APPLIED,
    /** When the client's next statement on the table has been answered, if its condition holds then. */
    APPLIED_LATER,
    /** Another process goes on before the client is told; at the end of all, if its condition holds then. */
    OVERTAKEN
}
