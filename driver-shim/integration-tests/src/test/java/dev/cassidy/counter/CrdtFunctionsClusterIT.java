package dev.cassidy.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import dev.cassidy.embedded.EmbeddedCluster;
import dev.cassidy.functions.CrdtPackVersion;
import dev.cassidy.functions.CrdtScript;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetSocketAddress;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** The functions on two nodes, each of which coordinates, and the jar's roll-out node by node. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class CrdtFunctionsClusterIT {

    private static final String HANDLER = "-Dcassandra.custom_query_handler_class=dev.cassidy.server.CrdtQueryHandler";

    @TempDir
    static Path folder;

    private static EmbeddedCluster cluster;
    private static CqlSession session;
    private static Path options;

    @BeforeAll
    static void start() throws IOException, URISyntaxException {
        // The jar is there from the start; a node uses it when it next starts with the option in this file.
        options = Files.createFile(folder.resolve("options"));
        cluster = EmbeddedCluster.builder()
                .datacenter("dc1", 2)
                .serverJar(Path.of(CrdtScript.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI()))
                .jvmOption("@" + options)
                // So that a busy machine fails no test.
                .yaml("read_request_timeout", "60s")
                .yaml("range_request_timeout", "60s")
                .yaml("write_request_timeout", "60s")
                .yaml("user_defined_functions_warn_timeout", "30s")
                .yaml("user_defined_functions_fail_timeout", "60s")
                .start();
        session = CqlSession.builder()
                .addContactPoints(cluster.contactPoints("dc1"))
                .withLocalDatacenter("dc1")
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, false)
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(60))
                        .build())
                .build();
        cluster.awaitAllUp();
        define("CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        define("CREATE TABLE shop.counter(type text, actor text, version bigint, increment bigint,"
                + " upto bigint, PRIMARY KEY(type, actor, version))");
        // Enough partitions for both nodes to own some: the coordinator gets the others' rows from its neighbour.
        for (int type = 0; type < 20; type++) {
            for (String actor : List.of("P1", "P2")) {
                insert("type" + type, actor, 0, 3L, 1000L);
                insert("type" + type, actor, 2, null, 1_000_000L);
                insert("type" + type, actor, 4, null, 1L);
                insert("type" + type, actor, Long.MAX_VALUE, 3L, null);
            }
        }
    }

    /**
     * Changes the schema, and waits until every node has the change: the next statement may go to any. The driver's own wait
     * ignores nodes whose schema its node has not heard of yet.
     */
    private static void define(String cql) {
        session.execute(cql);
        await().atMost(Duration.ofMinutes(5))
                .until(() -> session.getMetadata().getNodes().values().stream()
                                .map(node -> session.execute(
                                                SimpleStatement.newInstance("SELECT schema_version FROM system.local")
                                                        .setNode(node))
                                        .one()
                                        .getUuid(0))
                                .distinct()
                                .count()
                        == 1);
    }

    @AfterAll
    static void stop() {
        session.close();
        cluster.close();
    }

    @Test
    @Order(1)
    void shouldAnswerTheSameFromEveryCoordinator() {
        CrdtFunctions.install(session, "shop", List.of("crdt_sum", "crdt_exact"));
        cluster.awaitAllUp();

        assertThat(replicas()).hasSize(2);
        for (Node node : nodes()) {
            Row sums = session.execute(SimpleStatement.newInstance("SELECT crdt_sum(increment),"
                                    + " crdt_exact(type, actor, version, upto, increment) FROM shop.counter")
                            .setNode(node)
                            .setPageSize(7))
                    .one();
            assertThat(sums.getBigInteger(0)).isEqualTo(20 * 2 * 1_001_001);
            // Without the increment that a base contains.
            assertThat(sums.getBigInteger(1)).isEqualTo(20 * 2 * 1001);

            List<BigInteger> groups = new ArrayList<>();
            session.execute(SimpleStatement.newInstance("SELECT crdt_exact(type, actor, version, upto, increment)"
                                    + " FROM shop.counter GROUP BY type, actor")
                            .setNode(node)
                            .setPageSize(7))
                    .forEach(row -> groups.add(row.getBigInteger(0)));
            assertThat(groups).hasSize(40).containsOnly(BigInteger.valueOf(1001));
        }
    }

    @Test
    @Order(2)
    void shouldSayWhichNodesHaveTheJar() throws IOException {
        assertThat(CrdtFunctions.nativeFunctions(session)).hasSize(2).noneMatch(CrdtFunctionsOnNode::isInstalled);

        Files.writeString(options, HANDLER);
        cluster.node("dc1", 1).restart();
        cluster.awaitAllUp();
        await().atMost(Duration.ofMinutes(2)).until(() -> CrdtFunctions.nativeFunctions(session).stream()
                .allMatch(node -> node.problem().isEmpty()));

        InetSocketAddress restarted = cluster.node("dc1", 1).contactPoint();
        for (CrdtFunctionsOnNode each : CrdtFunctions.nativeFunctions(session)) {
            SimpleStatement sum = SimpleStatement.newInstance("SELECT system.crdt_sum(increment) FROM shop.counter")
                    .setNode(each.node());
            if (each.node().getEndPoint().resolve().equals(restarted)) {
                assertThat(each.version()).hasValue(CrdtPackVersion.version());
                // The other node sends rows; it needs no function for that.
                assertThat(session.execute(sum).one().getBigInteger(0)).isEqualTo(20 * 2 * 1_001_001);
            } else {
                assertThat(each.version()).isEmpty();
                assertThatThrownBy(() -> session.execute(sum)).isInstanceOf(InvalidQueryException.class);
            }
        }
    }

    @Test
    @Order(3)
    void shouldSayThatANodeDidNotAnswer() {
        cluster.node("dc1", 1).stop();

        await().atMost(Duration.ofMinutes(2)).until(() -> CrdtFunctions.nativeFunctions(session).stream()
                .anyMatch(node -> !node.problem().isEmpty()));
        assertThat(CrdtFunctions.check(session))
                .filteredOn(finding -> finding.severity() == CrdtFunctionsFinding.Severity.UNKNOWN)
                .singleElement()
                .satisfies(finding -> assertThat(finding.node().getEndPoint().resolve())
                        .isEqualTo(cluster.node("dc1", 1).contactPoint()));
    }

    private static Iterable<Node> nodes() {
        return session.getMetadata().getNodes().values();
    }

    /** The nodes that own one of the partitions. */
    private static Set<Boolean> replicas() {
        Set<Boolean> owners = new HashSet<>();
        List<Long> tokens = new ArrayList<>();
        for (Node node : nodes()) {
            session.execute(SimpleStatement.newInstance("SELECT tokens FROM system.local")
                            .setNode(node))
                    .one()
                    .getSet(0, String.class)
                    .forEach(token -> tokens.add(Long.valueOf(token)));
        }
        long first = Math.min(tokens.get(0), tokens.get(1));
        long second = Math.max(tokens.get(0), tokens.get(1));
        session.execute("SELECT DISTINCT type, token(type) FROM shop.counter")
                .forEach(row -> owners.add(row.getLong(1) > first && row.getLong(1) <= second));
        return owners;
    }

    private static void insert(String type, String actor, long version, Long upto, Long increment) {
        session.execute(SimpleStatement.newInstance(
                        "INSERT INTO shop.counter(type, actor, version, upto, increment) VALUES (?, ?, ?, ?, ?)",
                        type,
                        actor,
                        version,
                        upto,
                        increment)
                .setConsistencyLevel(ConsistencyLevel.ALL));
    }
}
