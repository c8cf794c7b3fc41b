package dev.cassidy.sequence.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.internal.core.context.InternalDriverContext;
import dev.cassidy.SharedNode;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.IdRange;
import dev.cassidy.sequence.IdentityColumn;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.protocol.BlockAllocator;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class SequencesIT {

    private static final SequencesConfig CONFIG =
            SequencesConfig.defaults().withGlobalKeyspace("sequences_it").withWatchInterval(Duration.ofMillis(200));

    private static CqlSession session;
    private static Sequences sequences;

    @BeforeAll
    static void open() {
        session = connect();
        CassidySchema.install(session, Replication.parse("dc1:1"), CONFIG);
        sequences = Sequences.open(session, CONFIG);
    }

    @AfterAll
    static void close() {
        sequences.close();
        session.close();
    }

    private static CqlSession connect() {
        EmbeddedCassandra node = SharedNode.get();
        return CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .build();
    }

    @Test
    void shouldBeginAtTheStart() {
        sequences.create(SequenceSpec.of("begin", IdentityType.INT, 348, 1));

        assertThat(sequences.allocator("begin").nextInt()).isEqualTo(348);
        assertThat(sequences.allocator("begin").nextLong()).isEqualTo(349);
    }

    @Test
    void shouldDescendWithANegativeIncrement() {
        sequences.create(SequenceSpec.of("down", IdentityType.SMALLINT, -1, -5));
        IdAllocator allocator = sequences.allocator("down");

        assertThat(List.of(allocator.nextLong(), allocator.nextLong(), allocator.nextLong()))
                .containsExactly(-1L, -6L, -11L);
    }

    @Test
    void shouldIssueEveryIdOnceToManyThreadsOfSeveralProcesses() throws Exception {
        sequences.create(SequenceSpec.of("busy"));
        Set<Long> issued = ConcurrentHashMap.newKeySet();
        int instances = 4;
        int threads = 4;
        int each = 5_000;
        ExecutorService pool = Executors.newFixedThreadPool(instances * threads);
        List<Sequences> opened = new ArrayList<>();
        try (CqlSession other = connect()) {
            List<Future<Void>> running = new ArrayList<>();
            for (int instance = 0; instance < instances; instance++) {
                Sequences process = Sequences.open(other, CONFIG);
                opened.add(process);
                IdAllocator allocator = process.allocator("busy");
                for (int thread = 0; thread < threads; thread++) {
                    running.add(pool.submit((Callable<Void>) () -> {
                        long previous = Long.MIN_VALUE;
                        for (int i = 0; i < each; i++) {
                            long id = allocator.nextLong();
                            assertThat(id).isGreaterThan(previous);
                            assertThat(issued.add(id)).as("id %d is new", id).isTrue();
                            previous = id;
                        }
                        return null;
                    }));
                }
            }
            for (Future<Void> one : running) {
                one.get(2, TimeUnit.MINUTES);
            }
            assertThat(issued).hasSize(instances * threads * each);
        } finally {
            pool.shutdownNow();
            opened.forEach(Sequences::close);
        }
    }

    @Test
    void shouldEndExactlyAtTheMaximum() {
        sequences.create(SequenceSpec.of("small", IdentityType.INT, 1, 1).withBounds(1, 100));
        IdAllocator allocator = sequences.allocator("small");
        List<Long> ids = new ArrayList<>();

        assertThatThrownBy(() -> {
                    while (true) {
                        ids.add(allocator.nextLong());
                    }
                })
                .isInstanceOf(SequenceException.Exhausted.class)
                .hasMessageContaining("small");
        assertThat(ids).hasSize(100).doesNotHaveDuplicates().allMatch(id -> id >= 1 && id <= 100);
    }

    @Test
    void shouldReturnRangesOfAtMostTheRequestedSize() {
        sequences.create(SequenceSpec.of("ranges", IdentityType.BIGINT, 10, 10));
        IdAllocator allocator = sequences.allocator("ranges");
        List<Long> ids = new ArrayList<>();
        while (ids.size() < 1_000) {
            IdRange range = allocator.nextRange(1_000 - ids.size());
            range.forEach(ids::add);
        }

        assertThat(ids).hasSize(1_000).doesNotHaveDuplicates().isSorted().allMatch(id -> id % 10 == 0);
    }

    @Test
    void shouldServeAsynchronously() throws Exception {
        sequences.create(SequenceSpec.of("later"));
        IdAllocator allocator =
                sequences.allocatorAsync("later").toCompletableFuture().get(20, TimeUnit.SECONDS);
        List<Future<Long>> all = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            all.add(allocator.nextLongAsync().toCompletableFuture());
        }
        Set<Long> ids = ConcurrentHashMap.newKeySet();
        for (Future<Long> one : all) {
            ids.add(one.get(20, TimeUnit.SECONDS));
        }

        assertThat(ids).hasSize(500);
    }

    /** It could wait for an answer that only this thread can deliver. */
    @Test
    void shouldRefuseToWaitOnTheDriversThreads() throws Exception {
        sequences.create(SequenceSpec.of("waits"));
        try (CqlSession other = connect();
                Sequences fresh = Sequences.open(other, CONFIG)) {
            IdAllocator allocator = fresh.allocator("waits");
            List<Callable<?>> calls = List.of(
                    allocator::nextLong,
                    () -> allocator.nextRange(10),
                    () -> allocator.cursor().nextLong(),
                    () -> fresh.allocator("begin"),
                    () -> fresh.admin().holders("waits"),
                    () -> {
                        fresh.close();
                        return null;
                    });
            for (Callable<?> call : calls) {
                assertThat(onDriverThread(other, () -> assertThatThrownBy(call::call)
                                .isInstanceOf(IllegalStateException.class)
                                .hasMessageContaining("driver thread")
                                .hasMessageContaining("nextLongAsync")))
                        .isNotNull();
            }
            CompletionStage<Long> id = onDriverThread(other, allocator::nextLongAsync);
            assertThat(id.toCompletableFuture().get(1, TimeUnit.MINUTES)).isEqualTo(1);
            assertThat(onDriverThread(other, allocator::nextLong))
                    .as("of memory")
                    .isEqualTo(2);
        }
    }

    private static <T> T onDriverThread(CqlSession session, Callable<T> call) throws Exception {
        return ((InternalDriverContext) session.getContext())
                .getNettyOptions()
                .ioEventLoopGroup()
                .next()
                .submit(call)
                .get(1, TimeUnit.MINUTES);
    }

    @Test
    void shouldRefuseAnUnknownSequenceAndSayHowToRegisterIt() {
        assertThatThrownBy(() -> sequences.allocator("nowhere"))
                .isInstanceOf(SequenceException.NotFound.class)
                .hasMessageContaining("nowhere")
                .hasMessageContaining("sequences.create(SequenceSpec.of(");
    }

    @Test
    void shouldIssueNothingBeforeTheSeed() {
        sequences.admin().register(SequenceSpec.of("waiting"));

        assertThatThrownBy(() -> sequences.allocator("waiting")).isInstanceOf(SequenceException.NotReady.class);
        SequenceState seeded = sequences.admin().seed("waiting", 3504);

        assertThat(seeded.ready()).isTrue();
        assertThat(seeded.floor()).isEqualTo(3504);
        assertThat(sequences.allocator("waiting").nextLong()).isEqualTo(3504);
    }

    @Test
    void shouldNeverLowerASeed() {
        sequences.admin().register(SequenceSpec.of("raised"));
        sequences.admin().seed("raised", 1_000);
        sequences.admin().seed("raised", 10);

        assertThat(sequences.admin().find("raised").orElseThrow().next()).hasValue(1_000);
    }

    @Test
    void shouldMoveAnUntouchedSequenceWithoutANewIncarnation() {
        sequences.admin().register(SequenceSpec.of("untouched"));
        sequences.admin().seed("untouched", 100);
        SequenceState again = sequences.admin().seed("untouched", 200);

        assertThat(again.incarnation()).isEqualTo(1);
        assertThat(again.floor()).isEqualTo(200);
        assertThat(sequences.allocator("untouched").nextLong()).isEqualTo(200);
    }

    @Test
    void shouldMakeEveryProcessDropItsIdsWhenALiveSequenceIsRaised() {
        sequences.create(SequenceSpec.of("live"));
        try (CqlSession other = connect();
                Sequences process = Sequences.open(other, CONFIG)) {
            IdAllocator theirs = process.allocator("live");
            IdAllocator ours = sequences.allocator("live");
            assertThat(Math.max(theirs.nextLong(), ours.nextLong())).isLessThan(10_000);

            SequenceState raised = sequences.admin().seed("live", 1_000_000);

            assertThat(raised.incarnation()).isEqualTo(2);
            assertThat(sequences.admin().holdersBehind("live")).isEmpty();
            assertThat(theirs.nextLong()).isGreaterThanOrEqualTo(1_000_000);
            assertThat(ours.nextLong()).isGreaterThanOrEqualTo(1_000_000);
        }
    }

    @Test
    void shouldNameTheHoldersThatHaveNotLetGo() {
        sequences.create(SequenceSpec.of("held"));
        SequencesConfig blind = CONFIG.withWatchInterval(Duration.ofDays(1));
        try (CqlSession other = connect();
                Sequences process = Sequences.open(other, blind)) {
            long held = process.allocator("held").nextLong();

            assertThatThrownBy(() -> sequences.admin().seed("held", 1_000_000))
                    .isInstanceOf(SequenceException.NotAcknowledged.class)
                    .hasMessageContaining("[dc1]")
                    .hasMessageContaining("@");
            assertThat(sequences.admin().holdersBehind("held"))
                    .singleElement()
                    .satisfies(holder -> assertThat(holder.ids().stream()).contains(held));
        }
    }

    @Test
    void shouldAcceptAnExplicitIdAfterTheSequenceWasAdvanced() {
        sequences.create(SequenceSpec.of("advanced"));
        long issued = sequences.allocator("advanced").nextLong();
        assertThat(issued).isEqualTo(1);

        SequenceState advanced = sequences.admin().advancePast("advanced", 50_000);

        assertThat(advanced.floor()).isGreaterThan(50_000);
        assertThat(sequences.allocator("advanced").nextLong()).isGreaterThanOrEqualTo(advanced.floor());
    }

    @Test
    void shouldRefuseASeedBeyondTheEnd() {
        sequences.admin().register(SequenceSpec.of("ends", IdentityType.SMALLINT, 1, 1));

        assertThatThrownBy(() -> sequences.admin().seed("ends", 40_000))
                .isInstanceOf(SequenceException.Exhausted.class)
                .hasMessageContaining("40000")
                .hasMessageContaining("32767");
    }

    @Test
    void shouldRefuseAWaitThatItCouldNotWaitForBeforeItRaises() {
        sequences.create(SequenceSpec.of("awaited", IdentityType.INT, 1, 1));

        assertThatThrownBy(() -> sequences.admin().seed("awaited", 40_000, Duration.ofDays(366)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("must be from 0 to PT8760H: most=PT8784H");
        assertThat(sequences.allocator("awaited").nextLong()).isEqualTo(1);
    }

    @Test
    void shouldRefuseAnotherSpecificationOfTheSameName() {
        sequences.create(SequenceSpec.of("same"));
        sequences.create(SequenceSpec.of("same"));

        assertThatThrownBy(() -> sequences.create(SequenceSpec.of("same", IdentityType.BIGINT, 1, 1)))
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("BIGINT");
    }

    @Test
    void shouldFailClosedWhenTheReserveIsGone() {
        sequences.create(SequenceSpec.of("lost"));
        loseReserve(session, "sequences_it_dc1", "lost", 0);

        assertThatThrownBy(() -> sequences.allocator("lost").nextLong())
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("join(\"lost\")");
    }

    /**
     * Deletes a reserve. A claim in progress writes the whole reserve, and so would restore one that was deleted in the
     * meantime.
     */
    static void loseReserve(CqlSession session, String keyspace, String sequence, int stripe) {
        SimpleStatement look = SimpleStatement.newInstance(
                        "SELECT DISTINCT inc FROM " + keyspace + ".reserve WHERE seq = ? AND stripe = ?",
                        sequence,
                        stripe)
                .setConsistencyLevel(ConsistencyLevel.LOCAL_SERIAL);
        do {
            session.execute("DELETE FROM " + keyspace + ".reserve WHERE seq = ? AND stripe = ?", sequence, stripe);
        } while (session.execute(look).one() != null);
    }

    @Test
    void shouldNeverRestartASequenceWhoseGlobalRowIsGone() {
        sequences.create(SequenceSpec.of("rewound"));
        session.execute("DELETE FROM sequences_it.seq WHERE seq = 'rewound'");

        assertThatThrownBy(() -> sequences.create(SequenceSpec.of("rewound")))
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("rewound");
    }

    @Test
    void shouldBeginAboveEveryGrantAfterARejoin() {
        sequences.create(SequenceSpec.of("rejoined"));
        try (CqlSession other = connect();
                Sequences process = Sequences.open(other, CONFIG)) {
            List<Long> before = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                before.add(process.allocator("rejoined").nextLong());
            }
            loseReserve(session, "sequences_it_dc1", "rejoined", 0);

            sequences.admin().join("rejoined");

            long highestGrant = 10_000;
            assertThat(before).allMatch(id -> id <= highestGrant);
            assertThat(sequences.allocator("rejoined").nextLong()).isGreaterThan(highestGrant);
        }
    }

    @Test
    void shouldNotCountOnHoldersWhoseClaimsWereLostWithTheReserve() {
        sequences.create(SequenceSpec.of("forgotten").withStripes(2));
        SequencesConfig blind = CONFIG.withWatchInterval(Duration.ofDays(1));
        try (CqlSession other = connect();
                Sequences process = Sequences.open(other, blind)) {
            process.allocator("forgotten").nextLong();
            loseReserve(session, "sequences_it_dc1", "forgotten", 0);
            loseReserve(session, "sequences_it_dc1", "forgotten", 1);
            sequences.admin().join("forgotten");

            assertThatThrownBy(() -> sequences.admin().advancePast("forgotten", 500))
                    .isInstanceOf(SequenceException.NotAcknowledged.class)
                    .hasMessageContaining("process=unknown");

            sequences.admin().release("forgotten", "unknown");
            assertThat(sequences.admin().advancePast("forgotten", 500).floor()).isGreaterThan(500);
        }
    }

    @Test
    void shouldRecordIdentityColumns() throws Exception {
        sequences.create(SequenceSpec.of("shop.product"));
        IdentityColumn column = new IdentityColumn("shop", "product", "id", "shop.product");
        InternalAccess.tables(sequences).registerIdentityAhead(column);
        InternalAccess.tables(sequences).registerIdentityAhead(column);

        assertThat(InternalAccess.tables(sequences).cachedIdentity("shop", "product"))
                .contains(column);
        assertThat(InternalAccess.tables(sequences).identities()).contains(column);
        try (CqlSession other = connect();
                Sequences process = Sequences.open(other, CONFIG)) {
            assertThat(InternalAccess.tables(process)
                            .identityAsync("shop", "product")
                            .toCompletableFuture()
                            .get(20, TimeUnit.SECONDS))
                    .contains(column);
            assertThat(InternalAccess.tables(process)
                            .identityAsync("shop", "other")
                            .toCompletableFuture()
                            .get(20, TimeUnit.SECONDS))
                    .isEmpty();
        }
        assertThatThrownBy(() -> InternalAccess.tables(sequences)
                        .registerIdentityAhead(new IdentityColumn("shop", "product", "code", "shop.product")))
                .isInstanceOf(SequenceException.Conflict.class);
    }

    @Test
    void shouldSayWhichKeyspaceIsMissingAndHowToCreateIt() {
        assertThatThrownBy(
                        () -> Sequences.open(session, SequencesConfig.defaults().withGlobalKeyspace("absent")))
                .isInstanceOf(SequenceException.SchemaMissing.class)
                .hasMessageContaining("globalKeyspace=absent names no installation of Cassidy: this cluster has ")
                .hasMessageContaining("sequences_it")
                .hasMessageContaining("CassidySchema.install(session, Replication.parse(\"");
    }

    @Test
    void shouldRefuseADatacenterThatTheClusterDoesNotHave() {
        assertThatThrownBy(() -> CassidySchema.install(session, Replication.parse("dc1:1,mars:3"), CONFIG))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("mars");
    }

    @Test
    void shouldRecallAGrantThatContainsTheSeed() {
        sequences.create(SequenceSpec.of("within"));
        assertThat(sequences.allocator("within").nextLong()).isEqualTo(1);

        sequences.admin().seed("within", 5_000);

        assertThat(sequences.allocator("within").nextLong()).isGreaterThanOrEqualTo(5_000);
    }

    @Test
    void shouldNotRecallAgainWhenTheSameSeedIsRunAgain() {
        sequences.create(SequenceSpec.of("rerun"));
        sequences.allocator("rerun").nextLong();
        SequenceState once = sequences.admin().seed("rerun", 5_000);
        long issued = sequences.allocator("rerun").nextLong();

        SequenceState twice = sequences.admin().seed("rerun", 5_000);

        assertThat(twice.incarnation()).isEqualTo(once.incarnation());
        assertThat(sequences.allocator("rerun").nextLong()).isEqualTo(issued + 1);
    }

    @Test
    void shouldKeepTheFloorBelowEveryIdThatMayStillBeIssued() {
        sequences.create(SequenceSpec.of("floor"));
        sequences.allocator("floor").nextLong();

        SequenceState behind = sequences.admin().advancePast("floor", 0);
        assertThat(behind.floor()).isEqualTo(1);
        assertThat(behind.incarnation()).isEqualTo(1);

        SequenceState once = sequences.admin().advancePast("floor", 500);
        long issued = sequences.allocator("floor").nextLong();
        SequenceState twice = sequences.admin().advancePast("floor", 500);

        assertThat(once.floor()).isGreaterThan(500).isLessThanOrEqualTo(issued);
        assertThat(twice.floor()).isEqualTo(once.floor());
        assertThat(twice.incarnation()).isEqualTo(once.incarnation());
    }

    @Test
    void shouldAdvanceAfterAProcessThatIsGoneWasReleased() {
        sequences.create(SequenceSpec.of("gone"));
        SequencesConfig blind = CONFIG.withWatchInterval(Duration.ofDays(1));
        CqlSession other = connect();
        Sequences process = Sequences.open(other, blind);
        process.allocator("gone").nextLong();
        // The process dies: nothing is closed properly.
        other.close();

        assertThatThrownBy(() -> sequences.admin().advancePast("gone", 500))
                .isInstanceOf(SequenceException.NotAcknowledged.class)
                .hasMessageContaining("release");
        long raisedTo = sequences.admin().find("gone").orElseThrow().next().orElseThrow();
        Holder holder = sequences.admin().holdersBehind("gone").get(0);
        sequences.admin().release("gone", holder.process());
        SequenceState advanced = sequences.admin().advancePast("gone", 500);

        assertThat(advanced.floor()).isEqualTo(raisedTo);
    }

    @Test
    void shouldIssueNothingWhenTheGlobalKeyspaceWasSetBack() {
        sequences.create(SequenceSpec.of("restored"));
        IdAllocator allocator = sequences.allocator("restored");
        for (int i = 0; i < 100; i++) {
            allocator.nextLong();
        }
        session.execute("DELETE FROM sequences_it.seq WHERE seq = 'restored' AND i = 1");
        session.execute("UPDATE sequences_it.seq SET next = 0 WHERE seq = 'restored' IF inc = 1");

        assertThatThrownBy(() -> {
                    while (true) {
                        allocator.nextLong();
                    }
                })
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("set back");
    }

    /** Only this process may remove the row of its allocator, even after another allocator has taken its place. */
    @Test
    void shouldLetGoOfIdsThatAClosedAllocatorCouldNotGiveBack() {
        sequences.create(SequenceSpec.of("reopened"));
        AtomicBoolean silent = new AtomicBoolean();
        try (Sequences own = Sequences.open(silentOnReserves(silent), CONFIG.withClaimTimeout(Duration.ofSeconds(5)))) {
            BlockAllocator first = (BlockAllocator) own.allocator("reopened");
            first.nextLong();
            silent.set(true);
            first.closeAsync()
                    .toCompletableFuture()
                    .orTimeout(2, TimeUnit.MINUTES)
                    .join();
            assertThat(own.allocator("reopened")).isNotSameAs(first);
            assertThat(sequences.admin().holders("reopened"))
                    .extracting(Holder::process)
                    .contains(own.holder());
            silent.set(false);

            sequences.admin().advancePast("reopened", 1_000_000);

            assertThat(own.allocator("reopened").nextLong()).isGreaterThan(1_000_000);
        }
    }

    /**
     * Returns a session whose conditional statements on reserves are not executed and get no answer while {@code
     * silent} is true.
     */
    private static CqlSession silentOnReserves(AtomicBoolean silent) {
        return (CqlSession) Proxy.newProxyInstance(
                SequencesIT.class.getClassLoader(), new Class<?>[] {CqlSession.class}, (proxy, method, arguments) -> {
                    if (silent.get() && method.getName().equals("executeAsync") && isOnReserve(arguments[0])) {
                        return CompletableFuture.failedFuture(new DriverTimeoutException("silent"));
                    }
                    try {
                        return method.invoke(session, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static boolean isOnReserve(Object statement) {
        if (statement instanceof BatchStatement batch) {
            return StreamSupport.stream(batch.spliterator(), false).anyMatch(SequencesIT::isOnReserve);
        }
        return statement instanceof BoundStatement bound
                && bound.getPreparedStatement().getQuery().matches("(?s)(UPDATE|DELETE|INSERT).*_dc1[.]reserve .*");
    }

    /**
     * A process that repeats a registration cannot know whether the first one was announced, because the other process
     * may have crashed in between.
     */
    @Test
    void shouldAnnounceARegistrationThatWasNotAnnounced() {
        sequences.create(SequenceSpec.of("silent"));
        try (Sequences watching = Sequences.open(session, CONFIG)) {
            assertThat(InternalAccess.tables(watching)
                            .identityAsync("shop", "silent")
                            .toCompletableFuture()
                            .join())
                    .isEmpty();
            for (String keyspace : List.of("sequences_it", "sequences_it_dc1")) {
                session.execute(
                        "INSERT INTO " + keyspace + ".contracts (keyspace_name, table_name, column_name, sequence,"
                                + " mode, changing, table_id, counters, pending, moved_to, moved,"
                                + " move, revision)"
                                + " VALUES ('shop', 'silent', 'id', 'silent', '', false, '', '', false, '', false, '', 1)"
                                + " IF NOT EXISTS");
            }

            InternalAccess.tables(sequences)
                    .registerIdentityAhead(new IdentityColumn("shop", "silent", "id", "silent"));

            await().atMost(Duration.ofMinutes(2)).until(() -> InternalAccess.tables(watching)
                    .cachedIdentity("shop", "silent")
                    .isPresent());
            long announced = announcements();
            InternalAccess.tables(sequences)
                    .registerIdentityAhead(new IdentityColumn("shop", "silent", "id", "silent"));
            assertThat(announcements()).as("once").isEqualTo(announced);
        }
    }

    private static long announcements() {
        return session.execute("SELECT name FROM sequences_it.changes WHERE scope = 'all'").all().stream()
                .filter(row -> "shop.silent".equals(row.getString("name")))
                .count();
    }

    @Test
    void shouldIssueNothingWhenTheReserveWasSetBack() {
        sequences.create(SequenceSpec.of("rewound.reserve"));
        IdAllocator allocator = sequences.allocator("rewound.reserve");
        for (int i = 0; i < 100; i++) {
            allocator.nextLong();
        }
        // Conditional, like the claim in progress: a plain write could have the older timestamp of the two.
        session.execute(
                "UPDATE sequences_it_dc1.reserve SET next = 0 WHERE seq = 'rewound.reserve' AND stripe = 0 IF inc = 1");
        session.execute("DELETE FROM sequences_it_dc1.reserve WHERE seq = 'rewound.reserve' AND stripe = 0 AND i = 1");

        assertThatThrownBy(() -> {
                    for (int i = 0; i < 100_000; i++) {
                        allocator.nextLong();
                    }
                })
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("set back");
    }

    @Test
    void shouldChangeNothingForASeedFarBeforeTheStart() {
        sequences.create(SequenceSpec.of("far", IdentityType.BIGINT, 1, 1));

        assertThat(sequences.admin().seed("far", Long.MIN_VALUE).next()).hasValue(1);
    }

    @Test
    void shouldOpenAClosedAllocatorAgain() {
        sequences.create(SequenceSpec.of("closed"));
        long before;
        try (IdAllocator allocator = sequences.allocator("closed")) {
            before = allocator.nextLong();
            assertThat(allocator.nextLong()).isEqualTo(before + 1);
        }

        assertThat(sequences.allocator("closed").nextLong()).isGreaterThan(before + 1);
    }

    @Test
    void shouldRefuseAKeyspaceThatOtherDatacentersMayShare() {
        SequencesConfig shared = CONFIG.withDatacenterKeyspace("shared_by_all");
        CassidySchema.install(session, Replication.parse("dc1:1"), shared);
        session.execute("ALTER KEYSPACE shared_by_all WITH replication ="
                + " {'class': 'SimpleStrategy', 'replication_factor': 1}");

        assertThatThrownBy(() -> Sequences.open(session, shared))
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("shared_by_all")
                .hasMessageContaining("dc1 alone");
    }
}
