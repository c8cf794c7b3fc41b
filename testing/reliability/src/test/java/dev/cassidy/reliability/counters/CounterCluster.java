package dev.cassidy.reliability.counters;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import dev.cassidy.counter.Counters;
import dev.cassidy.counter.CountersConfig;
import dev.cassidy.counter.CrdtFunctions;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.embedded.EmbeddedCluster;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import java.math.BigInteger;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Three real replicas with a table of Cassidy's counters and one of Cassandra's own. */
final class CounterCluster implements AutoCloseable {

    static final String DATACENTER = "dc1";
    static final String KEYSPACE = "faults";
    static final String TABLE = KEYSPACE + ".counted";
    static final String NATIVE = KEYSPACE + ".native";

    /** Folds often, and tolerates a busy machine. */
    static final CountersConfig CONFIG = config(TABLE);

    private static final int REPLICAS = 3;
    private static final int AT_ONCE = 100;

    /** A busy node may take longer than its default limit of 2 s. */
    private static final Duration PATIENT_NODE = Duration.ofSeconds(10);

    private final EmbeddedCluster nodes;
    private final CqlSession session;

    static CountersConfig config(String table) {
        return CountersConfig.of(table)
                .withRequestTimeout(Duration.ofMinutes(1))
                .withIncrementTimeout(Duration.ofMinutes(5))
                .withFoldAfter(8);
    }

    static CounterCluster start() {
        EmbeddedCluster.Builder builder = EmbeddedCluster.builder()
                // For Repair.
                .jvmOption("-Dorg.apache.cassandra.disable_mbean_registration=false")
                .datacenter(DATACENTER, REPLICAS)
                // A read at ONE is answered by its coordinator.
                .yaml("dynamic_snitch", "false")
                .yaml("user_defined_functions_warn_timeout", "30s")
                .yaml("user_defined_functions_fail_timeout", "60s");
        builder.requestTimeout(PATIENT_NODE);
        return new CounterCluster(builder.start());
    }

    private CounterCluster(EmbeddedCluster nodes) {
        this.nodes = nodes;
        this.session = Sessions.to(contact());
        CassidySchema.install(
                session,
                Replication.parse(DATACENTER + ":" + REPLICAS),
                SequencesConfig.defaults().withRequestTimeout(Duration.ofMinutes(1)));
        session.execute("CREATE KEYSPACE " + KEYSPACE + " WITH replication = {'class': 'NetworkTopologyStrategy', '"
                + DATACENTER + "': " + REPLICAS + "}");
        // On a busy machine another node may take long to hear of it.
        nodes.awaitAllUp();
        Counters.create(session, CONFIG);
        session.execute("CREATE TABLE " + NATIVE + " (type text PRIMARY KEY, value counter)");
        nodes.awaitAllUp();
        CrdtFunctions.install(session, KEYSPACE, List.of("crdt_exact"));
        nodes.awaitAllUp();
    }

    EmbeddedCluster nodes() {
        return nodes;
    }

    EmbeddedCassandra node(int index) {
        return nodes.node(DATACENTER, index);
    }

    InetSocketAddress contact() {
        return node(0).contactPoint();
    }

    /** For what no fault touches. */
    CqlSession session() {
        return session;
    }

    /** Returns what counters of Cassidy sum up to. */
    Map<String, BigInteger> sums(String table, List<String> counters, ConsistencyLevel level, @Nullable Node at) {
        return totals("SELECT SUM(CAST(increment AS varint)) FROM " + table + " WHERE type = ?", counters, level, at);
    }

    /** Returns the values of Cassandra's own counters. */
    Map<String, BigInteger> nativeValues(List<String> counters) {
        return totals(
                "SELECT CAST(value AS varint) FROM " + NATIVE + " WHERE type = ?",
                counters,
                ConsistencyLevel.ALL,
                null);
    }

    private Map<String, BigInteger> totals(
            String cql, List<String> counters, ConsistencyLevel level, @Nullable Node at) {
        PreparedStatement select = session.prepare(cql);
        Map<String, BigInteger> totals = new HashMap<>();
        for (int from = 0; from < counters.size(); from += AT_ONCE) {
            Map<String, CompletionStage<AsyncResultSet>> some = new HashMap<>();
            for (String counter : counters.subList(from, Math.min(counters.size(), from + AT_ONCE))) {
                some.put(
                        counter,
                        session.executeAsync(select.bind(counter)
                                .setConsistencyLevel(level)
                                .setNode(at)
                                .setPageSize(100_000)));
            }
            some.forEach((counter, answer) -> {
                Row row = answer.toCompletableFuture().join().one();
                totals.put(
                        counter,
                        Optional.ofNullable(row)
                                .map(one -> one.getBigInteger(0))
                                .orElse(BigInteger.ZERO));
            });
        }
        return totals;
    }

    /** Returns the rows that one replica has of a counter, with their write timestamps, as one text. */
    String rowsAt(Node replica, String table, String counter) {
        StringBuilder rows = new StringBuilder();
        session.execute(SimpleStatement.newInstance(
                                "SELECT actor, version, increment, upto, WRITETIME(increment), WRITETIME(upto) FROM "
                                        + table + " WHERE type = ?",
                                counter)
                        .setConsistencyLevel(ConsistencyLevel.ONE)
                        .setNode(replica))
                .forEach(row -> rows.append(row.getFormattedContents()).append('\n'));
        return rows.toString();
    }

    List<Node> replicas() {
        return List.copyOf(session.getMetadata().getNodes().values());
    }

    @Override
    public void close() {
        session.close();
        nodes.close();
    }
}
