package dev.cassidy.jdbc.session;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.plan.StatementFigures;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sessions that connections share: one for each distinct set of settings, opened by the first connection and closed
 * a while after the last one. A session is expensive to open, and a pool, or connections that live briefly, would
 * otherwise open it again and again. Safe for use by many threads.
 */
public final class SharedSessions {

    private static final Logger LOG = LoggerFactory.getLogger(SharedSessions.class);

    /** The system property with the number of sessions that a process may have. */
    public static final String MAX_SESSIONS = "cassidy.maxSessions";

    /** How a session is opened; a seam for tests. */
    @FunctionalInterface
    public interface Opener {
        SharedSession open(ConnectionSettings settings) throws SQLException;
    }

    private final StatementFigures figures = new StatementFigures();
    private final Opener opener;
    private final Duration linger;
    private final IntSupplier max;
    private final ScheduledThreadPoolExecutor closer;

    /** The one that was acquired or given back longest ago comes first, and is evicted first. */
    private final Map<ConnectionSettings, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);

    private static final class Entry {
        final CompletableFuture<SharedSession> session = new CompletableFuture<>();

        /** How many sessions of the driver it has: a second one is that of sequencesUser. */
        final int sessions;

        int users;

        @Nullable
        ScheduledFuture<?> closing;

        Entry(ConnectionSettings settings) {
            sessions = settings.ofSequences().isPresent() ? 2 : 1;
        }
    }

    /**
     * @param linger how long a session stays open after its last connection
     * @param max how many sessions may be open, at least 1
     */
    public SharedSessions(Opener opener, Duration linger, IntSupplier max) {
        this.opener = opener;
        this.linger = linger;
        this.max = max;
        closer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "cassidy-jdbc-session-closer");
            thread.setDaemon(true);
            return thread;
        });
        closer.setKeepAliveTime(Math.max(1, 2 * linger.toMillis()), TimeUnit.MILLISECONDS);
        closer.allowCoreThreadTimeOut(true);
        closer.setRemoveOnCancelPolicy(true);
    }

    /** Returns what counts the statements of all sessions, also of those that were closed. */
    public StatementFigures figures() {
        return figures;
    }

    /** Returns the session of these settings, and opens it if necessary; the caller must give it back once. */
    public Lease acquire(ConnectionSettings settings) throws SQLException {
        Entry entry;
        boolean first;
        List<Entry> evicted = List.of();
        synchronized (this) {
            Entry known = entries.get(settings);
            // A caller that unwrapped the session may have closed it.
            boolean usable = known != null && !isClosed(known);
            entry = usable && known != null ? known : new Entry(settings);
            first = !usable;
            if (first) {
                // Its users still have it, and close what is left of it.
                entries.remove(settings);
                evicted = requireRoom(entry.sessions);
                entries.put(settings, entry);
            }
            entry.users++;
            if (entry.closing != null) {
                entry.closing.cancel(false);
                entry.closing = null;
            }
        }
        evicted.forEach(SharedSessions::close);
        if (first) {
            open(settings, entry);
        }
        return new Lease(settings, entry, await(settings, entry));
    }

    /** Returns what must be closed for {@code wanted} sessions more; nothing if there is room. */
    private List<Entry> requireRoom(int wanted) throws SQLException {
        int allowed;
        try {
            allowed = max.getAsInt();
        } catch (IllegalArgumentException e) {
            throw new SQLNonTransientConnectionException(e.getMessage(), SqlStates.CANNOT_CONNECT, e);
        }
        int open = entries.values().stream().mapToInt(each -> each.sessions).sum();
        int left = open;
        List<Entry> unused = new ArrayList<>();
        for (Entry each : entries.values()) {
            if (left + wanted > allowed && each.users == 0) {
                unused.add(each);
                left -= each.sessions;
            }
        }
        if (left + wanted > allowed) {
            throw new SQLTransientConnectionException(
                    "This process has " + open + " sessions with clusters, and may have " + allowed
                            + (wanted > 1 ? "; this connection needs " + wanted : "")
                            + ". There is one for each URL, set of options, login and keyspace in use, and another for"
                            + " sequencesUser, and each has its own threads and connections to nodes. Connect with the same"
                            + " ones where that is possible, close connections, or raise the system property "
                            + MAX_SESSIONS,
                    SqlStates.RESOURCES);
        }
        for (Entry each : unused) {
            if (each.closing != null) {
                each.closing.cancel(false);
            }
        }
        entries.values().removeAll(unused);
        return unused;
    }

    /**
     * Returns what the system property says, or 100.
     *
     * @throws IllegalArgumentException if it is no number of sessions
     */
    public static int maxByProperty() {
        @Nullable String given = System.getProperty(MAX_SESSIONS);
        if (given == null) {
            return 100;
        }
        if (!given.matches("[1-9][0-9]{0,5}")) {
            throw new IllegalArgumentException(
                    "must be a whole number from 1 to 999999: " + MAX_SESSIONS + "='" + given + "'");
        }
        return Integer.parseInt(given);
    }

    private static boolean isClosed(Entry entry) {
        return entry.session.isDone()
                && !entry.session.isCompletedExceptionally()
                && entry.session.join().isClosed();
    }

    private void open(ConnectionSettings settings, Entry entry) throws SQLException {
        try {
            entry.session.complete(opener.open(settings));
        } catch (Throwable e) {
            // Errors too, such as a missing class: otherwise every later connection would wait for ever. It is removed
            // from the map first: the next caller must try again.
            synchronized (this) {
                entries.remove(settings, entry);
            }
            entry.session.completeExceptionally(e);
            throw e;
        }
    }

    private SharedSession await(ConnectionSettings settings, Entry entry) throws SQLException {
        try {
            return entry.session.get();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            throw new SQLTransientConnectionException(
                    cause == null ? e.getMessage() : cause.getMessage(),
                    cause instanceof SQLException sql ? sql.getSQLState() : SqlStates.CANNOT_CONNECT,
                    e);
        } catch (InterruptedException e) {
            release(settings, entry);
            Thread.currentThread().interrupt();
            throw new SQLTransientConnectionException(
                    "Interrupted while connecting to " + settings.hosts(), SqlStates.CANNOT_CONNECT, e);
        }
    }

    private synchronized void release(ConnectionSettings settings, Entry entry) {
        entry.users--;
        // To read it makes it the last in order.
        entries.get(settings);
        if (entry.users == 0) {
            entry.closing =
                    closer.schedule(() -> closeUnused(settings, entry), linger.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void closeUnused(ConnectionSettings settings, Entry entry) {
        synchronized (this) {
            if (entry.users > 0) {
                return;
            }
            entries.remove(settings, entry);
        }
        close(entry);
    }

    /** Only for an open session: if opening fails, the entry is removed from the map earlier. */
    private static void close(Entry entry) {
        try {
            entry.session.join().close();
        } catch (RuntimeException | Error e) {
            LOG.warn("A session did not close cleanly", e);
        }
    }

    /** Closes the sessions that no connection uses, now; for the end of the JVM. */
    public void closeLingering() {
        List<Entry> unused;
        synchronized (this) {
            unused = entries.values().stream().filter(entry -> entry.users == 0).toList();
            entries.values().removeAll(unused);
        }
        unused.forEach(SharedSessions::close);
    }

    /** One connection's use of a session. */
    public final class Lease {
        private final ConnectionSettings settings;
        private final Entry entry;
        private final SharedSession session;
        private boolean released;

        private Lease(ConnectionSettings settings, Entry entry, SharedSession session) {
            this.settings = settings;
            this.entry = entry;
            this.session = session;
        }

        public SharedSession session() {
            return session;
        }

        public ConnectionSettings settings() {
            return settings;
        }

        /** Returns what counts the statements of all sessions. */
        public StatementFigures figures() {
            return figures;
        }

        /** Returns a lease of the same cluster with another keyspace; this one stays. */
        public Lease withKeyspace(CqlIdentifier keyspace) throws SQLException {
            return acquire(settings.withKeyspace(keyspace));
        }

        public synchronized void release() {
            if (!released) {
                released = true;
                SharedSessions.this.release(settings, entry);
            }
        }
    }
}
