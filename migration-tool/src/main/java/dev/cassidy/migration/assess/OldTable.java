package dev.cassidy.migration.assess;

import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.jdbc.run.TableDeclarations;
import dev.cassidy.migration.schema.TableDesign;
import dev.cassidy.migration.schema.TextComparison;
import dev.cassidy.migration.schema.TsqlType;
import dev.cassidy.migration.source.SourceTable;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A table of the old database, with the names and types that {@code cassidy schema} gives it. Immutable.
 *
 * @param columns those that Cassandra has a type for, by internal name
 * @param key the columns of its primary key, in order; empty if it has none, or Cassandra's cannot be that
 * @param indexes the columns of each index that holds every row, in order
 */
record OldTable(Map<String, Column> columns, List<String> key, List<List<String>> indexes) {

    /**
     * A column.
     *
     * @param cql the name of its type in Cassandra
     * @param comparesAlike whether strings that are equal in the source are equal in Cassandra, as the key that {@code cassidy schema}
     *     makes compares them
     * @param definition what the source says of it
     */
    record Column(
            TsqlType type,
            String cql,
            int length,
            int precision,
            int scale,
            boolean comparesAlike,
            ColumnDefinition definition) {

        boolean isText() {
            return cql.equals("text");
        }

        boolean isNumber() {
            return switch (type.kind()) {
                case INTEGER, DECIMAL, REAL, DOUBLE -> true;
                default -> false;
            };
        }

        /** Returns whether the driver computes the column from its own value. */
        boolean isExact() {
            return type.kind() == TsqlType.Kind.INTEGER || type.kind() == TsqlType.Kind.DECIMAL;
        }

        /** Returns whether the column takes a text; false also where only the driver could tell. */
        boolean takes(String text) {
            return isText() && (length <= 0 || text.length() <= length);
        }

        /** Returns whether the column takes a number; false also where only the driver could tell. */
        boolean takes(BigDecimal number) {
            return switch (type.kind()) {
                case INTEGER -> isWithin(number);
                case DECIMAL ->
                    precision > 0
                            && number.scale() <= scale
                            && number.precision() - number.scale() <= precision - scale;
                case REAL, DOUBLE -> number.precision() <= 6;
                default -> false;
            };
        }

        private boolean isWithin(BigDecimal number) {
            if (number.scale() > 0) {
                return false;
            }
            return switch (type.text()) {
                case "tinyint" -> number.signum() >= 0 && number.intValue() < 1 << Byte.SIZE && number.precision() <= 3;
                case "smallint" -> number.abs().compareTo(BigDecimal.valueOf(Short.MAX_VALUE)) <= 0;
                case "int" -> number.abs().compareTo(BigDecimal.valueOf(Integer.MAX_VALUE)) <= 0;
                case "bigint" -> number.abs().compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) <= 0;
                default -> false;
            };
        }
    }

    OldTable {
        columns = Map.copyOf(columns);
        key = List.copyOf(key);
        indexes = List.copyOf(indexes);
    }

    /** @param engine the source's name */
    static OldTable of(String engine, SourceTable table) {
        Map<String, Column> columns = new HashMap<>();
        boolean clashes = false;
        for (SourceTable.Column column : table.columns()) {
            TsqlType type = TsqlType.of(engine, column);
            Optional<String> cql = type.cql();
            if (cql.isPresent() && !column.computed()) {
                Column before = columns.put(
                        TableDeclarations.columnName(column.name()),
                        new Column(
                                type,
                                cql.get(),
                                column.length(),
                                column.precision(),
                                column.scale(),
                                column.comparesCharacters()
                                        || (table.primaryKey().contains(column.name())
                                                && hasTwin(engine, column, type, cql.get())),
                                definition(engine, column, type, cql.get())));
                clashes |= before != null;
            }
        }
        List<String> key = names(table.primaryKey());
        List<List<String>> indexes = table.indexes().stream()
                .filter(index -> index.filter() == null)
                .map(index -> names(index.columns()))
                .toList();
        boolean canBe = !clashes && columns.keySet().containsAll(key);
        return new OldTable(columns, canBe ? key : List.of(), indexes);
    }

    private static ColumnDefinition definition(String engine, SourceTable.Column column, TsqlType type, String cql) {
        String name = TableDeclarations.columnName(column.name());
        TextComparison comparison = TextComparison.of(engine, column, type, null);
        return new TableDesign.DesignedColumn(column, type, name, cql, comparison, null).definition();
    }

    private static boolean hasTwin(String engine, SourceTable.Column column, TsqlType type, String cql) {
        try {
            return TextComparison.of(engine, column, type, null)
                    .twin(definition(engine, column, type, cql))
                    .isPresent();
        } catch (SQLException e) {
            // schema refuses it, and asks for another collation.
            return false;
        }
    }

    /** Returns whether an index finds the column among others that a statement restricts. */
    boolean isIndexed(String column, Collection<String> restricted) {
        return indexes.stream().anyMatch(index -> {
            int at = index.indexOf(column);
            return at >= 0 && restricted.containsAll(index.subList(0, at));
        });
    }

    private static List<String> names(List<String> ofSource) {
        return ofSource.stream().map(TableDeclarations::columnName).toList();
    }
}
