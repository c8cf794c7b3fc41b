package dev.cassidy.table;

import dev.cassidy.definition.TableDefinition;
import dev.cassidy.sequence.IdentityColumn;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a CREATE TABLE in T-SQL declares. Names are internal ones (case-exact, unquoted).
 *
 * @param identity null if no column has IDENTITY
 * @param writes how the table's rows are written; null if that is not said, and it is written as was declared for its name
 */
public record TableDeclaration(
        String keyspace,
        String table,
        TableDefinition definition,
        @Nullable IdentityColumn identity,
        List<ColumnDefault> defaults,
        @Nullable TableWrites writes) {

    public TableDeclaration {
        Objects.requireNonNull(keyspace, "keyspace");
        Objects.requireNonNull(table, "table");
        Objects.requireNonNull(definition, "definition");
        defaults = List.copyOf(defaults);
    }

    /** What a CREATE TABLE declares that does not say how rows are written. */
    public TableDeclaration(
            String keyspace,
            String table,
            TableDefinition definition,
            @Nullable IdentityColumn identity,
            List<ColumnDefault> defaults) {
        this(keyspace, table, definition, identity, defaults, null);
    }
}
