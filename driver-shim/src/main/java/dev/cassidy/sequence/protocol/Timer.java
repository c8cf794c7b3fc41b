package dev.cassidy.sequence.protocol;

import java.time.Duration;

/** Runs a task later, on a thread that may not be blocked. Injected, so that a simulation can own the time. */
@FunctionalInterface
public interface Timer {
    void schedule(Runnable task, Duration delay);
}
