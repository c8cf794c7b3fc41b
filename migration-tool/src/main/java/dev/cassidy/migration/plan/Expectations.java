package dev.cassidy.migration.plan;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.Finding;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.source.Reading;
import dev.cassidy.migration.source.SourceColumn;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the user knows of the source from elsewhere. It shows rows and tables that are hidden from the tool's login, and a
 * source that is not the one that was meant.
 *
 * @param count how many identity columns and SEQUENCE objects are chosen; null if nobody said
 * @param tables the furthest id by source table: a number, {@code none} without rows, or an empty text for any
 */
public record Expectations(@Nullable Integer count, Map<String, String> tables) {

    private static final String ANY = "";
    private static final String NONE = "none";

    public Expectations {
        tables = Map.copyOf(tables);
    }

    /** Parses what {@code --expect} was given. */
    public static Expectations parse(List<String> texts) {
        Integer count = null;
        Map<String, String> tables = new LinkedHashMap<>();
        for (String text : texts) {
            int equals = text.lastIndexOf('=');
            String value = equals < 0 ? ANY : text.substring(equals + 1);
            String name = equals < 0 ? text : text.substring(0, equals);
            if (text.matches("[0-9]{1,9}")) {
                if (count != null) {
                    throw new MigrationException(
                            ExitCode.USAGE, "--expect is given two numbers of columns: " + count + " and " + text);
                }
                count = Integer.valueOf(text);
            } else if (!name.contains(".") || !(value.matches("-?[0-9]{1,38}") || value.equals(NONE) || equals < 0)) {
                throw new MigrationException(
                        ExitCode.USAGE,
                        "must be a number of columns, schema.table, schema.table=id or schema.table=none: --expect '"
                                + text + "'");
            } else if (tables.put(name, value) != null) {
                throw new MigrationException(ExitCode.USAGE, "--expect is given twice for '" + name + "'");
            }
        }
        return new Expectations(count, tables);
    }

    /** What differs: refusals of the source as a whole, and of single columns. */
    public record Differences(List<Finding> whole, Map<SourceColumn, Finding> columns) {

        public boolean isEmpty() {
            return whole.isEmpty() && columns.isEmpty();
        }

        /** Returns {@code plan} with what differs in it refused. */
        public List<PlannedTable> refusedIn(List<PlannedTable> plan) {
            return plan.stream()
                    .map(table -> {
                        Finding finding = columns.get(table.reading().column());
                        return finding == null ? table : table.refused(finding);
                    })
                    .toList();
        }
    }

    /** Compares with what was found. */
    public Differences differences(List<PlannedTable> plan) {
        List<SourceColumn> chosen =
                plan.stream().map(table -> table.reading().column()).toList();
        List<Finding> whole = new ArrayList<>();
        Map<SourceColumn, Finding> columns = new LinkedHashMap<>();
        if (count != null && count != chosen.size()) {
            whole.add(
                    Finding.refused("--expect " + count + ", and " + chosen.size() + " columns and SEQUENCE objects are"
                            + " chosen: compare them with a list of your own. The catalogue hides what the login may not see"
                            + " (SELECT, VIEW DEFINITION); --include and --exclude choose"));
        }
        tables.forEach((name, value) -> {
            List<SourceColumn> named = Selection.named(name, chosen);
            if (named.size() != 1) {
                whole.add(Finding.refused("--expect " + name
                        + (named.isEmpty()
                                ? " names no chosen table with an identity column: it is excluded, was dropped, or is hidden"
                                        + " from this login (SELECT, VIEW DEFINITION)"
                                : " names several tables that differ in case: write it as the source does")));
            }
        });
        for (PlannedTable table : plan) {
            tables.forEach((name, value) -> {
                if (Selection.named(name, chosen).equals(List.of(table.reading().column())) && !value.equals(ANY)) {
                    String problem = problem(table.reading(), value);
                    if (problem != null) {
                        columns.put(table.reading().column(), Finding.refused(problem));
                    }
                }
            });
        }
        return new Differences(whole, columns);
    }

    private static @Nullable String problem(Reading reading, String value) {
        SourceColumn column = reading.column();
        String expected = "--expect " + column.qualifiedTable() + "=" + value;
        if (reading.fence() != null) {
            return expected + " cannot be compared, because the source may still insert up to the fence of "
                    + column.name() + ": give --expect " + column.qualifiedTable() + " alone";
        }
        if (!reading.unread().isEmpty()) {
            return expected + " cannot be compared, because the furthest id of " + column.name()
                    + " was not read: give --max-scan always";
        }
        String found = Objects.toString(reading.furthest(), NONE);
        return found.equals(value.equals(NONE) ? NONE : new java.math.BigInteger(value).toString())
                ? null
                : expected + ", and the furthest id that this login sees in " + column.name() + " is " + found
                        + ": rows are hidden from it (row-level security), or were inserted or deleted since you looked, or it"
                        + " is another database. Find out which, then correct --expect";
    }

    /**
     * Refuses a source that differs.
     *
     * @throws MigrationException {@link ExitCode#REFUSED} with all that differs
     */
    public void require(List<PlannedTable> plan) {
        Differences differences = differences(plan);
        if (!differences.isEmpty()) {
            throw new MigrationException(
                    ExitCode.REFUSED,
                    String.join(
                            "; ",
                            Stream.concat(differences.whole().stream(), differences.columns().values().stream())
                                    .map(Finding::message)
                                    .toList()));
        }
    }
}
