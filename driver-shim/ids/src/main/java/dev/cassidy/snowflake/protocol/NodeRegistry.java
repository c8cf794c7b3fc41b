package dev.cassidy.snowflake.protocol;

import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.protocol.Retries;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.store.NodeLedger;
import dev.cassidy.snowflake.store.NodeShare;
import dev.cassidy.snowflake.store.NodeStore;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Which time-ordered sequences there are: created once in the global keyspace, copied into each datacenter that joins,
 * destroyed for ever. Every change is a compare-and-set, judged by the next look, so each may be run again.
 */
final class NodeRegistry {

    private final NodeStore store;
    private final SnowflakeContext context;

    NodeRegistry(NodeStore store, SnowflakeContext context) {
        this.store = store;
        this.context = context;
    }

    /** Returns this datacenter's copy of the sequence; without one, the copy is made, and the sequence if need be. */
    CompletionStage<NodeShare> share(SnowflakeSpec spec) {
        return share(spec, context.retries("joining sequence " + spec.name(), context.timeout()));
    }

    private CompletionStage<NodeShare> share(SnowflakeSpec spec, Retries retries) {
        return retries.orAgain(
                store.share(spec.name()),
                found -> {
                    if (found.isEmpty()) {
                        return join(spec, retries);
                    }
                    requireSame(spec, found.get().spec());
                    requireAlive(spec.name(), found.get().destroyed());
                    return CompletableFuture.completedFuture(found.get());
                },
                () -> share(spec, retries));
    }

    private CompletionStage<NodeShare> join(SnowflakeSpec spec, Retries retries) {
        return retries.orAgain(
                store.ledger(spec.name()),
                found -> {
                    if (found.isEmpty()) {
                        return retries.orAgain(
                                store.create(spec),
                                outcome -> look(spec, outcome, retries),
                                () -> share(spec, retries));
                    }
                    requireSame(spec, found.get().spec());
                    requireAlive(spec.name(), found.get().destroyed());
                    return retries.orAgain(
                            store.highestGrant(spec.name()).thenCompose(grant -> store.join(spec, grant)),
                            outcome -> look(spec, outcome, retries),
                            () -> share(spec, retries));
                },
                () -> share(spec, retries));
    }

    /** Whatever the outcome, only the next look tells what is stored. */
    private CompletionStage<NodeShare> look(SnowflakeSpec spec, ClaimOutcome outcome, Retries retries) {
        return outcome instanceof ClaimOutcome.Claimed
                ? share(spec, retries)
                : retries.again(() -> share(spec, retries));
    }

    /** Finds the sequence's specification, in this datacenter or, if it has not joined, in the global keyspace. */
    CompletionStage<Optional<SnowflakeSpec>> find(String name) {
        return find(name, context.retries("reading sequence " + name, context.timeout()));
    }

    private CompletionStage<Optional<SnowflakeSpec>> find(String name, Retries retries) {
        return retries.orAgain(
                store.share(name),
                here -> here.isPresent()
                        ? CompletableFuture.completedFuture(here.map(NodeShare::spec))
                        : retries.orAgain(
                                store.ledger(name),
                                found -> CompletableFuture.completedFuture(found.map(NodeLedger::spec)),
                                () -> find(name, retries)),
                () -> find(name, retries));
    }

    /** Destroys the sequence; a no-op if it is destroyed. Fails if there is none. */
    CompletionStage<Void> destroy(String name) {
        return destroy(name, context.retries("destroying sequence " + name, context.timeout()));
    }

    private CompletionStage<Void> destroy(String name, Retries retries) {
        return retries.orAgain(
                store.ledger(name),
                found -> {
                    if (found.isEmpty()) {
                        return CompletableFuture.failedFuture(notFound(name));
                    }
                    // The global mark first: it is what every other datacenter learns from.
                    return found.get().destroyed()
                            ? destroyHere(name, retries)
                            : retries.orAgain(
                                    store.destroy(found.get()),
                                    outcome -> outcome instanceof ClaimOutcome.Claimed
                                            ? destroyHere(name, retries)
                                            : retries.again(() -> destroy(name, retries)),
                                    () -> destroy(name, retries));
                },
                () -> destroy(name, retries));
    }

    private CompletionStage<Void> destroyHere(String name, Retries retries) {
        return retries.orAgain(
                store.share(name),
                found -> {
                    if (found.isEmpty() || found.get().destroyed()) {
                        return CompletableFuture.completedFuture(null);
                    }
                    return retries.orAgain(
                            store.destroyHere(name),
                            outcome -> outcome instanceof ClaimOutcome.Claimed
                                    ? CompletableFuture.completedFuture(null)
                                    : retries.again(() -> destroyHere(name, retries)),
                            () -> destroyHere(name, retries));
                },
                () -> destroyHere(name, retries));
    }

    static SequenceException notFound(String name) {
        return new SequenceException.NotFound(
                "there is no time-ordered sequence " + name + ": Sequences.create(SnowflakeSpec) creates it");
    }

    static SequenceException destroyed(String name) {
        return new SequenceException.Destroyed("sequence " + name + " was destroyed, for ever: its name is never used"
                + " again, so that no id can be issued twice. Take another name");
    }

    static void requireSame(SnowflakeSpec asked, SnowflakeSpec stored) {
        if (!asked.equals(stored)) {
            throw new SequenceException.Conflict("sequence " + asked.name()
                    + " exists with another configuration, which must be the same on every node: stored " + stored
                    + ", asked " + asked);
        }
    }

    private static void requireAlive(String name, boolean destroyed) {
        if (destroyed) {
            throw destroyed(name);
        }
    }
}
