package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Statement;
import java.util.Locale;

/**
 * What happens to cells that were written to a row before the row was inserted. Cassandra's UPDATE creates a row that
 * does not exist. If the row's id is not issued yet, its cells stay in the row that gets the id later, in every column
 * for which the insert writes nothing: because it leaves the column out, or because the value is unset.
 */
public enum FreshRows {
    /** They stay in the row. */
    PLAIN,

    /**
     * They are deleted: an insert that gets its id from the sequence is sent with a deletion of its row, in one
     * statement of one partition. The deletion is one microsecond older than the insert. Cells with a later timestamp
     * stay, as always.
     *
     * <p>An insert stays plain if its identity is not part of the primary key, because its row may already exist. It
     * also stays plain if no deletion can be sent with it: if it has IF NOT EXISTS, is in a conditional batch, or sets
     * a column of the key, or its own timestamp, to a value that only the server knows, such as {@code uuid()}. Static
     * columns do not belong to the row. In a batch the deletion is a separate statement.
     */
    CLEAN;

    /**
     * Refuses {@link #CLEAN} if it is not certain that a deletion is older than its insert.
     *
     * @throws IllegalArgumentException if the session leaves write timestamps to the server
     */
    public void requireServable(CqlSession session) {
        if (this == CLEAN && session.getContext().getTimestampGenerator().next() == Statement.NO_DEFAULT_TIMESTAMP) {
            throw new IllegalArgumentException(
                    "must be plain where write timestamps are the server's, since a deletion has"
                            + " to be older than its insert: freshRows='" + name().toLowerCase(Locale.ROOT)
                            + "'; or set advanced.timestamp-generator.class to AtomicTimestampGenerator, the driver's default");
        }
    }
}
