package dev.cassidy.migration.plan;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.source.ScanLimit;
import dev.cassidy.migration.source.SourceColumn;
import dev.cassidy.migration.target.TargetTable;
import java.math.BigInteger;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What the user chose: the tables, their targets, and known ids. Source tables are always named with their schema,
 * exactly or in another case.
 *
 * @param keyspace the target keyspace in its internal form
 * @param includes globs on {@code schema.table}; empty for every table
 * @param maps target by source table
 * @param floors the furthest used id by source table
 * @param maxScan which tables may be read from end to end for a maximum
 */
public record Selection(
        String keyspace,
        List<String> includes,
        List<String> excludes,
        Map<String, String> maps,
        Map<String, BigInteger> floors,
        boolean acceptEmpty,
        ScanLimit maxScan) {

    /** A selection with the usual limit of what is read. */
    public Selection(
            String keyspace,
            List<String> includes,
            List<String> excludes,
            Map<String, String> maps,
            Map<String, BigInteger> floors,
            boolean acceptEmpty) {
        this(keyspace, includes, excludes, maps, floors, acceptEmpty, ScanLimit.AUTO);
    }

    public Selection {
        Objects.requireNonNull(keyspace, "keyspace");
        includes = List.copyOf(includes);
        excludes = List.copyOf(excludes);
        maps = Map.copyOf(maps);
        floors = Map.copyOf(floors);
    }

    public Selection withMaxScan(ScanLimit limit) {
        return new Selection(keyspace, includes, excludes, maps, floors, acceptEmpty, limit);
    }

    /** Parses {@code name=value} pairs; a name that is given twice is refused, since one of the two would be lost. */
    public static Map<String, String> pairs(List<String> texts, String option) {
        Map<String, String> pairs = new LinkedHashMap<>();
        for (String text : texts) {
            // The last '=': a table's name may contain one, a target or a number never does.
            int equals = text.lastIndexOf('=');
            if (equals < 1 || equals == text.length() - 1) {
                throw new MigrationException(
                        ExitCode.USAGE, "must be schema.table=value: " + option + " '" + text + "'");
            }
            if (pairs.put(text.substring(0, equals), text.substring(equals + 1)) != null) {
                throw new MigrationException(
                        ExitCode.USAGE, option + " is given twice for '" + text.substring(0, equals) + "'");
            }
        }
        return pairs;
    }

    /** Parses {@code schema.table=integer} pairs. */
    public static Map<String, BigInteger> integers(List<String> texts, String option) {
        Map<String, BigInteger> integers = new LinkedHashMap<>();
        pairs(texts, option).forEach((table, number) -> {
            if (!number.matches("-?[0-9]{1,38}")) {
                throw new MigrationException(
                        ExitCode.USAGE, "must be schema.table=integer: " + option + " '" + table + "=" + number + "'");
            }
            integers.put(table, new BigInteger(number));
        });
        return integers;
    }

    /**
     * Returns the columns of {@code all} that are chosen.
     *
     * @throws MigrationException {@link ExitCode#REFUSED} when none is, or when a name that the user gave matches none: a
     *     typing error, or a right that is missing, since the catalogue hides what a login may not see
     */
    public List<SourceColumn> choose(List<SourceColumn> all) {
        Predicate<String> included = includes.isEmpty() ? name -> true : anyOf(includes);
        Predicate<String> wanted = included.and(anyOf(excludes).negate());
        List<SourceColumn> chosen = all.stream()
                .filter(column -> wanted.test(column.qualifiedTable()))
                .toList();
        for (String glob : includes) {
            if (all.stream().map(SourceColumn::qualifiedTable).noneMatch(glob(glob))) {
                throw unseen("--include " + glob + " matches no table with an identity column");
            }
        }
        if (chosen.isEmpty()) {
            throw unseen("no table with an identity column is chosen");
        }
        requireOneEach(maps.keySet(), chosen, "--map");
        requireOneEach(floors.keySet(), chosen, "--floor");
        return chosen;
    }

    public Optional<TargetTable> target(SourceColumn column, List<SourceColumn> chosen) {
        return find(maps, column, chosen)
                .map(text -> Optional.of(TargetTable.parse(
                        text,
                        keyspace,
                        column.isSequence()
                                ? ""
                                : TargetTable.plain(column.column()).orElse(null),
                        "--map " + column.qualifiedTable())))
                .orElseGet(() -> TargetTable.defaultOf(column, keyspace));
    }

    @Nullable
    public BigInteger floor(SourceColumn column, List<SourceColumn> chosen) {
        return find(floors, column, chosen).orElse(null);
    }

    private static <V> Optional<V> find(Map<String, V> values, SourceColumn column, List<SourceColumn> chosen) {
        return values.entrySet().stream()
                .filter(entry -> named(entry.getKey(), chosen).contains(column))
                .map(Map.Entry::getValue)
                .findFirst();
    }

    private static void requireOneEach(Set<String> tables, List<SourceColumn> chosen, String option) {
        Set<SourceColumn> seen = new HashSet<>();
        for (String table : tables) {
            List<SourceColumn> named = named(table, chosen);
            if (named.isEmpty()) {
                throw unseen(option + " " + table + " names no chosen table with an identity column");
            }
            if (named.size() > 1) {
                throw new MigrationException(
                        ExitCode.REFUSED,
                        option + " " + table + " names several tables that differ in case: "
                                + named.stream()
                                        .map(SourceColumn::qualifiedTable)
                                        .toList());
            }
            if (!seen.add(named.get(0))) {
                throw new MigrationException(
                        ExitCode.USAGE,
                        option + " is given twice for '" + named.get(0).qualifiedTable() + "'");
            }
        }
    }

    /** Returns the table of exactly that name, otherwise those with that name in another case. */
    static List<SourceColumn> named(String name, List<SourceColumn> chosen) {
        List<SourceColumn> exact = chosen.stream()
                .filter(column -> column.qualifiedTable().equals(name))
                .toList();
        return exact.isEmpty()
                ? chosen.stream()
                        .filter(column -> column.qualifiedTable().equalsIgnoreCase(name))
                        .toList()
                : exact;
    }

    /** Returns the refusal of a name that matches nothing. */
    public static MigrationException unseen(String what) {
        return new MigrationException(
                ExitCode.REFUSED,
                what + "; write schema.table, and see that the login has SELECT and VIEW DEFINITION: the catalogue"
                        + " hides what it may not see");
    }

    /** Matches what one of the globs matches. */
    public static Predicate<String> anyOf(List<String> globs) {
        return globs.stream().map(Selection::glob).reduce(name -> false, Predicate::or);
    }

    /** Matches {@code schema.table}: {@code *} for any characters, {@code ?} for one; case does not matter. */
    public static Predicate<String> glob(String glob) {
        int[] pattern = folded(glob);
        return name -> matches(pattern, folded(name));
    }

    private static int[] folded(String text) {
        return text.codePoints()
                .map(c -> Character.toLowerCase(Character.toUpperCase(c)))
                .toArray();
    }

    /** Takes at most the pattern's length times the name's in steps: the last {@code *} alone is ever tried again. */
    private static boolean matches(int[] glob, int[] name) {
        int at = 0;
        int star = -1;
        int taken = 0;
        for (int i = 0; i < name.length || at < glob.length; ) {
            if (at < glob.length && glob[at] == '*') {
                star = at++;
                taken = i;
            } else if (at < glob.length && i < name.length && (glob[at] == '?' || glob[at] == name[i])) {
                at++;
                i++;
            } else if (star >= 0 && taken < name.length) {
                at = star + 1;
                i = ++taken;
            } else {
                return false;
            }
        }
        return true;
    }
}
