package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.CompletionStage;

/** Waits until a statement is prepared. */
@FunctionalInterface
public interface Preparing {

    /**
     * Returns the statement. Throws the driver's exceptions as they are.
     *
     * @throws SQLException if the caller gives up before
     */
    PreparedStatement await(CompletionStage<PreparedStatement> stage) throws SQLException;
}
