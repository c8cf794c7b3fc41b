package dev.cassidy.migration.assess;

import dev.cassidy.migration.schema.DefaultExpression;
import dev.cassidy.migration.source.Source;
import dev.cassidy.migration.source.SourceTable;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * What the source says of itself. Immutable.
 *
 * @param defaults what it gives columns that an INSERT leaves out: the expressions by table and column, in small letters
 * @param names of its schemas, tables, columns and indexes
 */
public record OldDatabase(Map<String, Map<String, String>> defaults, Set<String> names) {

    /** Of a source that was not given. */
    public static final OldDatabase UNKNOWN = new OldDatabase(Map.of(), Set.of());

    public OldDatabase {
        defaults = Map.copyOf(defaults);
        names = Set.copyOf(names);
    }

    /** Reads the source's catalogue. */
    public static OldDatabase read(Source source) {
        Map<String, Map<String, String>> defaults = new HashMap<>();
        Set<String> names = new HashSet<>();
        for (SourceTable table : source.tables(name -> true)) {
            names.add(table.schema());
            names.add(table.name());
            table.indexes().forEach(index -> names.add(index.name()));
            for (SourceTable.Column column : table.columns()) {
                names.add(column.name());
                DefaultExpression.of(column).ifPresent(expression -> defaults.computeIfAbsent(
                                small(table.name()), absent -> new HashMap<>())
                        .put(small(column.name()), expression));
            }
        }
        return new OldDatabase(defaults, names);
    }

    /** Returns the expressions by column, in small letters. */
    Map<String, String> defaultsOf(String table) {
        return defaults.getOrDefault(small(table), Map.of());
    }

    static String small(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
