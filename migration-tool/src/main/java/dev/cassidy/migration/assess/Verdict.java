package dev.cassidy.migration.assess;

/** What happens to a statement on Cassidy's JDBC driver. */
public enum Verdict {
    /** Goes to Cassandra as it is. */
    SERVED,
    /** Goes to Cassandra as other statements, which the report shows. */
    REWRITTEN,
    /** Rows are read from Cassandra by what the report shows, and the driver evaluates the statement over them. */
    ASSISTED,
    /** Could not be read or judged; the report says why. */
    NOT_JUDGED,
    /** Depends on the tables, and no target was named that has them. */
    UNKNOWN,
    /** Ends with an SQLException, and nothing is written. */
    REFUSED
}
