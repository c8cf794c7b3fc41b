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
 */
public record TableDeclaration(
        String keyspace,
        String table,
        TableDefinition definition,
        @Nullable IdentityColumn identity,
        List<ColumnDefault> defaults) {

    public TableDeclaration {
        Objects.requireNonNull(keyspace, "keyspace");
        Objects.requireNonNull(table, "table");
        Objects.requireNonNull(definition, "definition");
        defaults = List.copyOf(defaults);
    }
}
