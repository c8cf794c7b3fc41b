package dev.cassidy.table;

import dev.cassidy.definition.TableDefinition;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.table.TableWrites.Exact;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a CREATE TABLE in T-SQL declares. Names are internal ones (case-exact, unquoted).
 *
 * @param identity null if no column has IDENTITY
 * @param exact who decides the order of the table's writes; null if it is not made exact, and is written as was declared for its name
 */
public record TableDeclaration(
        String keyspace,
        String table,
        TableDefinition definition,
        @Nullable IdentityColumn identity,
        List<ColumnDefault> defaults,
        @Nullable Exact exact) {

    public TableDeclaration {
        Objects.requireNonNull(keyspace, "keyspace");
        Objects.requireNonNull(table, "table");
        Objects.requireNonNull(definition, "definition");
        defaults = List.copyOf(defaults);
    }

    /** What a CREATE TABLE declares that does not make its table exact. */
    public TableDeclaration(
            String keyspace,
            String table,
            TableDefinition definition,
            @Nullable IdentityColumn identity,
            List<ColumnDefault> defaults) {
        this(keyspace, table, definition, identity, defaults, null);
    }
}
