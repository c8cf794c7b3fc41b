package dev.cassidy.insert;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Says which column of a table is its identity. Implementations are safe for use by many threads and never block. */
@FunctionalInterface
public interface IdentityCatalog {

    /**
     * Looks a table's identity up. The stage is already complete when the answer is known.
     *
     * @param keyspace the keyspace's internal (case-exact, unquoted) name; null for the session's own keyspace
     * @param table the table's internal name
     */
    CompletionStage<Optional<Identity>> find(@Nullable String keyspace, String table);
}
