package dev.cassidy.table;

import dev.cassidy.definition.RowMark;
import dev.cassidy.remedy.Remedy;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * That the writes to a table are exact, as SQL Server's are: every row has {@link RowMark}, each write is under a condition on it,
 * and counts the rows that it finds. Only the first write of a row whose id was drawn for it may be plain, at a time before every
 * other one. A table of which this is not declared is written plainly: the later write timestamp wins. Names are internal ones
 * (case-exact, unquoted).
 *
 * @param home the datacenter whose nodes decide the order of the writes, at LOCAL_SERIAL; empty if those of all datacenters do, at
 *     SERIAL. One table never has both: a quorum of one datacenter and one of all need not have a node in common
 * @param fresh the table whose rows of drawn ids may be plain: it was made exact, so that no row of a new id was ever written in
 *     it. Null if there is none
 * @param changing whether this is about to begin: until then nothing may be written, because some processes may not know of it
 *     yet
 */
public record TableWrites(
        String keyspace,
        String table,
        String home,
        @Nullable UUID fresh,
        boolean changing) {

    public TableWrites {
        Objects.requireNonNull(keyspace, "keyspace");
        Objects.requireNonNull(table, "table");
        Objects.requireNonNull(home, "home");
    }

    /** Returns whether nodes of all datacenters decide. */
    public boolean isEverywhere() {
        return home.isEmpty();
    }

    /** Returns {@code keyspace.table}. */
    public String name() {
        return keyspace + "." + table;
    }

    /** Returns who decides the order of the writes, for messages. */
    public String deciders() {
        return isEverywhere() ? "by the nodes of all datacenters" : "at home in " + home;
    }

    /** Returns the command that declares it, which completes a declaration that was begun. */
    public Remedy.DeclareWrites declaration() {
        return new Remedy.DeclareWrites(keyspace, table, isEverywhere() ? "serial" : "exact:" + home);
    }

    /** Returns the same, about to begin or of effect. */
    TableWrites changing(boolean then) {
        return new TableWrites(keyspace, table, home, fresh, then);
    }

    /** Returns the same, in which no row may be written plainly. */
    TableWrites withoutFresh() {
        return fresh == null ? this : new TableWrites(keyspace, table, home, null, changing);
    }
}
