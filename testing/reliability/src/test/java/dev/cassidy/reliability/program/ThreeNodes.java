package dev.cassidy.reliability.program;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import dev.cassidy.cql.CqlSessions;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.embedded.EmbeddedCluster;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Three nodes with Cassidy's tables and a keyspace, and the faults that they and the programs that use them meet. */
public final class ThreeNodes implements AutoCloseable {

    private final EmbeddedCluster nodes;
    private final CqlSession session;
    private final String keyspace;

    private ThreeNodes(EmbeddedCluster nodes, CqlSession session, String keyspace) {
        this.nodes = nodes;
        this.session = session;
        this.keyspace = keyspace;
    }

    /** As {@link #start(String, Duration)}, with clocks that are right. */
    public static ThreeNodes start(String keyspace) throws Exception {
        return start(keyspace, Duration.ZERO);
    }

    /**
     * Starts them.
     *
     * @param keyspace is created, with three replicas
     * @param wrong by how much the clock of one node is ahead, and that of another one behind
     */
    public static ThreeNodes start(String keyspace, Duration wrong) throws Exception {
        EmbeddedCluster.Builder builder = EmbeddedCluster.builder().datacenter("dc1", 3);
        builder.requestTimeout(Duration.ofSeconds(5));
        if (!wrong.isZero()) {
            builder.clockOffset("dc1", 0, wrong).clockOffset("dc1", 1, wrong.negated());
        }
        EmbeddedCluster nodes = builder.start();
        try {
            CqlSession session = connect(nodes);
            CassidySchema.install(
                    session,
                    Replication.parse("dc1:3"),
                    SequencesConfig.defaults().withRequestTimeout(Duration.ofMinutes(1)));
            session.execute("CREATE KEYSPACE " + keyspace
                    + " WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 3}");
            nodes.awaitAllUp();
            return new ThreeNodes(nodes, session, keyspace);
        } catch (Exception | Error e) {
            nodes.close();
            throw e;
        }
    }

    private static CqlSession connect(EmbeddedCluster nodes) {
        return CqlSessions.builder()
                .addContactPoints(nodes.contactPoints("dc1"))
                .withLocalDatacenter("dc1")
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(2))
                        .withDuration(DefaultDriverOption.CONNECTION_CONNECT_TIMEOUT, Duration.ofMinutes(2))
                        .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, Duration.ofMinutes(2))
                        .withDuration(DefaultDriverOption.HEARTBEAT_TIMEOUT, Duration.ofMinutes(2))
                        .withDuration(DefaultDriverOption.RECONNECTION_MAX_DELAY, Duration.ofSeconds(1))
                        .build())
                .build();
    }

    /** Returns a session of the bare java-driver. */
    public CqlSession session() {
        return session;
    }

    public void awaitAllUp() throws Exception {
        nodes.awaitAllUp();
    }

    /**
     * Returns the URL of the keyspace.
     *
     * @param timeout of requests, as the option of the URL has it
     */
    public String url(String timeout) {
        String hosts = String.join(
                ",",
                nodes.nodes("dc1").stream()
                        .map(node -> node.host() + ":" + node.port())
                        .toList());
        return "jdbc:cassidy://" + hosts + "/" + keyspace + "?localDatacenter=dc1&connectTimeout=2m&requestTimeout="
                + timeout;
    }

    /** Starts the program of a number. */
    public interface Starter {
        RecordedProcess start(int number) throws Exception;
    }

    /**
     * Runs programs while nodes and programs are killed and stand still.
     *
     * @param processes how many at a time, four at least
     * @param rounds how often each fault is injected
     * @param operations of one process, while a fault lasts and after it
     * @return what the programs did, those that were killed, too
     */
    public List<Operation> run(Starter starter, int processes, int rounds, int operations) throws Exception {
        List<Operation> done = new ArrayList<>();
        List<RecordedProcess> running = new ArrayList<>();
        try {
            for (int i = 0; i < processes; i++) {
                running.add(starter.start(i));
            }
            for (RecordedProcess process : running) {
                process.awaitReady();
            }
            for (int round = 0; round < rounds; round++) {
                injectFaults(starter, round, running, operations, done);
            }
            for (RecordedProcess process : running) {
                process.awaitMore(operations);
            }
            // Most die in the middle of a commit; the last one meets what they have left.
            for (RecordedProcess process : running.subList(1, processes)) {
                process.kill();
            }
            running.get(0).end();
            running.forEach(process -> done.addAll(process.operations()));
        } finally {
            running.forEach(RecordedProcess::close);
        }
        nodes.awaitAllUp();
        return done;
    }

    private void injectFaults(
            Starter starter, int round, List<RecordedProcess> processes, int operations, List<Operation> done)
            throws Exception {
        int count = processes.size();
        RecordedProcess observed = processes.get((round + 3) % count);
        observed.awaitMore(operations);
        EmbeddedCassandra node = nodes.node("dc1", round % 3);
        node.kill();
        observed.awaitMore(operations);
        RecordedProcess stopped = processes.get((round + 1) % count);
        stopped.signal("STOP");
        int killed = (round + 2) % count;
        processes.get(killed).kill();
        done.addAll(processes.get(killed).operations());
        processes.set(killed, starter.start(count + round));
        node.restart();
        // Others abort what the stopped one was about to commit.
        observed.awaitMore(operations);
        stopped.signal("CONT");
        nodes.awaitAllUp();
        EmbeddedCassandra frozen = nodes.node("dc1", (round + 1) % 3);
        frozen.pause();
        observed.awaitMore(operations / 4);
        frozen.resume();
        processes.get(killed).awaitReady();
        nodes.awaitAllUp();
    }

    @Override
    public void close() {
        try (nodes) {
            session.close();
        }
    }
}
