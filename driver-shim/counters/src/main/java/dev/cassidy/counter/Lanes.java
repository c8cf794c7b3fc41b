package dev.cassidy.counter;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The lanes of all counters that this process increments. Safe for use by many threads; nothing blocks. */
final class Lanes {

    /** With more counters in memory than this, those that rest are forgotten. */
    private static final int MAX_LANES = 100_000;

    private static final Duration LOOK = Duration.ofMillis(10);

    private final Lane.Settings settings;
    private final Function<String, Lane.Writer> writers;
    private final Map<String, Lane> lanes = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /** @param writers makes the writer of a counter */
    Lanes(KindContext context, Function<String, Lane.Writer> writers) {
        CountersConfig config = context.config();
        this.settings =
                new Lane.Settings(config.kind(), config.incrementTimeout(), context.timer(), context.nanoTime());
        this.writers = writers;
    }

    /** Adds an increment. */
    CompletionStage<Void> add(String counter, long delta) {
        if (closed) {
            return CompletableFuture.failedFuture(new IllegalStateException("the counters are closed"));
        }
        if (lanes.size() >= MAX_LANES) {
            forgetIdle();
        }
        @Nullable CompletionStage<Void> told;
        do {
            told = lanes.computeIfAbsent(counter, name -> new Lane(name, writers.apply(name), settings))
                    .add(delta);
        } while (told == null);
        return told;
    }

    /** Forgets the counters that rest, and what their writers know. */
    void forgetIdle() {
        lanes.values().removeIf(Lane::retire);
    }

    /** Refuses further increments, and completes when the ones before have ended. */
    CompletionStage<Void> close() {
        closed = true;
        return quiet();
    }

    /** Completes when nothing is being written. */
    CompletionStage<Void> quiet() {
        CompletableFuture<Void> quiet = new CompletableFuture<>();
        awaitQuiet(quiet);
        return quiet;
    }

    private void awaitQuiet(CompletableFuture<Void> quiet) {
        if (lanes.values().stream().allMatch(Lane::isIdle)) {
            quiet.complete(null);
        } else {
            settings.timer().schedule(() -> awaitQuiet(quiet), LOOK);
        }
    }

    /** Tells every caller that still waits that this process gives up. */
    void abandon() {
        long never = settings.nanoTime().getAsLong() + 2 * settings.timeout().toNanos();
        lanes.values().forEach(lane -> lane.expire(never));
    }
}
