package dev.cassidy.migration;

import java.math.BigInteger;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Of {@code rollback-plan}. As text it is a script for the source: everything but statements is a comment.
 *
 * @param source the source's URL without secrets
 */
record RollbackReport(String command, int exitCode, String source, List<Column> tables) implements Report {

    RollbackReport {
        tables = List.copyOf(tables);
    }

    /**
     * One identity column.
     *
     * @param table {@code schema.table} of the source
     * @param granted the first id that Cassandra has not granted; null if there is no sequence, or it is at its end
     * @param floor the first id that Cassandra may have issued: rows from here on exist only there
     * @param reseed what the source is reseeded with; null if nothing is to be done, or it is refused
     * @param statement what reseeds the source; null like {@code reseed}
     * @param result reseed, none, missing or refused
     * @param note what is to be known, or null
     */
    record Column(
            String table,
            String column,
            @Nullable String target,
            @Nullable Long floor,
            @Nullable Long granted,
            @Nullable BigInteger reseed,
            @Nullable String statement,
            String result,
            @Nullable String note) {}

    @Override
    public String text() {
        StringBuilder text = new StringBuilder(
                "-- Stop every writer of Cassandra first. After this script: cassidy migrate fence --remove --apply,"
                        + " then cassidy migrate copy-back. What is granted after this was printed is not covered.\n");
        for (Column each : tables) {
            String head = each.column().isEmpty() ? each.table() : each.table() + "." + each.column();
            text.append(comment(
                    each.granted() == null
                            ? head
                            : head + ": Cassandra may have issued ids from " + each.floor() + " on, before "
                                    + each.granted()));
            if (each.note() != null) {
                text.append(comment(each.note()));
            }
            if (each.statement() != null) {
                text.append(each.statement()).append(";\n");
            }
        }
        return text.toString();
    }

    /** One line, whatever it holds: the rest of a name with a line break would be a statement. */
    private static String comment(String text) {
        return "-- " + text.replaceAll("\\p{Cntrl}|[\\x{85}\\x{2028}\\x{2029}]", " ") + "\n";
    }
}
