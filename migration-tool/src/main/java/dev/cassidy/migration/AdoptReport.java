package dev.cassidy.migration;

import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.SqlType;
import dev.cassidy.jdbc.run.TableDeclarations;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of {@code tables adopt}.
 *
 * @param id Cassandra's id of the table
 * @param columns in their order
 * @param constraints as they were declared
 * @param result {@code adopted} or {@code unchanged}
 */
record AdoptReport(
        String command,
        int exitCode,
        String keyspace,
        String table,
        String id,
        List<Column> columns,
        List<String> constraints,
        String result)
        implements Report {

    /**
     * A column.
     *
     * @param type of T-SQL; null if Cassandra's says all that is known
     * @param collation null if none is known
     */
    record Column(
            String name,
            String label,
            @Nullable String type,
            boolean required,
            @Nullable String collation) {

        static Column of(ColumnDefinition column) {
            return new Column(
                    column.name(),
                    column.label(),
                    column.type() == null ? null : column.type().toString(),
                    column.required(),
                    column.collation().isEmpty() ? null : column.collation());
        }

        /** Returns the column as {@code --columns} takes it. */
        String text() {
            return TableDeclarations.written(new ColumnDefinition(
                    name,
                    label,
                    type == null ? null : SqlType.parse(type).orElseThrow(),
                    required,
                    collation == null ? "" : collation));
        }
    }

    AdoptReport {
        columns = List.copyOf(columns);
        constraints = List.copyOf(constraints);
    }

    @Override
    public String text() {
        StringBuilder text = new StringBuilder("contract of ")
                .append(keyspace)
                .append('.')
                .append(table)
                .append(": ")
                .append(result)
                .append('\n');
        columns.forEach(column -> text.append("  ").append(column.text()).append('\n'));
        constraints.forEach(constraint -> text.append("  ").append(constraint).append('\n'));
        return text.toString();
    }
}
