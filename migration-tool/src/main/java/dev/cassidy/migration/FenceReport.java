package dev.cassidy.migration;

import java.math.BigInteger;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Of {@code fence}.
 *
 * @param applied whether the statements were executed, and not just printed
 * @param note what a fence costs in this engine, and what it does not stop
 */
record FenceReport(
        String command, int exitCode, String source, boolean applied, String note, List<FenceReport.Table> tables)
        implements Report {

    FenceReport {
        tables = List.copyOf(tables);
    }

    /**
     * A table's fence.
     *
     * @param last the last id that the source accepts; null of a SEQUENCE object
     * @param statements what adds or removes the fence; empty where nothing is to be done
     * @param action {@code add}, {@code tighten}, {@code restore}, {@code keep}, {@code remove} or {@code refuse}
     * @param result {@code fenced}, {@code kept}, {@code removed}, {@code failed}, {@code missing} or {@code passed}; null
     *     if nothing was executed
     * @param message what is to be known of it; empty if nothing is
     */
    record Table(
            String table,
            String column,
            @Nullable BigInteger last,
            List<String> statements,
            String action,
            @Nullable String result,
            String message) {

        Table {
            statements = List.copyOf(statements);
        }

        Table with(String happened, String told) {
            return new Table(table, column, last, statements, action, happened, told);
        }
    }

    @Override
    public String text() {
        StringBuilder text = new StringBuilder("-- ").append(note).append('\n');
        for (Table table : tables) {
            String state = table.result() == null ? table.action() : table.result();
            text.append("-- ")
                    .append(table.table())
                    .append(table.column().isEmpty() ? "" : "." + table.column())
                    .append(": ")
                    .append(state)
                    .append(table.last() == null ? "" : ", last id " + table.last())
                    .append(table.message().isEmpty() ? "" : "; " + table.message())
                    .append('\n');
            if (!applied) {
                table.statements().forEach(statement -> text.append(statement).append(";\n"));
            }
        }
        return text.toString();
    }
}
