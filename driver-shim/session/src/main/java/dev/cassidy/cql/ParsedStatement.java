package dev.cassidy.cql;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.ColumnDefinition;
import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import dev.cassidy.insert.CqlChange;
import dev.cassidy.insert.CqlInsert;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A statement, as far as it was parsed.
 *
 * @param insert the insert that it is; empty for any other statement
 * @param batched the tables that the inserts of a BEGIN BATCH write to
 * @param changes what the statement changes, in any keyspace
 */
record ParsedStatement(Optional<CqlInsert> insert, List<CqlInsert.Table> batched, List<CqlChange> changes) {

    static ParsedStatement of(String cql) {
        Optional<CqlInsert> insert = CqlInsert.recognise(cql);
        return new ParsedStatement(
                insert, insert.isPresent() ? List.of() : CqlInsert.tablesOfBatch(cql), CqlChange.of(cql));
    }

    /** As {@link #keyspace(CqlInsert, CqlIdentifier)}; null also for a statement that is no insert. */
    @Nullable
    String keyspace(@Nullable CqlIdentifier given) {
        return insert.isEmpty() ? null : keyspace(insert.get(), given);
    }

    /**
     * Returns the keyspace of an insert's table; null for the session's own.
     *
     * @param given the keyspace of the statement or request; an insert that names its keyspace does not use it
     */
    static @Nullable String keyspace(CqlInsert insert, @Nullable CqlIdentifier given) {
        return insert.keyspace().orElse(given == null ? null : given.asInternal());
    }

    /** Returns the keyspace of a bound insert's table; null if nothing but the session's own keyspace is known. */
    static @Nullable String keyspace(CqlInsert insert, BoundStatement statement) {
        ColumnDefinitions variables = statement.getPreparedStatement().getVariableDefinitions();
        return insert.keyspace()
                .orElse(
                        variables.size() == 0
                                ? null
                                : variables.get(0).getKeyspace().asInternal());
    }

    /** Returns the tables of a BEGIN BATCH, in the given keyspace where the statement names none. */
    List<CqlInsert.Table> batched(@Nullable CqlIdentifier given) {
        String keyspace = given == null ? null : given.asInternal();
        return batched.stream()
                .map(table -> table.keyspace() == null ? new CqlInsert.Table(keyspace, table.name()) : table)
                .toList();
    }

    /** Returns the tables of a BEGIN BATCH that was prepared. */
    List<CqlInsert.Table> batched(BoundStatement statement) {
        ColumnDefinitions variables = statement.getPreparedStatement().getVariableDefinitions();
        return batched.stream()
                .map(table -> table.keyspace() == null ? qualified(table, variables) : table)
                .toList();
    }

    /**
     * Returns the table in the keyspace that its variables name. That is the keyspace in which the statement was prepared;
     * the session's own may have changed since.
     */
    private static CqlInsert.Table qualified(CqlInsert.Table table, ColumnDefinitions variables) {
        for (ColumnDefinition variable : variables) {
            if (variable.getTable().asInternal().equals(table.name())) {
                return new CqlInsert.Table(variable.getKeyspace().asInternal(), table.name());
            }
        }
        return table;
    }
}
