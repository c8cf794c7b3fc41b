package dev.cassidy.jdbc.overlay;

import com.datastax.oss.driver.api.core.cql.Statement;
import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An UPDATE or DELETE of one row. It may be run again, on the row as others have left it. */
public interface Write {

    /** Returns the statement under its conditions, with what was computed from the row; null if WHERE does not find the row. */
    @Nullable
    Statement<?> bound(RowImage row) throws SQLException;

    /** Returns the columns whose values are computed from their own. */
    Set<String> computed();
}
