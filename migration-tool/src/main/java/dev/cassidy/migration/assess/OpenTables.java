package dev.cassidy.migration.assess;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The tables that decide about the statements that stay unknown. Immutable.
 *
 * @param tables those that decide about most statements, from the most on
 * @param further how many further tables there are
 * @param furtherStatements how many statements depend on one of those
 * @param byOldKeys whether the keys of the old database are known
 */
record OpenTables(List<Table> tables, int further, long furtherStatements, boolean byOldKeys) {

    private static final int MAX_TABLES = 10;

    /** A table, and how many statements depend on it. */
    record Table(String name, long statements) {}

    OpenTables {
        tables = List.copyOf(tables);
    }

    static OpenTables of(Assessment report) {
        Map<String, Set<Assessment.Seen>> byTable = new TreeMap<>();
        for (Assessment.Seen seen : report.statements()) {
            if (seen.verdict() == Verdict.UNKNOWN) {
                tables(seen).forEach(table -> byTable.computeIfAbsent(table, absent -> new LinkedHashSet<>())
                        .add(seen));
            }
        }
        List<Table> sorted = byTable.entrySet().stream()
                .map(each -> new Table(each.getKey(), each.getValue().size()))
                // By name if equal: the sort keeps the order of the map.
                .sorted(Comparator.comparing(Table::statements).reversed())
                .toList();
        List<Table> further = sorted.subList(Math.min(MAX_TABLES, sorted.size()), sorted.size());
        Set<Assessment.Seen> rest = new LinkedHashSet<>();
        further.forEach(table -> rest.addAll(byTable.getOrDefault(table.name(), Set.of())));
        return new OpenTables(
                sorted.subList(0, sorted.size() - further.size()), further.size(), rest.size(), report.byOldKeys());
    }

    /** Of a statement whose ways are all known, ORDER BY or the like is open. */
    private static Set<String> tables(Assessment.Seen seen) {
        Set<String> open = new LinkedHashSet<>();
        Set<String> all = new LinkedHashSet<>();
        for (Access access : seen.accesses()) {
            all.add(access.table());
            if (access.kind() == Access.Kind.UNKNOWN) {
                open.add(access.table());
            }
        }
        return open.isEmpty() ? all : open;
    }

    /** Returns what decides about how many statements, a line each; none if nothing is open. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        String fact = byOldKeys ? " on how Cassandra will have " : " on the key and the indexes of ";
        tables.forEach(table -> lines.add(depend(table.statements()) + fact + "table " + table.name()));
        if (further > 0) {
            lines.add(
                    depend(furtherStatements) + fact + further + (further == 1 ? " further table" : " further tables"));
        }
        return lines;
    }

    private static String depend(long statements) {
        return statements + (statements == 1 ? " statement depends" : " statements depend");
    }

    /** Returns which option tells what decides. */
    String given() {
        return byOldKeys
                ? "--target names a cluster with the new tables, which decides"
                : "--source-url gives the keys and indexes of the old database; --target names a cluster with the new"
                        + " tables, which decides";
    }
}
