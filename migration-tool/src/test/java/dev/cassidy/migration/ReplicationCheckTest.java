package dev.cassidy.migration;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.Replication;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What {@code init} says of replicas, of a cluster of three nodes in dc1 and two in dc2. */
class ReplicationCheckTest {

    private static <T> T answering(Class<T> type, Map<String, Object> answers) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> answers.get(method.getName())));
    }

    private static ReplicationCheck check(String asked, Map<String, Map<String, String>> keyspaces) {
        Map<UUID, Node> nodes = new HashMap<>();
        for (String datacenter : List.of("dc1", "dc1", "dc1", "dc2", "dc2")) {
            nodes.put(UUID.randomUUID(), answering(Node.class, Map.of("getDatacenter", datacenter)));
        }
        Map<String, KeyspaceMetadata> found = new HashMap<>();
        keyspaces.forEach((name, replication) -> {
            Map<String, String> all = new HashMap<>(replication);
            all.put("class", "org.apache.cassandra.locator.NetworkTopologyStrategy");
            found.put(name, answering(KeyspaceMetadata.class, Map.of("getReplication", all)));
        });
        Metadata metadata = (Metadata) Proxy.newProxyInstance(
                Metadata.class.getClassLoader(), new Class<?>[] {Metadata.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("getNodes")) {
                        return nodes;
                    }
                    Object name = arguments[0];
                    return Optional.ofNullable(
                            found.get(name instanceof CqlIdentifier id ? id.asInternal() : String.valueOf(name)));
                });
        return new ReplicationCheck(
                metadata, SequencesConfig.defaults(), Replication.parse(asked).factors());
    }

    @Test
    void shouldDoubtOneReplicaWhereThereAreThreeNodes() {
        assertThat(check("dc1:1", Map.of()).singleReplica()).hasValueSatisfying(why -> assertThat(why)
                .contains("datacenter dc1 has 3 nodes, and --replication dc1:1", "ids", "issued again", "dc1:3"));
        assertThat(check("dc1:3,dc2:1", Map.of()).singleReplica())
                .as("two nodes")
                .isEmpty();
        assertThat(check("dc1:1", Map.of("cassidy_dc1", Map.of("dc1", "1"))).singleReplica())
                .as("nothing new is created")
                .isEmpty();
    }

    @Test
    void shouldLeaveWhatExistsAloneIfItIsTheSame() {
        assertThat(check("dc1:3", Map.of()).change()).isEmpty();
        assertThat(check("dc1:3", Map.of("cassidy", Map.of("dc1", "3"), "cassidy_dc1", Map.of("dc1", "3")))
                        .change())
                .isEmpty();
        assertThat(check("dc1:3,dc2:2", Map.of("cassidy", Map.of("dc1", "3"), "cassidy_dc1", Map.of("dc1", "3")))
                        .change())
                .as("dc2 joins, and the global keyspace keeps its replicas")
                .isEmpty();
    }

    /** The steps are those of the page. */
    @Test
    void shouldPrintTheRunbookOfAChange() throws Exception {
        Report report = check(
                        "dc1:1",
                        Map.of(
                                "cassidy", Map.of("dc1", "3", "dc2", "2"),
                                "cassidy_dc1", Map.of("dc1", "3"),
                                "cassidy_dc2", Map.of("dc2", "2")))
                .change()
                .orElseThrow();

        assertThat(report.exitCode()).isEqualTo(4);
        assertThat(report.text().lines())
                .containsExactly(
                        "Cassidy's keyspaces exist with other replicas: {cassidy={dc1=3, dc2=2}, cassidy_dc1={dc1=3}}."
                                + " Nothing was changed. If other replicas are meant, change them like this"
                                + " (docs/operations.md, Replication changes):",
                        "1. Stop all clients: every process that draws ids or changes sequences",
                        "2. On every node that holds cassidy: nodetool repair -full cassidy",
                        "3. In cqlsh: ALTER KEYSPACE cassidy WITH replication = {'class': 'NetworkTopologyStrategy',"
                                + " 'dc1': '1', 'dc2': '2'}",
                        "4. On every node that holds cassidy: nodetool repair -full cassidy",
                        "5. On every node that holds cassidy_dc1: nodetool repair -full cassidy_dc1",
                        "6. In cqlsh: ALTER KEYSPACE cassidy_dc1 WITH replication = {'class':"
                                + " 'NetworkTopologyStrategy', 'dc1': '1'}",
                        "7. On every node that holds cassidy_dc1: nodetool repair -full cassidy_dc1",
                        "8. Start the clients");
        String page = Files.readString(Path.of("../docs/operations.md"));
        String section =
                page.substring(page.indexOf("## Replication changes"), page.indexOf("## What a node that dies"));
        assertThat(section)
                .contains(
                        "Stop all clients",
                        "nodetool repair -full cassidy",
                        "ALTER KEYSPACE cassidy",
                        "Start the clients");
    }
}
