package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import dev.cassidy.sequence.IdentityType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What an identity needs to know of a table. Columns go by their internal names. */
sealed interface TableShape {

    /** Returns the type of an integer column; empty for other columns and for none. */
    Optional<IdentityType> integerType(String column);

    /** Returns the only column of the primary key, if it is one and an integer. */
    Optional<String> soleIntegerKey();

    /** As the driver's schema metadata has it. */
    record FromMetadata(TableMetadata table) implements TableShape {
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
    }

    /** As the rows of {@code system_schema.columns} have it. */
    record FromRows(Map<String, IdentityType> integers, List<String> primaryKey) implements TableShape {

        static FromRows of(Iterable<Row> columns) {
            Map<String, IdentityType> integers = new HashMap<>();
            List<String> primaryKey = new ArrayList<>();
            for (Row column : columns) {
                String name = String.valueOf(column.getString("column_name"));
                String kind = String.valueOf(column.getString("kind"));
                typeOf(String.valueOf(column.getString("type"))).ifPresent(type -> integers.put(name, type));
                if (kind.equals("partition_key") || kind.equals("clustering")) {
                    primaryKey.add(name);
                }
            }
            return new FromRows(Map.copyOf(integers), List.copyOf(primaryKey));
        }

        @Override
        public Optional<IdentityType> integerType(String column) {
            return Optional.ofNullable(integers.get(column));
        }

        @Override
        public Optional<String> soleIntegerKey() {
            return primaryKey.size() == 1 && integers.containsKey(primaryKey.get(0))
                    ? Optional.of(primaryKey.get(0))
                    : Optional.empty();
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
