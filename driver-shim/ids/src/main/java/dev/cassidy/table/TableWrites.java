package dev.cassidy.table;

import java.util.Objects;

/**
 * How the rows of a table are written. Names are internal ones (case-exact, unquoted).
 *
 * @param version the column of {@link Mode#VERSIONED}; empty for other modes
 * @param changing whether the mode is about to begin: until then nothing may be written, because some processes may not know of
 *     it yet
 */
public record TableWrites(String keyspace, String table, Mode mode, String version, boolean changing) {

    /** How rows are written. */
    public enum Mode {
        /** Without a condition. The later write timestamp wins. This is what a table has that nothing is declared of. */
        PLAIN,
        /** Each write under a condition, in the order of the row's Paxos rounds; the clients' clocks do not matter. */
        CONDITIONAL,
        /** As CONDITIONAL; an UPDATE or DELETE that compares the version column succeeds only if the row has that version. */
        VERSIONED
    }

    public TableWrites {
        Objects.requireNonNull(keyspace, "keyspace");
        Objects.requireNonNull(table, "table");
        Objects.requireNonNull(mode, "mode");
        if (version.isEmpty() == (mode == Mode.VERSIONED)) {
            throw new IllegalArgumentException("must name the version column of VERSIONED, and none otherwise: mode="
                    + mode + " version='" + version + "'");
        }
    }
}
