package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.TableDefinition;
import java.util.List;
import java.util.Optional;

/**
 * A table with what T-SQL has said of it.
 *
 * @param definition of this table, and of no other that had its name
 */
public record DeclaredTable(TableMetadata table, TableDefinition definition) {

    /** Returns the internal names of the table's columns, in the order in which they were declared. */
    public List<String> columns() {
        return definition.ordered(table.getColumns().keySet().stream()
                .map(CqlIdentifier::asInternal)
                .toList());
    }

    /** Returns what was said of a column. */
    public Optional<ColumnDefinition> column(String name) {
        return definition.column(name);
    }

    /** Returns the name of a column as it was declared. */
    public String label(String name) {
        return column(name).map(ColumnDefinition::label).orElse(name);
    }

    /** Returns whether a column has a value in each row, by its definition or because it belongs to the key. */
    public boolean isRequired(String name) {
        return column(name).filter(ColumnDefinition::required).isPresent()
                || table.getPrimaryKey().stream()
                        .anyMatch(key -> key.getName().asInternal().equals(name));
    }
}
