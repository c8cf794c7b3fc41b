package dev.cassidy.cql;

import dev.cassidy.cql.IdentityInsertException.Reason;
import dev.cassidy.definition.TableDefinition;
import dev.cassidy.definition.Twin;
import dev.cassidy.insert.Identifiers;
import dev.cassidy.insert.Identity;
import dev.cassidy.insert.Renamed;
import dev.cassidy.remedy.Remedy;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Refuses to rename a column of which something is declared: that goes by the name, and would be lost. Never blocks. */
final class Renames {

    private final TableCatalog catalog;
    private final BiFunction<String, String, CompletionStage<Optional<TableDefinition>>> definitions;

    /** @param definitions by keyspace and table */
    Renames(TableCatalog catalog, BiFunction<String, String, CompletionStage<Optional<TableDefinition>>> definitions) {
        this.catalog = catalog;
        this.definitions = definitions;
    }

    /** @param unqualified the keyspace of a table that is named without one; null if there is none */
    CompletionStage<Void> refuse(Renamed renamed, @Nullable String unqualified) {
        String named = renamed.table().keyspace();
        String keyspace = named == null ? unqualified : named;
        if (keyspace == null) {
            // The server refuses the statement.
            return CompletableFuture.completedFuture(null);
        }
        String table = renamed.table().name();
        return catalog.find(keyspace, table).thenCompose(identity -> catalog.defaults(keyspace, table)
                .thenCompose(defaults -> definitions.apply(keyspace, table).thenAccept(definition -> {
                    for (String column : renamed.columns()) {
                        if (identity.map(Identity::column)
                                .filter(column::equals)
                                .isPresent()) {
                            throw lost(keyspace, table, column, "its identity");
                        }
                        if (Twin.isOne(column) && defaults.stream().anyMatch(each -> column.equals(each.column()))) {
                            throw lost(keyspace, table, column, "by what rows are found");
                        }
                        if (defaults.stream().anyMatch(each -> column.equals(each.column()))) {
                            throw lost(keyspace, table, column, "its default");
                        }
                        if (definition.flatMap(known -> known.column(column)).isPresent()) {
                            throw declared(keyspace, table, column);
                        }
                    }
                })));
    }

    private static IdentityInsertException lost(String keyspace, String table, String column, String what) {
        return new IdentityInsertException(
                Reason.RENAME,
                refused(keyspace, table, column) + what
                        + " would be lost. Create a new table with the new name, and copy the rows");
    }

    private static IdentityInsertException declared(String keyspace, String table, String column) {
        return new IdentityInsertException(
                Reason.RENAME,
                refused(keyspace, table, column)
                        + "what T-SQL has declared of it would be lost. Create a new table with the new name, and copy the"
                        + " rows; or stop the writers, rename it by cqlsh, and declare it again",
                new Remedy.AdoptTable(keyspace, table));
    }

    private static String refused(String keyspace, String table, String column) {
        return "ALTER TABLE " + Identifiers.toCql(keyspace) + "." + Identifiers.toCql(table) + " RENAME "
                + Identifiers.toCql(column) + " is not served: ";
    }
}
