package dev.cassidy.counter.cassandra;

/**
 * What a server refuses to all but superusers by its guardrails: timestamps that are far from the clock, or all that a client
 * gives.
 */
final class RefusedTimestamps {

    private RefusedTimestamps() {}

    static UnfitTable ofIncrements(String table, Throwable cause) {
        return refused(table, cause, "an increment is its version");
    }

    static UnfitTable ofTotals(String table, Throwable cause) {
        return refused(table, cause, "a total is the number of its write, from 1");
    }

    private static UnfitTable refused(String table, Throwable cause, String what) {
        return new UnfitTable(
                "the server refuses to write to table " + table + " with the write timestamps that counters need: "
                        + cause.getMessage() + ". The timestamp of " + what + ". Raise or switch off the guardrails"
                        + " minimum_timestamp_fail_threshold, maximum_timestamp_fail_threshold and"
                        + " user_timestamps_enabled of cassandra.yaml, and grant the role SELECT and MODIFY on the table",
                cause);
    }
}
