package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Statement;
import java.util.Locale;

/**
 * What becomes of cells that somebody wrote to a row before the row was inserted. Cassandra's UPDATE makes a row that is not
 * there: one of an id that is not issued yet leaves cells which the row of that id would have later, wherever its insert
 * writes none, be it that it leaves a column out or gives it an unset value.
 */
public enum FreshRows {
    /** They are in the row. */
    PLAIN,

    /**
     * They are deleted: with the insert of an id that the sequence gives goes a deletion of its row, in one statement of one
     * partition, a microsecond older than the insert. What is written with a later timestamp stays, as always.
     *
     * <p>An insert stays plain whose identity is not part of the primary key, for its row may be there already; and where no
     * deletion can be sent with it: an insert with IF NOT EXISTS, one in a conditional batch, and one that gives a column of
     * the key, or its own timestamp, by what only the server can tell, such as {@code uuid()}. Static columns are not the
     * row's. In a batch the deletion is a statement of its own.
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
