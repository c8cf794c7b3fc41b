package dev.cassidy.migration.assess;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.jdbc.run.TableDeclarations;
import dev.cassidy.migration.schema.DefaultExpression;
import dev.cassidy.migration.source.Source;
import dev.cassidy.migration.source.SourceTable;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What the source says of itself. Immutable.
 *
 * @param defaults what it gives columns that an INSERT leaves out: the expressions by table and column, in small letters
 * @param names of its schemas, tables, columns and indexes
 * @param tables its tables by the names that they have in Cassandra; none of those that would have the name of another one
 */
public record OldDatabase(Map<String, Map<String, String>> defaults, Set<String> names, Map<String, OldTable> tables) {

    /** Of a source that was not given. */
    public static final OldDatabase UNKNOWN = new OldDatabase(Map.of(), Set.of(), Map.of());

    public OldDatabase {
        defaults = Map.copyOf(defaults);
        names = Set.copyOf(names);
        tables = Map.copyOf(tables);
    }

    /** Reads the source's catalogue. */
    public static OldDatabase read(Source source) {
        return of(source.engine(), source.tables(name -> true));
    }

    static OldDatabase of(String engine, List<SourceTable> all) {
        Map<String, Map<String, String>> defaults = new HashMap<>();
        Set<String> names = new HashSet<>();
        Map<String, OldTable> tables = new HashMap<>();
        Set<String> alike = new HashSet<>();
        for (SourceTable table : all) {
            names.add(table.schema());
            names.add(table.name());
            String name = TableDeclarations.tableName(table.name());
            if (tables.put(name, OldTable.of(engine, table)) != null) {
                alike.add(name);
            }
            table.indexes().forEach(index -> names.add(index.name()));
            for (SourceTable.Column column : table.columns()) {
                names.add(column.name());
                DefaultExpression.of(column).ifPresent(expression -> defaults.computeIfAbsent(
                                small(table.name()), absent -> new HashMap<>())
                        .put(small(column.name()), expression));
            }
        }
        tables.keySet().removeAll(alike);
        return new OldDatabase(defaults, names, tables);
    }

    /** Returns the table if its key is known. A schema other than dbo is a keyspace here, which may have other tables. */
    Optional<OldTable> table(CqlInsert.Table table) {
        return table.keyspace() == null
                ? Optional.ofNullable(tables.get(table.name()))
                        .filter(found -> !found.key().isEmpty())
                : Optional.empty();
    }

    /** Returns whether the key of a table is known. */
    boolean hasKeys() {
        return tables.values().stream().anyMatch(table -> !table.key().isEmpty());
    }

    /** Returns the expressions by column, in small letters. */
    Map<String, String> defaultsOf(String table) {
        return defaults.getOrDefault(small(table), Map.of());
    }

    static String small(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
