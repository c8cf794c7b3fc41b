package dev.cassidy.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** The life of one node from its start to its end. The tests run in this order. */
@TestMethodOrder(OrderAnnotation.class)
class NodeLifecycleIT {
    @TempDir
    private static Path temporary;

    private static EmbeddedCassandra node;

    @BeforeAll
    static void startOnAThreadThatEnds() throws Exception {
        // The kernel ties the child to the thread that forked it, so this thread, which ends, must not fork it.
        FutureTask<EmbeddedCassandra> start = new FutureTask<>(() -> EmbeddedCassandra.builder()
                .dataDirectory(temporary.resolve("node"))
                .keepData(false)
                .requestTimeout(Duration.ofMinutes(1))
                .start());
        Thread starter = new Thread(start);
        starter.start();
        starter.join();
        node = start.get();
    }

    @AfterAll
    static void close() {
        node.close();
    }

    @Test
    @Order(1)
    void shouldKeepEveryAcknowledgedWriteWhenItIsKilled() throws Exception {
        List<Integer> acknowledged = new ArrayList<>();
        CompletableFuture<Void> inProgress = new CompletableFuture<>();
        try (CqlSession session = Cql.connect(node)) {
            session.execute("CREATE KEYSPACE life WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 1}");
            session.execute("CREATE TABLE life.claims (name text PRIMARY KEY, next int)");
            session.execute("CREATE TABLE life.ids (id int PRIMARY KEY)");
            session.execute("INSERT INTO life.claims (name, next) VALUES ('orders', 0)");
            PreparedStatement claim =
                    session.prepare("UPDATE life.claims SET next = ? WHERE name = 'orders' IF next = ?");
            PreparedStatement insert = session.prepare("INSERT INTO life.ids (id) VALUES (?)");
            CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
                for (int id = 0; session.execute(claim.bind(id + 1, id)).wasApplied(); id++) {
                    session.execute(insert.bind(id));
                    acknowledged.add(id);
                    if (id == 200) {
                        inProgress.complete(null);
                    }
                }
            });
            CompletableFuture.anyOf(inProgress, writer).get();
            node.kill();
            assertThatThrownBy(writer::join).hasCauseInstanceOf(DriverException.class);
        }
        assertThat(node.isAlive()).isFalse();

        node.restart();

        try (CqlSession session = Cql.connect(node)) {
            assertThat(session.execute("SELECT id FROM life.ids").all().stream()
                            .map(row -> row.getInt(0))
                            .toList())
                    .containsAll(acknowledged);
            Row claims = session.execute(
                            SimpleStatement.newInstance("SELECT next FROM life.claims WHERE name = 'orders'"))
                    .one();
            assertThat(claims.getInt(0)).isGreaterThanOrEqualTo(acknowledged.size());
        }
    }

    @Test
    @Order(2)
    void shouldAnswerNothingWhilePausedAndEverythingAfterwards() {
        try (CqlSession session = Cql.connect(node)) {
            SimpleStatement impatient = SimpleStatement.newInstance("SELECT release_version FROM system.local")
                    .setTimeout(Duration.ofMillis(500));
            node.pause();
            assertThat(node.isAlive()).isTrue();
            assertThatThrownBy(() -> session.execute(impatient)).isInstanceOf(DriverException.class);

            node.resume();

            assertThat(session.execute(impatient.setTimeout(Duration.ofMinutes(5)))
                            .one()
                            .getString(0))
                    .startsWith("5.0.");
        }
    }

    @Test
    @Order(3)
    void shouldRefuseASecondNodeOnTheFolderOfARunningOne() {
        assertThatThrownBy(() -> EmbeddedCassandra.builder()
                        .dataDirectory(temporary.resolve("node"))
                        .keepData(false)
                        .start())
                .isInstanceOf(EmbeddedCassandraException.class)
                .hasMessageContaining("in use by another node: " + temporary.resolve("node"));

        try (CqlSession session = Cql.connect(node)) {
            assertThat(session.execute("SELECT id FROM life.ids LIMIT 1").one()).isNotNull();
        }
    }

    @Test
    @Order(4)
    void shouldStopCleanlyEvenWhenPaused() {
        node.pause();

        node.stop();

        assertThat(node.isAlive()).isFalse();
        assertThat(node.logFile()).content().contains("Cassandra shutdown complete");
        assertThatIllegalStateException().isThrownBy(node::kill).withMessageContaining("is not alive");
    }

    @Test
    @Order(5)
    void shouldSayWhichNodeDiedAndWhyUntilItIsRestarted() throws Exception {
        node.restart();
        CompletableFuture<String> death = node.death();
        assertThat(death).isNotDone();

        ProcessHandle.of(node.pid()).orElseThrow().destroyForcibly();

        assertThat(death.get())
                .startsWith("Cassandra at 127.0.0.1:" + node.port()
                        + " in dc1 ended unexpectedly: exit code 137, which is signal 9; its log is "
                        + node.logFile())
                .contains("Starting listening for CQL clients");
        assertThatThrownBy(node::pid)
                .isInstanceOf(EmbeddedCassandraException.class)
                .hasMessage(death.get());
        node.restart();
        assertThat(node.isAlive()).isTrue();
        assertThat(node.death()).isNotDone();
    }

    @Test
    @Order(6)
    void shouldRemoveItsFilesOnClose() {
        node.close();

        assertThat(temporary.resolve("node")).doesNotExist();
        assertThatIllegalStateException().isThrownBy(node::restart).withMessageContaining("is closed");
    }
}
