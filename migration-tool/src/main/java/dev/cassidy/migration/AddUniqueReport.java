package dev.cassidy.migration;

import java.util.List;

/**
 * The result of {@code tables add-unique}.
 *
 * @param unique as T-SQL writes it
 * @param reservations the table that has them
 * @param rows how many were read
 * @param reserved how many of them got their reservation from this run; the others had it from who wrote them, or from an earlier run
 * @param broken what keeps it from being true
 * @param result {@code added}, {@code taken_back}, or {@code unchanged} if it is kept already
 */
record AddUniqueReport(
        String command,
        int exitCode,
        String keyspace,
        String table,
        String unique,
        String reservations,
        long rows,
        long reserved,
        List<String> broken,
        String result)
        implements Report {

    AddUniqueReport {
        broken = List.copyOf(broken);
    }

    @Override
    public String text() {
        StringBuilder text = new StringBuilder(keyspace + "." + table + ": " + unique + ": " + said() + "\n");
        if (!result.equals("unchanged")) {
            text.append(rows)
                    .append(rows == 1 ? " row was read, " : " rows were read, ")
                    .append(reserved)
                    .append(reserved == 1 ? " got its reservation\n" : " got their reservations\n");
        }
        broken.forEach(each -> text.append("warning: ").append(each).append('\n'));
        return text.toString();
    }

    private String said() {
        return switch (result) {
            case "added" -> "is kept now, by table " + reservations;
            case "unchanged" ->
                "is kept already, by table " + reservations + "; cassidy tables check --rows holds its rows against it";
            default ->
                "not kept, because of what is listed; the contract is without it, and " + reservations
                        + " is dropped. Correct the rows, and run it again";
        };
    }
}
