package dev.cassidy.sequence.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.SharedNode;
import dev.cassidy.async.Waiting;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.protocol.AllocatorContext;
import dev.cassidy.sequence.protocol.BlockAllocator;
import dev.cassidy.sequence.protocol.FreshClaims;
import dev.cassidy.sequence.protocol.HeldClaims;
import dev.cassidy.sequence.protocol.Raises;
import dev.cassidy.sequence.protocol.Safety;
import dev.cassidy.sequence.protocol.SequenceRegistry;
import dev.cassidy.sequence.store.Numbering;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.SequenceGlimpse;
import dev.cassidy.sequence.store.SequenceOutlook;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Changes of sequences that are gone from a real node when they have stood: a plain statement takes them back meanwhile. */
class ForgottenChangesIT {

    private static final SequencesConfig CONFIG = SequencesConfig.defaults().withGlobalKeyspace("forgotten_it");
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private static CqlSession session;
    private static ScheduledExecutorService timer;

    private final AtomicReference<String> forgetting = new AtomicReference<>();
    private final AtomicInteger waits = new AtomicInteger();
    private final ConditionalStatements global = ConditionalStatements.acrossDatacenters(session, TIMEOUT);
    private final ConditionalStatements local = ConditionalStatements.withinDatacenter(session, TIMEOUT);
    private final CassandraSequenceCatalog catalog = new CassandraSequenceCatalog(
            global,
            local,
            "forgotten_it",
            "forgotten_it_dc1",
            "dc1",
            () -> CompletableFuture.completedFuture(Map.of()));
    private final CassandraRangeStore store = new CassandraRangeStore(
            global,
            local,
            "forgotten_it",
            "forgotten_it_dc1",
            "dc1",
            () -> CompletableFuture.completedFuture(Map.of()),
            () -> "1@forgotten/" + UUID.randomUUID(),
            InstantSource.system());
    private final CassandraChangeLog changes =
            new CassandraChangeLog(global, local, "forgotten_it", "forgotten_it_dc1", UUID::randomUUID);
    private final AllocatorContext context = context(FreshClaims.SERVE);
    private final SequenceRegistry registry = new SequenceRegistry(catalog, store, changes, context);
    private final Raises raises =
            new Raises(catalog, changes, registry, new HeldClaims(catalog, store, context), context);

    private record Periodic(Duration standing, FreshClaims freshClaims, Optional<SequenceException> refusal)
            implements Safety {}

    private AllocatorContext context(FreshClaims freshClaims) {
        return new AllocatorContext(
                TIMEOUT,
                0.5,
                Duration.ofHours(24),
                0.5,
                this::forgetOnce,
                System::nanoTime,
                new SecureRandom(),
                UUID::randomUUID,
                new Periodic(Duration.ofHours(1), freshClaims, Optional.empty()),
                Waiting.ANYWHERE);
    }

    @BeforeAll
    static void open() {
        EmbeddedCassandra node = SharedNode.get();
        session = CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .build();
        timer = Executors.newSingleThreadScheduledExecutor();
        CassidySchema.install(session, Replication.parse("dc1:1"), CONFIG);
    }

    @AfterAll
    static void close() {
        timer.shutdownNow();
        session.close();
    }

    /** The hour is over at once; a pause is one. */
    private void forgetOnce(Runnable task, Duration delay) {
        if (delay.compareTo(Duration.ofMinutes(1)) < 0) {
            timer.schedule(task, delay.toMillis(), TimeUnit.MILLISECONDS);
            return;
        }
        waits.incrementAndGet();
        String cql = forgetting.getAndSet(null);
        if (cql == null) {
            timer.execute(task);
        } else {
            session.executeAsync(cql).whenComplete((done, failure) -> timer.execute(task));
        }
    }

    private static <T> T await(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(2, TimeUnit.MINUTES).join();
    }

    private SequenceEntry carriedOut(Supplier<CompletionStage<SequenceEntry>> change) {
        Raises.Carried carried =
                await(raises.carryOut(change, made -> {}, Duration.ofSeconds(1), Duration.ofMillis(100)));
        assertThat(carried.behind().isNobody()).isTrue();
        return carried.entry();
    }

    private static Row global(String name) {
        return Objects.requireNonNull(session.execute(
                        "SELECT DISTINCT inc, ready, dropped, origin, floor FROM forgotten_it.seq WHERE seq = ?", name)
                .one());
    }

    private static int reserve(String name) {
        return Objects.requireNonNull(session.execute(
                                "SELECT DISTINCT inc FROM forgotten_it_dc1.reserve WHERE seq = ? AND stripe = 0", name)
                        .one())
                .getInt("inc");
    }

    @Test
    void shouldSeedAgainWhenTheSeedIsGone() {
        await(registry.create(SequenceSpec.of("seeded"), false));
        forgetting.set(
                "UPDATE forgotten_it.seq SET ready = false, next = 0, origin = 0, floor = 0" + " WHERE seq = 'seeded'");

        carriedOut(() -> raises.seed("seeded", 1_001));

        assertThat(forgetting).hasNullValue();
        assertThat(global("seeded").getBoolean("ready")).isTrue();
        assertThat(global("seeded").getLong("origin")).isEqualTo(1_000);
    }

    @Test
    void shouldMoveTheReserveAgainBeforeTheRaiseIsComplete() {
        await(registry.create(SequenceSpec.of("recalled"), true));
        forgetting.set("UPDATE forgotten_it_dc1.reserve SET inc = 1 WHERE seq = 'recalled' AND stripe = 0");

        SequenceEntry raised = carriedOut(() -> raises.recallPast("recalled", 500));

        assertThat(forgetting).hasNullValue();
        assertThat(reserve("recalled")).isEqualTo(raised.incarnation()).isEqualTo(2);
    }

    @Test
    void shouldRaiseTheFloorAgainWhenItIsGone() {
        await(registry.create(SequenceSpec.of("advanced"), true));
        SequenceEntry raised = carriedOut(() -> raises.recallPast("advanced", 500));
        forgetting.set("UPDATE forgotten_it.seq SET floor = 0 WHERE seq = 'advanced'");

        await(raises.raiseFloor(raised));

        assertThat(forgetting).hasNullValue();
        assertThat(global("advanced").getLong("floor")).isEqualTo(500);
    }

    @Test
    void shouldDropAgainWhenTheDropIsGone() {
        await(registry.create(SequenceSpec.of("dropped"), true));
        forgetting.set("UPDATE forgotten_it.seq SET inc = 1, dropped = false, ready = true WHERE seq = 'dropped'");

        carriedOut(() -> registry.drop("dropped"));

        assertThat(forgetting).hasNullValue();
        assertThat(global("dropped").getBoolean("dropped")).isTrue();
    }

    @Test
    void shouldCreateAgainWhatIsGone() {
        SequenceEntry created = await(registry.create(SequenceSpec.of("created"), true));
        forgetting.set("DELETE FROM forgotten_it.seq WHERE seq = 'created'");

        await(registry.keep(created));

        assertThat(forgetting).hasNullValue();
        assertThat(global("created").getBoolean("ready")).isTrue();
    }

    private long firstId(String name) {
        SequenceEntry created = await(registry.create(SequenceSpec.of(name), true));
        try (BlockAllocator allocator =
                new BlockAllocator(created.spec(), created.incarnation(), store, context(FreshClaims.WAIT))) {
            return await(allocator.nextLongAsync());
        }
    }

    @Test
    void shouldIssueNothingOfAGrantThatIsGone() {
        forgetting.set("BEGIN BATCH UPDATE forgotten_it.seq SET next = 100 WHERE seq = 'granted';"
                + " DELETE FROM forgotten_it.seq WHERE seq = 'granted' AND i = 1 AND dc = 'dc1';"
                + " INSERT INTO forgotten_it.seq (seq, i, dc, stripe, grant_no, lo, hi)"
                + " VALUES ('granted', 1, 'dc2', 0, 1, 0, 100); APPLY BATCH");

        assertThat(firstId("granted")).isEqualTo(101);
        assertThat(forgetting).hasNullValue();
    }

    @Test
    void shouldIssueNothingOfAGrantOfWhichOthersHaveIds() {
        forgetting.set("INSERT INTO forgotten_it.seq (seq, i, dc, stripe, grant_no, lo, hi)"
                + " VALUES ('overlapped', 1, 'dc2', 0, 1, 0, 1)");
        long first = firstId("overlapped");

        assertThat(forgetting).hasNullValue();
        Row given = Objects.requireNonNull(
                session.execute("SELECT hi FROM forgotten_it.seq WHERE seq = 'overlapped' AND i = 1 AND dc = 'dc1'"
                                + " AND stripe = 0 AND grant_no = 1")
                        .one());
        assertThat(first).isEqualTo(given.getLong("hi") + 1);
    }

    private static final String FORGET_CREATION =
            "UPDATE forgotten_it.seq SET start = 5000, increment = 2 WHERE seq = '%s'";

    @Test
    void shouldIssueNothingOfAGrantWhoseSequenceWasCreatedOtherwise() {
        forgetting.set(String.format(FORGET_CREATION, "renumbered"));

        assertThatThrownBy(() -> firstId("renumbered"))
                .hasCauseInstanceOf(SequenceException.Dropped.class)
                .hasMessageContainingAll("start=1", "was created again", "Ask for its allocator again");
        assertThat(forgetting).hasNullValue();
    }

    /** The reserve was filled by a process that had opened the second creation. */
    @Test
    void shouldClaimNothingOfAnotherCreation() {
        String name = "otherwise";
        SequenceEntry first = await(registry.create(SequenceSpec.of(name), true));
        try (BlockAllocator opened =
                new BlockAllocator(first.spec(), first.incarnation(), store, context(FreshClaims.WAIT))) {
            session.execute(String.format(FORGET_CREATION, name));
            SequenceEntry second = await(registry.require(name));
            try (BlockAllocator other =
                    new BlockAllocator(second.spec(), second.incarnation(), store, context(FreshClaims.WAIT))) {
                assertThat(await(other.nextLongAsync())).isEqualTo(5_000);
            }

            assertThatThrownBy(() -> await(opened.nextLongAsync())).hasCauseInstanceOf(SequenceException.Dropped.class);
        }
    }

    /** And its allocators are replaced. */
    @Test
    void shouldCorrectTheCopyOfAnotherCreation() {
        String name = "copied_otherwise";
        SequenceEntry first = await(registry.create(SequenceSpec.of(name), true));
        session.execute(String.format(FORGET_CREATION, name));
        SequenceOutlook seen = await(catalog.outlook(name)).orElseThrow();
        assertThat(seen.isCopyBehind()).isTrue();
        SequenceEntry second = await(registry.require(name));

        await(registry.join(second));

        SequenceGlimpse copy = await(catalog.outlook(name)).orElseThrow().here().orElseThrow();
        assertThat(copy.numbering()).isEqualTo(new Numbering(5_000, 2));
        try (BlockAllocator opened =
                new BlockAllocator(first.spec(), first.incarnation(), store, context(FreshClaims.WAIT))) {
            assertThat(opened.isReplacedBy(copy)).isTrue();
            assertThat(opened.isReplacedBy(SequenceGlimpse.of(first))).isFalse();
        }
    }

    @Test
    void shouldNotWaitAgainForWhatStands() {
        await(registry.create(SequenceSpec.of("twice"), false));
        carriedOut(() -> raises.seed("twice", 1_001));
        int before = waits.get();

        carriedOut(() -> raises.seed("twice", 1_001));

        assertThat(waits).hasValue(before);
    }

    /** So that a caller can raise many, and then wait once. */
    @Test
    void shouldNotWaitAtAllWhenToldToLookOnce() {
        await(registry.create(SequenceSpec.of("many"), false));

        Raises.Carried carried = await(
                raises.carryOut(() -> raises.seed("many", 1_001), made -> {}, Duration.ZERO, Duration.ofMillis(100)));

        assertThat(waits).hasValue(0);
        assertThat(carried.behind().forgettable()).isPositive();
        assertThat(carried.behind().isNobody()).isFalse();
    }
}
