package dev.cassidy.cql;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.embedded.EmbeddedCluster;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Rows go to their replicas, of two nodes with a replica of each row on one: a node that has none asks the other one. */
class ReplicasIT {

    private static final int ROWS = 1_000;

    private static EmbeddedCluster cluster;
    private static CqlSession setup;

    @BeforeAll
    static void start() {
        cluster = EmbeddedCluster.builder().datacenter("dc1", 2).startsOnce().start();
        setup = CqlSession.builder()
                .addContactPoints(cluster.contactPoints("dc1"))
                .withLocalDatacenter("dc1")
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(1))
                        .build())
                .build();
        CassidySchema.install(setup, Replication.parse("dc1:1"), SequencesConfig.defaults());
        setup.execute("CREATE KEYSPACE shop WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 1}");
        setup.execute("CREATE TABLE shop.orders (id bigint PRIMARY KEY, note text)");
        try (Sequences sequences = Sequences.open(setup, SequencesConfig.defaults())) {
            sequences.create(SequenceSpec.of("shop.orders", IdentityType.BIGINT, 1, 1));
            sequences.registerIdentity(new IdentityColumn("shop", "orders", "id", "shop.orders"));
        }
    }

    @AfterAll
    static void stop() {
        setup.close();
        cluster.close();
    }

    /** Returns how many requests of nodes other nodes have answered. */
    private static long answers() {
        long answers = 0;
        for (Node node : setup.getMetadata().getNodes().values()) {
            Row stage = setup.execute(
                            SimpleStatement.newInstance("SELECT completed_tasks FROM system_views.thread_pools"
                                            + " WHERE name = 'RequestResponseStage'")
                                    .setNode(node))
                    .one();
            // A node that has asked no other one has no such threads yet.
            answers += stage == null ? 0 : stage.getLong(0);
        }
        return answers;
    }

    private static void insert(PreparedStatement insert, int rows, boolean batched) throws SQLException {
        for (int i = 1; i <= rows; i++) {
            insert.setString(1, "n" + i);
            if (!batched) {
                insert.executeUpdate();
                continue;
            }
            insert.addBatch();
            if (i % 100 == 0) {
                insert.executeBatch();
            }
        }
    }

    @Test
    void shouldSendEachRowToItsReplica() throws SQLException {
        EmbeddedCassandra node = cluster.node("dc1", 0);
        String url = "jdbc:cassidy://" + node.host() + ":" + node.port()
                + "/shop?localDatacenter=dc1&requestTimeout=1m&connectTimeout=1m";
        try (Connection connection = DriverManager.getConnection(url);
                PreparedStatement insert = connection.prepareStatement("INSERT INTO orders (note) VALUES (?)")) {
            // Opens the sequence, and makes the claims that grow with the first rows.
            insert(insert, 300, true);
            for (boolean batched : new boolean[] {true, false}) {
                long before = answers();

                insert(insert, ROWS, batched);

                double messages = 2.0 * (answers() - before);
                assertThat(messages / ROWS)
                        .as("messages between nodes for a row, batched=%s", batched)
                        .isLessThan(0.1);
            }
        }
    }
}
