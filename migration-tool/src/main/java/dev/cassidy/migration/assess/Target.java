package dev.cassidy.migration.assess;

import dev.cassidy.jdbc.plan.Plan;
import dev.cassidy.tsql.Schema;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The cluster that the application will move to, with its tables. Safe for use by many threads. */
public interface Target extends AutoCloseable {

    /**
     * What the cluster makes of a statement.
     *
     * @param refusals the errors that running it would throw, of each of its steps; empty if it would run
     * @param plans how each of its steps is served; none if that is not known
     * @param accesses by which ways it reaches its rows
     * @param defaults the columns with a registered default, of the tables into which it inserts, by internal names
     * @param differences what it would do differently, as far as the cluster tells
     */
    record Findings(
            List<String> refusals,
            List<Plan> plans,
            List<Access> accesses,
            Map<String, Set<String>> defaults,
            List<String> differences) {
        public Findings {
            refusals = List.copyOf(refusals);
            plans = List.copyOf(plans);
            accesses = List.copyOf(accesses);
            defaults = Map.copyOf(defaults);
            differences = List.copyOf(differences);
        }

        /** Of a statement that does the same. */
        public Findings(List<String> refusals, List<Access> accesses, Map<String, Set<String>> defaults) {
            this(refusals, List.of(), accesses, defaults, List.of());
        }

        /** Of a statement that inserts nothing, or into tables without defaults. */
        public Findings(List<String> refusals, List<Access> accesses) {
            this(refusals, accesses, Map.of());
        }
    }

    /**
     * Prepares the requests that {@code sql} needs, and runs nothing.
     *
     * @param nodes the size of the datacenter for which costs are judged; 0 for its present size
     * @throws SQLException if the statement itself is refused, or the cluster cannot be asked
     */
    Findings judge(String sql, boolean generatedKeys, int nodes) throws SQLException;

    /** Returns how many nodes the datacenter has that will be asked; throws if that is not known. */
    int nodes() throws SQLException;

    /** Returns the names of the cluster's keyspaces, tables, columns, types and functions; empty if they are not known. */
    Set<String> names();

    /** Returns what the cluster's schema tells about a statement, as the driver asks it; throws if the cluster cannot be asked. */
    Schema schema() throws SQLException;

    @Override
    void close() throws SQLException;
}
