package dev.cassidy.insert;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Says which columns of a table take a sequence's ids. Implementations are safe for use by many threads and never block. A
 * stage is already complete when the answer is known.
 *
 * <p>Names are internal (case-exact, unquoted); a null keyspace is the session's own.
 */
public interface IdentityCatalog {

    /** Looks up the column that is registered as a table's identity. */
    CompletionStage<Optional<Identity>> find(@Nullable String keyspace, String table);

    /**
     * Looks up all columns of a table in which a value of another origin could overwrite a row: its identity, and the columns
     * of its primary key with DEFAULT NEXT VALUE FOR a sequence. The first of them is the table's generated key.
     */
    CompletionStage<List<Identity>> drawn(@Nullable String keyspace, String table);
}
