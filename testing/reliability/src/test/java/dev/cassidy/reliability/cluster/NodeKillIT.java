package dev.cassidy.reliability.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.reliability.checker.IssueHistory;
import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/**
 * Kills all nodes (SIGKILL) while ids are claimed: every acknowledged claim must exist after the restart. {@code
 * -Dnode.kills=N} sets the number of kills; the default is for every build.
 */
@Timeout(value = 60, unit = TimeUnit.MINUTES)
class NodeKillIT {

    private static final int KILLS = Integer.getInteger("node.kills", 1);

    /** So small that nearly every id needs a claim. */
    private static final SequenceSpec SPEC = SequenceSpec.of("killed").withBounds(1, 30_000);

    /** It is waited for once the session is closed. */
    private static final Duration SHORT = Duration.ofSeconds(10);

    private final Logger log = (Logger) LoggerFactory.getLogger("dev.cassidy.cluster.NodeChecks");
    private final ListAppender<ILoggingEvent> warnings = new ListAppender<>();

    @BeforeEach
    void listen() {
        warnings.start();
        log.addAppender(warnings);
    }

    @AfterEach
    void leave() {
        log.detachAppender(warnings);
    }

    private record Issued(String process, long id) {}

    @Test
    void shouldForgetNoAcknowledgedClaimIfTheCommitLogIsSyncedBeforeTheAnswer() throws Exception {
        try (EmbeddedCassandra node = patient().yaml("commitlog_sync", "batch").start()) {
            create(node);
            assertThat(violations(node, KILLS, true)).isEmpty();
        }
        assertThat(warnings.list).extracting(ILoggingEvent::getLevel).doesNotContain(Level.WARN);
    }

    /** The control: if a loss were not found here, the test above would prove nothing. */
    @Test
    void shouldFindTheClaimsThatAPeriodicallySyncedCommitLogForgets() throws Exception {
        try (EmbeddedCassandra node = patient()
                .yaml("commitlog_sync", "periodic")
                .yaml("commitlog_sync_period", "10h")
                // A compressed segment is written only when it is synced, so the loss is certain.
                .yaml("commitlog_compression", "[{class_name: LZ4Compressor}]")
                .start()) {
            create(node);
            // A clean restart writes everything to disk, so that a kill then loses only claims, not the tables.
            node.restart();
            assertThat(violations(node, 1, false)).anyMatch(violation -> violation.contains("issued twice"));
        }
    }

    private static EmbeddedCassandra.Builder patient() {
        EmbeddedCassandra.Builder builder = EmbeddedCassandra.builder();
        builder.requestTimeout(Clients.PATIENT_NODE);
        return builder;
    }

    private static void create(EmbeddedCassandra node) {
        try (CqlSession session = Clients.connect(node)) {
            CassidySchema.install(session, Replication.parse("dc1:1"), Clients.CONFIG);
            try (Sequences sequences = Sequences.open(session, Clients.CONFIG)) {
                sequences.create(SPEC);
            }
        }
    }

    /**
     * @param survives whether the process that draws continues after a kill. If it does, and claims what was forgotten before
     *     the other process does, it remembers these ids and issues none of them again
     */
    private static List<String> violations(EmbeddedCassandra node, int kills, boolean survives) throws Exception {
        Queue<Issued> issued = new ConcurrentLinkedQueue<>();
        SequencesConfig config = survives ? Clients.CONFIG : Clients.IMPATIENT.withRequestTimeout(SHORT);
        try (CqlSession session = Clients.connect(node);
                Sequences sequences = Sequences.open(session, config)) {
            AtomicBoolean over = new AtomicBoolean();
            IdAllocator allocator = sequences.allocator(SPEC.name());
            CompletableFuture<Void> worker =
                    CompletableFuture.runAsync(() -> draw("survivor", allocator, over, issued));
            for (int kill = 1; kill <= kills; kill++) {
                awaitMore(issued, 100, worker);
                node.kill();
                if (!survives) {
                    over.set(true);
                    // A claim that it still tries would be the first after the restart, and take what was forgotten.
                    session.close();
                    worker.get(30, TimeUnit.MINUTES);
                }
                node.restart();
                // A process that remembers nothing from before the kill believes what the node remembers.
                try (CqlSession fresh = Clients.connect(node);
                        Sequences reopened = Sequences.open(fresh, Clients.CONFIG)) {
                    String name = "started after kill " + kill;
                    IdAllocator other = reopened.allocator(SPEC.name());
                    for (int i = 0; i < 200; i++) {
                        issued.add(new Issued(name, other.nextLong()));
                    }
                }
            }
            over.set(true);
            worker.get(30, TimeUnit.MINUTES);
        }
        IssueHistory history = new IssueHistory(1, 1, SPEC.maximum());
        issued.forEach(one -> history.issued(one.process(), one.id()));
        return history.violations();
    }

    private static void draw(String process, IdAllocator allocator, AtomicBoolean over, Queue<Issued> issued) {
        while (!over.get()) {
            try {
                issued.add(new Issued(process, allocator.nextLong()));
            } catch (SequenceException.Unavailable e) {
                // The node is down; the allocator itself waits between its tries.
            } catch (SequenceException.Conflict e) {
                // The allocator has noticed by itself that the node forgot claims.
                return;
            } catch (RuntimeException e) {
                if (!over.get()) {
                    throw e;
                }
                // Its session was closed.
            }
        }
    }

    private static void awaitMore(Queue<Issued> issued, int count, CompletableFuture<Void> worker) {
        int before = issued.size();
        await().forever().pollInterval(Duration.ofMillis(1)).until(() -> {
            assertThat(worker).isNotDone();
            return issued.size() >= before + count;
        });
    }
}
