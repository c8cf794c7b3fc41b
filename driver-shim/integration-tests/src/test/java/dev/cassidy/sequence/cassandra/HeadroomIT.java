package dev.cassidy.sequence.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.SharedNode;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.sequence.IdAllocator;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class HeadroomIT {

    private static final String KEYSPACE = "headroom_it";
    private static final SequencesConfig CONFIG = SequencesConfig.defaults().withGlobalKeyspace(KEYSPACE);

    private static CqlSession session;
    private static Sequences sequences;

    @BeforeAll
    static void open() {
        EmbeddedCassandra node = SharedNode.get();
        session = CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .build();
        CassidySchema.install(session, Replication.parse("dc1:1"), CONFIG);
        sequences = Sequences.open(session, CONFIG);
    }

    @AfterAll
    static void close() {
        sequences.close();
        session.close();
    }

    private static SequenceSpec inHundreds(String name) {
        return SequenceSpec.of(name).withBlock(100, 100);
    }

    private static void draw(IdAllocator allocator, int count) {
        for (int i = 0; i < count; i++) {
            allocator.nextLong();
        }
    }

    private static DatacenterStatus.InHand inHand(SequenceStatus status) {
        return status.datacenters().get(0).reserve().orElseThrow();
    }

    private static void look(Sequences process, SequenceSpec spec) throws Exception {
        process.headroom().look(spec).toCompletableFuture().get(1, TimeUnit.MINUTES);
    }

    @Test
    void shouldCountIssuedHeldAndReturnedIds() {
        sequences.create(inHundreds("counted"));
        try (Sequences process = Sequences.open(session, CONFIG)) {
            // The second block is claimed before the 101st id is drawn; the third is not due before the 151st.
            draw(process.allocator("counted"), 130);

            SequenceStatus status = sequences.admin().status("counted");
            assertThat(status.space()).isEqualTo(Integer.MAX_VALUE);
            assertThat(status.last()).isEqualTo(Integer.MAX_VALUE);
            assertThat(status.used()).isEqualTo(10_000);
            assertThat(status.next()).hasValue(10_001);
            assertThat(status.free()).isEqualTo(Integer.MAX_VALUE - 10_000);
            assertThat(status.headroomPercent()).isEqualTo(100 - status.usedPercent());
            assertThat(status.note()).isEmpty();
            assertThat(status.projection().end()).isEmpty();
            assertThat(status.projection().note()).isEqualTo("less than a day old");
            assertThat(status.datacenters())
                    .singleElement()
                    .matches(datacenter -> datacenter.datacenter().equals("dc1"))
                    .matches(datacenter -> datacenter.granted() == 10_000);
            assertThat(inHand(status).reserved()).isEqualTo(9_800);
            assertThat(inHand(status).tails()).isZero();
            assertThat(inHand(status).issuedAtMost()).isEqualTo(200);
            assertThat(inHand(status).busiestHour()).isBetween(100L, 200L);
            assertThat(inHand(status).lasts().orElseThrow()).isGreaterThanOrEqualTo(Duration.ofHours(49));
            DatacenterStatus.LiveBlocks blocks = inHand(status).blocks().orElseThrow();
            assertThat(blocks.count()).isEqualTo(2);
            assertThat(blocks.ids()).isEqualTo(200);
            assertThat(blocks.oldest().orElseThrow().ids().first()).isEqualTo(1);
            assertThat(blocks.oldest().orElseThrow().process())
                    .startsWith(ProcessHandle.current().pid() + "@");
        }

        DatacenterStatus.InHand afterwards = inHand(sequences.admin().status("counted"));
        assertThat(afterwards.issuedAtMost()).isEqualTo(130);
        assertThat(afterwards.tails()).isEqualTo(70);
        assertThat(afterwards.reserved()).isEqualTo(9_800);
        assertThat(afterwards.blocks().orElseThrow().count()).isZero();
    }

    @Test
    void shouldAddUpStripes() {
        sequences.create(inHundreds("striped").withStripes(4));
        try (Sequences one = Sequences.open(session, CONFIG);
                Sequences other = Sequences.open(session, CONFIG)) {
            draw(one.allocator("striped"), 30);
            draw(other.allocator("striped"), 30);

            SequenceStatus status = sequences.admin().status("striped");

            assertThat(inHand(status).issuedAtMost()).isEqualTo(200);
            assertThat(inHand(status).blocks().orElseThrow().ids()).isEqualTo(200);
            assertThat(status.datacenters().get(0).granted()).isEqualTo(status.used());
        }
    }

    @Test
    void shouldCountIdsThatARaiseSkippedAsUsed() {
        sequences.create(inHundreds("raised"));
        draw(sequences.allocator("raised"), 10);
        sequences.admin().seed("raised", 1_000_001);

        SequenceStatus raised = sequences.admin().status("raised");
        assertThat(raised.incarnation()).isEqualTo(2);
        assertThat(raised.used()).isEqualTo(1_000_000);
        assertThat(raised.earlier()).isEqualTo(1_000_000);
        assertThat(raised.datacenters().get(0).granted()).isZero();
        assertThat(inHand(raised).issuedAtMost()).isZero();

        draw(sequences.allocator("raised"), 10);
        assertThat(sequences.admin().status("raised").used()).isEqualTo(1_010_000);
        // One block, or two at once because callers had to wait.
        assertThat(inHand(sequences.admin().status("raised")).issuedAtMost()).isBetween(100L, 200L);
    }

    @Test
    void shouldListEverySequence() {
        sequences.create(SequenceSpec.of("listed.b"));
        sequences.admin().register(SequenceSpec.of("listed.a", IdentityType.SMALLINT, 1, 1));

        List<SequenceStatus> listed = sequences.admin().status().stream()
                .filter(status -> status.spec().name().startsWith("listed."))
                .toList();

        assertThat(listed)
                .extracting(status -> status.spec().name(), SequenceStatus::ready, status -> status.projection()
                        .note())
                .containsExactly(tuple("listed.a", false, "never granted"), tuple("listed.b", true, "never granted"));
        assertThatThrownBy(() -> sequences.admin().status("nowhere")).isInstanceOf(SequenceException.NotFound.class);
    }

    @Test
    void shouldProjectFromTheDatesOfTheGrantsAndNameADatacenterThatCannotBeRead() {
        sequences.create(SequenceSpec.of("dated"));
        long now = TimeUnit.MILLISECONDS.toMicros(Instant.now().toEpochMilli());
        for (int day = 1; day <= 4; day++) {
            session.execute(
                    "INSERT INTO " + KEYSPACE + ".seq (seq, i, dc, stripe, grant_no, lo, hi) VALUES"
                            + " ('dated', 1, 'dc9', 0, ?, ?, ?) USING TIMESTAMP ?",
                    5 - day,
                    (4L - day) * 1_000,
                    (5L - day) * 1_000,
                    now - TimeUnit.DAYS.toMicros(day));
        }

        SequenceStatus status = sequences.admin().status("dated");

        assertThat(status.projection().perDay7()).isEqualTo(1_000, within(1.0));
        assertThat(status.projection().daysLeft(status.at()).orElse(0)).isZero();
        assertThat(status.projection().note()).isEqualTo("past 100 years");
        assertThat(status.datacenters())
                .filteredOn(datacenter -> datacenter.datacenter().equals("dc9"))
                .singleElement()
                .satisfies(datacenter -> {
                    assertThat(datacenter.granted()).isEqualTo(4_000);
                    assertThat(datacenter.reserve()).isEmpty();
                    assertThat(datacenter.note()).contains("its keyspace is not readable as headroom_it_dc9");
                });
    }

    @Test
    void shouldNotifyListenersAndTheLogOnceForEachThreshold() throws Exception {
        SequenceSpec spec = new SequenceSpec("filling", IdentityType.INT, 1, 1, 1, 1_000).withReserve(1, 50);
        sequences.create(spec);
        BlockingQueue<HeadroomAlarm> alarms = new LinkedBlockingQueue<>();
        HeadroomListener listener = alarms::add;
        HeadroomListener failing = alarm -> {
            throw new IllegalStateException("a listener's own trouble");
        };
        Logger logger = (Logger) LoggerFactory.getLogger(Headroom.class);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.list = new CopyOnWriteArrayList<>();
        log.start();
        logger.addAppender(log);
        sequences.addListener(failing);
        sequences.addListener(listener);
        try {
            IdAllocator allocator = sequences.allocator("filling");
            draw(allocator, 520);
            look(sequences, spec);
            assertThat(alarms.poll(20, TimeUnit.SECONDS)).isInstanceOfSatisfying(HeadroomAlarm.Used.class, alarm -> {
                assertThat(alarm.threshold()).isEqualTo(50);
                assertThat(alarm.usedPercent()).isBetween(52.0, 70.0);
                assertThat(alarm.last()).isEqualTo(1_000);
            });
            look(sequences, spec);
            draw(allocator, 240);
            look(sequences, spec);
            assertThat(alarms.poll(20, TimeUnit.SECONDS))
                    .isInstanceOfSatisfying(HeadroomAlarm.Used.class, alarm -> assertThat(alarm.threshold())
                            .isEqualTo(70));
            sequences.removeListener(listener);
            draw(allocator, 240);
            look(sequences, spec);

            // The pool is quiet only when all of its tasks have ended, also one that would notify the listener.
            assertThat(ForkJoinPool.commonPool().awaitQuiescence(20, TimeUnit.SECONDS))
                    .isTrue();
            assertThat(alarms).isEmpty();
            List<String> lines = log.list.stream()
                    .filter(event -> event.getThrowableProxy() == null && event.getLevel() == Level.WARN)
                    .map(ILoggingEvent::getFormattedMessage)
                    .filter(line -> line.startsWith("sequence filling: ") && line.contains("(alarm at "))
                    .toList();
            // On a slow machine the look of each minute may come between two draws, and see one threshold more.
            assertThat(lines)
                    .extracting(line -> line.replaceAll(".*\\(alarm at (\\d+) %\\).*", "$1"))
                    .doesNotHaveDuplicates()
                    .containsSubsequence("50", "70", "95");
            assertThat(lines)
                    .last()
                    .asString()
                    .matches("sequence filling: (9[5-9]\\.\\d|100\\.0) % of its ids are used \\(alarm at 95 %\\):"
                            + " next=(none|\\d+) last=1000 projected end: .+");
        } finally {
            sequences.removeListener(failing);
            logger.detachAppender(log);
        }
    }

    @Test
    void shouldMeterTheUseOfThisProcess() throws Exception {
        SequenceSpec spec = inHundreds("metered");
        MeterRegistry registry = new SimpleMeterRegistry();
        sequences.create(spec);
        try (Sequences process = Sequences.open(session, CONFIG)) {
            new SequenceMetrics(process).bindTo(registry);
            assertThat(registry.getMeters()).isEmpty();

            draw(process.allocator("metered"), 130);
            look(process, spec);
            // A look that the binding started may have begun before the draws.
            look(process, spec);

            String[] tags = {"sequence", "metered", "datacenter", "dc1"};
            assertThat(registry.get("cassidy.sequence.headroom")
                            .tags(tags)
                            .gauge()
                            .value())
                    .isEqualTo(1 - 10_000.0 / Integer.MAX_VALUE, within(1e-9));
            assertThat(registry.get("cassidy.sequence.used").tags(tags).gauge().value())
                    .isEqualTo(10_000);
            assertThat(registry.get("cassidy.sequence.reserve")
                            .tags(tags)
                            .gauge()
                            .value())
                    .isEqualTo(9_800);
            assertThat(registry.get("cassidy.sequence.tails").tags(tags).gauge().value())
                    .isZero();
            assertThat(registry.get("cassidy.sequence.held").tags(tags).gauge().value())
                    .isEqualTo(70);
            assertThat(registry.get("cassidy.sequence.issued")
                            .tags(tags)
                            .functionCounter()
                            .count())
                    .isEqualTo(130);
            assertThat(registry.get("cassidy.sequence.claims")
                            .tags(tags)
                            .functionCounter()
                            .count())
                    .isEqualTo(2);
            assertThat(registry.get("cassidy.sequence.ends")
                            .tags(tags)
                            .timeGauge()
                            .value())
                    .isNaN();
            assertThat(registry.get("cassidy.sequence.reserve.lasts")
                            .tags(tags)
                            .timeGauge()
                            .value())
                    .isNaN();
        }
    }

    @Test
    void shouldForgetThatASequenceWasUsedUpWhenItIsDropped() throws Exception {
        SequenceSpec spec = new SequenceSpec("ended", IdentityType.INT, 1, 1, 1, 100).withReserve(1, 50);
        try (Sequences process = Sequences.open(session, CONFIG)) {
            process.create(spec);
            draw(process.allocator("ended"), 100);
            look(process, spec);
            assertThat(process.lastHeadroom())
                    .singleElement()
                    .matches(seen -> seen.next().isEmpty() && seen.reserved() == 0);

            process.admin().drop("ended");
            // Nobody draws from it any more, and nobody observes it.
            process.headroom().lookAround();
            await().untilAsserted(() -> assertThat(process.lastHeadroom()).isEmpty());

            SequenceSpec again = new SequenceSpec("ended", IdentityType.INT, 101, 1, 101, 200);
            process.create(again);
            draw(process.allocator("ended"), 1);
            look(process, again);
            assertThat(process.lastHeadroom()).singleElement().matches(seen -> seen.reserved() > 0);
        }
    }

    @Test
    void shouldLookAtIdleSequencesInTurn() {
        try (Sequences process = Sequences.open(session, CONFIG)) {
            for (String name : List.of("idle.a", "idle.b")) {
                process.create(inHundreds(name));
                draw(process.allocator(name), 1);
            }
            // Looks at both, because somebody observes now.
            process.headroom().observe(spec -> {});
            await().untilAsserted(() -> assertThat(process.lastHeadroom()).hasSize(2));
            process.headroom().lookAround();
            process.admin().drop("idle.a");
            await().untilAsserted(() -> {
                process.headroom().lookAround();
                assertThat(process.lastHeadroom())
                        .extracting(SequenceHeadroom::sequence)
                        .containsExactly("idle.b");
            });
            Instant seen = process.lastHeadroom().get(0).at();

            // One that was dropped has its turn too, and only its turn.
            await().untilAsserted(() -> {
                process.headroom().lookAround();
                assertThat(process.lastHeadroom()).singleElement().satisfies(idle -> assertThat(idle.at())
                        .isAfter(seen));
            });
        }
    }
}
