package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.insert.ConditionalWrite;
import dev.cassidy.table.TableWrites;

/** How a statement of CQL is sent. {@link CqlPlanner} decides it for what runs, prepares, describes and shows the statement. */
sealed interface CqlPlan {

    /** A query. */
    record Query() implements CqlPlan {}

    /**
     * As it is.
     *
     * @param target the session that sends it
     * @param conditional whether it has a condition of its own, so that it must not be sent twice
     */
    record AsItIs(CqlSession target, boolean conditional) implements CqlPlan {}

    /** A write to a table whose writes are exact. */
    record Exact(ConditionalWrite write, TableWrites writes) implements CqlPlan {}
}
