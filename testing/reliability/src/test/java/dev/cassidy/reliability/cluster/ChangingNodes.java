package dev.cassidy.reliability.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.embedded.EmbeddedCluster;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * While two programs draw ids, a fourth node joins three, one of the first three is decommissioned, and one is killed
 * and replaced, as docs/operations.md allows with {@code paxos_variant: v2}. Every partition of Cassidy has three
 * replicas, so each change moves some of them. Not part of a build: {@code -Dit.test=ChangingNodes} runs it.
 */
@Timeout(value = 1, unit = TimeUnit.HOURS)
class ChangingNodes {

    private static final Logger LOG = LoggerFactory.getLogger(ChangingNodes.class);

    /** The partitions of many names are on different replicas. */
    private static final List<String> NAMES = List.of("one", "two", "three", "four", "five", "six", "seven", "eight");

    /**
     * The number of ids that each program draws at a time from each sequence. Blocks are so small that every second id
     * needs a claim.
     */
    private static final int ROUND = 10;

    private record Issued(String sequence, long id) {}

    @Test
    void shouldIssueNothingTwiceAndContinueWhileNodesJoinLeaveAndAreReplaced() throws Exception {
        EmbeddedCluster.Builder builder = EmbeddedCluster.builder()
                .datacenter("dc1", 3)
                .yaml("paxos_variant", "v2")
                .yaml("paxos_state_purging", "repaired");
        builder.requestTimeout(Clients.PATIENT_NODE);
        try (EmbeddedCluster cluster = builder.start()) {
            EmbeddedCassandra first = cluster.node("dc1", 0);
            try (CqlSession session = Clients.connect(first)) {
                CassidySchema.install(session, Replication.parse("dc1:3"), Clients.CONFIG);
                try (Sequences sequences = Sequences.open(session, Clients.CONFIG)) {
                    NAMES.forEach(name -> sequences.create(
                            SequenceSpec.of(name).withBlock(1, 2).withReserve(100, 200)));
                }
            }
            try (Drawing drawing = new Drawing(first)) {
                drawing.awaitRounds("before");
                long start = System.nanoTime();
                EmbeddedCassandra fourth = cluster.join("dc1");
                drawing.awaitRounds("after a join that took " + millisSince(start) + " ms");
                assertThat(cluster.nodes()).hasSize(4).contains(fourth);
                start = System.nanoTime();
                cluster.decommission(cluster.node("dc1", 1));
                drawing.awaitRounds("after a decommission that took " + millisSince(start) + " ms");
                assertThat(cluster.nodes()).hasSize(3).contains(fourth);
                EmbeddedCassandra dead = cluster.node("dc1", 1);
                dead.kill();
                drawing.awaitRounds("with a node that was killed");
                start = System.nanoTime();
                EmbeddedCassandra fifth = cluster.replace(dead);
                drawing.awaitRounds("after a replacement that took " + millisSince(start) + " ms");
                assertThat(cluster.nodes()).containsExactly(first, fourth, fifth);
                drawing.end();
            }
        }
    }

    private static long millisSince(long start) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    }

    /** Two programs that each draw from every sequence in turn. */
    private static final class Drawing implements AutoCloseable {

        private final AtomicBoolean over = new AtomicBoolean();
        private final ConcurrentLinkedQueue<Issued> issued = new ConcurrentLinkedQueue<>();
        private final List<RunningProgram> programs = new ArrayList<>();
        private final List<CompletableFuture<Void>> workers = new ArrayList<>();
        private final List<ConcurrentLinkedQueue<Long>> rounds = new ArrayList<>();

        Drawing(EmbeddedCassandra node) throws Exception {
            for (String name : List.of("this", "that")) {
                RunningProgram program = RunningProgram.start(
                        name, "sequences", node.host(), Integer.toString(node.port()), String.join(",", NAMES));
                programs.add(program);
                ConcurrentLinkedQueue<Long> millis = new ConcurrentLinkedQueue<>();
                rounds.add(millis);
                workers.add(CompletableFuture.runAsync(() -> draw(program, millis)));
            }
        }

        private void draw(RunningProgram program, ConcurrentLinkedQueue<Long> millis) {
            try {
                while (!over.get()) {
                    long start = System.nanoTime();
                    List<Long> ids = program.take(ROUND * NAMES.size());
                    for (int i = 0; i < ids.size(); i++) {
                        issued.add(new Issued(NAMES.get(i % NAMES.size()), ids.get(i)));
                    }
                    millis.add(millisSince(start));
                }
            } catch (Exception e) {
                throw new IllegalStateException(program.name(), e);
            }
        }

        /** Waits until each program has completed two more rounds. The second of them has begun after this call. */
        void awaitRounds(String when) throws Exception {
            int before = issued.size();
            List<Integer> counts =
                    rounds.stream().map(ConcurrentLinkedQueue::size).toList();
            for (int i = 0; i < rounds.size(); i++) {
                ConcurrentLinkedQueue<Long> own = rounds.get(i);
                int until = counts.get(i) + 2;
                CompletableFuture<?> worker = workers.get(i);
                await().forever().pollInterval(Duration.ofMillis(1)).until(() -> {
                    assertThat(worker).isNotDone();
                    return own.size() >= until;
                });
            }
            LOG.info(
                    "{}: {} ids, {} when it ended; slowest round so far {} ms",
                    when,
                    issued.size(),
                    before,
                    rounds.stream()
                            .flatMap(ConcurrentLinkedQueue::stream)
                            .mapToLong(Long::longValue)
                            .max()
                            .orElse(0));
        }

        void end() throws Exception {
            over.set(true);
            for (CompletableFuture<Void> worker : workers) {
                worker.get(10, TimeUnit.MINUTES);
            }
            assertThat(new ArrayList<>(issued)).doesNotHaveDuplicates();
        }

        @Override
        public void close() {
            over.set(true);
            programs.forEach(RunningProgram::close);
        }
    }
}
