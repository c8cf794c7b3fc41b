package dev.cassidy.table;

/**
 * What another installation has declared of a table of counters.
 *
 * @param installation its global keyspace
 */
record ForeignCounters(String installation, DeclaredCounters declared) {

    /** Returns whether it may count in the table, or is only about to. */
    boolean counts() {
        return !declared.pending();
    }
}
