package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.sequence.IdentityType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** What an identity needs to know of a table. Columns go by their internal names. */
sealed interface TableShape {

    /** Returns whether the table has a column. */
    boolean has(String column);

    /** Returns the columns that each row has besides its key. */
    Set<String> rowColumns();

    /** Returns the type of an integer column; empty for other columns and for none. */
    Optional<IdentityType> integerType(String column);

    /** Returns the only column of the primary key, if it is one and an integer. */
    Optional<String> soleIntegerKey();

    /** Returns the columns of the primary key. */
    List<String> primaryKey();

    /**
     * Returns whether an insert of these columns writes a partition's static columns and no row, although {@code
     * identity} is part of the key: it needs no id, and must not make a row by getting one.
     */
    boolean writesNoRow(List<String> columns, String identity);

    /** Returns whether an insert of these columns writes a partition's static columns and no row. */
    boolean writesStaticsAlone(List<String> columns);

    /** As the driver's schema metadata has it. */
    record FromMetadata(TableMetadata table) implements TableShape {
        @Override
        public boolean has(String column) {
            return table.getColumn(CqlIdentifier.fromInternal(column)).isPresent();
        }

        @Override
        public Set<String> rowColumns() {
            return table.getColumns().values().stream()
                    .filter(column -> !column.isStatic())
                    .map(column -> column.getName().asInternal())
                    .filter(column -> !primaryKey().contains(column))
                    .collect(Collectors.toSet());
        }

        @Override
        public Optional<IdentityType> integerType(String column) {
            return table.getColumn(CqlIdentifier.fromInternal(column)).flatMap(metadata -> typeOf(metadata.getType()));
        }

        @Override
        public Optional<String> soleIntegerKey() {
            List<ColumnMetadata> key = table.getPrimaryKey();
            return key.size() == 1 && typeOf(key.get(0).getType()).isPresent()
                    ? Optional.of(key.get(0).getName().asInternal())
                    : Optional.empty();
        }

        @Override
        public List<String> primaryKey() {
            return table.getPrimaryKey().stream()
                    .map(column -> column.getName().asInternal())
                    .toList();
        }

        @Override
        public boolean writesNoRow(List<String> columns, String identity) {
            return table.getColumn(CqlIdentifier.fromInternal(identity))
                            .filter(table.getClusteringColumns()::containsKey)
                            .isPresent()
                    && writesStaticsAlone(columns);
        }

        @Override
        public boolean writesStaticsAlone(List<String> columns) {
            return columns.stream().anyMatch(this::isStatic)
                    && columns.stream().allMatch(column -> isStatic(column) || isPartitionKey(column));
        }

        private boolean isStatic(String column) {
            return table.getColumn(CqlIdentifier.fromInternal(column))
                    .filter(ColumnMetadata::isStatic)
                    .isPresent();
        }

        private boolean isPartitionKey(String column) {
            return table.getColumn(CqlIdentifier.fromInternal(column))
                    .filter(table.getPartitionKey()::contains)
                    .isPresent();
        }
    }

    /**
     * As the rows of {@code system_schema.columns} have it.
     *
     * @param kinds partition_key, clustering, static or regular, of every column
     */
    record FromRows(Map<String, IdentityType> integers, Map<String, String> kinds) implements TableShape {

        static FromRows of(Iterable<Row> columns) {
            Map<String, IdentityType> integers = new HashMap<>();
            Map<String, String> kinds = new HashMap<>();
            for (Row column : columns) {
                String name = String.valueOf(column.getString("column_name"));
                kinds.put(name, String.valueOf(column.getString("kind")));
                typeOf(String.valueOf(column.getString("type"))).ifPresent(type -> integers.put(name, type));
            }
            return new FromRows(Map.copyOf(integers), Map.copyOf(kinds));
        }

        @Override
        public boolean has(String column) {
            return kinds.containsKey(column);
        }

        @Override
        public Set<String> rowColumns() {
            return kinds.entrySet().stream()
                    .filter(column -> column.getValue().equals("regular"))
                    .map(Map.Entry::getKey)
                    .collect(Collectors.toSet());
        }

        @Override
        public Optional<IdentityType> integerType(String column) {
            return Optional.ofNullable(integers.get(column));
        }

        @Override
        public List<String> primaryKey() {
            return kinds.entrySet().stream()
                    .filter(column -> column.getValue().equals("partition_key")
                            || column.getValue().equals("clustering"))
                    .map(Map.Entry::getKey)
                    .toList();
        }

        @Override
        public Optional<String> soleIntegerKey() {
            List<String> key = primaryKey();
            return key.size() == 1 ? Optional.of(key.get(0)).filter(integers::containsKey) : Optional.empty();
        }

        @Override
        public boolean writesNoRow(List<String> columns, String identity) {
            return "clustering".equals(kinds.get(identity)) && writesStaticsAlone(columns);
        }

        @Override
        public boolean writesStaticsAlone(List<String> columns) {
            return columns.stream().anyMatch(column -> "static".equals(kinds.get(column)))
                    && columns.stream()
                            .allMatch(column ->
                                    "static".equals(kinds.get(column)) || "partition_key".equals(kinds.get(column)));
        }
    }

    static Optional<IdentityType> typeOf(DataType type) {
        if (type.equals(DataTypes.INT)) {
            return Optional.of(IdentityType.INT);
        }
        if (type.equals(DataTypes.BIGINT)) {
            return Optional.of(IdentityType.BIGINT);
        }
        return type.equals(DataTypes.SMALLINT) ? Optional.of(IdentityType.SMALLINT) : Optional.empty();
    }

    private static Optional<IdentityType> typeOf(String cql) {
        return switch (cql) {
            case "smallint" -> Optional.of(IdentityType.SMALLINT);
            case "int" -> Optional.of(IdentityType.INT);
            case "bigint" -> Optional.of(IdentityType.BIGINT);
            default -> Optional.empty();
        };
    }
}
