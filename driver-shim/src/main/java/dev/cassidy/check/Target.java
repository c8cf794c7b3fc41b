package dev.cassidy.check;

import dev.cassidy.tsql.Schema;
import java.sql.SQLException;
import java.util.List;

/** The cluster that the application will move to, with its tables. Safe for use by many threads. */
public interface Target extends AutoCloseable {

    /**
     * What the cluster makes of a statement.
     *
     * @param refusals the errors that running it would throw, of each of its steps; empty if it would run
     * @param accesses by which ways it reaches its rows
     */
    record Findings(List<String> refusals, List<Access> accesses) {
        public Findings {
            refusals = List.copyOf(refusals);
            accesses = List.copyOf(accesses);
        }
    }

    /**
     * Prepares the requests that {@code sql} needs, and runs nothing.
     *
     * @param nodes the size of the datacenter for which costs are judged; 0 for its present size
     * @throws SQLException if the text itself is refused, or the cluster cannot be asked
     */
    Findings judge(String sql, boolean generatedKeys, int nodes) throws SQLException;

    /** Returns how many nodes the datacenter has that will be asked; throws if that is not known. */
    int nodes() throws SQLException;

    /** Returns what the cluster's schema tells about a text, as the driver asks it; throws if the cluster cannot be asked. */
    Schema schema() throws SQLException;

    @Override
    void close() throws SQLException;
}
