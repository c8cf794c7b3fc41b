package dev.cassidy.reliability.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.sequence.protocol.FreshClaims;
import dev.cassidy.snowflake.protocol.SnowflakeMutations;
import java.time.Duration;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code -Dleases.schedules=N} runs more; {@code -Dleases.seed=N} runs one again. */
class LeaseSimulationTest {

    private static final Logger LOG = LoggerFactory.getLogger(LeaseSimulationTest.class);
    private static final long SCHEDULES = Long.getLong("leases.schedules", 40);

    /** Each planted bug must be found within this number of schedules. */
    private static final long ENOUGH = Long.getLong("leases.enough", 10_000);

    private static LongStream seeds() {
        Long only = Long.getLong("leases.seed");
        return only == null ? LongStream.range(0, SCHEDULES) : LongStream.of(only);
    }

    @Test
    void shouldIssueNoIdTwiceIfFreshNumbersWait() {
        List<LeaseSimulation.Result> results = seeds().parallel()
                .mapToObj(seed -> {
                    LeaseSimulation.Result result = new LeaseSimulation(seed).run();
                    assertThat(result.violations())
                            .as("again with -Dleases.seed=%d", seed)
                            .isEmpty();
                    return result;
                })
                .toList();

        log("durability=wait", results);
        // A simulation in which nothing is forgotten proves nothing.
        assertThat(results.stream().mapToLong(LeaseSimulation.Result::forgotten).sum())
                .as("rows that were forgotten")
                .isGreaterThan(results.size());
        assertThat(results.stream().mapToLong(LeaseSimulation.Result::attached).sum())
                .as("numbers given")
                .isGreaterThan(10L * results.size());
    }

    private static void log(String what, List<LeaseSimulation.Result> results) {
        LOG.info(
                "{}: {} schedules, {} kills, {} rows forgotten, {} numbers given, {} ids, {} twice in {} schedules",
                what,
                results.size(),
                results.stream().mapToLong(LeaseSimulation.Result::kills).sum(),
                results.stream().mapToLong(LeaseSimulation.Result::forgotten).sum(),
                results.stream().mapToLong(LeaseSimulation.Result::attached).sum(),
                results.stream().mapToLong(LeaseSimulation.Result::ids).sum(),
                results.stream().mapToLong(result -> result.violations().size()).sum(),
                results.stream()
                        .filter(result -> !result.violations().isEmpty())
                        .count());
    }

    /** @param first a seed that has shown a planted bug: it is tried before all others, to save a build the search */
    private static LongStream tried(long first) {
        return LongStream.concat(LongStream.of(first), LongStream.range(0, ENOUGH));
    }

    private enum Bug {
        /** Nothing has to stand. */
        NOT_WAITED(0, FreshClaims.WAIT, Duration.ZERO),
        /** A number is used as soon as it is taken: {@code durability=warn}. */
        TAKE_USED_AT_ONCE(2, FreshClaims.SERVE, ForgetfulNodes.STANDING),
        /** What was written is read back before the last node has synced. */
        READ_BACK_TOO_EARLY(33, FreshClaims.WAIT, Duration.ofSeconds(5));

        private final long first;
        private final FreshClaims freshClaims;
        private final Duration standing;

        Bug(long first, FreshClaims freshClaims, Duration standing) {
            this.first = first;
            this.freshClaims = freshClaims;
            this.standing = standing;
        }

        LeaseSimulation simulation(long seed) {
            return new LeaseSimulation(seed, freshClaims, standing);
        }
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(Bug.class)
    void shouldFindEveryPlantedBug(Bug bug) {
        long found = tried(bug.first)
                .filter(seed -> !bug.simulation(seed).run().violations().isEmpty())
                .findFirst()
                .orElse(-1);

        LOG.info("{} is found by seed {}", bug, found);
        assertThat(found).as("first seed that shows %s", bug).isNotNegative();
    }

    @Tag("long")
    @Test
    void shouldFindThatALimitIsUsedAtOnce() throws Exception {
        Mutant.Simulation simulation = Mutant.ofLeases()
                .with(SnowflakeMutations.LimitsUsedAtOnce.class, "protocol.Renewer", "acknowledged")
                .simulation();
        long found = -1;
        for (PrimitiveIterator.OfLong seeds = tried(3095).iterator(); found < 0 && seeds.hasNext(); ) {
            long seed = seeds.nextLong();
            found = simulation.violations(seed).isEmpty() ? -1 : seed;
        }

        LOG.info("found by seed {}", found);
        assertThat(found).isNotNegative();
    }

    @Test
    void shouldBeDecidedByTheSeedAlone() {
        for (long seed = 0; seed < 10; seed++) {
            assertThat(new LeaseSimulation(seed).run()).isEqualTo(new LeaseSimulation(seed).run());
        }
    }
}
