package dev.cassidy.migration.schema;

import dev.cassidy.migration.source.SourceTable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What keeps the unique indexes of the source, those of constraints among them, in Cassandra. */
public final class UniqueIndex {

    private static final Pattern NOT_NULL =
            Pattern.compile("(\\S.*?)\\s+IS\\s+NOT\\s+NULL", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private UniqueIndex() {}

    /** Returns whether the key of a table in Cassandra keeps an index. */
    public static boolean isKey(SourceTable.Index index, TableDesign design) {
        return index.filter() == null && Set.copyOf(design.key().columns()).equals(Set.copyOf(index.columns()));
    }

    /**
     * Returns a unique index as {@code tables add-unique} takes it; empty if nothing keeps it, or the key does.
     *
     * @param engine of the source: in SQL Server one row may have NULL, and elsewhere a NULL is like no other
     */
    public static Optional<String> keeping(SourceTable.Index index, TableDesign design, String engine) {
        String filter = index.filter();
        if (!design.exact()
                || index.columns().isEmpty()
                || isKey(index, design)
                || (filter != null && !leavesNullsOut(filter, index.columns()))) {
            return Optional.empty();
        }
        boolean takesNull = false;
        List<String> names = new ArrayList<>();
        for (String column : index.columns()) {
            TableDesign.DesignedColumn designed = design.columns().stream()
                    .filter(each -> each.from().name().equals(column))
                    .findFirst()
                    .orElse(null);
            if (designed == null) {
                return Optional.empty();
            }
            takesNull |= designed.from().nullable();
            names.add(TableDesign.quoted(designed.name()));
        }
        String columns = " (" + String.join(", ", names) + ")";
        String name = "[" + index.name().replace("]", "]]") + "]";
        return Optional.of(
                filter != null || (takesNull && !engine.equals("SQL Server"))
                        ? "UNIQUE INDEX " + name + columns
                                + names.stream()
                                        .map(each -> each + " IS NOT NULL")
                                        .collect(Collectors.joining(" AND ", " WHERE ", ""))
                        : "CONSTRAINT " + name + " UNIQUE" + columns);
    }

    /** {@code ([a] IS NOT NULL AND [b] IS NOT NULL)}, of all columns. */
    private static boolean leavesNullsOut(String filter, List<String> columns) {
        Set<String> found = new HashSet<>();
        for (String part : filter.replaceAll("[()\\[\\]\"`]", " ").split("(?i)\\bAND\\b", -1)) {
            Matcher named = NOT_NULL.matcher(part.strip());
            if (!named.matches()) {
                return false;
            }
            found.add(named.group(1).toLowerCase(Locale.ROOT));
        }
        return found.equals(
                columns.stream().map(name -> name.toLowerCase(Locale.ROOT)).collect(Collectors.toSet()));
    }
}
