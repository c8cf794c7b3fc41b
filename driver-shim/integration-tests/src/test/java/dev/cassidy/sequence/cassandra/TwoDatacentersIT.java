package dev.cassidy.sequence.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.cassidy.async.StandingWrites;
import dev.cassidy.cluster.BlockingCalls;
import dev.cassidy.cql.CqlSessions;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.embedded.EmbeddedCluster;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.IdScan;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.store.ChangeLog;
import dev.cassidy.table.Contracts;
import dev.cassidy.table.TableRegistry;
import dev.cassidy.table.TableWrites;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TwoDatacentersIT {

    private static final SequencesConfig CONFIG = SequencesConfig.defaults()
            .withRequestTimeout(Duration.ofSeconds(3))
            .withClaimTimeout(Duration.ofSeconds(30));

    private static EmbeddedCluster cluster;
    private static CqlSession first;
    private static CqlSession second;

    @BeforeAll
    static void start() {
        cluster = EmbeddedCluster.builder()
                .datacenter("dc1", 1)
                .datacenter("dc2", 1)
                .startsOnce()
                .start();
        first = connect("dc1");
        second = connect("dc2");
        CassidySchema.install(first, Replication.parse("dc1:1,dc2:1"), CONFIG);
    }

    @AfterAll
    static void stop() {
        if (first != null) {
            first.close();
        }
        if (second != null) {
            second.close();
        }
        cluster.close();
    }

    /** At the start, and after a node was paused, the nodes and the driver still have to connect to each other. */
    @BeforeEach
    void awaitBothDatacenters() {
        for (CqlSession session : List.of(first, second)) {
            awaitMajority(session);
        }
    }

    private static void awaitMajority(CqlSession session) {
        await().atMost(Duration.ofMinutes(2))
                .ignoreExceptionsInstanceOf(DriverException.class)
                .untilAsserted(() -> session.execute(readOfBoth()));
    }

    private static void awaitNoMajority(CqlSession session) {
        await().atMost(Duration.ofMinutes(2))
                .untilAsserted(() ->
                        assertThatThrownBy(() -> session.execute(readOfBoth())).isInstanceOf(DriverException.class));
    }

    private static SimpleStatement readOfBoth() {
        return SimpleStatement.newInstance("SELECT inc FROM " + CONFIG.globalKeyspace() + ".seq WHERE seq = 'awaited'")
                .setConsistencyLevel(ConsistencyLevel.SERIAL);
    }

    private static CqlSession connect(String datacenter) {
        EmbeddedCassandra node = cluster.node(datacenter, 0);
        return CqlSessions.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(datacenter)
                .build();
    }

    @Test
    void shouldRequireTheLocalDatacenterOfAUrlIfThereAreSeveral() throws SQLException {
        String one = "jdbc:cassidy://" + at(cluster.node("dc1", 0)) + "/?connectTimeout=1m";
        String both = "jdbc:cassidy://" + at(cluster.node("dc1", 0)) + "," + at(cluster.node("dc2", 0))
                + "/?connectTimeout=1m";

        assertThatThrownBy(() -> DriverManager.getConnection(one))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("the cluster has several datacenters (dc1, dc2); say which one is local")
                .hasFieldOrPropertyWithValue("SQLState", "08001");
        assertThatThrownBy(() -> DriverManager.getConnection(both))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("localDatacenter=...")
                .hasMessageContaining("dc2")
                .hasFieldOrPropertyWithValue("SQLState", "08001");
        try (Connection connection = DriverManager.getConnection(both + "&localDatacenter=dc2")) {
            assertThat(connection.isValid(60)).isTrue();
        }
    }

    private static String at(EmbeddedCassandra node) {
        return node.host() + ":" + node.port();
    }

    @Test
    void shouldShareASequenceAndContinueWhileTheOtherDatacenterIsCutOff() {
        try (Sequences here = Sequences.open(first, CONFIG);
                Sequences there = Sequences.open(second, CONFIG)) {
            here.create(SequenceSpec.of("shared"));
            Set<Long> issued = new HashSet<>();
            draw(here.allocator("shared"), 500, issued);
            draw(there.allocator("shared"), 500, issued);
            assertThat(issued).hasSize(1_000);

            cluster.node("dc2", 0).pause();
            try {
                // The first second of a cut is difficult, because the nodes do not know yet that the other is gone.
                draw(here.allocator("shared"), 2_000, issued);
                assertThat(issued).hasSize(3_000);
                assertThatThrownBy(() -> here.create(SequenceSpec.of("needs.everybody")))
                        .isInstanceOf(SequenceException.Unavailable.class);
                try (Sequences restarted = Sequences.open(first, CONFIG)) {
                    draw(restarted.allocator("shared"), 500, issued);
                }
                assertThat(issued).hasSize(3_500);
            } finally {
                cluster.node("dc2", 0).resume();
            }

            draw(there.allocator("shared"), 500, issued);
            draw(here.allocator("shared"), 500, issued);
            assertThat(issued).hasSize(4_500);
        }
    }

    @Test
    void shouldLearnOfASeedInTheOtherDatacenter() throws Exception {
        try (Sequences here = Sequences.open(first, CONFIG);
                Sequences there = Sequences.open(second, CONFIG)) {
            here.admin().register(SequenceSpec.of("seeded.elsewhere"));
            assertThatThrownBy(() -> there.allocator("seeded.elsewhere"))
                    .isInstanceOf(SequenceException.NotReady.class);
            assertThat(state(there, "seeded.elsewhere").ready()).isFalse();

            here.admin().seed("seeded.elsewhere", 700);

            assertThat(state(there, "seeded.elsewhere"))
                    .matches(SequenceState::ready)
                    .matches(state -> state.floor() == 700);
            assertThat(there.allocator("seeded.elsewhere").nextLong()).isEqualTo(700);
        }
    }

    @Test
    void shouldRaiseAfterEveryDatacenterHasLetGo() {
        SequencesConfig watchful = CONFIG.withWatchInterval(Duration.ofSeconds(2));
        try (Sequences here = Sequences.open(first, watchful);
                Sequences there = Sequences.open(second, watchful)) {
            here.create(SequenceSpec.of("raised.everywhere").withStripes(2));
            IdAllocator theirs = there.allocator("raised.everywhere");
            Set<Long> before = new HashSet<>();
            draw(here.allocator("raised.everywhere"), 10, before);
            draw(theirs, 10, before);

            SequenceState advanced = here.admin().advancePast("raised.everywhere", 1_000_000);

            assertThat(advanced.floor()).isGreaterThan(1_000_000);
            assertThat(theirs.nextLong()).isGreaterThanOrEqualTo(advanced.floor());
            assertThat(there.admin().find("raised.everywhere").orElseThrow())
                    .isEqualTo(here.admin().find("raised.everywhere").orElseThrow());
        }
    }

    @Test
    void shouldNameTheDatacenterThatHasNotLetGo() {
        SequencesConfig watchful = CONFIG.withWatchInterval(Duration.ofMillis(500));
        SequencesConfig blind = CONFIG.withWatchInterval(Duration.ofDays(1));
        try (Sequences here = Sequences.open(first, watchful)) {
            here.create(SequenceSpec.of("held.elsewhere"));
            try (Sequences there = Sequences.open(second, blind)) {
                there.allocator("held.elsewhere").nextLong();
                assertThatThrownBy(() -> here.admin().advancePast("held.elsewhere", 500))
                        .isInstanceOf(SequenceException.NotAcknowledged.class)
                        .hasMessageContaining("[dc2]");
                assertThat(there.admin().acknowledge("held.elsewhere")).hasSize(1);
                assertThat(here.admin().find("held.elsewhere").orElseThrow().floor())
                        .isEqualTo(1);
            }

            // The process in dc2 has ended and given its claim back, so no process there can acknowledge.
            assertThatThrownBy(() -> here.admin().seed("held.elsewhere", 500))
                    .isInstanceOf(SequenceException.NotAcknowledged.class)
                    .hasMessageContaining("[dc2]");
            try (Sequences tool = Sequences.open(second, blind)) {
                assertThat(tool.admin().acknowledge("held.elsewhere")).isEmpty();
            }
            assertThat(here.admin().advancePast("held.elsewhere", 500).floor()).isGreaterThan(500);
        }
    }

    /** A process that starts in the other datacenter while that is cut off would know of no declaration. */
    @Test
    void shouldRepairByWhatEveryDatacenterHas() {
        String name = "repaired.in.both";
        SequencesConfig config = CONFIG.withWatchInterval(Duration.ofMillis(500));
        Repair repair = Repair.of(name, 50_000).withClientsStopped();
        IdScan nothing = ids -> Optional.empty();
        try (Sequences here = Sequences.open(first, config)) {
            here.create(SequenceSpec.of(name));
            here.admin().restart(name, 1_000_000, name);
            try (Sequences there = Sequences.open(second, config)) {
                there.allocator(name).nextLong();
                assertThat(here.admin().repairOutlook(name).holders())
                        .extracting(Holder::process)
                        .containsExactly(there.holder());
            }
            // No majority of two replicas answers where there is one node.
            replicas("dc2", 2);
            assertThatThrownBy(() -> here.admin().repair(repair, name, nothing))
                    .isInstanceOf(SequenceException.Unavailable.class)
                    .hasMessageContaining("what datacenter dc2 holds of sequence " + name + " cannot be read");
            assertThat(here.admin().find(name)).get().matches(SequenceState::ready);
            replicas("dc2", 1);

            // In dc2 nothing runs that could acknowledge.
            assertThatThrownBy(() -> here.admin().repair(repair, name, nothing))
                    .isInstanceOf(SequenceException.NotAcknowledged.class)
                    .hasMessageContaining("[dc2]");
            try (Sequences there = Sequences.open(second, CONFIG)) {
                assertThat(there.admin().acknowledge(name)).isEmpty();
            }
            assertThat(here.admin().repair(repair, name, nothing).next()).hasValue(50_000);

            assertThat(here.admin().outdatedCopies(name)).containsExactly("dc2");
            try (Sequences there = Sequences.open(second, CONFIG)) {
                there.admin().join(name);
            }
            assertThat(here.admin().outdatedCopies(name)).isEmpty();
        }
    }

    private static void replicas(String datacenter, int count) {
        first.execute("ALTER KEYSPACE cassidy_" + datacenter
                + " WITH replication = {'class': 'NetworkTopologyStrategy', '" + datacenter + "': " + count + "}");
    }

    @Test
    void shouldOpenATableForExactWritesOnlyWhenEachDatacenterHasTheDeclaration() {
        SequencesConfig watchful = CONFIG.withWatchInterval(Duration.ofMillis(200));
        TableWrites exact = new TableWrites("shop", "item", "", null, false);
        try (Sequences here = Sequences.open(first, watchful)) {
            CompletableFuture<Void> declared = CompletableFuture.runAsync(
                    () -> InternalAccess.tables(here).declareWrites(exact, Duration.ZERO, () -> {}));
            await().until(() -> InternalAccess.tables(here)
                    .writesAsync("shop", "item")
                    .toCompletableFuture()
                    .get()
                    .filter(TableWrites::changing)
                    .isPresent());
            // While nothing runs in the other one that could copy it: longer than the other wait, of three watch
            // intervals.
            await().during(Duration.ofSeconds(1)).atMost(Duration.ofMinutes(1)).until(() -> !declared.isDone());

            try (Sequences there = Sequences.open(second, watchful)) {
                InternalAccess.tables(there).declareWrites(exact, Duration.ZERO, () -> {});
                declared.join();
                for (Sequences each : List.of(here, there)) {
                    assertThat(InternalAccess.tables(each)
                                    .writesAsync("shop", "item")
                                    .toCompletableFuture()
                                    .join())
                            .contains(exact);
                }
            }
        }
    }

    /** As docs/operations.md says; the global keyspace keeps its replicas. */
    @Test
    void shouldNoticeADatacenterThatJoins() throws Exception {
        SequencesConfig joined = CONFIG.withGlobalKeyspace("joined").withWatchInterval(Duration.ofMillis(200));
        SequenceSpec small = SequenceSpec.of("shares").withBounds(1, 40_000).withReserve(10_000, 10_000);
        TableWrites exact = new TableWrites("shop", "joins", "", null, false);
        CassidySchema.install(first, Replication.parse("dc1:1"), joined);
        try (Sequences here = Sequences.open(first, joined)) {
            CassidySchema.install(first, Replication.parse("dc1:1,dc2:1"), joined);
            here.create(small);
            here.allocator("shares").nextLong();
            // The upcoming range may have been granted already.
            assertThat(first.execute("SELECT lo, hi FROM joined.seq WHERE seq = 'shares'").all().stream()
                            .filter(grant -> !grant.isNull("lo"))
                            .mapToLong(grant -> grant.getLong("hi") - grant.getLong("lo")))
                    .as("a tenth, for two datacenters with two ranges each")
                    .isNotEmpty()
                    .allMatch(size -> size <= 1_000);
            CompletableFuture<Void> declared = CompletableFuture.runAsync(
                    () -> InternalAccess.tables(here).declareWrites(exact, Duration.ZERO, () -> {}));
            await().during(Duration.ofSeconds(1)).atMost(Duration.ofMinutes(1)).until(() -> !declared.isDone());

            try (Sequences there = Sequences.open(second, joined)) {
                InternalAccess.tables(there).declareWrites(exact, Duration.ZERO, () -> {});
                declared.join();
                there.allocator("shares").nextLong();
                // A caller that is told that dc2 has not let go yet calls again.
                await().atMost(Duration.ofMinutes(1))
                        .ignoreExceptionsInstanceOf(SequenceException.NotAcknowledged.class)
                        .until(() -> here.admin().advancePast("shares", 5_000) != null);
                await().atMost(Duration.ofMinutes(1))
                        .until(() -> here.admin().outdatedCopies("shares").isEmpty());
                assertThat(state(there, "shares").floor()).isGreaterThan(5_000);
                assertThat(here.admin().status("shares").datacenters())
                        .extracting(DatacenterStatus::datacenter)
                        .containsExactly("dc1", "dc2");
            }
        }
    }

    @Test
    void shouldLetGoOfTheIdsOfADatacenterThatIsLost() {
        try (Sequences here = Sequences.open(first, CONFIG)) {
            here.create(SequenceSpec.of("lost.elsewhere"));
            try (Sequences there = Sequences.open(second, CONFIG)) {
                assertThat(there.allocator("lost.elsewhere").nextLong()).isPositive();
            }
            // Nothing runs in dc2.
            assertThatThrownBy(() -> here.admin().seed("lost.elsewhere", 1_000_000, Duration.ZERO))
                    .isInstanceOf(SequenceException.NotAcknowledged.class)
                    .hasMessageContaining("[dc2]");

            assertThatThrownBy(() -> here.admin().releaseDatacenter("lost.elsewhere", "dc77"))
                    .isInstanceOf(SequenceException.Conflict.class)
                    .hasMessageContaining("no ids to a datacenter 'dc77'")
                    .hasMessageContaining("not acknowledged by [dc2]");
            here.admin().releaseDatacenter("lost.elsewhere", "dc2");
            here.admin().releaseDatacenter("lost.elsewhere", "dc2");

            assertThat(here.admin().seed("lost.elsewhere", 1_000_000).next()).hasValue(1_000_000);
        }
    }

    @Test
    void shouldReportTheRestOfBothDatacentersAndOnlyOfItsOwnDuringACut() throws Exception {
        SequenceSpec spec = SequenceSpec.of("left").withBlock(50, 50).withReserve(1, 200);
        try (Sequences here = Sequences.open(first, CONFIG);
                Sequences there = Sequences.open(second, CONFIG)) {
            BlockingQueue<HeadroomAlarm> alarms = new LinkedBlockingQueue<>();
            here.addListener(alarms::add);
            here.create(spec);
            there.admin().join("left");
            Set<Long> ours = new HashSet<>();
            Set<Long> theirs = new HashSet<>();
            // Draws until each datacenter has a range of 200 in use and an upcoming one. It is not known when a range
            // arrives: two datacenters that request ranges at the same time get in each other's way.
            SequenceStatus status;
            do {
                if (ours.size() >= 100) {
                    LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
                }
                draw(here.allocator("left"), 1, ours);
                draw(there.allocator("left"), 1, theirs);
                status = here.admin().status("left");
            } while (!haveBoth(status, 400) && ours.size() < 190);

            assertThat(status.used()).isEqualTo(800);
            assertThat(status.datacenters())
                    .extracting(DatacenterStatus::datacenter, DatacenterStatus::granted, DatacenterStatus::note)
                    .containsExactly(tuple("dc1", 400L, ""), tuple("dc2", 400L, ""));
            assertThat(status.datacenters()).allSatisfy(datacenter -> {
                DatacenterStatus.InHand inHand = datacenter.reserve().orElseThrow();
                assertThat(inHand.reserved() + inHand.issuedAtMost()).isEqualTo(400);
                assertThat(inHand.issuedAtMost()).isBetween((long) ours.size(), 200L);
                assertThat(inHand.blocks().orElseThrow().ids()).isLessThanOrEqualTo(inHand.issuedAtMost());
            });

            cluster.node("dc2", 0).pause();
            try {
                // Draws past the first range, so that the upcoming one is current and another one is due. The loop does
                // not count ids, because claims with an unknown outcome, as on a slow machine, leave gaps.
                while (hasUpcomingRange("left")) {
                    draw(here.allocator("left"), 1, ours);
                }
                SequenceStatus alone = here.admin().status("left");
                assertThat(alone.used()).isEqualTo(800);
                assertThat(alone.note()).contains("no majority answered");
                assertThat(alone.datacenters().get(0).reserve().orElseThrow().issuedAtMost())
                        .isBetween(201L, 400L);
                assertThat(alone.datacenters().get(1).granted()).isEqualTo(400);
                assertThat(alone.datacenters().get(1).reserve()).isEmpty();
                assertThat(alone.datacenters().get(1).note()).contains("no answer from it");

                // A look that gets no answer in time, as on a slow machine, raises nothing. The next one does.
                await().atMost(Duration.ofMinutes(2))
                        .ignoreExceptionsInstanceOf(ExecutionException.class)
                        .until(() -> {
                            here.headroom().look(spec).toCompletableFuture().get(1, TimeUnit.MINUTES);
                            return !alarms.isEmpty();
                        });
                assertThat(alarms.poll())
                        .isInstanceOfSatisfying(
                                HeadroomAlarm.RefillUnreachable.class,
                                alarm -> assertThat(alarm.reserved()).isBetween(1L, 199L));
            } finally {
                cluster.node("dc2", 0).resume();
            }
        }
    }

    @Test
    void shouldKnowRegistrationsThatWereReadBeforeTheCut() throws Exception {
        try (Sequences here = Sequences.open(first, CONFIG)) {
            here.create(SequenceSpec.of("shop.read"));
            InternalAccess.tables(here).registerIdentityAhead(new IdentityColumn("shop", "read", "id", "shop.read"));
        }
        ConditionalStatements global = ConditionalStatements.acrossDatacenters(second, Duration.ofSeconds(5));
        ConditionalStatements local = ConditionalStatements.withinDatacenter(second, Duration.ofSeconds(5));
        String keyspace = CONFIG.globalKeyspace();
        ChangeLog changes = new CassandraChangeLog(global, local, keyspace, keyspace + "_dc2", UUID::randomUUID);
        Contracts stores = new Contracts(
                global,
                local,
                keyspace,
                keyspace + "_dc2",
                any -> false,
                changes,
                () -> Set.of(UUID.randomUUID()),
                new StandingWrites(() -> Duration.ZERO, (task, delay) -> {}, System::nanoTime),
                System::nanoTime);
        TableRegistry tables = new TableRegistry(
                stores,
                CONFIG,
                () -> CompletableFuture.completedFuture(Map.of()),
                "datacenter1",
                sequence -> CompletableFuture.completedFuture(null),
                () -> CompletableFuture.completedFuture(null),
                (task, delay) -> {},
                new BlockingCalls(CONFIG));
        assertThat(tables.identitiesIncomplete()).isPresent();
        assertThat(get(tables.identityAsync("shop", "read"))).isPresent();
        assertThat(tables.identitiesIncomplete()).isEmpty();

        cluster.node("dc1", 0).pause();
        try {
            awaitNoMajority(second);
            get(stores.loadAndCopy());
            assertThat(tables.identitiesIncomplete())
                    .as("what was complete stays so")
                    .isEmpty();
            assertThat(stores.changed("shop.later").toCompletableFuture())
                    .as("to be read again")
                    .failsWithin(1, TimeUnit.MINUTES);
            assertThat(tables.cachedIdentity("shop", "read")).isPresent();
        } finally {
            cluster.node("dc1", 0).resume();
        }
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(1, TimeUnit.MINUTES);
    }

    private static boolean haveBoth(SequenceStatus status, long granted) {
        return status.datacenters().stream()
                        .filter(datacenter -> datacenter
                                .reserve()
                                .filter(inHand -> inHand.notAbsorbed() == 0
                                        && inHand.reserved() + inHand.issuedAtMost() == granted)
                                .isPresent())
                        .count()
                == 2;
    }

    /** Asks the first datacenter. */
    private static boolean hasUpcomingRange(String sequence) {
        return first.execute(
                                "SELECT DISTINCT nlo FROM " + CONFIG.globalKeyspace()
                                        + "_dc1.reserve WHERE seq = ? AND stripe = 0",
                                sequence)
                        .one()
                        .getLong("nlo")
                != -1;
    }

    private static SequenceState state(Sequences sequences, String name) throws Exception {
        return sequences.localStateAsync(name).toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private static void draw(IdAllocator allocator, int count, Set<Long> into) {
        for (int i = 0; i < count; i++) {
            assertThat(into.add(allocator.nextLong())).isTrue();
        }
    }
}
