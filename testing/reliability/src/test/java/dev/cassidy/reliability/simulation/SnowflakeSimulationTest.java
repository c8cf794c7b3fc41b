package dev.cassidy.reliability.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.reliability.simulation.SimulatedNodeStore.Bug;
import dev.cassidy.reliability.simulation.SnowflakeSimulation.Result;
import dev.cassidy.snowflake.protocol.SnowflakeMutations;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs many schedules. {@code -Dsnowflake.seed=N} runs one again, {@code -Dsnowflake.schedules=N} runs more. The first
 * seed is the same in every build, so that a failure can be repeated on every machine.
 */
class SnowflakeSimulationTest {

    /** The first schedules that show a planted bug, to save a build the search. */
    private static final Map<Bug, Long> TRIED_FIRST = Map.of(
            Bug.RENEWAL_LOWERS, 1255L,
            Bug.TAKEN_WITHOUT_LIMIT, 1194L,
            Bug.TAKEN_WITHOUT_EPOCH, 566L,
            Bug.GRANTED_TWICE, 243L,
            Bug.PREPARE_REPEATED, 588L,
            Bug.GRANTS_ARE_EVERYBODYS, 855L,
            Bug.ABSORBED_OUT_OF_TURN, 499L);

    private static final Logger LOG = LoggerFactory.getLogger(SnowflakeSimulationTest.class);
    private static final int THREADS = 2;
    private static final long SCHEDULES = Long.getLong("snowflake.schedules", 8_000);

    /** Each planted bug must be found within this number of schedules. */
    private static final long ENOUGH = 8_000;

    @Test
    void shouldIssueNoIdTwiceWhateverHappens() throws Exception {
        Long only = Long.getLong("snowflake.seed");
        AtomicLong seeds = new AtomicLong(only == null ? 0 : only);
        long end = only == null ? SCHEDULES : only + 1;
        Totals totals = new Totals(0, 0, 0, 0, 0);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            Callable<Totals> share = () -> runUntil(end, seeds);
            List<Future<Totals>> shares = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                shares.add(threads.submit(share));
            }
            for (Future<Totals> each : shares) {
                totals = totals.plus(each.get());
            }
        } finally {
            threads.shutdownNow();
        }
        LOG.info("{} schedules: {}", end - (only == null ? 0 : only), totals);
        // A simulation in which nothing happens proves nothing.
        if (only == null) {
            assertThat(totals.ids()).as("ids issued").isGreaterThan(500 * SCHEDULES);
            assertThat(totals.faults()).as("faults fired").isGreaterThan(50 * SCHEDULES);
            assertThat(totals.attached()).as("numbers given").isGreaterThan(2 * SCHEDULES);
            assertThat(totals.losses()).as("tables lost").isGreaterThan(SCHEDULES);
            assertThat(totals.destroyed()).as("sequences destroyed").isGreaterThan(SCHEDULES / 20);
        }
    }

    private record Totals(long ids, long faults, long attached, long losses, long destroyed) {
        Totals plus(Totals more) {
            return new Totals(
                    ids + more.ids,
                    faults + more.faults,
                    attached + more.attached,
                    losses + more.losses,
                    destroyed + more.destroyed);
        }
    }

    /** Each schedule runs in one thread, and its seed alone decides it. */
    private static Totals runUntil(long end, AtomicLong seeds) {
        Totals totals = new Totals(0, 0, 0, 0, 0);
        for (long seed = seeds.getAndIncrement(); seed < end; seed = seeds.getAndIncrement()) {
            Result result = run(seed);
            assertThat(result.violations())
                    .as("again with -Dsnowflake.seed=%d", seed)
                    .isEmpty();
            totals = totals.plus(
                    new Totals(result.ids(), result.faults(), result.attached(), result.losses(), result.destroyed()));
        }
        return totals;
    }

    private static Result run(long seed) {
        try {
            return new SnowflakeSimulation(seed).run();
        } catch (RuntimeException | Error e) {
            throw new AssertionError("again with -Dsnowflake.seed=" + seed, e);
        }
    }

    @Test
    void shouldBeDecidedByTheSeedAlone() {
        for (long seed = 0; seed < 20; seed++) {
            assertThat(run(seed)).as("seed %d", seed).isEqualTo(run(seed));
        }
    }

    /** Each seed showed an error of an earlier protocol. It still shows the error if the error is planted. */
    @ParameterizedTest
    @CsvSource({"855, GRANTS_ARE_EVERYBODYS", "588, PREPARE_REPEATED", "646, PREPARE_REPEATED"})
    void shouldHoldWhereItOnceFailed(long seed, Bug error) {
        assertThat(new SnowflakeSimulation(seed, error).run().violations()).isNotEmpty();
        assertThat(run(seed).violations()).isEmpty();
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(Bug.class)
    void shouldFindEveryPlantedBug(Bug bug) {
        OptionalLong found = LongStream.concat(
                        LongStream.of(TRIED_FIRST.getOrDefault(bug, 0L)), LongStream.range(0, ENOUGH))
                .filter(seed ->
                        !new SnowflakeSimulation(seed, bug).run().violations().isEmpty())
                .findFirst();

        assertThat(found).as("first seed that shows %s", bug).isPresent();
    }

    static Stream<Arguments> woven() {
        return Stream.of(
                Arguments.of(SnowflakeMutations.NobodyIsWaitedFor.class, "protocol.NodeAssigner", "isOverdue"),
                Arguments.of(SnowflakeMutations.NothingSkipped.class, "protocol.NodeAssigner$Acquisition", "skip"),
                Arguments.of(SnowflakeMutations.NobodyLooks.class, "protocol.LeaseKeeper", "lookWhetherDestroyed"),
                Arguments.of(SnowflakeMutations.NobodyHeeds.class, "protocol.LeaseKeeper", "noticeDestroyed"));
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("woven")
    void shouldFindEveryBugThatIsWovenIn(Class<?> mutation, String type, String method) throws Exception {
        Mutant.Simulation simulation =
                Mutant.ofSnowflakes().with(mutation, type, method).simulation();
        List<String> violations = List.of();
        for (long seed = 0; seed < ENOUGH && violations.isEmpty(); seed++) {
            violations = simulation.violations(seed);
        }

        assertThat(violations)
                .as("what schedules show of %s", mutation.getSimpleName())
                .isNotEmpty();
    }
}
