package dev.cassidy.benchmarks.driver;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.cassandra.Replication;
import java.time.Duration;
import java.util.List;

/**
 * The nodes of one datacenter.
 *
 * @param replicas how many of them have each row
 */
record Cluster(List<EmbeddedCassandra> nodes, int replicas) {

    /** Returns the name of a case on this cluster; on one node, the name alone. */
    String caseName(String name) {
        return caseName(name, nodes.size(), replicas);
    }

    static String caseName(String name, int nodes, int replicas) {
        return nodes == 1 ? name : name + '-' + nodes + "-nodes-rf" + replicas;
    }

    String title() {
        return nodes.size() == 1 ? "" : "; " + nodes.size() + " nodes, RF " + replicas;
    }

    EmbeddedCassandra contact() {
        return nodes.get(0);
    }

    String datacenter() {
        return contact().localDatacenter();
    }

    Replication replication() {
        return Replication.parse(datacenter() + ":" + replicas);
    }

    /** Returns a session for statements that define tables, which take long on a busy machine. */
    CqlSession connect() {
        return CqlSession.builder()
                .addContactPoint(contact().contactPoint())
                .withLocalDatacenter(datacenter())
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(20))
                        .withDuration(DefaultDriverOption.CONTROL_CONNECTION_AGREEMENT_TIMEOUT, Duration.ofMinutes(2))
                        .build())
                .build();
    }

    void createKeyspace(CqlSession session, String keyspace) {
        session.execute("CREATE KEYSPACE " + keyspace + " WITH replication = {'class': 'NetworkTopologyStrategy', '"
                + datacenter() + "': " + replicas + "}");
    }

    double cpuMicros() {
        return nodes.stream()
                        .mapToLong(node -> ProcessHandle.of(node.pid())
                                .flatMap(process -> process.info().totalCpuDuration())
                                .orElse(Duration.ZERO)
                                .toNanos())
                        .sum()
                / 1e3;
    }
}
