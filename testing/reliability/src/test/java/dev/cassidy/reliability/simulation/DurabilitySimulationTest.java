package dev.cassidy.reliability.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.sequence.protocol.FreshClaims;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.Standing;
import dev.cassidy.sequence.store.Stripe;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.LongFunction;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code -Ddurability.schedules=N} runs more; {@code -Ddurability.seed=N} runs one again. */
class DurabilitySimulationTest {

    private static final Logger LOG = LoggerFactory.getLogger(DurabilitySimulationTest.class);
    private static final long SCHEDULES = Long.getLong("durability.schedules", 200);

    /** How many schedules show a violation by {@code durability=warn}, which is no promise. */
    private static final long MEASURED = SCHEDULES / 5;

    private static LongStream seeds() {
        Long only = Long.getLong("durability.seed");
        return only == null ? LongStream.range(0, SCHEDULES) : LongStream.of(only);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void shouldIssueNoIdTwiceIfFreshClaimsWait(int replicas) {
        List<DurabilitySimulation.Result> results = seeds().parallel()
                .mapToObj(seed -> {
                    DurabilitySimulation.Result result =
                            new DurabilitySimulation(seed, replicas, FreshClaims.WAIT).run();
                    assertThat(result.violations())
                            .as("again with -Ddurability.seed=%d", seed)
                            .isEmpty();
                    assertThat(result.refusals())
                            .as("again with -Ddurability.seed=%d", seed)
                            .isEmpty();
                    return result;
                })
                .toList();

        assertThat(results).allSatisfy(result -> assertThat(result.fresh()).isZero());
        // A simulation in which nothing is forgotten proves nothing.
        assertThat(results.stream().mapToLong(DurabilitySimulation.Result::lost).sum())
                .as("blocks that were given up")
                .isGreaterThan(results.size());
        log(replicas, "durability=wait", results);
    }

    /** The default leaves it to luck whether ids are issued twice that are needed before their claims have stood. */
    @Tag("long")
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void shouldMeasureHowOftenFreshClaimsAreServedTwice(int replicas) {
        List<DurabilitySimulation.Result> results = LongStream.range(0, MEASURED)
                .parallel()
                .mapToObj(seed -> new DurabilitySimulation(seed, replicas, FreshClaims.SERVE).run())
                .toList();

        assertThat(results).anySatisfy(result -> assertThat(result.violations()).isNotEmpty());
        assertThat(results).allSatisfy(result -> assertThat(result.refusals()).isEmpty());
        log(replicas, "durability=warn", results);
    }

    private static void log(int replicas, String what, List<DurabilitySimulation.Result> results) {
        LOG.info(
                "{} replicas, {}: {} schedules, {} kills, {} ids, {} twice, {} blocks served fresh, {} given up",
                replicas,
                what,
                results.size(),
                results.stream().mapToLong(DurabilitySimulation.Result::kills).sum(),
                results.stream().mapToLong(DurabilitySimulation.Result::ids).sum(),
                results.stream().mapToLong(result -> result.violations().size()).sum(),
                results.stream().mapToLong(DurabilitySimulation.Result::fresh).sum(),
                results.stream().mapToLong(DurabilitySimulation.Result::lost).sum());
    }

    private static final Duration STANDING = ForgetfulNodes.STANDING;

    private enum Bug {
        /** A claim counts as soon as it is acknowledged. */
        NOT_WAITED(seed -> simulation(seed, Duration.ZERO, UnaryOperator.identity(), true)),
        /** The claim is read back before the last node has synced. */
        READ_BACK_TOO_EARLY(seed -> simulation(seed, Duration.ofSeconds(5), UnaryOperator.identity(), true)),
        /** The claim is read only in order, which leaves replicas without it that others will read. */
        REPLICAS_NOT_MADE_TO_AGREE(seed -> simulation(seed, STANDING, InOrderAlone::new, true)),
        /** Only the claim's own row is read. */
        NEIGHBOURS_NOT_LOOKED_AT(seed -> simulation(seed, STANDING, OwnRowAlone::new, true)),
        /** Statements write only the parts of the reserve that they change. */
        PARTS_OF_THE_RESERVE_WRITTEN(seed -> simulation(seed, STANDING, UnaryOperator.identity(), false));

        private final LongFunction<DurabilitySimulation> simulation;

        Bug(LongFunction<DurabilitySimulation> simulation) {
            this.simulation = simulation;
        }

        private static DurabilitySimulation simulation(
                long seed, Duration standing, UnaryOperator<RangeStore> around, boolean wholeReserve) {
            return new DurabilitySimulation(seed, 3, FreshClaims.WAIT, standing, around, wholeReserve);
        }
    }

    private static final class InOrderAlone extends DefectiveStore {
        InOrderAlone(RangeStore store) {
            super(store);
        }

        @Override
        public CompletionStage<Standing> standing(Stripe stripe, Claim claim, int most, boolean repair) {
            return super.standing(stripe, claim, most, false);
        }
    }

    private static final class OwnRowAlone extends DefectiveStore {
        OwnRowAlone(RangeStore store) {
            super(store);
        }

        @Override
        public CompletionStage<Standing> standing(Stripe stripe, Claim claim, int most, boolean repair) {
            return super.standing(stripe, claim, most, repair)
                    .thenApply(found -> new Standing(
                            found.reserve(),
                            found.claims().stream()
                                    .filter(row -> row.claim().equals(claim))
                                    .toList(),
                            true));
        }
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(Bug.class)
    void shouldFindEveryPlantedBug(Bug bug) {
        assertThat(LongStream.range(0, 3_000)
                        .filter(seed ->
                                !bug.simulation.apply(seed).run().violations().isEmpty())
                        .findFirst())
                .as("first seed that shows %s", bug)
                .isPresent();
    }

    @Test
    void shouldBeDecidedByTheSeedAlone() {
        for (long seed = 0; seed < 10; seed++) {
            assertThat(new DurabilitySimulation(seed, 3, FreshClaims.WAIT).run())
                    .isEqualTo(new DurabilitySimulation(seed, 3, FreshClaims.WAIT).run());
        }
    }
}
