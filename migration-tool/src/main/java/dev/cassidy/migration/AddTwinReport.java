package dev.cassidy.migration;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of {@code tables add-twin}.
 *
 * @param collation by which the column is compared
 * @param rows how many were read
 * @param given how many of them got their form from this run; the others had it from who wrote them, or from an earlier run
 * @param index that compares the column so now; null if it had none
 * @param replaced the index that compared its bytes, and is dropped; null if it had none
 * @param broken rows that did not get it
 * @param result {@code added}, {@code incomplete}, or {@code unchanged} if each row has it already
 */
record AddTwinReport(
        String command,
        int exitCode,
        String keyspace,
        String table,
        String column,
        String collation,
        long rows,
        long given,
        @Nullable String index,
        @Nullable String replaced,
        List<String> broken,
        String result)
        implements Report {

    AddTwinReport {
        broken = List.copyOf(broken);
    }

    @Override
    public String text() {
        StringBuilder text = new StringBuilder(keyspace + "." + table + ": column " + column + ": " + said() + "\n");
        if (!result.equals("unchanged")) {
            text.append(rows)
                    .append(rows == 1 ? " row was read, " : " rows were read, ")
                    .append(given)
                    .append(given == 1 ? " got its form\n" : " got their forms\n");
        }
        if (replaced != null) {
            text.append("index " + index + " was made in place of " + replaced + ", which compared bytes\n");
        } else if (index == null && !result.equals("incomplete")) {
            text.append("the column has no index yet: make it by JDBC, by CREATE INDEX\n");
        }
        broken.forEach(each -> text.append("warning: ").append(each).append('\n'));
        return text.toString();
    }

    private String said() {
        return switch (result) {
            case "added" -> "each row has the form of it by which " + collation + " compares";
            case "unchanged" -> "each row had the form of it by which " + collation + " compares already";
            default ->
                "not each row has the form of it by which " + collation
                        + " compares, and nobody reads by it yet. Correct the rows that are listed, and run it again";
        };
    }
}
