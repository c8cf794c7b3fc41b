package dev.cassidy.migration.plan;

import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Runs the same step for many tables, several at once. After a failure, or when the thread that waits is interrupted, no
 * further step begins; those that have begun end.
 */
public final class Steps {

    private final int parallelism;

    /** @param parallelism how many steps run at once, at least 1 */
    public Steps(int parallelism) {
        if (parallelism < 1) {
            throw new IllegalArgumentException("must be > 0: parallelism=" + parallelism);
        }
        this.parallelism = parallelism;
    }

    /**
     * Runs {@code step} for each of {@code items}, in their order as far as several at once have one.
     *
     * @throws RuntimeException the first failure in the order of {@code items}
     * @throws MigrationException {@link ExitCode#INTERRUPTED} if the thread was interrupted
     */
    public <T> void forEach(List<T> items, Consumer<T> step) {
        MigrationException.throwIfInterrupted();
        if (items.isEmpty()) {
            return;
        }
        AtomicBoolean stopped = new AtomicBoolean();
        ExecutorService pool = Executors.newFixedThreadPool(Math.min(parallelism, items.size()), task -> {
            Thread thread = new Thread(task, "migration-step");
            thread.setDaemon(true);
            return thread;
        });
        List<Future<?>> running = new ArrayList<>();
        for (T item : items) {
            running.add(pool.submit(() -> {
                if (stopped.get()) {
                    return;
                }
                try {
                    step.accept(item);
                } catch (RuntimeException | Error e) {
                    stopped.set(true);
                    throw e;
                }
            }));
        }
        pool.shutdown();
        await(running, stopped);
    }

    private static void await(List<Future<?>> running, AtomicBoolean stopped) {
        Throwable first = null;
        boolean interrupted = false;
        for (Future<?> each : running) {
            boolean done = false;
            while (!done) {
                try {
                    each.get();
                    done = true;
                } catch (InterruptedException e) {
                    // What has begun is awaited all the same: its outcome belongs to the report.
                    interrupted = true;
                    stopped.set(true);
                } catch (ExecutionException e) {
                    first = first == null ? e.getCause() : first;
                    done = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (first instanceof Error error) {
            throw error;
        }
        if (first != null) {
            throw (RuntimeException) first;
        }
        MigrationException.throwIfInterrupted();
    }
}
