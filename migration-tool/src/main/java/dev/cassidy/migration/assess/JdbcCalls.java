package dev.cassidy.migration.assess;

import java.util.Map;
import java.util.Optional;

/** The calls of JDBC that Cassidy's driver refuses. */
final class JdbcCalls {

    /** @param method as a report names it */
    record Refused(String method, String reason) {}

    private static final String READ_ONLY = "a result set is read-only: write by SQL";

    private static final Map<String, String> REASONS = Map.ofEntries(
            Map.entry("Connection.prepareCall", "Cassandra has no stored procedures; send the procedure's statements"),
            Map.entry("Statement.setCursorName", "write by the row's primary key"),
            Map.entry("Statement.setMaxFieldSize a limit", "values are never cut"),
            Map.entry("ResultSet.cancelRowUpdates", READ_ONLY),
            Map.entry("ResultSet.deleteRow", READ_ONLY),
            Map.entry("ResultSet.insertRow", READ_ONLY),
            Map.entry("ResultSet.moveToCurrentRow", READ_ONLY),
            Map.entry("ResultSet.moveToInsertRow", READ_ONLY),
            Map.entry("ResultSet.refreshRow", READ_ONLY),
            Map.entry("ResultSet.updateRow", READ_ONLY));

    private JdbcCalls() {}

    /**
     * Returns why a call is refused; empty if it is served.
     *
     * @param call as a record has it, such as {@code java.sql.Statement.setMaxFieldSize a limit}
     */
    static Optional<Refused> refused(String call) {
        if (call.endsWith(" CONCUR_UPDATABLE")) {
            return Optional.of(new Refused(
                    "an updatable ResultSet", "a result set is read-only: ask for CONCUR_READ_ONLY, and write by SQL"));
        }
        String method = call.startsWith("java.sql.") ? call.substring("java.sql.".length()) : call;
        String known = method.startsWith("Connection.prepareCall") ? "Connection.prepareCall" : method;
        String reason = REASONS.get(known);
        return reason == null ? Optional.empty() : Optional.of(new Refused(known.replace(" a limit", ""), reason));
    }
}
