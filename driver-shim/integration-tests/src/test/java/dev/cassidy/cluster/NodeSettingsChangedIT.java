package dev.cassidy.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import dev.cassidy.LogLines;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.ServerChecks;
import dev.cassidy.sequence.cassandra.CassidySchema;
import dev.cassidy.sequence.cassandra.Replication;
import dev.cassidy.sequence.cassandra.Sequences;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node that starts again with different settings while processes are running. */
class NodeSettingsChangedIT {

    private static final SequencesConfig CONFIG = SequencesConfig.defaults()
            .withWatchInterval(Duration.ofMillis(100))
            .withClaimTimeout(Duration.ofSeconds(5));

    @TempDir
    private Path folder;

    private EmbeddedCassandra.Builder node(int port) {
        EmbeddedCassandra.Builder builder = EmbeddedCassandra.builder()
                .requestTimeout(Duration.ofMinutes(1))
                .clusterName("node settings changed")
                .dataDirectory(folder.resolve("node"))
                .yaml("commitlog_sync", "periodic")
                .yaml("commitlog_sync_period", "1500ms");
        return port == 0 ? builder : builder.port(port);
    }

    @Test
    void shouldStopClaimingWhenANodeStartsWithABadSettingAndContinueAfterItsCorrection() {
        EmbeddedCassandra node = node(0).yaml("paxos_variant", "v1").start();
        int port = node.port();
        try (LogLines said = new LogLines(NodeChecks.class);
                CqlSession session = connect(node)) {
            CassidySchema.install(session, Replication.parse("dc1:1"), CONFIG);
            try (Sequences live = Sequences.open(session, CONFIG)) {
                Sequences.open(session, CONFIG).close();
                assertThat(said.at(Level.WARN)).singleElement().satisfies(warning -> assertThat(warning)
                        .contains(node.host() + ":" + port, "1500 ms", "commitlog_sync: periodic"));
                assertThat(said.at(Level.INFO)).singleElement().satisfies(info -> assertThat(info)
                        .contains("paxos_variant: v1"));
                live.create(SequenceSpec.of("live").withBlock(1, 1));
                IdAllocator ids = live.allocator("live");
                ids.nextLong();

                node.close();
                try (EmbeddedCassandra bad = node(port)
                        .yaml("paxos_variant", "v2_without_linearizable_reads")
                        .start()) {
                    assertThat(awaitRefusal(ids))
                            .hasMessageContaining(bad.host() + ":" + port)
                            .hasMessageContaining("paxos_variant: v2_without_linearizable_reads")
                            .hasMessageContaining("Set paxos_variant: v2 in cassandra.yaml");
                    try (CqlSession fresh = connect(bad)) {
                        for (CqlSession each : List.of(session, fresh)) {
                            assertThatThrownBy(() -> Sequences.open(each, CONFIG))
                                    .isInstanceOf(SequenceException.Conflict.class)
                                    .hasMessageContaining("v2_without_linearizable_reads")
                                    .hasMessageContaining("Set paxos_variant: v2 in cassandra.yaml");
                        }
                    }
                    try (Sequences skipping = Sequences.open(session, CONFIG.withServerChecks(ServerChecks.SKIP))) {
                        assertThat(skipping.allocator("live").nextLong()).isPositive();
                    }
                }
                try (EmbeddedCassandra corrected = node(port)
                        .yaml("paxos_variant", "v2")
                        .yaml("skip_paxos_repair_on_topology_change", "true")
                        .yaml("paxos_state_purging", "legacy")
                        .start()) {
                    awaitId(ids);
                    assertThat(said.at(Level.WARN)).anySatisfy(warning -> assertThat(warning)
                            .contains(
                                    corrected.host() + ":" + port,
                                    "skip_paxos_repair_on_topology_change: true",
                                    "paxos_repair_enabled: true"));
                    assertThat(said.at(Level.INFO))
                            .anySatisfy(info -> assertThat(info).contains("paxos_state_purging: legacy"));
                }
            }
        } finally {
            node.close();
        }
    }

    private static CqlSession connect(EmbeddedCassandra node) {
        return CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(1))
                        .withDuration(DefaultDriverOption.RECONNECTION_BASE_DELAY, Duration.ofMillis(100))
                        .withDuration(DefaultDriverOption.RECONNECTION_MAX_DELAY, Duration.ofSeconds(1))
                        .build())
                .build();
    }

    /** While the node is down or has just started, other errors occur. */
    private static SequenceException awaitRefusal(IdAllocator ids) {
        return await().atMost(Duration.ofMinutes(3))
                .until(
                        () -> catchThrowableOfType(SequenceException.class, ids::nextLong),
                        SequenceException.Conflict.class::isInstance);
    }

    private static void awaitId(IdAllocator ids) {
        await().atMost(Duration.ofMinutes(3))
                .ignoreExceptionsInstanceOf(SequenceException.class)
                .untilAsserted(ids::nextLong);
    }
}
