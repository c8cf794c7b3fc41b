package dev.cassidy.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.servererrors.WriteTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class EmbeddedClusterIT {
    @AutoClose
    private static final TwoDatacenters BOTH = new TwoDatacenters();

    private final EmbeddedCluster cluster = BOTH.cluster();

    @Test
    void shouldShowEachDatacenterTheOther() {
        for (String datacenter : List.of("dc1", "dc2")) {
            try (CqlSession session = BOTH.connect(datacenter)) {
                Row local =
                        session.execute("SELECT data_center FROM system.local").one();
                Row peer = session.execute("SELECT data_center FROM system.peers_v2")
                        .one();
                assertThat(List.of(local.getString(0), peer.getString(0)))
                        .containsExactlyInAnyOrder("dc1", "dc2")
                        .startsWith(datacenter);
            }
        }
    }

    @Test
    void shouldAddNoNodeWhoseLinksItCouldNotCut() {
        assertThatThrownBy(() -> cluster.join("dc1"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("severable");
        assertThat(cluster.nodes()).hasSize(2);
    }

    @Test
    void shouldKeepServingOneDatacenterWhileTheOtherIsPaused() {
        EmbeddedCassandra other = cluster.node("dc2", 0);
        try (CqlSession dc1 = BOTH.connect("dc1")) {
            other.pause();
            Cql.eventually(dc1, TwoDatacenters.insert("paused", ConsistencyLevel.LOCAL_QUORUM));
            assertThatThrownBy(() -> dc1.execute(TwoDatacenters.insert("unseen", ConsistencyLevel.EACH_QUORUM)))
                    .isInstanceOf(DriverException.class);

            other.resume();
            cluster.awaitAllUp();

            Cql.eventually(dc1, TwoDatacenters.insert("resumed", ConsistencyLevel.EACH_QUORUM));
        }
        assertThat(BOTH.words("dc2")).contains("resumed");
    }

    @Test
    void shouldNotAwaitANodeThatDies() throws Exception {
        EmbeddedCassandra other = cluster.node("dc2", 0);
        other.pause();
        CompletableFuture<String> death = cluster.death();
        ProcessHandle child = ProcessHandle.of(other.pid()).orElseThrow();
        CompletableFuture<Void> awaiting = CompletableFuture.runAsync(cluster::awaitAllUp);

        child.destroyForcibly();

        try {
            assertThat(awaiting)
                    .failsWithin(Duration.ofMinutes(20))
                    .withThrowableThat()
                    .withCauseInstanceOf(EmbeddedCassandraException.class)
                    .withMessageContaining("Cassandra at 127.0.0.2:" + other.port() + " in dc2 ended");
            assertThat(death.get()).contains("exit code 137");
        } finally {
            other.restart();
            cluster.awaitAllUp();
        }
        assertThat(cluster.death()).isNotDone();
    }

    @Test
    void shouldKeepTheDataOfAKilledNode() {
        EmbeddedCassandra other = cluster.node("dc2", 0);
        try (CqlSession dc1 = BOTH.connect("dc1")) {
            Cql.eventually(dc1, TwoDatacenters.insert("before", ConsistencyLevel.EACH_QUORUM));
        }
        other.kill();
        assertThatThrownBy(() -> BOTH.connect("dc2")).isInstanceOf(AllNodesFailedException.class);

        other.restart();
        cluster.awaitAllUp();

        assertThat(BOTH.words("dc2")).contains("before");
    }

    @Test
    void shouldFindNodesByTheirDatacenter() {
        assertThat(cluster.nodes()).hasSize(2);
        assertThat(cluster.nodes("dc2")).containsExactly(cluster.node("dc2", 0));
        assertThat(cluster.contactPoints("dc1"))
                .containsExactly(cluster.node("dc1", 0).contactPoint());
        assertThat(cluster.nodes()).extracting(EmbeddedCassandra::host).containsExactly("127.0.0.1", "127.0.0.2");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> cluster.nodes("dc3"))
                .withMessage("no such datacenter: dc3; there are [dc1, dc2]");
    }

    // ---- clocks

    @Test
    void shouldMoveTheClockOfOneNode() {
        try (CqlSession dc1 = BOTH.connect("dc1");
                CqlSession dc2 = BOTH.connect("dc2")) {
            dc1.execute("CREATE TABLE both.clocks (word text PRIMARY KEY, n int)");
            assertThat(hoursBehind(dc1, "dc1")).containsOnly(0L);
            assertThat(hoursBehind(dc2, "dc2")).containsOnly(TwoDatacenters.BEHIND.toHours());
        }
    }

    /** Returns those of the node's present time, of a plain write and of a conditional one. */
    private static List<Long> hoursBehind(CqlSession session, String datacenter) {
        String plain = "plain in " + datacenter;
        String conditional = "conditional in " + datacenter;
        String insert = "INSERT INTO both.clocks (word, n) VALUES (?, 1)";
        Cql.eventually(session, local(insert, plain));
        Cql.eventually(
                session,
                local(insert + " IF NOT EXISTS", conditional).setSerialConsistencyLevel(ConsistencyLevel.LOCAL_SERIAL));
        Instant now = Cql.eventually(session, local("SELECT toTimestamp(now()) FROM system.local"))
                .one()
                .getInstant(0);
        List<Instant> times = new ArrayList<>(List.of(now));
        for (String word : List.of(plain, conditional)) {
            Row row = Cql.eventually(session, local("SELECT writetime(n) FROM both.clocks WHERE word = ?", word))
                    .one();
            times.add(Instant.EPOCH.plus(row.getLong(0), ChronoUnit.MICROS));
        }
        return times.stream()
                .map(time -> Duration.between(time, Instant.now()).toHours())
                .toList();
    }

    private static SimpleStatement local(String statement, Object... values) {
        return SimpleStatement.newInstance(statement, values).setConsistencyLevel(ConsistencyLevel.LOCAL_QUORUM);
    }

    // ---- links between datacenters that are cut and healed

    @ParameterizedTest
    @EnumSource(Cut.class)
    void shouldKeepServingBothDatacentersWhileTheyAreCutOffFromEachOther(Cut cut) {
        try (CqlSession dc1 = BOTH.connect("dc1");
                CqlSession dc2 = BOTH.connect("dc2")) {
            cluster.cutOff("dc1", cut);
            Cql.eventually(dc1, TwoDatacenters.insert("here " + cut, ConsistencyLevel.LOCAL_QUORUM));
            Cql.eventually(dc2, TwoDatacenters.insert("there " + cut, ConsistencyLevel.LOCAL_QUORUM));
            assertThat(BOTH.words("dc1")).contains("here " + cut).doesNotContain("there " + cut);
            assertThat(BOTH.words("dc2")).contains("there " + cut).doesNotContain("here " + cut);
            assertThatThrownBy(() -> dc1.execute(TwoDatacenters.insert("unseen " + cut, ConsistencyLevel.EACH_QUORUM)))
                    .isInstanceOf(DriverException.class);
            assertThatThrownBy(() -> dc2.execute(TwoDatacenters.insert("unseen " + cut, ConsistencyLevel.EACH_QUORUM)))
                    .isInstanceOf(DriverException.class);

            cluster.heal("dc1");
            cluster.awaitAllUp();

            Cql.eventually(dc1, TwoDatacenters.insert("healed " + cut, ConsistencyLevel.EACH_QUORUM));
        }
        assertThat(BOTH.words("dc2")).contains("healed " + cut);
    }

    @Test
    void shouldRestartNodesWhileTheirDatacentersAreCutOffFromEachOther() {
        cluster.cutOff("dc1", Cut.SILENT);
        try {
            for (String datacenter : List.of("dc1", "dc2")) {
                cluster.node(datacenter, 0).kill();
                cluster.node(datacenter, 0).restart();
                try (CqlSession session = BOTH.connect(datacenter)) {
                    Cql.eventually(session, TwoDatacenters.insert("restarted", ConsistencyLevel.LOCAL_QUORUM));
                }
            }
        } finally {
            cluster.heal("dc1");
        }
        cluster.awaitAllUp();

        try (CqlSession dc1 = BOTH.connect("dc1")) {
            Cql.eventually(dc1, TwoDatacenters.insert("healed after restarts", ConsistencyLevel.EACH_QUORUM));
        }
        assertThat(BOTH.words("dc2")).contains("healed after restarts");
    }

    @Test
    void shouldCutOneWay() {
        try (CqlSession dc1 = BOTH.connect("dc1")) {
            Cql.eventually(dc1, TwoDatacenters.insert("answered", ConsistencyLevel.EACH_QUORUM));
            cluster.cut("dc2", "dc1", Cut.CLOSED);
            // The write arrives, but not its answer.
            assertThatThrownBy(() -> dc1.execute(TwoDatacenters.insert("unanswered", ConsistencyLevel.EACH_QUORUM)))
                    .isInstanceOf(WriteTimeoutException.class);
            // If a busy node has dropped the write, it arrives later as a hint.
            Cql.awaitRow(BOTH.connect("dc2"), "SELECT word FROM both.words WHERE word = 'unanswered'");
        } finally {
            cluster.heal("dc2");
        }
        cluster.awaitAllUp();
    }

    @Test
    void shouldRefuseToCutANonexistentLink() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> cluster.cutOff("dc3"))
                .withMessage("no such datacenter: dc3; there are [dc1, dc2]");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> cluster.cut("dc1", "dc1", Cut.CLOSED))
                .withMessage("must be two datacenters: from=dc1 to=dc1");
    }
}
