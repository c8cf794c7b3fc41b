package dev.cassidy.migration.schema;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.RowMark;
import dev.cassidy.definition.SqlType;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.definition.Twin;
import dev.cassidy.jdbc.run.TableDeclarations;
import dev.cassidy.migration.source.SourceTable;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A table of the source as a table of Cassandra: the CQL that CREATE TABLE through the JDBC driver makes of it.
 *
 * @param keyspace internal name
 * @param table internal name
 * @param columns those that are not left out, in the source's order
 * @param exact whether its writes are exact, so that each row has {@link RowMark}
 */
public record TableDesign(
        SourceTable source, String keyspace, String table, List<DesignedColumn> columns, KeyChoice key, boolean exact) {

    private static final Map<String, DataType> TYPES = Map.ofEntries(
            Map.entry("smallint", DataTypes.SMALLINT),
            Map.entry("int", DataTypes.INT),
            Map.entry("bigint", DataTypes.BIGINT),
            Map.entry("boolean", DataTypes.BOOLEAN),
            Map.entry("decimal", DataTypes.DECIMAL),
            Map.entry("float", DataTypes.FLOAT),
            Map.entry("double", DataTypes.DOUBLE),
            Map.entry("text", DataTypes.TEXT),
            Map.entry("blob", DataTypes.BLOB),
            Map.entry("date", DataTypes.DATE),
            Map.entry("time", DataTypes.TIME),
            Map.entry("timestamp", DataTypes.TIMESTAMP),
            Map.entry("uuid", DataTypes.UUID));

    /**
     * A column.
     *
     * @param name internal name in Cassandra
     * @param cql the name of the type
     * @param comparison by what its strings compare
     * @param twin what stands in the key in its place; null if nothing does
     */
    public record DesignedColumn(
            SourceTable.Column from,
            TsqlType tsql,
            String name,
            String cql,
            TextComparison comparison,
            @Nullable Twin twin) {

        public DataType type() {
            return Objects.requireNonNull(TYPES.get(cql), cql);
        }

        /** Returns the same with a twin, or without one. */
        public DesignedColumn with(@Nullable Twin then) {
            return new DesignedColumn(from, tsql, name, cql, comparison, then);
        }

        /**
         * Returns what the source says of the column. T-SQL compares no {@code text}, so one with a collation that the user has chosen is
         * {@code nvarchar(max)}.
         */
        public ColumnDefinition definition() {
            boolean isText = tsql.text().equals("text") || tsql.text().equals("ntext");
            return new ColumnDefinition(
                    name,
                    from.name(),
                    SqlType.parse(comparison.chosen() && isText ? "nvarchar(max)" : tsql.text())
                            .orElse(null),
                    !from.nullable(),
                    comparison.collation(),
                    twin);
        }
    }

    public TableDesign {
        columns = List.copyOf(columns);
    }

    /** Returns {@code keyspace.table} as CQL writes it. */
    public String target() {
        return quoted(keyspace) + "." + quoted(table);
    }

    /** Returns the identity column; empty if there is none. */
    public Optional<DesignedColumn> identity() {
        return columns.stream().filter(column -> column.from().identity()).findFirst();
    }

    /** Returns the statement that creates the table. */
    public String cql() {
        StringBuilder cql = new StringBuilder("CREATE TABLE IF NOT EXISTS ")
                .append(target())
                .append(" (");
        for (DesignedColumn column : columns) {
            cql.append("\n    ")
                    .append(quoted(column.name()))
                    .append(' ')
                    .append(column.cql())
                    .append(',');
            if (column.twin() != null) {
                cql.append("\n    ").append(quoted(Twin.nameOf(column.name()))).append(" text,");
            }
        }
        if (exact) {
            cql.append("\n    ").append(RowMark.DEFINITION).append(',');
        }
        cql.append("\n    PRIMARY KEY (").append(keyCql()).append("))");
        if (isDescending()) {
            cql.append("\nWITH CLUSTERING ORDER BY (")
                    .append(key.clustering().stream()
                            .map(each -> cqlName(each.column()) + (each.descending() ? " DESC" : " ASC"))
                            .collect(Collectors.joining(", ")))
                    .append(')');
        }
        return cql.toString();
    }

    /** Returns the statement that creates the table under an id. */
    public String cql(UUID id) {
        return cql() + (isDescending() ? " AND" : "\nWITH") + " id = " + id;
    }

    private boolean isDescending() {
        return key.clustering().stream().anyMatch(KeyChoice.Clustering::descending);
    }

    /** Returns what the source says of the columns, of the table that has an id. */
    public TableDefinition definition(UUID id) {
        return new TableDefinition(
                id, columns.stream().map(DesignedColumn::definition).toList(), List.of());
    }

    /** Returns the internal name of the column that stands in Cassandra's key for one of the source. */
    public String keyColumn(String sourceName) {
        String name = TableDeclarations.columnName(sourceName);
        return columns.stream().anyMatch(column -> column.name().equals(name) && column.twin() != null)
                ? Twin.nameOf(name)
                : name;
    }

    private String keyCql() {
        String partition = key.partition().stream().map(this::cqlName).collect(Collectors.joining(", "));
        return (key.partition().size() > 1 ? "(" + partition + ")" : partition)
                + key.clustering().stream()
                        .map(each -> ", " + cqlName(each.column()))
                        .collect(Collectors.joining());
    }

    private String cqlName(String sourceName) {
        return quoted(keyColumn(sourceName));
    }

    /** Returns how CQL writes an internal name. */
    public static String quoted(String internal) {
        return CqlIdentifier.fromInternal(internal).asCql(true);
    }

    /**
     * Returns the statements of the indexes that the source's own suggest, on the first column of each. None on a column that
     * leads the key, and one for each column.
     */
    public List<String> proposedIndexes() {
        return source.indexes().stream()
                .filter(index -> !index.columns().isEmpty())
                .map(index -> index.columns().get(0))
                .distinct()
                .filter(column ->
                        !(key.partition().size() == 1 && key.partition().get(0).equals(column)))
                .flatMap(column ->
                        columns.stream().filter(each -> each.from().name().equals(column)))
                .filter(column -> !column.cql().equals("blob"))
                .map(column -> "CREATE INDEX IF NOT EXISTS "
                        + quoted(table + "_" + column.name().replaceAll("[^A-Za-z0-9_]", "_")) + " ON " + target()
                        + " ("
                        // Rows are looked for by the twin.
                        + quoted(keyColumn(column.from().name())) + ") USING 'sai'")
                .toList();
    }
}
