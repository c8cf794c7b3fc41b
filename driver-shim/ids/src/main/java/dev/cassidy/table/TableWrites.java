package dev.cassidy.table;

import dev.cassidy.definition.RowMark;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How the rows of a table are written. Names are internal ones (case-exact, unquoted).
 *
 * @param version the column of {@link Mode#VERSIONED}; empty for other modes
 * @param exact what {@link Mode#EXACT} says besides; null for other modes
 * @param changing whether the mode is about to begin: until then nothing may be written, because some processes may not know of
 *     it yet
 */
public record TableWrites(
        String keyspace,
        String table,
        Mode mode,
        String version,
        @Nullable Exact exact,
        boolean changing) {

    /** How rows are written. */
    public enum Mode {
        /** Without a condition. The later write timestamp wins. This is what a table has that nothing is declared of. */
        PLAIN,
        /** Each write under a condition, in the order of the row's Paxos rounds; the clients' clocks do not matter. */
        CONDITIONAL,
        /** As CONDITIONAL; an UPDATE or DELETE that compares the version column succeeds only if the row has that version. */
        VERSIONED,
        /**
         * As SQL Server writes them: every row has {@link RowMark}, each write is under a condition on it, and counts the rows that
         * it finds. Only the first write of a row whose id was drawn for it may be plain, at a time before every other one.
         */
        EXACT
    }

    /**
     * Who decides the order of exact writes, and which of them may be plain.
     *
     * @param home the datacenter whose nodes decide, at LOCAL_SERIAL; empty if those of all datacenters do, at SERIAL. One table
     *     never has both: a quorum of one datacenter and one of all need not have a node in common
     * @param fresh the table whose rows of drawn ids may be plain: it was made exact, so that no row of a new id was ever written
     *     in it. Null if there is none
     */
    public record Exact(String home, @Nullable UUID fresh) {
        public Exact {
            Objects.requireNonNull(home, "home");
        }

        /** Returns whether nodes of all datacenters decide. */
        public boolean isEverywhere() {
            return home.isEmpty();
        }
    }

    public TableWrites {
        Objects.requireNonNull(keyspace, "keyspace");
        Objects.requireNonNull(table, "table");
        Objects.requireNonNull(mode, "mode");
        if (version.isEmpty() == (mode == Mode.VERSIONED)) {
            throw new IllegalArgumentException("must name the version column of VERSIONED, and none otherwise: mode="
                    + mode + " version='" + version + "'");
        }
        if ((exact == null) == (mode == Mode.EXACT)) {
            throw new IllegalArgumentException("must say who decides the order of EXACT writes, and of no others: mode="
                    + mode + " exact=" + exact);
        }
    }

    /** How rows are written in a mode other than EXACT. */
    public TableWrites(String keyspace, String table, Mode mode, String version, boolean changing) {
        this(keyspace, table, mode, version, null, changing);
    }

    /** How rows are written in a table that is made exact. */
    public static TableWrites exact(String keyspace, String table, Exact exact) {
        return new TableWrites(keyspace, table, Mode.EXACT, "", exact, false);
    }

    /** Returns the same, about to begin or of effect. */
    TableWrites changing(boolean then) {
        return new TableWrites(keyspace, table, mode, version, exact, then);
    }

    /** Returns the same, in which no row may be written plainly. */
    TableWrites withoutFresh() {
        return exact == null || exact.fresh() == null
                ? this
                : new TableWrites(keyspace, table, mode, version, new Exact(exact.home(), null), changing);
    }
}
