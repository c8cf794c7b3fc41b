package dev.cassidy.sequence.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.cassidy.SharedNode;
import dev.cassidy.embedded.EmbeddedCassandra;
import dev.cassidy.lwt.ConditionalStatements;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.SequencesConfig;
import dev.cassidy.sequence.protocol.AllocatorContext;
import dev.cassidy.sequence.protocol.BlockAllocator;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.Grant;
import dev.cassidy.sequence.store.GrantStanding;
import dev.cassidy.sequence.store.Ledger;
import dev.cassidy.sequence.store.Numbering;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.sequence.store.Standing;
import dev.cassidy.sequence.store.Stripe;
import dev.cassidy.sequence.store.Tails;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs the protocol on a real node, where two thirds of the writes have an unknown outcome: half of those are applied,
 * half are not.
 */
class UnknownOutcomeIT {

    private static final SequencesConfig CONFIG = SequencesConfig.defaults().withGlobalKeyspace("unknown_it");
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private static CqlSession session;
    private static ScheduledExecutorService timer;

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

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void shouldServeOnlyProvenClaims(long seed) {
        String name = "unknown" + seed;
        try (Sequences sequences = Sequences.open(session, CONFIG)) {
            sequences.create(SequenceSpec.of(name));
        }
        UnknownOutcomes first = new UnknownOutcomes(realStore(), new SplittableRandom(seed));
        UnknownOutcomes second = new UnknownOutcomes(realStore(), new SplittableRandom(seed + 1_000));
        Set<Long> issued = new HashSet<>();
        try (BlockAllocator one = allocator(name, first);
                BlockAllocator two = allocator(name, second)) {
            for (int i = 0; i < 1_500; i++) {
                assertThat(issued.add(one.nextLong())).isTrue();
                assertThat(issued.add(two.nextLong())).isTrue();
            }
        }

        assertThat(issued).hasSize(3_000);
        assertThat(first.unknown + second.unknown).as("faults fired").isPositive();
    }

    private static BlockAllocator allocator(String name, RangeStore store) {
        return new BlockAllocator(
                SequenceSpec.of(name),
                1,
                store,
                new AllocatorContext(
                        Duration.ofSeconds(60),
                        0.5,
                        Duration.ofHours(24),
                        0.5,
                        (task, delay) -> timer.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS),
                        System::nanoTime,
                        new java.security.SecureRandom(),
                        UUID::randomUUID));
    }

    private static RangeStore realStore() {
        return new CassandraRangeStore(
                ConditionalStatements.acrossDatacenters(session, TIMEOUT),
                ConditionalStatements.withinDatacenter(session, TIMEOUT),
                "unknown_it",
                "unknown_it_dc1",
                "dc1",
                () -> CompletableFuture.completedFuture(Map.of()),
                () -> "test",
                InstantSource.system());
    }

    private static final class UnknownOutcomes implements RangeStore {
        private final RangeStore store;
        private final SplittableRandom random;
        private int unknown;

        UnknownOutcomes(RangeStore store, SplittableRandom random) {
            this.store = store;
            this.random = random;
        }

        @Override
        public String holder() {
            return store.holder();
        }

        private synchronized CompletionStage<ClaimOutcome> perhaps(Supplier<CompletionStage<ClaimOutcome>> step) {
            ClaimOutcome timeout = new ClaimOutcome.Unknown(new IllegalStateException("injected"));
            switch (random.nextInt(3)) {
                case 0:
                    unknown++;
                    return CompletableFuture.completedFuture(timeout);
                case 1:
                    unknown++;
                    return step.get().thenApply(hidden -> timeout);
                default:
                    return step.get();
            }
        }

        @Override
        public CompletionStage<ClaimOutcome> claim(Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
            return perhaps(() -> store.claim(stripe, seen, wanted, spent));
        }

        @Override
        public CompletionStage<ClaimOutcome> claimTail(Stripe stripe, Reserve seen, Claim wanted, List<Claim> spent) {
            return perhaps(() -> store.claimTail(stripe, seen, wanted, spent));
        }

        @Override
        public CompletionStage<ClaimOutcome> giveBack(
                Stripe stripe, Reserve seen, List<Claim> ended, Tails after, List<Claim> spent) {
            return perhaps(() -> store.giveBack(stripe, seen, ended, after, spent));
        }

        @Override
        public CompletionStage<ClaimOutcome> absorb(Stripe stripe, Reserve seen, Grant grant, Numbering numbering) {
            return perhaps(() -> store.absorb(stripe, seen, grant, numbering));
        }

        @Override
        public CompletionStage<ClaimOutcome> withdraw(Stripe stripe, Reserve seen, Span absorbed) {
            return perhaps(() -> store.withdraw(stripe, seen, absorbed));
        }

        @Override
        public CompletionStage<GrantStanding> standing(Stripe stripe, Grant grant, boolean repair) {
            return store.standing(stripe, grant, repair);
        }

        @Override
        public CompletionStage<ClaimOutcome> grant(Stripe stripe, Ledger seen, Grant wanted, UUID token) {
            return perhaps(() -> store.grant(stripe, seen, wanted, token));
        }

        @Override
        public CompletionStage<ClaimOutcome> adopt(Stripe stripe, Reserve seen, int incarnation, int grantNumber) {
            return perhaps(() -> store.adopt(stripe, seen, incarnation, grantNumber));
        }

        @Override
        public CompletionStage<ClaimOutcome> establish(
                Stripe stripe, int incarnation, int grantNumber, List<Claim> lost) {
            return perhaps(() -> store.establish(stripe, incarnation, grantNumber, lost));
        }

        @Override
        public CompletionStage<ClaimOutcome> forgetLost(Stripe stripe, Claim lost) {
            return perhaps(() -> store.forgetLost(stripe, lost));
        }

        @Override
        public CompletionStage<ClaimOutcome> forget(Stripe stripe, Claim claim) {
            return perhaps(() -> store.forget(stripe, claim));
        }

        @Override
        public CompletionStage<Optional<Reserve>> reserve(Stripe stripe) {
            return store.reserve(stripe);
        }

        @Override
        public CompletionStage<Optional<Reserve>> glance(Stripe stripe) {
            return store.glance(stripe);
        }

        @Override
        public CompletionStage<Standing> standing(Stripe stripe, Claim claim, int most, boolean repair) {
            return store.standing(stripe, claim, most, repair);
        }

        @Override
        public CompletionStage<Optional<Claim>> claimAt(Stripe stripe, int incarnation, long lo) {
            return store.claimAt(stripe, incarnation, lo);
        }

        @Override
        public CompletionStage<Integer> highestGrant(Stripe stripe, int incarnation) {
            return store.highestGrant(stripe, incarnation);
        }

        @Override
        public CompletionStage<Optional<Ledger>> ledger(String sequence) {
            return store.ledger(sequence);
        }

        @Override
        public CompletionStage<Optional<Grant>> grantAt(Stripe stripe, int incarnation, int number) {
            return store.grantAt(stripe, incarnation, number);
        }
    }
}
