package dev.cassidy.reliability.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.embedded.EmbeddedCluster;
import dev.cassidy.sequence.Durability;
import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import dev.cassidy.sequence.protocol.AllocatorFigures;
import dev.cassidy.sequence.protocol.BlockAllocator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Three real replicas, of which one forgets claims. C is paused while ids are drawn with A and B; A is killed (SIGKILL)
 * and restarts; then B is paused, and another process draws with A and C. Not part of a build: {@code
 * -Dit.test=ForgottenClaims} runs it. It logs how many ids were issued twice; with {@code durability=wait} there must
 * be none.
 */
@Timeout(value = 1, unit = TimeUnit.HOURS)
class ForgottenClaims {

    private static final Logger LOG = LoggerFactory.getLogger(ForgottenClaims.class);
    private static final int IDS = 40;

    private static EmbeddedCluster cluster;

    @BeforeAll
    static void start() {
        EmbeddedCluster.Builder builder = EmbeddedCluster.builder()
                .datacenter("dc1", 3)
                .yaml("commitlog_sync", "periodic")
                // Longer than the draw that must be forgotten, also on a busy machine.
                .yaml("commitlog_sync_period", "30s")
                // A compressed segment is written only when it is synced.
                .yaml("commitlog_compression", "[{class_name: LZ4Compressor}]");
        builder.requestTimeout(Clients.PATIENT_NODE);
        cluster = builder.start();
        try (CqlSession session = Clients.connect(cluster.node("dc1", 0))) {
            CassidySchema.install(session, Replication.parse("dc1:3"), Clients.CONFIG);
        }
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    /** The time at which A is killed. */
    private enum Kill {
        AFTER_THE_IDS,
        AFTER_THE_FIRST_CLAIM
    }

    @ParameterizedTest
    @CsvSource({"WARN, AFTER_THE_IDS", "WAIT, AFTER_THE_IDS", "WAIT, AFTER_THE_FIRST_CLAIM"})
    void shouldIssueNothingTwiceIfClaimsWaitForTheNodesDisks(Durability durability, Kill kill) throws Exception {
        EmbeddedCassandra a = cluster.node("dc1", 0);
        EmbeddedCassandra b = cluster.node("dc1", 1);
        EmbeddedCassandra c = cluster.node("dc1", 2);
        String name = (durability + "_" + kill).toLowerCase(Locale.ROOT);
        SequencesConfig config = Clients.CONFIG.withDurability(durability);
        try (CqlSession session = Clients.connectTo(a);
                Sequences sequences = Sequences.open(session, Clients.CONFIG)) {
            sequences.create(SequenceSpec.of(name));
            // This grants the reserve, so that a kill then loses only claims.
            sequences.allocator(name).nextLong();
        }
        // A clean restart writes everything to disk.
        a.restart();
        cluster.awaitAllUp();

        try (CqlSession one = Clients.connectTo(b);
                Sequences first = Sequences.open(one, config)) {
            BlockAllocator firstAllocator = (BlockAllocator) first.allocator(name);
            c.pause();
            // Before that, C would find the requests that were sent to it in its sockets when it is resumed.
            awaitDown(one, c);
            AtomicLong untilFirstId = new AtomicLong();
            CompletableFuture<List<Long>> drawing =
                    CompletableFuture.supplyAsync(() -> draw(firstAllocator, untilFirstId));
            if (kill == Kill.AFTER_THE_IDS) {
                drawing.get(10, TimeUnit.MINUTES);
            } else {
                await().forever().pollInterval(Duration.ofMillis(1)).until(() -> {
                    assertThat(drawing).isNotDone();
                    return firstAllocator.figures().claims() > 0;
                });
            }
            a.kill();
            AllocatorFigures atTheKill = firstAllocator.figures();
            a.restart();
            b.pause();
            c.resume();

            List<Long> ids = new ArrayList<>();
            try (CqlSession two = Clients.connectTo(a)) {
                awaitMajority(two);
                try (Sequences second = Sequences.open(two, config)) {
                    BlockAllocator secondAllocator = (BlockAllocator) second.allocator(name);
                    AtomicLong ofSecond = new AtomicLong();
                    List<Long> again = draw(secondAllocator, ofSecond);
                    b.resume();
                    cluster.awaitAllUp();
                    ids.addAll(drawing.get(10, TimeUnit.MINUTES));
                    Set<Long> twice = new HashSet<>(ids);
                    twice.retainAll(again);
                    LOG.info(
                            "{} {}: {} of {} ids came twice; the first one took {} ms, that of the other process {} ms;"
                                    + " at the kill {}; in the end {} and {}",
                            durability,
                            kill,
                            twice.size(),
                            IDS,
                            untilFirstId,
                            ofSecond,
                            atTheKill,
                            firstAllocator.figures(),
                            secondAllocator.figures());
                    ids.addAll(again);
                    if (durability == Durability.WAIT) {
                        // Both continue, and detect what they lost.
                        ids.addAll(draw(firstAllocator, new AtomicLong()));
                        ids.addAll(draw(secondAllocator, new AtomicLong()));
                        assertThat(ids).doesNotHaveDuplicates();
                        assertThat(firstAllocator.figures().fresh()).isZero();
                    } else if (!twice.isEmpty()) {
                        assertThat(firstAllocator.figures().fresh()).isPositive();
                    }
                }
            }
        } finally {
            // Even after a failure, because the next case needs all nodes.
            cluster.nodes().stream().filter(EmbeddedCassandra::isAlive).forEach(EmbeddedCassandra::resume);
        }
    }

    private static List<Long> draw(IdAllocator allocator, AtomicLong untilFirstId) {
        long start = System.nanoTime();
        List<Long> ids = new ArrayList<>();
        while (ids.size() < IDS) {
            ids.add(allocator.nextLong());
            untilFirstId.compareAndSet(0, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
        }
        return ids;
    }

    private static void awaitDown(CqlSession session, EmbeddedCassandra node) {
        await().forever()
                .until(() -> session.getMetadata()
                                .findNode(node.contactPoint())
                                .orElseThrow()
                                .getState()
                        == NodeState.DOWN);
    }

    /** A restarted node notices with a delay that another node is running again. */
    private static void awaitMajority(CqlSession session) {
        SimpleStatement read = SimpleStatement.newInstance("SELECT seq FROM cassidy_dc1.sequence WHERE seq = 'none'")
                .setConsistencyLevel(ConsistencyLevel.LOCAL_SERIAL);
        await().forever().ignoreExceptionsInstanceOf(DriverException.class).untilAsserted(() -> session.execute(read));
    }
}
