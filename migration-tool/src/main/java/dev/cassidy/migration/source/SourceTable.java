package dev.cassidy.migration.source;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A table of the source as its catalogue describes it. All names are as the source keeps them.
 *
 * @param columns in the table's own order
 * @param primaryKey names of its columns in the order of the key; empty without a primary key
 * @param indexes all but the primary key's own, ordered by name
 * @param foreignKeys those that point from this table to another one, ordered by name
 */
public record SourceTable(
        String schema,
        String name,
        List<Column> columns,
        List<String> primaryKey,
        List<Index> indexes,
        List<ForeignKey> foreignKeys) {

    public SourceTable {
        Objects.requireNonNull(schema, "schema");
        Objects.requireNonNull(name, "name");
        columns = List.copyOf(columns);
        primaryKey = List.copyOf(primaryKey);
        indexes = List.copyOf(indexes);
        foreignKeys = List.copyOf(foreignKeys);
    }

    /** Returns {@code schema.table}. */
    public String qualifiedName() {
        return schema + "." + name;
    }

    /** Returns the column of exactly that name. */
    public Optional<Column> column(String wanted) {
        return columns.stream().filter(column -> column.name().equals(wanted)).findFirst();
    }

    /**
     * A column.
     *
     * @param type the name of the base type in the source's own words and in lower case, for example {@code datetime2};
     *     a column of an alias type has the type under it
     * @param length of texts in characters and of binaries in bytes, -1 for {@code max} and without a limit; 0 for other
     *     types
     * @param precision decimal digits of a number; 0 if the type has none
     * @param scale digits after the point of a number, or of a second's fraction
     * @param defaultExpression as the source keeps it, for example {@code ((0))} or {@code (getdate())}; null without one
     * @param collation of a text; null for other types, or if the engine does not say
     * @param identity whether the source fills it with ids
     * @param computed whether the source computes it and takes no value for it: computed columns and rowversion
     * @param comparesCharacters of a text, whether none is equal to another one that has other characters; false also if that is
     *     not known, and of SQL Server, where the collation says it
     */
    public record Column(
            String name,
            String type,
            int length,
            int precision,
            int scale,
            boolean nullable,
            @Nullable String defaultExpression,
            @Nullable String collation,
            boolean identity,
            boolean computed,
            boolean comparesCharacters) {

        public Column {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(type, "type");
        }

        /** A column of which its collation says what is equal, if anything does. */
        public Column(
                String name,
                String type,
                int length,
                int precision,
                int scale,
                boolean nullable,
                @Nullable String defaultExpression,
                @Nullable String collation,
                boolean identity,
                boolean computed) {
            this(
                    name,
                    type,
                    length,
                    precision,
                    scale,
                    nullable,
                    defaultExpression,
                    collation,
                    identity,
                    computed,
                    false);
        }
    }

    /**
     * An index.
     *
     * @param columns of its key, in the key's order; expressions and included columns are left out
     * @param filter the condition of a filtered index; null without one
     */
    public record Index(
            String name,
            boolean unique,
            List<String> columns,
            @Nullable String filter) {

        public Index {
            Objects.requireNonNull(name, "name");
            columns = List.copyOf(columns);
        }
    }

    /**
     * A foreign key.
     *
     * @param columns of this table, each beside its column in {@code referencedColumns}
     */
    public record ForeignKey(
            String name,
            List<String> columns,
            String referencedSchema,
            String referencedTable,
            List<String> referencedColumns) {

        public ForeignKey {
            Objects.requireNonNull(name, "name");
            columns = List.copyOf(columns);
            referencedColumns = List.copyOf(referencedColumns);
        }
    }
}
