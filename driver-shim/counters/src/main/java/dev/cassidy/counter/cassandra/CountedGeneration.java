package dev.cassidy.counter.cassandra;

import dev.cassidy.async.Stages;
import dev.cassidy.counter.store.CounterTable;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;

/**
 * One generation of a table of counters: from when it was made or emptied until it is emptied. What is kept outside the table
 * is of it, and so are the names of its actors. So nothing that was kept before is found, and a process that still counts as if
 * it were in an earlier one writes rows that nobody settles, so that they count.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
public final class CountedGeneration {

    private final CountedTable table;
    private final UUID uuid;
    private final BiConsumer<UUID, UUID> ended;

    /** @param ended is told of this generation and the one that has begun since, perhaps more than once */
    public CountedGeneration(CountedTable table, UUID uuid, BiConsumer<UUID, UUID> ended) {
        this.table = table;
        this.uuid = uuid;
        this.ended = ended;
    }

    public UUID uuid() {
        return uuid;
    }

    /** Returns the name under which Cassidy keeps what belongs to it. */
    public String key() {
        return table.key(uuid);
    }

    /** Returns the first part of the names of the actors that hold slots of a datacenter. */
    public String home(String datacenter) {
        return datacenter + suffix();
    }

    /** Returns the datacenter for which {@link #home} returns this; empty if it is of no actor of this generation. */
    public Optional<String> datacenter(String home) {
        return home.endsWith(suffix())
                ? Optional.of(home.substring(0, home.length() - suffix().length()))
                : Optional.empty();
    }

    private String suffix() {
        return "~" + uuid.toString().substring(0, 8);
    }

    /** Fails if it is known that the table is gone; asks nobody. */
    void requireNotGone() {
        table.requireNotGone();
    }

    /** Requires that the table was not emptied since; the stage fails as {@link CountedTable#require} says. */
    public CompletionStage<Void> require() {
        return table.require(uuid).exceptionallyCompose(failure -> {
            // Whatever is done with what was read, it is of no use.
            if (Stages.cause(failure) instanceof CounterTable.Emptied emptied) {
                ended.accept(uuid, emptied.generation());
            }
            return CompletableFuture.failedFuture(failure);
        });
    }
}
