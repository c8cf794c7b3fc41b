package dev.cassidy.cluster;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The JVM's shutdown hook: on SIGTERM, and whenever else the process exits without closing what it opened, as programs on a JDBC
 * driver do, it calls {@link ProcessHooks#onExit} of everything that is open, which gives unused ids back. There is one hook for
 * the whole process; it keeps no instance from being collected. All hooks of a JVM run at the same time, so this one waits for
 * those that still serve requests: each has a {@link Hold}.
 */
public final class ExitHook {

    public static final ExitHook INSTANCE = new ExitHook(System::nanoTime);

    private static final Logger LOG = LoggerFactory.getLogger(ExitHook.class);

    /** The sender of SIGTERM sends SIGKILL next; a few ids are not worth being killed for. */
    private static final Duration MAX_WAIT = Duration.ofSeconds(2);

    /** How long a holder may take until it begins to end. One that no hook ends never begins. */
    private static final Duration BEGIN = Duration.ofSeconds(2);

    /** How long all holders may take, as Spring Boot allows. */
    private static final Duration LONGEST = Duration.ofMinutes(10);

    private final LongSupplier nanoTime;
    private final Set<Hold> holds = new HashSet<>();
    private final Map<ProcessHooks, Boolean> open = new WeakHashMap<>();
    private boolean registered;

    ExitHook(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    public synchronized void add(ProcessHooks instance) {
        if (!registered) {
            registered = true;
            try {
                Runtime.getRuntime().addShutdownHook(new Thread(this::exit, "cassidy-exit"));
            } catch (IllegalStateException exiting) {
                LOG.debug("opened while the process ends: its ids will not be given back", exiting);
            }
        }
        open.put(instance, true);
        CheckpointHook.register();
    }

    public synchronized void remove(ProcessHooks instance) {
        open.remove(instance);
    }

    /** Returns a hold: until its end, nothing is closed when the process ends. */
    public synchronized Hold hold() {
        Hold hold = new Hold();
        holds.add(hold);
        return hold;
    }

    /** Something that uses sequences and counters until its own end. Safe for use by many threads. */
    public final class Hold implements AutoCloseable {

        private boolean ending;

        private Hold() {}

        /** Says that the end has begun: the hook waits for {@link #close}. */
        public void ending() {
            synchronized (ExitHook.this) {
                ending = true;
                ExitHook.this.notifyAll();
            }
        }

        /** Says that the end is complete. May be called again. */
        @Override
        public void close() {
            synchronized (ExitHook.this) {
                holds.remove(this);
                ExitHook.this.notifyAll();
            }
        }
    }

    /** Returns when no hold is left, or when none of those that are left begins to end within {@code begin}. */
    synchronized void awaitHolds(Duration begin, Duration longest) {
        long last = nanoTime.getAsLong() + longest.toNanos();
        long next = nanoTime.getAsLong() + begin.toNanos();
        try {
            while (!holds.isEmpty()) {
                long now = nanoTime.getAsLong();
                boolean ending = holds.stream().anyMatch(hold -> hold.ending);
                long left = ending ? last - now : Math.min(next - now, last - now);
                if (left <= 0) {
                    return;
                }
                TimeUnit.NANOSECONDS.timedWait(this, left);
                if (ending) {
                    // Spring Boot ends one context after the other.
                    next = nanoTime.getAsLong() + begin.toNanos();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void exit() {
        awaitHolds(BEGIN, LONGEST);
        forEachOpen(instance -> instance.onExit(MAX_WAIT));
    }

    /** In parallel, since each may have to wait for Cassandra. */
    void forEachOpen(Consumer<ProcessHooks> step) {
        ProcessHooks[] left;
        synchronized (this) {
            left = open.keySet().toArray(ProcessHooks[]::new);
        }
        Arrays.stream(left).parallel().forEach(step);
    }
}
