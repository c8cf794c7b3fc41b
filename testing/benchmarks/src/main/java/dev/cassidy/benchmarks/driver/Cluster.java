package dev.cassidy.benchmarks.driver;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.cassandra.Replication;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Nodes of one datacenter or more; clients are in that of the first one.
 *
 * @param replicas how many nodes of each datacenter have each row
 */
record Cluster(List<EmbeddedCassandra> nodes, int replicas) {

    /** Returns the name of a case on this cluster; on one node, the name alone. */
    String caseName(String name) {
        return isApart() ? apart(name) : caseName(name, nodes.size(), replicas);
    }

    /** Returns the name of a case on a cluster of two datacenters. */
    static String apart(String name) {
        return name + "-2-datacenters";
    }

    List<String> datacenters() {
        return nodes.stream().map(EmbeddedCassandra::localDatacenter).distinct().toList();
    }

    /** Returns whether there are several datacenters. */
    boolean isApart() {
        return datacenters().size() > 1;
    }

    static String caseName(String name, int nodes, int replicas) {
        return nodes == 1 ? name : name + '-' + nodes + "-nodes-rf" + replicas;
    }

    String title() {
        return nodes.size() == 1
                ? ""
                : "; " + nodes.size() + " nodes, RF " + replicas + (isApart() ? " in each datacenter" : "");
    }

    EmbeddedCassandra contact() {
        return nodes.get(0);
    }

    String datacenter() {
        return contact().localDatacenter();
    }

    Replication replication() {
        return Replication.parse(
                datacenters().stream().map(each -> each + ":" + replicas).collect(Collectors.joining(",")));
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
        session.execute("CREATE KEYSPACE " + keyspace + " WITH replication = {'class': 'NetworkTopologyStrategy'"
                + datacenters().stream()
                        .map(each -> ", '" + each + "': " + replicas)
                        .collect(Collectors.joining())
                + "}");
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
