package dev.cassidy.jdbc.overlay;

import com.datastax.oss.driver.api.core.cql.Statement;
import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An UPDATE or DELETE of one row. It may be run again, on the row as others have left it. */
public interface Write {

    /**
     * The statement under its conditions, with its values.
     *
     * @param refusal what is to be raised if the conditions hold, since the values cannot be written; null if they can
     */
    record Bound(Statement<?> statement, @Nullable SQLException refusal) {}

    /** Returns the statement with what it takes from the row; null if WHERE does not find the row. */
    @Nullable
    Bound bound(RowImage row) throws SQLException;

    /** Returns the columns whose values decide what {@link #bound} returns. */
    Set<String> decisive();
}
