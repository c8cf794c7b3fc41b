package dev.cassidy.reliability.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.cluster.Schema;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.embedded.EmbeddedCluster;
import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An installation of schema 2 in two datacenters of three and two nodes is upgraded while current clients draw in both
 * datacenters and one node is down. Not part of a build: {@code -Dit.test=UpgradeOfManyNodes} runs it.
 */
@Timeout(value = 1, unit = TimeUnit.HOURS)
class UpgradeOfManyNodes {

    private static final Logger LOG = LoggerFactory.getLogger(UpgradeOfManyNodes.class);
    private static final List<String> NAMES = List.of("orders", "striped");
    private static final int MORE = 500;

    @Test
    void shouldContinueInBothDatacentersAndReachTheNodeThatWasDown() throws Exception {
        EmbeddedCluster.Builder builder =
                EmbeddedCluster.builder().datacenter("dc1", 3).datacenter("dc2", 2);
        builder.requestTimeout(Clients.PATIENT_NODE);
        try (EmbeddedCluster cluster = builder.start()) {
            EmbeddedCassandra here = cluster.node("dc1", 0);
            EmbeddedCassandra down = cluster.node("dc1", 2);
            EmbeddedCassandra there = cluster.node("dc2", 0);
            try (CqlSession session = Clients.connectTo(here)) {
                Schema2.createInTwoDatacenters(session, "many", cluster::awaitAllUp);
            }
            for (EmbeddedCassandra node : cluster.nodes()) {
                assertThat(comments(node)).as(node.host()).isNotEmpty().containsOnly("cassidy schema 2");
            }
            try (CqlSession first = Clients.connect(here);
                    CqlSession second = Clients.connect(there);
                    Sequences one = Sequences.open(first, UpgradeIT.config("many"));
                    Sequences other = Sequences.open(second, UpgradeIT.config("many"));
                    Drawing drawing = new Drawing(one, other)) {
                drawing.awaitMore("on schema 2");
                down.kill();
                drawing.awaitMore("with a node down");
                long start = System.nanoTime();
                Sequences.install(first, Replication.parse("dc1:3,dc2:2"), UpgradeIT.config("many"));
                LOG.info("installed in {} ms", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
                drawing.awaitMore("upgraded, with a node down");
                down.restart();
                cluster.awaitAllUp();
                drawing.awaitMore("upgraded, with every node");
                drawing.end();
            }
            for (EmbeddedCassandra node : cluster.nodes()) {
                assertThat(comments(node))
                        .as(node.host())
                        .isNotEmpty()
                        .containsOnly("cassidy schema " + Schema.VERSION);
                try (CqlSession session = Clients.connectTo(node);
                        Sequences sequences = Sequences.open(session, UpgradeIT.config("many"))) {
                    assertThat(sequences.find("orders")).isPresent();
                }
            }
        }
    }

    /** Returns the comments of Cassidy's tables as this node knows them. */
    private static List<String> comments(EmbeddedCassandra node) {
        try (CqlSession session = Clients.connectTo(node)) {
            return session
                    .execute("SELECT comment FROM system_schema.tables"
                            + " WHERE keyspace_name IN ('many', 'many_dc1', 'many_dc2')")
                    .all()
                    .stream()
                    .map(row -> row.getString(0))
                    .toList();
        }
    }

    /** Threads that draw from each sequence in each datacenter. */
    private static final class Drawing implements AutoCloseable {

        private final ExecutorService threads = Executors.newCachedThreadPool();
        private final AtomicBoolean over = new AtomicBoolean();
        private final List<Queue<Schema2.Issue>> issued = new ArrayList<>();
        private final List<CompletableFuture<Void>> workers = new ArrayList<>();

        Drawing(Sequences... all) {
            for (Sequences sequences : all) {
                for (String name : NAMES) {
                    Queue<Schema2.Issue> ids = new ConcurrentLinkedQueue<>();
                    issued.add(ids);
                    workers.add(CompletableFuture.runAsync(() -> draw(sequences, name, ids), threads));
                }
            }
        }

        private void draw(Sequences sequences, String name, Queue<Schema2.Issue> ids) {
            IdAllocator allocator = sequences.allocator(name);
            while (!over.get()) {
                ids.add(new Schema2.Issue(name, allocator.nextLong()));
                // As an application would; millions of ids a second would show nothing more.
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
        }

        void awaitMore(String when) {
            List<Integer> before = issued.stream().map(Queue::size).toList();
            for (int i = 0; i < issued.size(); i++) {
                Queue<?> own = issued.get(i);
                int until = before.get(i) + MORE;
                CompletableFuture<Void> worker = workers.get(i);
                await().forever().pollInterval(Duration.ofMillis(1)).until(() -> {
                    assertThat(worker).isNotDone();
                    return own.size() >= until;
                });
            }
            LOG.info("{}: {} ids", when, issued.stream().mapToInt(Queue::size).sum());
        }

        void end() throws Exception {
            over.set(true);
            for (CompletableFuture<Void> worker : workers) {
                worker.get(10, TimeUnit.MINUTES);
            }
            List<Schema2.Issue> all = new ArrayList<>(Schema2.issued());
            issued.forEach(all::addAll);
            assertThat(Set.copyOf(all)).hasSameSizeAs(all);
        }

        @Override
        public void close() {
            over.set(true);
            threads.shutdownNow();
        }
    }
}
