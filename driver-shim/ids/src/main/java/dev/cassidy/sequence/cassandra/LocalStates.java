package dev.cassidy.sequence.cassandra;

import dev.cassidy.sequence.protocol.SequenceRegistry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongSupplier;

/**
 * This datacenter's copies of sequences, each remembered for a watch interval once it is ready, unless it is forgotten
 * earlier. A floor can only be higher than remembered.
 *
 * <p>Safe for use by many threads; nothing blocks.
 */
final class LocalStates {

    private final SequenceRegistry registry;
    private final Duration watchInterval;
    private final LongSupplier nanoTime;
    private final ConcurrentMap<String, Remembered> copies = new ConcurrentHashMap<>();

    private record Remembered(SequenceState state, long at) {}

    LocalStates(SequenceRegistry registry, Duration watchInterval, LongSupplier nanoTime) {
        this.registry = registry;
        this.watchInterval = watchInterval;
        this.nanoTime = nanoTime;
    }

    /** Returns the state of a sequence without its {@code next}, which this datacenter's copy does not have. */
    CompletionStage<SequenceState> find(String name) {
        Remembered known = copies.get(name);
        if (known != null && nanoTime.getAsLong() - known.at() < watchInterval.toNanos()) {
            return CompletableFuture.completedFuture(known.state());
        }
        return registry.newestEntry(name).thenApply(entry -> {
            SequenceState state = SequenceState.of(entry).withoutNext();
            // A sequence that is not ready allows every explicit id, so that state must not be remembered.
            if (state.ready()) {
                copies.put(name, new Remembered(state, nanoTime.getAsLong()));
            }
            return state;
        });
    }

    void forget(String name) {
        copies.remove(name);
    }

    void forgetAll() {
        copies.clear();
    }
}
