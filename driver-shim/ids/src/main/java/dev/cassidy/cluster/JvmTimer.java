package dev.cassidy.cluster;

import dev.cassidy.async.Timer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The timer of one instance, on the one thread that all instances of this JVM share. The thread ends when nothing is
 * scheduled any more; an instance's tasks are dropped when the instance is closed.
 */
public final class JvmTimer implements Timer, AutoCloseable {

    private static final ScheduledThreadPoolExecutor THREAD = thread();

    private final Set<Task> scheduled = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    private static ScheduledThreadPoolExecutor thread() {
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "cassidy");
            thread.setDaemon(true);
            // Not the class loader of the application whose instance happened to be the first.
            thread.setContextClassLoader(JvmTimer.class.getClassLoader());
            return thread;
        });
        executor.setRemoveOnCancelPolicy(true);
        executor.setKeepAliveTime(10, TimeUnit.SECONDS);
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    private final class Task implements Runnable {

        private final Runnable work;
        private final AtomicReference<Future<?>> future = new AtomicReference<>();

        Task(Runnable work) {
            this.work = work;
        }

        @Override
        public void run() {
            scheduled.remove(this);
            if (!closed) {
                work.run();
            }
        }
    }

    @Override
    public void schedule(Runnable work, Duration delay) {
        if (closed) {
            return;
        }
        Task task = new Task(work);
        scheduled.add(task);
        task.future.set(THREAD.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS));
        if (closed) {
            close();
        }
    }

    /** Scheduled tasks no longer run. */
    @Override
    public void close() {
        closed = true;
        scheduled.forEach(task -> {
            Future<?> future = task.future.get();
            if (future != null) {
                future.cancel(false);
            }
        });
        scheduled.clear();
    }
}
