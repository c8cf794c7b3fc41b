package dev.cassidy.async;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Looks up what is not known, in case it was made a moment ago: each name at most once a second. Whoever asks within that second
 * shares the answer, also while it is awaited. The names come from statements, so only a limited number is remembered. Safe for
 * use by many threads.
 */
public final class LookUps<K> {

    static final int MAX_NAMES = 10_000;
    static final Duration PAUSE = Duration.ofSeconds(1);

    private final LongSupplier nanoTime;
    private final ConcurrentMap<K, LookUp> begun = new ConcurrentHashMap<>();

    private record LookUp(long at, CompletableFuture<Void> answered) {}

    public LookUps(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * Looks a name up, unless that was begun less than a second ago.
     *
     * @return a stage that ends with the look-up, and never fails
     */
    public CompletionStage<Void> lookUp(K name, Supplier<? extends CompletionStage<?>> how) {
        LookUp mine = new LookUp(nanoTime.getAsLong(), new CompletableFuture<>());
        if (begun.size() >= MAX_NAMES) {
            // One look too many, of names that were looked up just now, does no harm.
            begun.clear();
        }
        LookUp current = begun.compute(
                name, (same, before) -> before != null && mine.at() - before.at() < PAUSE.toNanos() ? before : mine);
        if (current.answered() == mine.answered()) {
            begin(how).whenComplete((answer, failure) -> mine.answered().complete(null));
        }
        return current.answered().copy();
    }

    private static CompletionStage<?> begin(Supplier<? extends CompletionStage<?>> how) {
        try {
            return how.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Returns how many names are remembered. */
    int size() {
        return begun.size();
    }
}
