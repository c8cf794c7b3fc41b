package dev.cassidy.migration.source;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Puts tables together from the rows of catalogues, whose columns have the same names for every engine. Rows arrive in
 * the order in which columns are to stand.
 */
final class TableBuilders {

    private final Predicate<String> chosen;
    private final Map<String, Builder> builders = new LinkedHashMap<>();

    /** @param chosen is asked with {@code schema.table} */
    TableBuilders(Predicate<String> chosen) {
        this.chosen = chosen;
    }

    private static final class Builder {

        private final String schema;
        private final String name;
        private final List<SourceTable.Column> columns = new ArrayList<>();
        private final List<String> primaryKey = new ArrayList<>();
        private final Map<String, SourceTable.Index> indexes = new LinkedHashMap<>();
        private final Map<String, SourceTable.ForeignKey> foreignKeys = new LinkedHashMap<>();

        Builder(String schema, String name) {
            this.schema = schema;
            this.name = name;
        }
    }

    /** A column, of {@code schema_name} and {@code table_name}. */
    boolean add(ResultSet row, SourceTable.Column column) throws SQLException {
        String schema = row.getString("schema_name");
        String name = row.getString("table_name");
        String qualified = schema + "." + name;
        return chosen.test(qualified)
                && builders.computeIfAbsent(key(schema, name), none -> new Builder(schema, name))
                        .columns
                        .add(column);
    }

    /** A column of the primary key, in {@code column_name}. */
    boolean addKey(ResultSet row) throws SQLException {
        Optional<Builder> table = table(row);
        return table.isPresent() && table.get().primaryKey.add(row.getString("column_name"));
    }

    /** A column of the index {@code index_name}, in {@code column_name}, which is null for an expression. */
    boolean addIndex(ResultSet row, boolean unique, @Nullable String filter) throws SQLException {
        String name = row.getString("index_name");
        String column = row.getString("column_name");
        table(row)
                .ifPresent(table -> table.indexes.merge(
                        name,
                        new SourceTable.Index(name, unique, column == null ? List.of() : List.of(column), filter),
                        (index, more) ->
                                new SourceTable.Index(name, unique, joined(index.columns(), more.columns()), filter)));
        return true;
    }

    /**
     * A column of the foreign key {@code key_name}: {@code column_name}, {@code referenced_schema}, {@code
     * referenced_table}, {@code referenced_column}.
     */
    boolean addForeignKey(ResultSet row) throws SQLException {
        SourceTable.ForeignKey part = new SourceTable.ForeignKey(
                row.getString("key_name"),
                List.of(row.getString("column_name")),
                row.getString("referenced_schema"),
                row.getString("referenced_table"),
                List.of(row.getString("referenced_column")));
        table(row)
                .ifPresent(table -> table.foreignKeys.merge(
                        part.name(),
                        part,
                        (key, more) -> new SourceTable.ForeignKey(
                                key.name(),
                                joined(key.columns(), more.columns()),
                                key.referencedSchema(),
                                key.referencedTable(),
                                joined(key.referencedColumns(), more.referencedColumns()))));
        return true;
    }

    List<SourceTable> build() {
        return builders.values().stream()
                .map(table -> new SourceTable(
                        table.schema,
                        table.name,
                        table.columns,
                        table.primaryKey,
                        List.copyOf(table.indexes.values()),
                        List.copyOf(table.foreignKeys.values())))
                .toList();
    }

    private Optional<Builder> table(ResultSet row) throws SQLException {
        return Optional.ofNullable(builders.get(key(row.getString("schema_name"), row.getString("table_name"))));
    }

    /** A name may contain the point that joins a schema and a table. */
    private static String key(String schema, String name) {
        return schema + "\0" + name;
    }

    private static List<String> joined(List<String> some, List<String> more) {
        List<String> all = new ArrayList<>(some);
        all.addAll(more);
        return all;
    }
}
