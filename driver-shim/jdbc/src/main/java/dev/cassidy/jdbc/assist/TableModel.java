package dev.cassidy.jdbc.assist;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * A table as a statement sees it.
 *
 * @param keyspace internal name
 * @param name internal name
 * @param columns all that statements may name, in the order of {@code SELECT *}
 * @param partitionKey the names of its columns, in order
 * @param clustering the names of the clustering columns, in order; with the partition key they are the primary key
 * @param small whether its contract says that all of its rows may be read
 */
public record TableModel(
        String keyspace,
        String name,
        List<ColumnModel> columns,
        List<String> partitionKey,
        List<String> clustering,
        boolean small) {

    public TableModel {
        Objects.requireNonNull(keyspace, "keyspace");
        Objects.requireNonNull(name, "name");
        columns = List.copyOf(columns);
        partitionKey = List.copyOf(partitionKey);
        clustering = List.copyOf(clustering);
    }

    /** Returns a column as a statement names it: without regard to case, as T-SQL's identifiers are. */
    public Optional<ColumnModel> column(String written) {
        String name = written.toLowerCase(Locale.ROOT);
        return columns.stream()
                .filter(column -> column.name().toLowerCase(Locale.ROOT).equals(name))
                .findFirst();
    }

    /** Returns the name as CQL shows it. */
    public String qualified() {
        return keyspace + "." + name;
    }
}
