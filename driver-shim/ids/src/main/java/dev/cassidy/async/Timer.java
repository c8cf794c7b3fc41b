package dev.cassidy.async;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Runs a task later, on a thread that may not be blocked. Injected, so that a simulation can control the time. */
@FunctionalInterface
public interface Timer {
    void schedule(Runnable task, Duration delay);

    /** Returns a stage that completes after {@code delay}. */
    default CompletionStage<Void> after(Duration delay) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        schedule(() -> over.complete(null), delay);
        return over;
    }
}
