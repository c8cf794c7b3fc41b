package dev.cassidy.migration;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The result of {@code tables check}.
 *
 * @param contracts how many were compared
 * @param kinds how many contracts there are of each kind of table
 * @param disagreeing how many tables something is to be done about
 * @param rows how many rows were read; null if none were to be read
 * @param findings in the order of the tables' names
 */
record CheckReport(
        String command,
        int exitCode,
        int contracts,
        Map<String, Long> kinds,
        long disagreeing,
        @Nullable Long rows,
        List<Entry> findings)
        implements Report {

    /**
     * In what a table and its contract differ.
     *
     * @param tableKind what kind of table it is; null if there is no contract of it here
     * @param kind that of {@link ContractCheck.Kind}, or {@code changing}, in lower case
     * @param level {@code info}, {@code warning} or {@code risk}
     * @param run the command that ends it; null if none does
     */
    record Entry(
            String table,
            @Nullable String tableKind,
            String kind,
            String level,
            String message,
            @Nullable String run) {}

    CheckReport {
        kinds = new TreeMap<>(kinds);
        findings = List.copyOf(findings);
    }

    @Override
    public String text() {
        StringBuilder text = new StringBuilder();
        for (Entry entry : findings) {
            text.append(entry.level())
                    .append(": ")
                    .append(entry.table())
                    .append(entry.tableKind() == null ? "" : " (" + entry.tableKind() + ")")
                    .append(": ")
                    .append(entry.message())
                    .append('\n');
            if (entry.run() != null) {
                text.append("  ").append(entry.run()).append('\n');
            }
        }
        return text.append(contracts)
                .append(contracts == 1 ? " contract" : " contracts")
                .append(
                        kinds.isEmpty()
                                ? ""
                                : kinds.entrySet().stream()
                                        .map(each -> each.getKey() + ": " + each.getValue())
                                        .collect(Collectors.joining(", ", " (", ")")))
                .append(", ")
                .append(disagreeing)
                .append(disagreeing == 1 ? " disagrees" : " disagree")
                .append(" with the schema")
                .append(
                        rows == null
                                ? ""
                                : " or with rows; " + rows + (rows == 1 ? " row was read" : " rows were read"))
                .append('\n')
                .toString();
    }
}
