package dev.cassidy.cql;

import com.datastax.dse.driver.api.core.cql.reactive.ReactiveResultSet;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import dev.cassidy.sequence.IdentityType;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The identities of the rows that an insert, or a batch of them, wrote. As with SQL Server's {@code SCOPE_IDENTITY()} an
 * id that the statement gave explicitly is among them. A conditional insert that was not applied has none.
 *
 * @param keys one for each identity insert, in the order of the statements
 */
public record GeneratedKeys(List<Key> keys) {

    /**
     * One row's identity. The names are in their internal form.
     *
     * @param id fits {@code type}
     * @param generated false if the statement gave the id explicitly
     */
    public record Key(
            String keyspace,
            String table,
            String column,
            IdentityType type,
            String sequence,
            long id,
            boolean generated) {}

    static final GeneratedKeys NONE = new GeneratedKeys(List.of());

    public GeneratedKeys {
        keys = List.copyOf(keys);
    }

    /** Returns the keys of what was executed; empty for everything but identity inserts through an IdentitySession. */
    public static GeneratedKeys of(ResultSet result) {
        return result instanceof KeyedResultSet keyed ? keyed.keys() : NONE;
    }

    /** Returns the keys of what was executed; empty for everything but identity inserts through an IdentitySession. */
    public static GeneratedKeys of(AsyncResultSet result) {
        return result instanceof KeyedAsyncResultSet keyed ? keyed.keys() : NONE;
    }

    /**
     * Returns a stage with the keys of the statement that runs when {@code result} is subscribed to. It completes, or fails as
     * the publisher does, when Cassandra has answered: before the subscriber's {@code onComplete}. Without a subscriber it
     * never completes.
     *
     * <p>Empty also if the result is not the session's own, because telemetry outside the IdentitySession executes a reactive
     * statement by {@code executeAsync} and makes a result of its own, as OpenTelemetry's {@code CassandraTelemetry} does. Give
     * such telemetry the driver's session, and wrap what it returns.
     */
    public static CompletionStage<GeneratedKeys> of(ReactiveResultSet result) {
        return result instanceof KeyedReactiveResultSet keyed ? keyed.keys() : CompletableFuture.completedStage(NONE);
    }

    public boolean isEmpty() {
        return keys.isEmpty();
    }

    /** Returns the ids in the order of the statements. */
    public List<Long> ids() {
        return keys.stream().map(Key::id).toList();
    }

    /**
     * Returns the identity column's internal name: the first key's, where a batch wrote to several tables.
     *
     * @throws java.util.NoSuchElementException if there is no key
     */
    public String column() {
        return keys.stream().findFirst().orElseThrow().column();
    }

    /**
     * Returns the identity column's type: the first key's, where a batch wrote to several tables.
     *
     * @throws java.util.NoSuchElementException if there is no key
     */
    public IdentityType type() {
        return keys.stream().findFirst().orElseThrow().type();
    }
}
