package dev.cassidy.reliability.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.servererrors.UnavailableException;
import dev.cassidy.cql.CqlSessions;
import dev.cassidy.embedded.Cut;
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
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A transaction inserts rows of drawn ids in one logged batch, through a node that is cut off: one other node has the rows when it is killed,
 * and it has the batch log. Others write the same rows through two nodes that are two days behind. Then it returns, and replays its batch
 * log. Each node is a datacenter, because only between these can links be cut.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class LateBatchLog {

    /** By then the node must be dead; for as long it replays nothing. */
    private static final Duration REPLAYED_AFTER = Duration.ofSeconds(90);

    private static final Duration BEHIND = Duration.ofDays(-2);

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final EmbeddedCluster nodes = start();
    private final EmbeddedCassandra killed = nodes.node("dc1", 0);

    private static EmbeddedCluster start() {
        EmbeddedCluster.Builder builder = EmbeddedCluster.builder();
        builder.datacenter("dc1", 1).datacenter("dc2", 1).datacenter("dc3", 1).severable();
        builder.clockOffset("dc2", 0, BEHIND).clockOffset("dc3", 0, BEHIND);
        return builder.requestTimeout(Duration.ofSeconds(5))
                .jvmOption("-Dcassandra.batchlog.replay_timeout_in_ms=" + REPLAYED_AFTER.toMillis())
                // Hints would bring the rows as well.
                .yaml("hinted_handoff_enabled", "false")
                // A node that takes the others for down refuses the batch.
                .yaml("phi_convict_threshold", "16")
                .start();
    }

    @Test
    void shouldChangeNothingThatOthersHaveWrittenMeanwhile() throws Exception {
        try (nodes;
                CqlSession second = connect("dc2");
                CqlSession third = connect("dc3")) {
            CassidySchema.install(
                    second,
                    Replication.parse("dc1:1,dc2:1,dc3:1"),
                    SequencesConfig.defaults().withRequestTimeout(Duration.ofMinutes(1)));
            second.execute("CREATE KEYSPACE late WITH replication ="
                    + " {'class': 'NetworkTopologyStrategy', 'dc1': 1, 'dc2': 1, 'dc3': 1}");
            nodes.awaitAllUp();
            List<Integer> ids = insertOnTwoNodes(second);
            assertThat(rows(third, ids, ConsistencyLevel.LOCAL_ONE)).isEmpty();
            awaitThatItKnows(second);
            awaitThatItKnows(third);

            Map<Integer, String> written = new TreeMap<>(Map.of(ids.get(0), "1", ids.get(2), "2"));
            List<Integer> others = ids.subList(0, 3);
            try (Connection there = open("dc2")) {
                write(there, ids);
                assertThat(rows(second, others, ConsistencyLevel.QUORUM)).isEqualTo(written);
            }
            assertThat(rows(third, ids, ConsistencyLevel.LOCAL_ONE)).doesNotContainKey(ids.get(3));
            killed.restart();
            nodes.awaitAllUp();

            // The batch log brings the row that nobody has read.
            await().atMost(PATIENCE)
                    .ignoreExceptionsInstanceOf(DriverException.class)
                    .until(() -> rows(third, ids, ConsistencyLevel.LOCAL_ONE).containsKey(ids.get(3)));
            written.put(ids.get(3), "0");
            assertThat(rows(second, ids, ConsistencyLevel.ALL)).isEqualTo(written);
            assertThat(second.execute(SimpleStatement.newInstance("SELECT n FROM late.other WHERE id = 1")
                                    .setConsistencyLevel(ConsistencyLevel.ALL))
                            .one())
                    .extracting(row -> row.getInt(0))
                    .isEqualTo(1);
        }
    }

    /** Returns the ids that were drawn for it. */
    private List<Integer> insertOnTwoNodes(CqlSession second) throws SQLException {
        try (Connection here = open("dc1")) {
            try (Statement statement = here.createStatement()) {
                statement.execute("CREATE TABLE parcel (id INT IDENTITY PRIMARY KEY, n INT) WITH (serial)");
                statement.execute("CREATE TABLE other (id INT PRIMARY KEY, n INT) WITH (serial)");
                nodes.awaitAllUp();
                statement.executeUpdate("INSERT INTO other (id, n) VALUES (1, 0)");
            }
            here.setAutoCommit(false);
            // So that ids are in memory, and all statements are prepared.
            insert(here);
            here.commit();
            List<Integer> ids = insert(here);
            nodes.cut("dc1", "dc3", Cut.SILENT);
            nodes.cut("dc3", "dc1", Cut.SILENT);
            // The second one's answer must not arrive: the batch log would go.
            nodes.cut("dc2", "dc1", Cut.SILENT);
            assertThatThrownBy(here::commit).isInstanceOfSatisfying(SQLException.class, e -> assertThat(e.getSQLState())
                    .as("%s", e)
                    .isEqualTo("HYT00"));
            await().atMost(PATIENCE)
                    .until(() -> rows(second, ids, ConsistencyLevel.LOCAL_ONE).size() == ids.size());
            killed.kill();
            // Otherwise, what is on its way to the third one would arrive.
            nodes.cutOff("dc1", Cut.CLOSED);
            nodes.heal("dc1");
            return ids;
        }
    }

    private static List<Integer> insert(Connection connection) throws SQLException {
        List<Integer> ids = new ArrayList<>();
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO parcel (n) VALUES (0)", Statement.RETURN_GENERATED_KEYS)) {
            for (int i = 0; i < 4; i++) {
                insert.executeUpdate();
                try (ResultSet keys = insert.getGeneratedKeys()) {
                    keys.next();
                    ids.add(keys.getInt(1));
                }
            }
        }
        return ids;
    }

    /** The first is changed by itself, the second is deleted, and the third is changed with a row of another table. */
    private static void write(Connection there, List<Integer> ids) throws SQLException {
        String update = "UPDATE parcel SET n = n + ";
        assertThat(update(there, update + "1 WHERE id = ?", ids.get(0))).isEqualTo(1);
        assertThat(update(there, "DELETE FROM parcel WHERE id = ?", ids.get(1))).isEqualTo(1);
        there.setAutoCommit(false);
        assertThat(update(there, update + "2 WHERE id = ?", ids.get(2))).isEqualTo(1);
        assertThat(update(there, "UPDATE other SET n = n + 1 WHERE id = ?", 1)).isEqualTo(1);
        there.commit();
    }

    private static int update(Connection connection, String sql, int value) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setInt(1, value);
            return statement.executeUpdate();
        }
    }

    private static Map<Integer, String> rows(CqlSession session, List<Integer> ids, ConsistencyLevel level) {
        Map<Integer, String> rows = new TreeMap<>();
        for (int id : ids) {
            session.execute(SimpleStatement.newInstance("SELECT n FROM late.parcel WHERE id = ?", id)
                            .setConsistencyLevel(level))
                    .forEach(row -> rows.put(id, Integer.toString(row.getInt(0))));
        }
        return rows;
    }

    /** Until its node knows that the other one is dead, it waits for it. */
    private static void awaitThatItKnows(CqlSession session) {
        SimpleStatement ofAll = SimpleStatement.newInstance("SELECT n FROM late.other WHERE id = 1")
                .setConsistencyLevel(ConsistencyLevel.ALL);
        await().atMost(PATIENCE).until(() -> {
            try {
                session.execute(ofAll);
                return false;
            } catch (UnavailableException down) {
                return true;
            } catch (AllNodesFailedException failed) {
                return failed.getAllErrors().values().stream()
                        .flatMap(errors -> errors.stream())
                        .anyMatch(UnavailableException.class::isInstance);
            } catch (DriverException busy) {
                return false;
            }
        });
    }

    // ---- connections

    private Connection open(String datacenter) throws SQLException {
        EmbeddedCassandra node = nodes.node(datacenter, 0);
        return DriverManager.getConnection("jdbc:cassidy://" + node.host() + ":" + node.port()
                + "/late?localDatacenter=" + datacenter + "&connectTimeout=2m&requestTimeout=2m");
    }

    private CqlSession connect(String datacenter) {
        return CqlSessions.builder()
                .addContactPoints(nodes.contactPoints(datacenter))
                .withLocalDatacenter(datacenter)
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(2))
                        .withDuration(DefaultDriverOption.CONNECTION_CONNECT_TIMEOUT, Duration.ofMinutes(2))
                        .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, Duration.ofMinutes(2))
                        .withDuration(DefaultDriverOption.HEARTBEAT_TIMEOUT, Duration.ofMinutes(2))
                        .build())
                .build();
    }
}
