package dev.cassidy.reliability.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.embedded.EmbeddedCluster;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Inserts of new rows failed and reached one replica of three. A condition can hold by that replica alone, and what is written
 * under it reaches the others. The cluster is that of {@link FreshClusterIT}.
 */
abstract class RowOnOneReplica {

    private static final SequencesConfig CONFIG = Clients.CONFIG.withGlobalKeyspace("exactly");
    private static final int ROWS = 24;

    /** 2^42 microseconds, as new rows of exact tables have it. */
    private static final long FRESH = 4_398_046_511_104L;

    private static Connection connection;

    @BeforeAll
    static void insertOnOneReplica() throws SQLException {
        EmbeddedCluster nodes = FreshClusterIT.cluster;
        EmbeddedCassandra alone = nodes.node("dc1", 0);
        List<EmbeddedCassandra> others = List.of(nodes.node("dc1", 1), nodes.node("dc1", 2));
        try (CqlSession session = Clients.connectTo(alone)) {
            CassidySchema.install(session, Replication.parse("dc1:3"), CONFIG);
            session.execute("CREATE KEYSPACE half WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 3}");
            nodes.awaitAllUp();
            connection = DriverManager.getConnection(
                    "jdbc:cassidy://" + alone.host() + ":" + alone.port()
                            + "/half?localDatacenter=dc1&writes=exact&connectTimeout=2m&requestTimeout=2m&globalKeyspace=exactly");
            try (Statement statement = connection.createStatement()) {
                statement.execute(
                        "CREATE TABLE [item] (id INT IDENTITY(1000, 1) PRIMARY KEY, name NVARCHAR(9), n INT)");
            }
            nodes.awaitAllUp();
            others.forEach(EmbeddedCassandra::stop);
            // Not before the node knows: until then it would wait for the others.
            for (int id = 1; id <= ROWS; id++) {
                SimpleStatement insert = SimpleStatement.newInstance(
                                "INSERT INTO half.item (id, name, n, cassidy_tx) VALUES (?, 'half', 0, 0xff)", id)
                        .setConsistencyLevel(ConsistencyLevel.ONE)
                        .setQueryTimestamp(FRESH);
                await().atMost(Duration.ofMinutes(2))
                        .ignoreExceptionsInstanceOf(DriverException.class)
                        .untilAsserted(() -> session.execute(insert));
            }
            others.forEach(EmbeddedCassandra::restart);
            nodes.awaitAllUp();
        }
    }

    @AfterAll
    static void close() throws SQLException {
        if (connection != null) {
            connection.close();
        }
    }

    @Test
    void shouldNotLoseTheInsertOfARowThatItHasFound() throws SQLException {
        EmbeddedCluster nodes = FreshClusterIT.cluster;
        int[] counts = new int[ROWS + 1];
        try (PreparedStatement update = connection.prepareStatement("UPDATE item SET n = ? WHERE id = ?")) {
            for (int id = 1; id <= ROWS; id++) {
                update.setInt(1, id);
                update.setInt(2, id);
                counts[id] = update.executeUpdate();
            }
        }
        assertThat(counts)
                .as("the node that has them is asked for some of them")
                .contains(1);
        nodes.node("dc1", 0).stop();
        try {
            await().atMost(Duration.ofMinutes(2))
                    .ignoreExceptionsInstanceOf(SQLException.class)
                    .untilAsserted(() -> assertThat(row(ROWS + 1)).isEmpty());
            for (int id = 1; id <= ROWS; id++) {
                assertThat(row(id))
                        .as("row %d, of which %d were written", id, counts[id])
                        .isEqualTo(counts[id] == 0 ? List.of() : List.of("half", id));
            }
        } finally {
            nodes.node("dc1", 0).restart();
            nodes.awaitAllUp();
        }
    }

    private static List<Object> row(int id) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT name, n FROM item WHERE id = ?")) {
            select.setInt(1, id);
            try (ResultSet found = select.executeQuery()) {
                List<Object> row = new ArrayList<>();
                if (found.next()) {
                    row.add(found.getString(1));
                    row.add(found.getInt(2));
                }
                return row;
            }
        }
    }
}
