package dev.cassidy.sequence.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.SharedNode;
import dev.cassidy.cql.SeenRequests;
import dev.cassidy.cql.SeenRequests.Seen;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.protocol.Acknowledgements;
import dev.cassidy.sequence.protocol.AllocatorContext;
import dev.cassidy.sequence.protocol.HeldClaims;
import dev.cassidy.sequence.protocol.Raises;
import dev.cassidy.sequence.protocol.SequenceRegistry;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The requests that Cassidy itself sends to the servers. */
class FrugalityIT {

    private static final SequencesConfig CONFIG = SequencesConfig.defaults().withGlobalKeyspace("frugality_it");
    private static final SequencesConfig BLIND = CONFIG.withWatchInterval(Duration.ofDays(1));
    private static final SequencesConfig WATCHFUL = CONFIG.withWatchInterval(Duration.ofMillis(100));
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int OPEN = 20;
    private static final int ROUNDS = 20;

    private static CqlSession session;
    private static Sequences other;

    private final SeenRequests seen = new SeenRequests();

    @BeforeAll
    static void open() {
        session = connect(new SeenRequests());
        CassidySchema.install(session, Replication.parse("dc1:1"), CONFIG);
        other = Sequences.open(session, WATCHFUL);
        IntStream.range(0, OPEN).forEach(i -> other.create(SequenceSpec.of("idle." + i)));
    }

    private static CqlSession connect(SeenRequests seen) {
        EmbeddedCassandra node = SharedNode.get();
        return CqlSession.builder()
                .addContactPoint(node.contactPoint())
                .withLocalDatacenter(node.localDatacenter())
                .addRequestTracker(seen)
                .build();
    }

    @AfterAll
    static void close() {
        other.close();
        session.close();
    }

    @Test
    void shouldReadAtMostFiveTimesBeforeTheFirstClaim() {
        // Otherwise this process would request the datacenter's first range, once for all of its processes.
        other.create(SequenceSpec.of("first"));
        other.allocator("first").nextLong();
        try (CqlSession counted = connect(seen);
                Sequences own = Sequences.open(counted, BLIND)) {
            own.allocator("first").nextLong();

            List<Seen> ours = ours(seen.upToNow(counted));
            int claim = indexOf(ours, request -> request.cql().contains(" IF ") && of("reserve", request));
            assertThat(claim).isNotNegative();
            assertThat(ours.subList(0, claim)).hasSizeLessThanOrEqualTo(5).allMatch(Seen::isRead);
        }
    }

    @Test
    void shouldReadTwicePerRoundWhileIdleWhateverIsOpen() {
        try (CqlSession counted = connect(seen);
                Sequences idle = Sequences.open(counted, WATCHFUL)) {
            IntStream.range(0, OPEN).forEach(i -> idle.allocator("idle." + i).nextLong());

            // Each sequence is checked once after it was opened.
            List<Seen> ours = awaitRoundsWithout(counted, request -> !isGlobalMark(request) && !isLocalMark(request));

            long global = count(ours, FrugalityIT::isGlobalMark);
            long local = count(ours, FrugalityIT::isLocalMark);
            assertThat(ours).allMatch(Seen::isRead).hasSize((int) (global + local));
            // A round may be in progress at either end.
            assertThat(local).isBetween(global - 1, global + 1);
        }
    }

    @Test
    void shouldNoticeARaiseThroughTheLogAndReadNothingElse() {
        try (CqlSession counted = connect(seen);
                Sequences watching = Sequences.open(counted, WATCHFUL)) {
            for (String name : List.of("raised", "untouched")) {
                other.create(SequenceSpec.of(name));
                watching.allocator(name).nextLong();
            }
            // Its first look at the log finds all recent changes.
            other.create(SequenceSpec.of("made.before"));
            await().atMost(Duration.ofMinutes(2)).until(() -> count(seen.soFar(), FrugalityIT::isLookAtLog) >= 1);
            awaitRoundsWithout(counted, request -> of("untouched", request));
            seen.clear();

            SequenceState raised = other.admin().advancePast("raised", 1_000_000);

            assertThat(watching.allocator("raised").nextLong()).isGreaterThanOrEqualTo(raised.floor());
            List<Seen> ours = ours(seen.upToNow(counted));
            assertThat(count(ours, FrugalityIT::isLookAtLog)).isPositive();
            assertThat(count(ours, request -> of("raised", request))).isPositive();
            assertThat(ours).noneMatch(request -> of("untouched", request));
        }
    }

    @Test
    void shouldNotSettleAnAcknowledgedRaiseAgain() {
        other.create(SequenceSpec.of("settled"));
        other.allocator("settled").nextLong();
        other.admin().advancePast("settled", 1_000);
        await().atMost(Duration.ofMinutes(2)).until(() -> acknowledged("settled") == incarnation("settled"));
        try (CqlSession counted = connect(seen)) {
            List<Duration> turns = lookAtAll(counted);

            assertThat(turns).isEmpty();
            assertThat(ours(seen.upToNow(counted))).hasSize(2).noneMatch(Seen::serial);

            session.execute("UPDATE frugality_it_dc1.sequence SET acknowledged = 0 WHERE seq = 'settled'");
            seen.clear();
            assertThat(lookAtAll(counted)).hasSize(1);
            await().atMost(Duration.ofMinutes(2)).until(() -> acknowledged("settled") == incarnation("settled"));
            assertThat(ours(seen.upToNow(counted))).anyMatch(Seen::serial);
        }
    }

    /** Acts as a process that has nothing open and must check everything; returns its turns. */
    private static List<Duration> lookAtAll(CqlSession counted) {
        ConditionalStatements global = ConditionalStatements.acrossDatacenters(counted, TIMEOUT);
        ConditionalStatements local = ConditionalStatements.withinDatacenter(counted, TIMEOUT);
        List<Duration> turns = new ArrayList<>();
        AllocatorContext context = new AllocatorContext(
                TIMEOUT,
                0.5,
                Duration.ofHours(24),
                0.5,
                (task, delay) -> {
                    turns.add(delay);
                    task.run();
                },
                System::nanoTime,
                new SecureRandom(),
                UUID::randomUUID);
        CassandraSequenceCatalog catalog = new CassandraSequenceCatalog(
                global,
                local,
                "frugality_it",
                "frugality_it_dc1",
                "dc1",
                () -> CompletableFuture.completedFuture(Map.of()));
        CassandraRangeStore store = new CassandraRangeStore(
                global,
                local,
                "frugality_it",
                "frugality_it_dc1",
                "dc1",
                () -> CompletableFuture.completedFuture(Map.of()),
                () -> "1@frugal/" + UUID.randomUUID(),
                InstantSource.system());
        CassandraChangeLog changes =
                new CassandraChangeLog(global, local, "frugality_it", "frugality_it_dc1", UUID::randomUUID);
        SequenceRegistry registry = new SequenceRegistry(catalog, store, changes, context);
        Raises raises = new Raises(catalog, changes, registry, new HeldClaims(catalog, store, context), context);
        new Acknowledgements(catalog, registry, raises, context, TIMEOUT)
                .lookAtAll(Duration.ofMinutes(1))
                .toCompletableFuture()
                .orTimeout(2, TimeUnit.MINUTES)
                .join();
        return turns;
    }

    private static int acknowledged(String name) {
        return session.execute("SELECT acknowledged FROM frugality_it_dc1.sequence WHERE seq = ?", name)
                .one()
                .getInt("acknowledged");
    }

    private static int incarnation(String name) {
        return session.execute("SELECT DISTINCT inc FROM frugality_it.seq WHERE seq = ?", name)
                .one()
                .getInt("inc");
    }

    private static boolean isGlobalMark(Seen request) {
        return isMark(request) && request.isOfTable("frugality_it.changes");
    }

    private static boolean isLocalMark(Seen request) {
        return isMark(request) && request.isOfTable("frugality_it_dc1.changes");
    }

    private static boolean isMark(Seen request) {
        return request.cql().startsWith("SELECT DISTINCT scope, moved");
    }

    private static boolean isLookAtLog(Seen request) {
        return request.cql().startsWith("SELECT at, kind, name");
    }

    private static boolean of(String what, Seen request) {
        return request.sequence().filter(what::equals).isPresent()
                || request.cql().contains("." + what + " ");
    }

    /** Returns the requests of the first rounds that contain no such request. */
    private List<Seen> awaitRoundsWithout(CqlSession counted, Predicate<Seen> which) {
        for (int tries = 0; tries < 20; tries++) {
            seen.upToNow(counted);
            seen.clear();
            await().atMost(Duration.ofMinutes(2)).until(() -> count(seen.soFar(), FrugalityIT::isGlobalMark) >= ROUNDS);
            List<Seen> ours = ours(seen.upToNow(counted));
            if (ours.stream().noneMatch(which)) {
                return ours;
            }
        }
        throw new AssertionError("each of 20 times " + ROUNDS + " rounds had some; the last: " + seen.soFar());
    }

    private static List<Seen> ours(List<Seen> requests) {
        return requests.stream().filter(request -> request.isOf("frugality_it")).toList();
    }

    private static long count(List<Seen> requests, Predicate<Seen> which) {
        return requests.stream().filter(which).count();
    }

    private static int indexOf(List<Seen> requests, Predicate<Seen> which) {
        return IntStream.range(0, requests.size())
                .filter(i -> which.test(requests.get(i)))
                .findFirst()
                .orElse(-1);
    }
}
