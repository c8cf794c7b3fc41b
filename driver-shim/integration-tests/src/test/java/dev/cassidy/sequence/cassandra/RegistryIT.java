package dev.cassidy.sequence.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.SharedNode;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.IdRange;
import dev.cassidy.sequence.IdScan;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.protocol.AllocatorContext;
import dev.cassidy.sequence.protocol.BlockAllocator;
import dev.cassidy.sequence.protocol.HeldClaims;
import dev.cassidy.sequence.protocol.HolderName;
import dev.cassidy.sequence.protocol.UnusedIds;
import dev.cassidy.sequence.store.HeldClaim;
import dev.cassidy.sequence.store.SequenceCatalog;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.Span;
import java.lang.reflect.Proxy;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Restart, drop, streams and reclaim on a real node, and what is refused when rows are missing. */
class RegistryIT {

    private static final SequencesConfig CONFIG =
            SequencesConfig.defaults().withGlobalKeyspace("registry_it").withWatchInterval(Duration.ofMillis(200));
    private static final SequencesConfig BLIND = CONFIG.withWatchInterval(Duration.ofDays(1));
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private static CqlSession session;
    private static Sequences sequences;
    private static ScheduledExecutorService timer;

    @BeforeAll
    static void open() {
        session = connect();
        timer = Executors.newSingleThreadScheduledExecutor();
        CassidySchema.install(session, Replication.parse("dc1:1"), CONFIG);
        sequences = Sequences.open(session, CONFIG);
    }

    private static CqlSession connect() {
        EmbeddedCassandra node = SharedNode.get();
        return CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .build();
    }

    @AfterAll
    static void close() {
        sequences.close();
        timer.shutdownNow();
        session.close();
    }

    @Test
    void shouldRestartWithExactlyTheRequestedId() {
        sequences.create(SequenceSpec.of("restarted"));
        sequences.allocator("restarted").nextLong();
        long free = next("restarted");

        SequenceState once = sequences.admin().restart("restarted", free + 99);
        SequenceState twice = sequences.admin().restart("restarted", free + 99);

        assertThat(twice).isEqualTo(once);
        assertThat(sequences.allocator("restarted").nextLong()).isEqualTo(free + 99);
    }

    /** Nor a sequence for one. */
    @Test
    void shouldRegisterNoTableOfCassidys() {
        String own = CONFIG.globalKeyspace();

        assertThatThrownBy(() -> sequences
                        .admin()
                        .register(SequenceSpec.of("of.own"), new IdentityColumn(own, "seq", "next", "of.own")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must not be one of Cassidy's own tables");

        assertThat(sequences.admin().find("of.own")).isEmpty();
    }

    @Test
    void shouldRegisterNoTableOfAnotherInstallation() {
        CassidySchema.install(session, Replication.parse("dc1:1"), CONFIG.withGlobalKeyspace("registry_it_other"));
        sequences.create(SequenceSpec.of("of.other"));

        for (String own : List.of("registry_it_other.seq", "registry_it_other_dc1.reserve")) {
            String[] name = own.split("\\.");
            assertThatThrownBy(
                            () -> sequences.registerIdentity(new IdentityColumn(name[0], name[1], "next", "of.other")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("must not be one of Cassidy's own tables");
        }
    }

    @Test
    void shouldRegisterNoTextAsAnIdentity() {
        session.execute("CREATE KEYSPACE registry_it_shop"
                + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        session.execute("CREATE TABLE registry_it_shop.product (id text PRIMARY KEY, n int)");
        sequences.create(SequenceSpec.of("of.product"));

        assertThatThrownBy(() -> sequences.registerIdentity(
                        new IdentityColumn("registry_it_shop", "product", "id", "of.product")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("type=text of column id of table registry_it_shop.product");
        sequences.registerIdentity(new IdentityColumn("registry_it_shop", "product", "n", "of.product"));
    }

    @Test
    void shouldRegisterNoColumnThatDoesNotExist() {
        session.execute("CREATE KEYSPACE registry_it_slips"
                + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        session.execute("CREATE TABLE registry_it_slips.product (id int PRIMARY KEY)");
        sequences.create(SequenceSpec.of("of.slips"));

        for (String slip :
                List.of("nowhere.product.id", "registry_it_slips.prodcut.id", "registry_it_slips.product.no")) {
            String[] name = slip.split("\\.");
            assertThatThrownBy(
                            () -> sequences.registerIdentity(new IdentityColumn(name[0], name[1], name[2], "of.slips")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("to take the ids of sequence of.slips")
                    .hasMessageContaining(
                            name[2].equals("no")
                                    ? "table registry_it_slips.product has no column no"
                                    : "there is no table " + name[0] + "." + name[1])
                    .hasMessageContaining("correct the name, or create it first");
        }
        assertThat(session.execute("SELECT * FROM registry_it.contracts WHERE keyspace_name = 'registry_it_slips'"
                                + " AND table_name = 'prodcut'")
                        .all())
                .isEmpty();
        InternalAccess.tables(sequences)
                .registerIdentityAhead(new IdentityColumn("registry_it_slips", "later", "id", "of.slips"));
    }

    @Test
    void shouldRefuseToRestartWithAnIdThatMayHaveBeenIssued() {
        sequences.create(SequenceSpec.of("restarted.low"));
        long issued = sequences.allocator("restarted.low").nextLong();
        long free = next("restarted.low");

        for (long taken : List.of(issued, issued + 1, free - 1)) {
            assertThatThrownBy(() -> sequences.admin().restart("restarted.low", taken))
                    .isInstanceOf(SequenceException.Conflict.class)
                    .hasMessageContaining("restart with " + taken)
                    .hasMessageContaining("Restart with " + free);
        }
        assertThat(sequences.admin().restart("restarted.low", free).next()).hasValue(free);
        assertThat(sequences.allocator("restarted.low").nextLong()).isEqualTo(free);
        assertThatThrownBy(() -> sequences.admin().restart("restarted.low", free))
                .as("issued meanwhile")
                .isInstanceOf(SequenceException.Conflict.class);
    }

    @Test
    void shouldRefuseToRestartWithAnIdThatIsNotItsOwn() {
        sequences.create(SequenceSpec.of("tens", IdentityType.INT, 1, 10));

        assertThatThrownBy(() -> sequences.admin().restart("tens", 45))
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("45")
                .hasMessageContaining("51");
        assertThatThrownBy(() -> sequences.admin().restart("tens", -9)).isInstanceOf(SequenceException.Conflict.class);
        assertThat(sequences.admin().restart("tens", 51).next()).hasValue(51);
    }

    @Test
    void shouldIssueNothingAfterADrop() throws Exception {
        sequences.create(SequenceSpec.of("dropped").withStripes(2));
        try (Sequences other = Sequences.open(session, CONFIG)) {
            IdAllocator ours = sequences.allocator("dropped");
            IdAllocator theirs = other.allocator("dropped");
            ours.nextLong();
            theirs.nextLong();

            sequences.admin().drop("dropped");
            sequences.admin().drop("dropped");

            assertThatThrownBy(ours::nextLong).isInstanceOf(SequenceException.Dropped.class);
            assertThatThrownBy(theirs::nextLong)
                    .isInstanceOf(SequenceException.Dropped.class)
                    .hasMessageContaining("sequence dropped was dropped");
        }
        try (Sequences later = Sequences.open(session, CONFIG)) {
            assertThatThrownBy(() -> later.allocator("dropped")).isInstanceOf(SequenceException.Dropped.class);
            assertThat(later.localStateAsync("dropped").toCompletableFuture())
                    .failsWithin(Duration.ofSeconds(30))
                    .withThrowableThat()
                    .withCauseInstanceOf(SequenceException.Dropped.class);
        }
        assertThatThrownBy(() -> sequences.admin().seed("dropped", 1_000_000))
                .isInstanceOf(SequenceException.Dropped.class);
        assertThatThrownBy(() -> sequences.registerIdentity(new IdentityColumn("shop", "old", "id", "dropped")))
                .isInstanceOf(SequenceException.Dropped.class);
        assertThat(sequences.admin().find("dropped").orElseThrow())
                .matches(SequenceState::dropped)
                .matches(state -> !state.ready());
        assertThat(sequences.admin().list())
                .filteredOn(SequenceState::dropped)
                .extracting(state -> state.spec().name())
                .contains("dropped");
    }

    @Test
    void shouldCreateADroppedSequenceAgainOnlyPastItsGrants() {
        sequences.create(SequenceSpec.of("anew"));
        IdAllocator old = sequences.allocator("anew");
        try (Sequences idle = Sequences.open(session, BLIND)) {
            IdAllocator unused = idle.allocator("anew");
            long issued = old.nextLong();
            long free = next("anew");
            sequences.admin().drop("anew");

            assertThatThrownBy(() -> sequences.create(SequenceSpec.of("anew")))
                    .isInstanceOf(SequenceException.Conflict.class)
                    .hasMessageContaining("start=1")
                    .hasMessageContaining("first id that is free is " + free);
            assertThatThrownBy(() -> sequences.create(SequenceSpec.of("anew", IdentityType.INT, free - 1, 1)))
                    .isInstanceOf(SequenceException.Conflict.class);
            assertThatThrownBy(() -> sequences.create(SequenceSpec.of("anew", IdentityType.INT, -1, -1)))
                    .isInstanceOf(SequenceException.Conflict.class)
                    .hasMessageContaining("direction");
            sequences.create(SequenceSpec.of("anew", IdentityType.BIGINT, free, 7));

            assertThat(issued).isLessThan(free);
            assertThat(sequences.allocator("anew").nextLong()).isEqualTo(free);
            // Both know the old specification, in which ordinal 0 of the new one would be id 1.
            assertThatThrownBy(old::nextLong)
                    .isInstanceOf(SequenceException.Dropped.class)
                    .hasMessageContaining("anew");
            assertThatThrownBy(unused::nextLong)
                    .isInstanceOf(SequenceException.Dropped.class)
                    .hasMessageContaining("anew");
        }
    }

    @Test
    void shouldRepairASequenceThatWasRestartedAtItsEnd() {
        String name = "raised.too.far";
        int end = Integer.MAX_VALUE;
        sequences.create(SequenceSpec.of(name));
        List<Long> issued = new ArrayList<>();
        issued.add(sequences.allocator(name).nextLong());
        long free = next(name);
        sequences.admin().restart(name, end, name);
        List<IdRange> scanned = new ArrayList<>();
        IdScan nothing = ids -> {
            scanned.add(ids);
            return Optional.empty();
        };
        try (Sequences notifies = Sequences.open(session, CONFIG);
                Sequences paused = Sequences.open(session, BLIND)) {
            issued.add(paused.allocator(name).nextLong());
            assertThatThrownBy(sequences.allocator(name)::nextLong).isInstanceOf(SequenceException.Exhausted.class);
            IdAllocator before = notifies.allocator(name);

            RepairOutlook outlook = sequences.admin().repairOutlook(name);
            assertThat(outlook.passedOver()).isEqualTo(new IdRange(free, 1, end - free));
            assertThat(outlook.grantedSince()).isTrue();
            assertThat(outlook.floorPassed()).isFalse();
            assertThat(outlook.holders()).extracting(Holder::process).containsExactly(paused.holder());
            Repair repair = Repair.of(name, free + 20_000);

            // Nothing is changed while an id may be used.
            for (long taken : List.of(free - 1, (long) end)) {
                assertThatThrownBy(() -> sequences.admin().repair(Repair.of(name, taken), name, nothing))
                        .isInstanceOf(SequenceException.Conflict.class)
                        .hasMessageContaining(free + " to " + (end - 1));
            }
            assertThatThrownBy(() -> sequences
                            .admin()
                            .repair(
                                    repair,
                                    name,
                                    ids -> Optional.of(new IdScan.Found(free + 15_000, free + 20_000, "t.id"))))
                    .isInstanceOf(SequenceException.Conflict.class)
                    .hasMessageContaining("(t.id)");
            assertThatThrownBy(() -> sequences.admin().repair(repair, name, ids -> {
                        throw new IllegalStateException("no answer");
                    }))
                    .hasMessage("no answer");
            assertThatThrownBy(() -> sequences.admin().repair(repair, "raised", nothing))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(sequences.admin().find(name)).get().matches(SequenceState::ready);
            assertThat(scanned).isEmpty();

            // One process holds the last id, and does not notice that the sequence is dropped.
            assertThatThrownBy(() -> sequences.admin().repair(repair, name, nothing))
                    .isInstanceOf(SequenceException.NotAcknowledged.class)
                    .hasMessageContaining(paused.holder());
            assertThat(sequences.admin().find(name)).get().matches(SequenceState::dropped);
            assertThat(scanned).containsOnly(new IdRange(free + 10_000, 1, end - free - 10_000));
            paused.close();

            SequenceState repaired = sequences.admin().repair(repair, name, nothing);

            assertThat(repaired.next()).hasValue(free + 20_000);
            assertThat(repaired.spec().maximum()).isEqualTo(end - 1);
            assertThat(sequences.admin().repair(repair, name, nothing)).isEqualTo(repaired);
            assertThat(sequences.allocator(name).nextLong()).isEqualTo(free + 20_000);
            assertThatThrownBy(before::nextLong).isInstanceOf(SequenceException.Dropped.class);
            // It notices within a watch interval that the sequence was created again.
            issued.add(await().atMost(Duration.ofMinutes(2))
                    .ignoreException(SequenceException.Dropped.class)
                    .until(() -> notifies.allocator(name).nextLong(), id -> true));
            assertThat(issued).doesNotHaveDuplicates().allMatch(id -> id == end || id == 1 || id > free + 20_000);
        }
        sequences.admin().drop(name);
        long next = next(name);
        assertThatThrownBy(() -> sequences.create(SequenceSpec.of(name, IdentityType.INT, next, 1)))
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining(end + " to " + end + " may have been issued before");
        sequences.create(SequenceSpec.of(name, IdentityType.BIGINT, end + 1L, 1));
    }

    @Test
    void shouldDropForARepairOnlyWhatItHasProven() {
        String name = "repaired.meanwhile";
        long free = restartedAtItsEnd(name);
        SequenceAdmin admin = sequences.admin();

        assertThatThrownBy(() -> admin.repair(Repair.of(name, free + 20_000), name, ids -> {
                    // Another operator is faster.
                    admin.repair(Repair.of(name, free + 30_000), name, others -> Optional.empty());
                    return Optional.empty();
                }))
                .isInstanceOf(SequenceException.Conflict.class);

        assertThat(admin.find(name))
                .get()
                .matches(SequenceState::ready)
                .matches(found -> found.next().orElseThrow() == free + 30_000);
    }

    @Test
    void shouldProveOnceMoreAfterTheDropThatNoIdIsUsed() {
        String name = "stored.meanwhile";
        long free = restartedAtItsEnd(name);
        List<IdRange> scanned = new ArrayList<>();

        assertThatThrownBy(() -> sequences.admin().repair(Repair.of(name, free + 20_000), name, ids -> {
                    scanned.add(ids);
                    return scanned.size() == 1
                            ? Optional.empty()
                            : Optional.of(new IdScan.Found(free + 15_000, free + 20_000, "t.id"));
                }))
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("(t.id)")
                .hasMessageContaining("was dropped for this repair");

        assertThat(sequences.admin().find(name)).get().matches(SequenceState::dropped);
    }

    /** Returns the first id that the restart has passed over. */
    private static long restartedAtItsEnd(String name) {
        sequences.create(SequenceSpec.of(name));
        sequences.allocator(name).nextLong();
        long free = next(name);
        sequences.admin().restart(name, Integer.MAX_VALUE, name);
        return free;
    }

    @Test
    void shouldNotCreateADroppedSequenceAgainWhileItsIdsAreHeld() {
        sequences.create(SequenceSpec.of("lingering"));
        try (Sequences process = Sequences.open(session, BLIND)) {
            process.allocator("lingering").nextLong();
            long free = next("lingering");

            assertThatThrownBy(() -> sequences.admin().drop("lingering"))
                    .isInstanceOf(SequenceException.NotAcknowledged.class)
                    .hasMessageContaining("dc1");
            assertThatThrownBy(() -> sequences.create(SequenceSpec.of("lingering", IdentityType.INT, free, 1)))
                    .isInstanceOf(SequenceException.NotAcknowledged.class);
            process.close();
            sequences.admin().drop("lingering");
            sequences.create(SequenceSpec.of("lingering", IdentityType.INT, free, 1));

            assertThat(sequences.allocator("lingering").nextLong()).isEqualTo(free);
        }
    }

    @Test
    void shouldKeepStreamsOfOneNameTogether() {
        SequenceSpec base = SequenceSpec.of("woven");
        sequences.create(base.interleave(1, 3));
        sequences.create(base.interleave(2, 3));
        sequences.create(base.interleave(2, 3));

        assertThat(sequences.allocator("woven[1/3]").nextLong()).isEqualTo(1);
        assertThat(sequences.allocator("woven[2/3]").nextLong()).isEqualTo(2);
        assertThatThrownBy(() -> sequences.create(base.interleave(1, 2)))
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("3 streams")
                .hasMessageContaining("2 streams");
        assertThatThrownBy(() -> sequences.create(
                        SequenceSpec.of("woven", IdentityType.INT, 2, 1).interleave(3, 3)))
                .isInstanceOf(SequenceException.Conflict.class);
        assertThatThrownBy(() -> sequences.create(base))
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("interleaved");
        assertThatThrownBy(() -> sequences.allocator("woven"))
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("woven[1/3] to woven[3/3]");
        assertThat(sequences.admin().find("woven")).isEmpty();
        assertThat(sequences.admin().list())
                .extracting(state -> state.spec().name())
                .contains("woven[1/3]", "woven[2/3]")
                .doesNotContain("woven");
    }

    @Test
    void shouldNotInterleaveTheNameOfAPlainSequence() {
        sequences.create(SequenceSpec.of("plain"));

        assertThatThrownBy(() -> sequences.create(SequenceSpec.of("plain").interleave(1, 2)))
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("plain");
    }

    @Test
    void shouldReclaimTheUnusedIdsOfAProcessThatIsGone() {
        sequences.create(SequenceSpec.of("abandoned").withBlock(16, 16));
        Set<Long> used = new HashSet<>();
        leaveBehind("abandoned", "gone@host", 5, used);
        HeldClaims aged = claims(Duration.ofHours(2));
        SequenceEntry entry = entry("abandoned");

        HeldClaims.Abandoned abandoned = get(aged.abandonedBy(entry, "gone@host"));
        assertThat(abandoned.tooOld()).isEmpty();
        assertThat(abandoned.reclaimable()).hasSize(1);
        HeldClaim claim = abandoned.reclaimable().get(0);
        List<Span> unused = UnusedIds.of(
                entry.spec(),
                claim.claim().span(),
                ids -> ids.stream().boxed().filter(used::contains).toList());

        assertThat(get(aged.reclaim(claim, unused))).isTrue();
        assertThat(get(aged.reclaim(claim, unused))).as("once").isFalse();
        assertThat(sequences.admin().holders("abandoned")).isEmpty();
        IdAllocator allocator = sequences.allocator("abandoned");
        LongStream.range(0, 40)
                .forEach(i -> assertThat(used.add(allocator.nextLong())).isTrue());
        assertThat(used).contains(6L, 16L);
    }

    @Test
    void shouldReclaimNothingOfAProcessThatMayBeAlive() {
        sequences.create(SequenceSpec.of("alive"));
        leaveBehind("alive", "slow@host", 1, new HashSet<>());

        assertThat(sequences.admin().holders("alive")).singleElement().satisfies(holder -> assertThat(holder.process())
                .isEqualTo("slow@host"));
        assertThatThrownBy(() -> sequences.admin().reclaim("alive", "slow@host", ids -> List.of()))
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("slow@host")
                .hasMessageContaining("PT1H");
        // What stands for all processes whose claims were lost with their reserve.
        assertThatThrownBy(() -> sequences.admin().reclaim("alive", "unknown", ids -> List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must be a process that is gone");
        assertThatThrownBy(() -> sequences.admin().reclaim("alive", sequences.holder(), ids -> List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("this one");
        assertThatThrownBy(() -> sequences.admin().reclaim("alive", "nobody@host", ids -> List.of()))
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("no process called 'nobody@host'")
                .hasMessageContaining("[slow@host]");
    }

    /** Two containers with one hostname, or a container before and after a restart, are both named 1@web. */
    @Test
    void shouldDistinguishInstancesOfOneProcess() {
        sequences.create(SequenceSpec.of("namesakes"));
        try (CqlSession others = connect();
                Sequences alive = Sequences.open(session, BLIND)) {
            Sequences dead = Sequences.open(others, BLIND);
            dead.allocator("namesakes").nextLong();
            alive.allocator("namesakes").nextLong();
            String process = HolderName.of(dead.holder()).process();
            assertThat(sequences.admin().holders("namesakes"))
                    .extracting(Holder::process)
                    .containsExactlyInAnyOrder(dead.holder(), alive.holder());
            assertThatThrownBy(() -> sequences.admin().restart("namesakes", 1_000_000))
                    .isInstanceOf(SequenceException.NotAcknowledged.class)
                    .hasMessageContaining(dead.holder())
                    .hasMessageContaining(alive.holder());

            assertThatThrownBy(() -> sequences.admin().release("namesakes", process))
                    .isInstanceOf(SequenceException.Conflict.class)
                    .hasMessageContaining(dead.holder())
                    .hasMessageContaining(alive.holder());
            assertThatThrownBy(() -> alive.admin().release("namesakes", alive.holder()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("this one");
            assertThatThrownBy(() -> sequences.admin().release("namesakes", "nobody@host"))
                    .isInstanceOf(SequenceException.Conflict.class)
                    .hasMessageContaining("no process called 'nobody@host'")
                    .hasMessageContaining(dead.holder())
                    .hasMessageContaining(alive.holder());
            sequences.admin().release("namesakes", dead.holder());
            assertThatThrownBy(() -> sequences.admin().release("namesakes", dead.holder()))
                    .isInstanceOf(SequenceException.Conflict.class)
                    .hasMessageContaining("These do: [" + alive.holder() + "]");

            assertThat(sequences.admin().holdersBehind("namesakes"))
                    .extracting(Holder::process)
                    .containsExactly(alive.holder());
            sequences.admin().release("namesakes", process);
            assertThat(sequences.admin().holdersBehind("namesakes")).isEmpty();
        }
    }

    @Test
    void shouldReclaimFromOneInstanceOnly() {
        sequences.create(SequenceSpec.of("successors").withBlock(16, 16));
        Set<Long> used = new HashSet<>();
        String dead = new HolderName("1@web", Optional.of(new UUID(1, 1))).toString();
        String alive = new HolderName("1@web", Optional.of(new UUID(2, 2))).toString();
        leaveBehind("successors", dead, 5, used);
        leaveBehind("successors", alive, 5, used);
        HeldClaims aged = claims(Duration.ofHours(2));
        SequenceEntry entry = entry("successors");

        assertThatThrownBy(() -> get(aged.abandonedBy(entry, "1@web")))
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining(dead)
                .hasMessageContaining(alive);
        assertThat(get(aged.abandonedBy(entry, dead)).reclaimable())
                .extracting(HeldClaim::holder)
                .containsExactly(dead);
    }

    @Test
    void shouldNotReclaimClaimsThatMayHaveComeBack() {
        sequences.create(SequenceSpec.of("ancient"));
        leaveBehind("ancient", "old@host", 1, new HashSet<>());
        // Half of gc_grace_seconds, which is ten days by default.
        HeldClaims aged = claims(Duration.ofDays(5));
        SequenceEntry entry = entry("ancient");

        HeldClaims.Abandoned abandoned = get(aged.abandonedBy(entry, "old@host"));

        assertThat(abandoned.reclaimable()).isEmpty();
        assertThat(abandoned.tooOld()).hasSize(1);
    }

    @Test
    void shouldReclaimNothingOfAClaimWhoseTailWasReturnedBefore() {
        sequences.create(SequenceSpec.of("twice").withBlock(16, 16));
        leaveBehind("twice", "gone@host", 5, new HashSet<>());
        HeldClaims aged = claims(Duration.ofHours(2));
        SequenceEntry entry = entry("twice");
        HeldClaim claim =
                get(aged.abandonedBy(entry, "gone@host")).reclaimable().get(0);
        List<Span> unused = List.of(new Span(5, 16));
        assertThat(get(aged.reclaim(claim, unused))).isTrue();
        // A replica that missed the removal would bring the row back like this.
        session.execute(
                "UPDATE registry_it_dc1.reserve SET end = 16, claim = "
                        + claim.claim().token()
                        + ", holder = 'gone@host', at = 0 WHERE seq = 'twice' AND stripe = 0 AND i = 1 AND kind = 'c' AND lo = 0");

        assertThatThrownBy(() -> get(aged.reclaim(claim, unused)))
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("came back");
    }

    @Test
    void shouldFailClosedInEveryStripeWhenItsReserveIsGone() {
        SequenceSpec spec = SequenceSpec.of("stripes.lost").withStripes(3);
        sequences.create(spec);
        Set<Long> before = new HashSet<>();
        for (int stripe = 0; stripe < 3; stripe++) {
            try (BlockAllocator allocator = new BlockAllocator(spec, stripe, 1, store("one@host"), context())) {
                before.add(allocator.nextLong());
            }
        }
        for (int stripe = 0; stripe < 3; stripe++) {
            SequencesIT.loseReserve(session, "registry_it_dc1", "stripes.lost", stripe);
        }

        for (int stripe = 0; stripe < 3; stripe++) {
            BlockAllocator allocator = new BlockAllocator(spec, stripe, 1, store("two@host"), context());
            assertThatThrownBy(allocator::nextLong)
                    .isInstanceOf(SequenceException.Conflict.class)
                    .hasMessageContaining("join(\"stripes.lost\")");
        }

        sequences.admin().join("stripes.lost");
        for (int stripe = 0; stripe < 3; stripe++) {
            try (BlockAllocator allocator = new BlockAllocator(spec, stripe, 1, store("three@host"), context())) {
                for (int i = 0; i < 50; i++) {
                    assertThat(before.add(allocator.nextLong())).isTrue();
                }
            }
        }
        assertThat(sequences.admin().holders("stripes.lost"))
                .as("the grants of every stripe may still be held")
                .filteredOn(holder -> holder.process().equals("unknown"))
                .hasSize(3);
    }

    @Test
    void shouldIssueNoTailTwiceAfterItsReserveWasLost() {
        SequenceSpec spec = SequenceSpec.of("tails.lost").withBlock(16, 16);
        sequences.create(spec);
        Set<Long> issued = new HashSet<>();
        try (BlockAllocator allocator = new BlockAllocator(spec, 1, store("one@host"), context())) {
            issued.add(allocator.nextLong());
            allocator.closeAsync().toCompletableFuture().join();
        }
        try (BlockAllocator allocator = new BlockAllocator(spec, 1, store("two@host"), context())) {
            for (int i = 0; i < 20; i++) {
                assertThat(issued.add(allocator.nextLong())).isTrue();
            }
            allocator.closeAsync().toCompletableFuture().join();
        }
        SequencesIT.loseReserve(session, "registry_it_dc1", "tails.lost", 0);
        sequences.admin().join("tails.lost");

        try (BlockAllocator allocator = new BlockAllocator(spec, 1, store("three@host"), context())) {
            for (int i = 0; i < 50; i++) {
                assertThat(issued.add(allocator.nextLong())).isTrue();
            }
        }
    }

    @Test
    void shouldIssueNothingFromAStripeThatWasSetBack() {
        SequenceSpec spec = SequenceSpec.of("stripes.back").withStripes(2).withBlock(16, 16);
        sequences.create(spec);
        try (BlockAllocator allocator = new BlockAllocator(spec, 1, 1, store("one@host"), context())) {
            for (int i = 0; i < 100; i++) {
                allocator.nextLong();
            }
            session.execute("DELETE FROM registry_it_dc1.reserve WHERE seq = 'stripes.back' AND stripe = 1 AND i = 1");
            session.execute(
                    "UPDATE registry_it_dc1.reserve SET next = 0 WHERE seq = 'stripes.back' AND stripe = 1 IF inc = 1");

            assertThatThrownBy(() -> {
                        for (int i = 0; i < 1_000; i++) {
                            allocator.nextLong();
                        }
                    })
                    .isInstanceOf(SequenceException.Conflict.class)
                    .hasMessageContaining("set back");
        }
    }

    private static long next(String name) {
        return sequences.admin().find(name).orElseThrow().next().orElseThrow();
    }

    /** A process takes some ids and dies without closing anything. */
    private static void leaveBehind(String name, String process, int ids, Set<Long> into) {
        BlockAllocator allocator =
                new BlockAllocator(sequences.admin().find(name).orElseThrow().spec(), 1, store(process), context());
        for (int i = 0; i < ids; i++) {
            into.add(allocator.nextLong());
        }
    }

    private static CassandraRangeStore store(String process) {
        return new CassandraRangeStore(
                ConditionalStatements.acrossDatacenters(session, TIMEOUT),
                ConditionalStatements.withinDatacenter(session, TIMEOUT),
                "registry_it",
                "registry_it_dc1",
                "dc1",
                () -> CompletableFuture.completedFuture(Map.of()),
                () -> process,
                InstantSource.system());
    }

    private static AllocatorContext context() {
        return new AllocatorContext(
                Duration.ofSeconds(30),
                0.5,
                Duration.ofHours(24),
                0.5,
                (task, delay) -> timer.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS),
                System::nanoTime,
                new SecureRandom(),
                UUID::randomUUID);
    }

    private static SequenceCatalog catalog() {
        return new CassandraSequenceCatalog(
                ConditionalStatements.acrossDatacenters(session, TIMEOUT),
                ConditionalStatements.withinDatacenter(session, TIMEOUT),
                "registry_it",
                "registry_it_dc1",
                "dc1",
                () -> CompletableFuture.completedFuture(Map.of()));
    }

    private static SequenceEntry entry(String name) {
        return get(catalog().find(name)).orElseThrow();
    }

    /** Returns the claims as they would be after {@code later}: every claim is that much older. */
    private static HeldClaims claims(Duration later) {
        SequenceCatalog real = catalog();
        SequenceCatalog aged = (SequenceCatalog) Proxy.newProxyInstance(
                SequenceCatalog.class.getClassLoader(),
                new Class<?>[] {SequenceCatalog.class},
                (proxy, method, arguments) -> {
                    Object answer = method.invoke(real, arguments);
                    return method.getName().equals("claims") ? older(answer, later) : answer;
                });
        return new HeldClaims(aged, store("registry@host"), context());
    }

    @SuppressWarnings("unchecked")
    private static CompletionStage<List<HeldClaim>> older(Object claims, Duration later) {
        return ((CompletionStage<List<HeldClaim>>) claims).thenApply(found -> found.stream()
                .peek(each -> assertThat(each.age()).isBetween(Duration.ofSeconds(-1), Duration.ofMinutes(10)))
                .map(each -> new HeldClaim(
                        each.stripe(),
                        each.claim(),
                        each.holder(),
                        each.since(),
                        each.age().plus(later),
                        each.lost()))
                .toList());
    }

    private static <T> T get(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().join();
        } catch (java.util.concurrent.CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }
}
