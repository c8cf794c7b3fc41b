package dev.cassidy.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.jdbc.TestCluster;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SharedSessionsIT {

    private static final Duration FOR_EVER = Duration.ofDays(1);

    private static ConnectionSettings settings;
    private final AtomicInteger opened = new AtomicInteger();

    @BeforeAll
    static void prepare() throws SQLException {
        TestCluster cluster = TestCluster.fresh("shared_sessions_it");
        settings = ConnectionSettings.parse(cluster.url(), new Properties());
    }

    private SharedSessions sessions(Duration linger) {
        return new SharedSessions(
                wanted -> {
                    opened.incrementAndGet();
                    return SharedSession.open(wanted);
                },
                linger);
    }

    @Test
    void shouldCloseTheSessionAfterItsLastUser() throws Exception {
        SharedSessions sessions = sessions(Duration.ZERO);
        SharedSessions.Lease first = sessions.acquire(settings);
        SharedSessions.Lease second = sessions.acquire(settings);

        first.release();
        first.release();
        assertThat(second.session()).isSameAs(first.session());
        assertThat(second.session().isClosed()).isFalse();
        second.release();
        second.session().plain().closeFuture().toCompletableFuture().get(60, TimeUnit.SECONDS);
        assertThat(opened).hasValue(1);
    }

    @Test
    void shouldReuseASessionThatLingers() throws SQLException {
        SharedSessions sessions = sessions(FOR_EVER);
        SharedSessions.Lease first = sessions.acquire(settings);
        first.release();
        SharedSessions.Lease second = sessions.acquire(settings);

        assertThat(second.session()).isSameAs(first.session());
        sessions.closeLingering();
        assertThat(second.session().isClosed()).isFalse();
        second.release();
        sessions.closeLingering();
        assertThat(second.session().isClosed()).isTrue();
        assertThat(opened).hasValue(1);
    }

    @Test
    void shouldOpenOneSessionForManyThreadsAtOnce() throws Exception {
        SharedSessions sessions = sessions(FOR_EVER);
        Set<SharedSession> seen = ConcurrentHashMap.newKeySet();
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Future<?>> work = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                work.add(threads.submit(() -> {
                    SharedSessions.Lease lease = sessions.acquire(settings);
                    seen.add(lease.session());
                    lease.release();
                    return null;
                }));
            }
            for (Future<?> each : work) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
            sessions.closeLingering();
        }
        assertThat(opened).hasValue(1);
        assertThat(seen).hasSize(1);
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void shouldTryAgainAfterAnError() throws SQLException {
        SharedSessions sessions = new SharedSessions(
                wanted -> {
                    if (opened.incrementAndGet() == 1) {
                        throw new NoClassDefFoundError("not this time");
                    }
                    return SharedSession.open(wanted);
                },
                FOR_EVER);

        assertThatThrownBy(() -> sessions.acquire(settings))
                .isInstanceOf(NoClassDefFoundError.class)
                .hasMessage("not this time");
        sessions.acquire(settings).release();
        assertThat(opened).hasValue(2);
        sessions.closeLingering();
    }

    @Test
    void shouldTryAgainAfterAFailure() throws SQLException {
        SharedSessions sessions = new SharedSessions(
                wanted -> {
                    if (opened.incrementAndGet() == 1) {
                        throw new SQLException("not this time", "08001");
                    }
                    return SharedSession.open(wanted);
                },
                FOR_EVER);

        assertThatThrownBy(() -> sessions.acquire(settings)).hasMessage("not this time");
        SharedSessions.Lease lease = sessions.acquire(settings);
        assertThat(lease.session().isClosed()).isFalse();
        lease.release();
        sessions.closeLingering();
    }
}
