package dev.cassidy.sequence.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ch.qos.logback.classic.Level;
import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.AuthorisedNode;
import dev.cassidy.LogLines;
import dev.cassidy.Remedy;
import dev.cassidy.async.StandingWrites;
import dev.cassidy.cluster.BlockingCalls;
import dev.cassidy.counter.Counter;
import dev.cassidy.counter.Counters;
import dev.cassidy.counter.CountersConfig;
import dev.cassidy.counter.Receipt;
import dev.cassidy.counter.ReceiptStatus;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.sequence.Durability;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.ServerChecks;
import dev.cassidy.table.Contracts;
import dev.cassidy.table.TableRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A cluster with logins and Cassandra's defaults, and roles with no more rights than they need. */
class NodeSettingsIT {

    private static final SequencesConfig CONFIG = SequencesConfig.defaults().withGlobalKeyspace("node_settings_it");

    private static final EmbeddedCassandra NODE = AuthorisedNode.NODE;
    private static final CqlSession ADMINISTRATOR = AuthorisedNode.ADMINISTRATOR;

    @BeforeAll
    static void start() {
        CassidySchema.install(ADMINISTRATOR, Replication.parse("dc1:1"), CONFIG);
        try (Sequences sequences = Sequences.open(ADMINISTRATOR, CONFIG.withDurability(Durability.IGNORE))) {
            sequences.create(SequenceSpec.of("s"));
            InternalAccess.tables(sequences).registerIdentityAhead(new IdentityColumn("shop", "orders", "id", "s"));
        }
    }

    @AfterAll
    static void drop() {
        AuthorisedNode.dropKeyspaces();
    }

    /** Logs in with a role that may read Cassidy's tables, and write those from which ids are claimed. */
    private static CqlSession claiming(String role) {
        ADMINISTRATOR.execute("CREATE ROLE \"" + role + "\" WITH PASSWORD = 'p' AND LOGIN = true");
        ADMINISTRATOR.execute("GRANT SELECT ON KEYSPACE node_settings_it TO \"" + role + "\"");
        ADMINISTRATOR.execute("GRANT SELECT ON KEYSPACE node_settings_it_dc1 TO \"" + role + "\"");
        ADMINISTRATOR.execute("GRANT MODIFY ON node_settings_it.seq TO \"" + role + "\"");
        ADMINISTRATOR.execute("GRANT MODIFY ON node_settings_it_dc1.reserve TO \"" + role + "\"");
        return AuthorisedNode.login(role, "p");
    }

    @Test
    void shouldNameTheMissingGrantIfThePaxosVariantIsUnknown() {
        try (CqlSession clerk = claiming("Clerk 1")) {
            SequenceException refused =
                    catchThrowableOfType(SequenceException.Forbidden.class, () -> Sequences.open(clerk, CONFIG)
                            .close());

            assertThat(refused).hasMessageContaining("paxos_variant").hasMessageContaining("serverChecks=skip");
            List<String> grants = Remedy.of(refused.getMessage());
            assertThat(grants).containsExactly("GRANT SELECT ON system_views.settings TO \"Clerk 1\"");
            grants.forEach(ADMINISTRATOR::execute);
            try (Sequences sequences = Sequences.open(clerk, CONFIG)) {
                assertThat(sequences.allocator("s").nextLong()).isPositive();
            }
        }
    }

    @Test
    void shouldClaimWithoutThatGrantIfChecksAreSkippedUnlessDurabilityIsRequired() {
        SequencesConfig skip = CONFIG.withServerChecks(ServerChecks.SKIP);
        try (CqlSession clerk = claiming("clerk2")) {
            SequenceException refused = catchThrowableOfType(SequenceException.Forbidden.class, () -> Sequences.open(
                            clerk, skip.withDurability(Durability.REFUSE))
                    .close());
            assertThat(refused)
                    .hasMessageContaining("commitlog_sync is not known")
                    .hasMessageContaining("GRANT SELECT ON system_views.settings TO clerk2)")
                    .hasMessageContaining("durability=refuse");

            try (Sequences sequences = Sequences.open(clerk, skip)) {
                assertThat(sequences.allocator("s").nextLong()).isPositive();
            }
        }
    }

    /** The rights that docs/counters.md names. */
    @Test
    void shouldCountWithTheRightsThatAreDocumented() {
        ADMINISTRATOR.execute(
                "CREATE KEYSPACE node_settings_counters WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 1}");
        CountersConfig config = CountersConfig.of("node_settings_counters.visits")
                .withGlobalKeyspace("node_settings_it")
                .withRequestTimeout(Duration.ofMinutes(1))
                .withIncrementTimeout(Duration.ofMinutes(2));
        Counters.create(ADMINISTRATOR, config);
        ADMINISTRATOR.execute("CREATE ROLE counting WITH PASSWORD = 'p' AND LOGIN = true");
        for (String right : List.of(
                "SELECT ON node_settings_counters.visits",
                "MODIFY ON node_settings_counters.visits",
                "SELECT ON node_settings_it.contracts",
                "SELECT ON node_settings_it_dc1.counter_slot",
                "MODIFY ON node_settings_it_dc1.counter_slot",
                "SELECT ON node_settings_it_dc1.counter_settled",
                "MODIFY ON node_settings_it_dc1.counter_settled",
                "SELECT ON node_settings_it_dc1.counter_touched",
                "MODIFY ON node_settings_it_dc1.counter_touched",
                "SELECT ON system_views.settings")) {
            ADMINISTRATOR.execute("GRANT " + right + " TO counting");
        }
        try (CqlSession session = AuthorisedNode.login("counting", "p");
                Counters counters = Counters.open(session, config)) {
            Counter counter = counters.counter("/home");
            Receipt receipt = counter.increment(3);
            counter.fold();
            assertThat(counter.value()).isEqualTo(3);
            assertThat(counter.status(receipt)).isEqualTo(ReceiptStatus.COUNTED);
        }
    }

    @Test
    void shouldNotWarnAboutNodesThatForgetIfDurabilityIsIgnored() {
        try (LogLines said = new LogLines("dev.cassidy.cluster.NodeChecks")) {
            SequencesConfig config = CONFIG.withServerChecks(ServerChecks.CHECK);
            Sequences.open(ADMINISTRATOR, config.withDurability(Durability.IGNORE))
                    .close();
            assertThat(said.at(Level.WARN)).isEmpty();
        }
    }

    /** Claims wait for the node's sync period and a second. */
    @Test
    void shouldIssueNoIdBeforeItsClaimHasStoodIfDurabilityWaits() {
        SequencesConfig config = CONFIG.withServerChecks(ServerChecks.CHECK).withClaimTimeout(Duration.ofMinutes(2));

        try (Sequences sequences = Sequences.open(ADMINISTRATOR, config.withDurability(Durability.WAIT))) {
            long start = System.nanoTime();
            assertThat(sequences.allocator("s").nextLong()).isPositive();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(1_500));
        }
    }

    @Test
    void shouldRefuseNodesThatForgetIfDurabilityIsRequired() {
        SequencesConfig config = CONFIG.withServerChecks(ServerChecks.CHECK).withDurability(Durability.REFUSE);

        assertThatThrownBy(() -> Sequences.open(ADMINISTRATOR, config))
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("commitlog_sync: periodic, commitlog_sync_period: 500ms")
                .hasMessageContaining(NODE.host() + ":" + NODE.port())
                .hasMessageContaining("Set commitlog_sync: batch");
    }

    @Test
    void shouldWarnAboutACopyThatARoleMayNotWriteAndCopyAfterTheGrant() {
        try (CqlSession clerk = claiming("clerk3");
                LogLines said = new LogLines("dev.cassidy.table.Contracts")) {
            ADMINISTRATOR.execute("TRUNCATE node_settings_it_dc1.contracts");
            Contracts tables = tables(clerk);
            assertThat(registry(tables)
                            .identityAsync("shop", "orders")
                            .toCompletableFuture()
                            .orTimeout(2, TimeUnit.MINUTES)
                            .join())
                    .isPresent();

            copy(tables);
            copy(tables);

            assertThat(said.at(Level.WARN)).singleElement().satisfies(line -> {
                List<String> grants = Remedy.of(line);
                assertThat(grants).containsExactly("GRANT MODIFY ON node_settings_it_dc1.contracts TO clerk3");
                grants.forEach(ADMINISTRATOR::execute);
            });
            copy(tables);
            assertThat(ADMINISTRATOR
                            .execute("SELECT * FROM node_settings_it_dc1.contracts")
                            .all())
                    .hasSize(1);
        }
    }

    private static void copy(Contracts tables) {
        tables.copyFromGlobal()
                .toCompletableFuture()
                .orTimeout(2, TimeUnit.MINUTES)
                .join();
    }

    private static Contracts tables(CqlSession session) {
        Duration timeout = Duration.ofMinutes(1);
        ConditionalStatements global = ConditionalStatements.acrossDatacenters(session, timeout);
        ConditionalStatements local = ConditionalStatements.withinDatacenter(session, timeout);
        return new Contracts(
                global,
                local,
                "node_settings_it",
                "node_settings_it_dc1",
                any -> false,
                new CassandraChangeLog(global, local, "node_settings_it", "node_settings_it_dc1", UUID::randomUUID),
                () -> session.getMetadata().getNodes().keySet(),
                new StandingWrites(() -> Duration.ZERO, (task, delay) -> {}, System::nanoTime),
                System::nanoTime);
    }

    private static TableRegistry registry(Contracts tables) {
        return new TableRegistry(
                tables,
                CONFIG,
                () -> CompletableFuture.completedFuture(Map.of()),
                "datacenter1",
                sequence -> CompletableFuture.completedFuture(null),
                () -> CompletableFuture.completedFuture(null),
                (task, delay) -> {},
                new BlockingCalls(CONFIG));
    }
}
