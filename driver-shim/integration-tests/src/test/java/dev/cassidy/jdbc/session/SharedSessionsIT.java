package dev.cassidy.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.jdbc.TestCluster;
import dev.cassidy.sequence.IdentityType;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
        cluster.cql("CREATE TABLE $.t (id int PRIMARY KEY)");
        cluster.identity("t", "id", IdentityType.INT, 1);
        settings = ConnectionSettings.parse(cluster.url(), new Properties());
    }

    private SharedSessions sessions(Duration linger) {
        return new SharedSessions(
                wanted -> {
                    opened.incrementAndGet();
                    return SharedSession.open(wanted);
                },
                linger,
                () -> 100);
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

    /** What was prepared for the earlier type of a column would encode its values as that type. */
    @Test
    void shouldPrepareATextAgainIfTheSchemaChangesMeanwhile() throws SQLException {
        PreparedStatementCache texts = new PreparedStatementCache();
        AtomicInteger prepared = new AtomicInteger();
        SharedSessions.Lease lease = sessions(Duration.ZERO).acquire(settings);
        CqlSession changing = (CqlSession) Proxy.newProxyInstance(
                CqlSession.class.getClassLoader(), new Class<?>[] {CqlSession.class}, (proxy, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("prepareAsync");
                    if (prepared.incrementAndGet() == 1) {
                        texts.schemaChanged();
                    }
                    return lease.session().plain().prepareAsync((SimpleStatement) arguments[0]);
                });
        for (int i = 0; i < 2; i++) {
            texts.prepare(
                    changing,
                    "SELECT id FROM t WHERE id = ?",
                    Optional::empty,
                    (session, cql) -> {},
                    stage -> stage.toCompletableFuture().join());
        }
        assertThat(prepared).hasValue(2);
        lease.release();
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
                FOR_EVER,
                () -> 100);

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
                FOR_EVER,
                () -> 100);

        assertThatThrownBy(() -> sessions.acquire(settings)).hasMessage("not this time");
        SharedSessions.Lease lease = sessions.acquire(settings);
        assertThat(lease.session().isClosed()).isFalse();
        lease.release();
        sessions.closeLingering();
    }

    @Test
    void shouldCloseUnusedSessionsAndThenRefuseMoreThanTheBound() throws Exception {
        AtomicInteger most = new AtomicInteger(2);
        SharedSessions sessions = new SharedSessions(SharedSession::open, FOR_EVER, most::get);
        SharedSessions.Lease used = sessions.acquire(settings);
        SharedSessions.Lease unused = sessions.acquire(settings.withKeyspace(CqlIdentifier.fromCql("system")));
        unused.release();

        SharedSessions.Lease third = sessions.acquire(settings.withKeyspace(CqlIdentifier.fromCql("system_schema")));

        unused.session().plain().closeFuture().toCompletableFuture().get(60, TimeUnit.SECONDS);
        assertThat(used.session().isClosed()).isFalse();
        assertThatThrownBy(() -> sessions.acquire(settings.withKeyspace(CqlIdentifier.fromCql("system"))))
                .isInstanceOf(SQLTransientConnectionException.class)
                .hasFieldOrPropertyWithValue("SQLState", "53000")
                .hasMessageContaining("has 2 sessions with clusters, and may have 2")
                .hasMessageContaining("cassidy.maxSessions");
        // What is open already can be used more.
        sessions.acquire(settings).release();
        most.set(3);
        SharedSessions.Lease again = sessions.acquire(settings.withKeyspace(CqlIdentifier.fromCql("system")));
        assertThat(again.session().isClosed()).isFalse();
        for (SharedSessions.Lease each : List.of(third, used, again)) {
            each.release();
        }
        // What was used longest ago gives way first.
        sessions.acquire(settings.withKeyspace(CqlIdentifier.fromCql("system_auth")))
                .release();
        assertThat(third.session().isClosed()).isTrue();
        assertThat(used.session().isClosed()).isFalse();
        assertThat(again.session().isClosed()).isFalse();
        sessions.acquire(settings).release();
        sessions.acquire(settings.withKeyspace(CqlIdentifier.fromCql("system_traces")))
                .release();
        assertThat(again.session().isClosed()).isTrue();
        assertThat(used.session().isClosed()).isFalse();
        sessions.closeLingering();
    }

    @Test
    void shouldCountTheSecondSessionAndNotTheOneThatIsReplaced() throws Exception {
        AtomicInteger most = new AtomicInteger(1);
        SharedSessions sessions = new SharedSessions(SharedSession::open, FOR_EVER, most::get);
        // The node asks nobody for a password.
        ConnectionSettings two = ConnectionSettings.parse(
                settings.url() + "&user=a&password=a&sequencesUser=b&sequencesPassword=b", new Properties());

        SharedSessions.Lease closed = sessions.acquire(settings);
        closed.session().plain().close();
        SharedSessions.Lease again = sessions.acquire(settings);
        assertThat(again.session()).isNotSameAs(closed.session());
        again.release();
        assertThatThrownBy(() -> sessions.acquire(two))
                .isInstanceOf(SQLTransientConnectionException.class)
                .hasMessageContaining("has 1 sessions with clusters, and may have 1; this connection needs 2");
        assertThat(again.session().isClosed()).as("in vain").isFalse();
        most.set(2);
        SharedSessions.Lease both = sessions.acquire(two);
        assertThat(again.session().isClosed()).isTrue();
        assertThatThrownBy(() -> sessions.acquire(settings)).hasMessageContaining("has 2 sessions with clusters");
        both.release();
        sessions.acquire(settings).release();
        assertThat(both.session().isClosed()).isTrue();
        sessions.closeLingering();
    }

    @Test
    void shouldCloseItsSessionsAlsoIfAListenerFails() throws Exception {
        OpenSequences listened = new OpenSequences();
        listened.listen(opened -> {}, closing -> {
            throw new IllegalStateException("a listener");
        });
        SharedSession session = SharedSession.open(settings, listened);
        assertThat(session.identity()).isNotNull();

        assertThatThrownBy(session::close).hasMessage("a listener");
        assertThat(session.isClosed()).isTrue();
    }

    @Test
    void shouldReadTheBoundFromASystemProperty() throws Exception {
        assertThat(SharedSessions.maxByProperty()).isEqualTo(100);
        System.setProperty(SharedSessions.MAX_SESSIONS, "0");
        try {
            SharedSessions sessions = new SharedSessions(SharedSession::open, FOR_EVER, SharedSessions::maxByProperty);
            assertThatThrownBy(() -> sessions.acquire(settings))
                    .hasFieldOrPropertyWithValue("SQLState", "08001")
                    .hasMessage("must be a whole number from 1 to 999999: cassidy.maxSessions='0'");
        } finally {
            System.clearProperty(SharedSessions.MAX_SESSIONS);
        }
    }
}
