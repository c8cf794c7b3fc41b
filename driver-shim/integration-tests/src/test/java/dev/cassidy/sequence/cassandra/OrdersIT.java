package dev.cassidy.sequence.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.cassidy.SharedNode;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.IdCursor;
import dev.cassidy.sequence.IdRange;
import dev.cassidy.sequence.Order;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.snowflake.SnowflakeSpec;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Orders, cursors, stripes, fixed batches, interleaving and tails, on a real node. */
class OrdersIT {

    private static final SequencesConfig CONFIG =
            SequencesConfig.defaults().withGlobalKeyspace("orders_it").withWatchInterval(Duration.ofMillis(200));

    private static CqlSession session;

    @BeforeAll
    static void open() {
        EmbeddedCassandra node = SharedNode.get();
        session = CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .build();
        CassidySchema.install(session, Replication.parse("dc1:1"), CONFIG);
    }

    @AfterAll
    static void close() {
        session.close();
    }

    private static void inThreads(int threads, Callable<?> work) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> runs = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                runs.add(pool.submit(work));
            }
            for (Future<?> run : runs) {
                run.get();
            }
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void shouldIncreaseInEachThreadAndIssueEveryIdOnceInThreadOrder() throws Exception {
        try (Sequences sequences = Sequences.open(session, CONFIG)) {
            sequences.create(SequenceSpec.of("threads").withOrder(Order.THREAD).withBlock(16, 50_000));
            IdAllocator allocator = sequences.allocator("threads");
            Set<Long> issued = ConcurrentHashMap.newKeySet();
            inThreads(8, () -> {
                long before = 0;
                for (int i = 0; i < 20_000; i++) {
                    long id = allocator.nextLong();
                    assertThat(id).isGreaterThan(before);
                    assertThat(issued.add(id)).isTrue();
                    before = id;
                }
                return null;
            });
            assertThat(issued).hasSize(160_000);
        }
    }

    /** Uses virtual threads if the JDK has them, like a server that starts a thread for each request. */
    @Test
    void shouldIssueEveryIdOnceToThreadsThatDrawOneAndEnd() throws Exception {
        int threads = 5_000;
        try (Sequences sequences = Sequences.open(session, CONFIG)) {
            sequences.create(SequenceSpec.of("brief").withOrder(Order.THREAD).withBlock(1_024, 1_024));
            IdAllocator allocator = sequences.allocator("brief");
            Set<Long> issued = ConcurrentHashMap.newKeySet();
            ThreadFactory factory = virtualIfAvailable();
            for (int started = 0; started < threads; started += 100) {
                List<Thread> some = Stream.generate(() -> factory.newThread(() -> issued.add(allocator.nextLong())))
                        .limit(100)
                        .toList();
                some.forEach(Thread::start);
                for (Thread thread : some) {
                    thread.join();
                }
            }
            assertThat(issued).hasSize(threads);
        }
    }

    private static ThreadFactory virtualIfAvailable() throws ReflectiveOperationException {
        Method ofVirtual;
        try {
            ofVirtual = Thread.class.getMethod("ofVirtual");
        } catch (NoSuchMethodException before21) {
            return Executors.defaultThreadFactory();
        }
        Object builder = ofVirtual.invoke(null);
        return (ThreadFactory)
                Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder);
    }

    @Test
    void shouldIssueTimeOrderedIdsThroughASequenceCreatedForThem() {
        Instant epoch = Instant.parse("2020-01-01T00:00:00Z");
        SnowflakeSpec spec = SnowflakeSpec.of("time", epoch).withNodes(128);
        try (Sequences sequences = Sequences.open(session, CONFIG);
                Sequences other = Sequences.open(session, CONFIG)) {
            sequences.create(spec);
            sequences.create(spec);

            IdAllocator allocator = other.allocator("time");
            assertThat(allocator.spec().order()).isEqualTo(Order.TIME);
            assertThat(other.allocator("time")).isSameAs(allocator);
            long id = allocator.nextLong();
            assertThat(spec.parts(id).time())
                    .isBetween(Instant.now().minusSeconds(60), Instant.now().plusSeconds(60));
            assertThat(allocator.nextRange(10).first()).isGreaterThan(id);
            assertThat(sequences.allocator("time").nextLong()).isNotEqualTo(id);
            assertThat(sequences.admin().find("time"))
                    .hasValueSatisfying(state -> assertThat(state.ready()).isTrue());
            assertThat(sequences.admin().status())
                    .noneMatch(status -> status.spec().name().equals("time"));

            assertThatThrownBy(() -> sequences.create(spec.withNodes(256)))
                    .isInstanceOf(SequenceException.Conflict.class)
                    .hasMessageContaining("128")
                    .hasMessageContaining("256");
            assertThatThrownBy(() -> sequences.create(SequenceSpec.timeOrdered("time")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("create(SnowflakeSpec");
            assertThatThrownBy(() -> sequences.create(SequenceSpec.of("time")))
                    .isInstanceOf(SequenceException.Conflict.class);
            assertThatThrownBy(() -> sequences.admin().seed("time", 1_000))
                    .isInstanceOf(SequenceException.Conflict.class)
                    .hasMessageContaining("time-ordered");

            sequences.admin().drop("time");
            assertThatThrownBy(() -> sequences.allocator("time").nextLong())
                    .isInstanceOf(SequenceException.Destroyed.class);
            try (Sequences later = Sequences.open(session, CONFIG)) {
                assertThatThrownBy(() -> later.allocator("time")).isInstanceOf(SequenceException.Dropped.class);
            }
            assertThatThrownBy(() -> sequences.create(spec))
                    .isInstanceOf(SequenceException.Conflict.class)
                    .hasMessageContaining("another name");
            assertThatThrownBy(() -> sequences.create(SequenceSpec.of("time")))
                    .isInstanceOf(SequenceException.Conflict.class)
                    .hasMessageContaining("another name");
        }
    }

    @Test
    void shouldIncreaseInTheProcessWhicheverThreadDrawsInProcessOrder() throws Exception {
        try (Sequences sequences = Sequences.open(session, CONFIG)) {
            sequences.create(SequenceSpec.of("process").withBlock(16, 500));
            IdAllocator allocator = sequences.allocator("process");
            Object turn = new Object();
            long[] before = new long[1];
            inThreads(8, () -> {
                for (int i = 0; i < 2_000; i++) {
                    synchronized (turn) {
                        long id = allocator.nextLong();
                        assertThat(id).isGreaterThan(before[0]);
                        before[0] = id;
                    }
                }
                return null;
            });
        }
    }

    @Test
    void shouldGiveEachThreadItsOwnCursor() throws Exception {
        try (Sequences sequences = Sequences.open(session, CONFIG)) {
            sequences.create(SequenceSpec.of("cursors"));
            IdAllocator allocator = sequences.allocator("cursors");
            Set<Long> issued = ConcurrentHashMap.newKeySet();
            inThreads(4, () -> {
                try (IdCursor cursor = allocator.cursor()) {
                    for (int i = 0; i < 20_000; i++) {
                        assertThat(issued.add((long) cursor.nextInt())).isTrue();
                    }
                }
                return null;
            });
            assertThat(issued).hasSize(80_000);
        }
    }

    @Test
    void shouldLoseNothingWhenACursorIsClosedBeforeOthersDraw() {
        try (Sequences sequences = Sequences.open(session, CONFIG)) {
            sequences.create(SequenceSpec.of("cursor").withBlock(16_384, 16_384).withReserve(1_000_000, 1_000_000));
            IdAllocator allocator = sequences.allocator("cursor");
            assertThat(allocator.nextLong()).isEqualTo(1);
            IdCursor cursor = allocator.cursor();
            assertThat(cursor.nextLong()).isEqualTo(2);
            cursor.close();
            assertThat(allocator.nextLong()).isEqualTo(3);
            assertThatThrownBy(cursor::nextLong)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("cursor");
        }
    }

    @Test
    void shouldIssueNoOldIdsThroughACursorAfterAReseed() {
        try (Sequences sequences = Sequences.open(session, CONFIG)) {
            sequences.create(
                    SequenceSpec.of("reseeded").withBlock(16_384, 16_384).withReserve(1_000_000, 1_000_000));
            IdCursor cursor = sequences.allocator("reseeded").cursor();
            assertThat(cursor.nextLong()).isEqualTo(1);

            sequences.admin().advancePast("reseeded", 500_000_000);

            assertThat(cursor.nextLong()).isGreaterThan(500_000_000);
        }
    }

    @Test
    void shouldRefuseToDrawFromACursorOfAClosedAllocator() {
        try (Sequences sequences = Sequences.open(session, CONFIG)) {
            sequences.create(SequenceSpec.of("ended").withBlock(16_384, 16_384).withReserve(1_000_000, 1_000_000));
            IdAllocator allocator = sequences.allocator("ended");
            IdCursor cursor = allocator.cursor();
            assertThat(cursor.nextLong()).isEqualTo(1);

            allocator.close();

            assertThatThrownBy(cursor::nextLong).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void shouldUseOneIdIfAProcessTakesOneId() {
        for (int i = 1; i <= 20; i++) {
            try (Sequences sequences = Sequences.open(session, CONFIG)) {
                if (i == 1) {
                    sequences.create(SequenceSpec.of("frugal"));
                }
                assertThat(sequences.allocator("frugal").nextLong()).isEqualTo(i);
            }
        }
    }

    @Test
    void shouldTakeOnlyTailsAboveServedIds() {
        try (Sequences one = Sequences.open(session, CONFIG);
                Sequences two = Sequences.open(session, CONFIG)) {
            one.create(SequenceSpec.of("tails").withBlock(10, 10));
            List<Long> ofTwo = new ArrayList<>();
            assertThat(one.allocator("tails").nextLong()).isEqualTo(1);
            ofTwo.add(two.allocator("tails").nextLong());
            one.close();

            for (int i = 0; i < 30; i++) {
                ofTwo.add(two.allocator("tails").nextLong());
            }

            assertThat(ofTwo).isSorted().doesNotHaveDuplicates();
            try (Sequences three = Sequences.open(session, CONFIG)) {
                assertThat(three.allocator("tails").nextLong()).isEqualTo(2);
            }
        }
    }

    @Test
    void shouldLeaveNoClaimBehindWhenItIsClosed() {
        try (Sequences sequences = Sequences.open(session, CONFIG)) {
            sequences.create(SequenceSpec.of("clean"));
            IdAllocator allocator = sequences.allocator("clean");
            for (int i = 0; i < 500; i++) {
                allocator.nextLong();
            }
        }
        assertThat(claims("clean", 0)).isZero();
    }

    private static int claims(String name, int stripe) {
        return (int)
                session
                        .execute("SELECT kind FROM orders_it_dc1.reserve WHERE seq = ? AND stripe = ?", name, stripe)
                        .all()
                        .stream()
                        .filter(row -> "c".equals(row.getString("kind")))
                        .count();
    }

    @Test
    void shouldIssueEveryIdOnceFromAllStripes() throws Exception {
        try (Sequences first = Sequences.open(session, CONFIG)) {
            first.create(SequenceSpec.of("striped").withStripes(5).withBlock(100, 100));
        }
        Set<Long> issued = ConcurrentHashMap.newKeySet();
        inThreads(10, () -> {
            try (Sequences sequences = Sequences.open(session, CONFIG)) {
                IdAllocator allocator = sequences.allocator("striped");
                long before = 0;
                for (int i = 0; i < 2_000; i++) {
                    long id = allocator.nextLong();
                    assertThat(id).isGreaterThan(before);
                    assertThat(issued.add(id)).isTrue();
                    before = id;
                }
            }
            return null;
        });
        assertThat(issued).hasSize(20_000);
        Set<Integer> used = new HashSet<>();
        for (Row row : session.execute("SELECT stripe FROM orders_it.seq WHERE seq = 'striped'")) {
            if (!row.isNull("stripe")) {
                used.add(row.getInt("stripe"));
            }
        }
        assertThat(used).as("stripes with grants").hasSizeGreaterThan(1);
    }

    @Test
    void shouldClaimFixedBatches() {
        try (Sequences sequences = Sequences.open(session, CONFIG)) {
            sequences.create(SequenceSpec.of("batches").withBlock(100, 100));
            IdRange range = sequences.allocator("batches").nextRange(1_000);
            assertThat(range).isEqualTo(new IdRange(1, 1, 100));
        }
    }

    @Test
    void shouldInterleave() {
        try (Sequences sequences = Sequences.open(session, CONFIG)) {
            SequenceSpec whole = SequenceSpec.of("interleaved");
            for (int id = 1; id <= 3; id++) {
                SequenceSpec stream = whole.interleave(id, 3);
                sequences.create(stream);
                IdAllocator allocator = sequences.allocator(stream.name());
                assertThat(List.of(allocator.nextLong(), allocator.nextLong(), allocator.nextLong()))
                        .containsExactly((long) id, id + 3L, id + 6L);
            }
        }
    }

    @Test
    void shouldReadBackTheWholeSpecification() {
        SequenceSpec spec = SequenceSpec.of("spec")
                .withOrder(Order.THREAD)
                .withStripes(3)
                .withBlock(5, 50)
                .withReserve(500, 5_000);
        try (Sequences sequences = Sequences.open(session, CONFIG)) {
            sequences.create(spec);
            assertThat(Objects.requireNonNull(sequences.admin().find("spec").orElseThrow())
                            .spec())
                    .isEqualTo(spec);
            assertThat(sequences.allocator("spec").spec()).isEqualTo(spec);
        }
    }
}
