package dev.cassidy.migration;

import dev.cassidy.migration.rows.RowCheck;
import java.util.List;

/**
 * The result of {@code tables alter}.
 *
 * @param changes what was to be declared, as T-SQL writes it
 * @param rows how many were read
 * @param broken the rules that rows break
 * @param result that of {@link Alteration.Result} in lower case, or {@code checked} if nothing was to be changed
 */
record AlterReport(
        String command,
        int exitCode,
        String keyspace,
        String table,
        List<String> changes,
        long rows,
        List<RowCheck.Broken> broken,
        String result)
        implements Report {

    AlterReport {
        changes = List.copyOf(changes);
        broken = List.copyOf(broken);
    }

    @Override
    public String text() {
        StringBuilder text =
                new StringBuilder(keyspace + "." + table + ": " + String.join("; ", changes) + ": " + said() + "\n");
        text.append(rows).append(rows == 1 ? " row was read\n" : " rows were read\n");
        broken.forEach(each -> text.append("warning: ").append(each).append('\n'));
        return text.toString();
    }

    private String said() {
        return switch (result) {
            case "altered" -> "declared, and no row breaks it";
            case "confirmed" -> "was declared before, and no row breaks it";
            case "taken_back" -> "not declared, because rows break it; the contract is what it was before";
            case "broken" ->
                "was declared before and stays, and rows break it. Correct them, or let them stand: ALTER COLUMN"
                        + " and DROP CONSTRAINT by JDBC";
            case "left" ->
                "rows break it, and it stays declared, because another process has, or may have, declared it meanwhile. Correct them,"
                        + " or let them stand: ALTER COLUMN and DROP CONSTRAINT by JDBC";
            default ->
                broken.isEmpty() ? "no row breaks it; nothing was changed" : "rows break it; nothing was changed";
        };
    }
}
