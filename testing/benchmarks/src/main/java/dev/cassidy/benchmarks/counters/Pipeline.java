package dev.cassidy.benchmarks.counters;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Keeps a number of calls in flight. One thread starts them; the answers come on any thread. */
final class Pipeline {

    private final int width;
    private final Semaphore free;
    private final LongAdder succeeded = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private volatile @Nullable Throwable lastFailure;

    Pipeline(int width) {
        this.width = width;
        this.free = new Semaphore(width);
    }

    /** Starts a call as soon as one fewer than {@code width} are in flight. */
    void start(Supplier<? extends CompletionStage<?>> call) {
        free.acquireUninterruptibly();
        CompletionStage<?> unused = call.get().whenComplete((answer, failure) -> {
            if (failure == null) {
                succeeded.increment();
            } else {
                failed.increment();
                lastFailure = failure;
            }
            free.release();
        });
    }

    /** Waits for every answer. */
    void drain() {
        free.acquireUninterruptibly(width);
        free.release(width);
    }

    /** Waits for every answer; refuses to go on if one was a failure. */
    void drainWithoutFailure(String what) {
        drain();
        if (failed() > 0) {
            throw new IllegalStateException(what + ": " + failed() + " calls failed", lastFailure);
        }
    }

    long succeeded() {
        return succeeded.sum();
    }

    long failed() {
        return failed.sum();
    }
}
