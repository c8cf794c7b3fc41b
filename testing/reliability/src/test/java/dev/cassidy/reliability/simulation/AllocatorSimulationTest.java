package dev.cassidy.reliability.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.reliability.simulation.AllocatorSimulation.Result;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs many schedules. {@code -Dsimulation.seed=N} runs one again, {@code -Dsimulation.schedules=N} runs more. The
 * first seed is the same in every build, so that a failure can be repeated on every machine.
 */
class AllocatorSimulationTest {

    private static final Logger LOG = LoggerFactory.getLogger(AllocatorSimulationTest.class);
    private static final int THREADS = 2;
    private static final long SCHEDULES = Long.getLong("simulation.schedules", 5_000);
    private static final long IDS_A_SCHEDULE = 1_000;

    /** On average, each {@link Occurrence} occurs at least once in this number of schedules. */
    private static final long SCHEDULES_AN_OCCURRENCE = 1_000;

    /**
     * Schedules that found the bugs that most schedules miss. They are tried first, to save time; without them the bugs
     * are found, too.
     */
    private static final Map<PlantedBug, Long> TRIED_FIRST = Map.ofEntries(
            Map.entry(PlantedBug.LOST_CLAIMS_NOT_RECORDED, 7225L),
            Map.entry(PlantedBug.ACKNOWLEDGED_BEFORE_ADOPTING, 2891L),
            Map.entry(PlantedBug.RECLAIMED_ACROSS_A_RAISE, 2099L),
            Map.entry(PlantedBug.CREATED_ANEW_BELOW_WHAT_WAS_GRANTED, 1463L),
            Map.entry(PlantedBug.CLAIM_SPENT_WHILE_THREADS_HAVE_IDS_OF_IT, 1226L),
            Map.entry(PlantedBug.GLOBAL_ROW_SET_BACK_UNNOTICED, 851L),
            Map.entry(PlantedBug.SEEDED_ONE_SHORT, 573L),
            Map.entry(PlantedBug.RELEASED_FOR_ANOTHER_DATACENTER, 351L),
            Map.entry(PlantedBug.RETURN_IN_DOUBT_TAKEN_FOR_DONE, 319L),
            Map.entry(PlantedBug.CREATED_ANEW_WITHOUT_ACKNOWLEDGEMENTS, 210L),
            Map.entry(PlantedBug.TAIL_RETURNED_TWICE, 208L),
            Map.entry(PlantedBug.RESERVE_MADE_AGAIN_AT_GRANT_0, 205L),
            Map.entry(PlantedBug.ACKNOWLEDGED_WITH_HOLDERS, 168L),
            Map.entry(PlantedBug.RESTARTED_ONE_SHORT, 121L),
            Map.entry(PlantedBug.RECALLED_ONE_SHORT, 111L),
            Map.entry(PlantedBug.CHUNK_ISSUED_AFTER_THE_REVOCATION, 111L),
            Map.entry(PlantedBug.ADOPTED_WITHOUT_THE_INCARNATION, 71L),
            Map.entry(PlantedBug.IDLE_BLOCK_KEPT, 66L),
            Map.entry(PlantedBug.RESERVE_SET_BACK_UNNOTICED, 38L));

    @Test
    void shouldIssueNoIdTwiceWhateverHappens() throws Exception {
        Long only = Long.getLong("simulation.seed");
        AtomicLong seeds = new AtomicLong(only == null ? 0 : only);
        long end = only == null ? SCHEDULES : only + 1;
        Totals totals = new Totals();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            Callable<Totals> share = () -> runUntil(end, seeds);
            List<Future<Totals>> shares = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                shares.add(threads.submit(share));
            }
            for (Future<Totals> each : shares) {
                totals.add(each.get());
            }
        } finally {
            threads.shutdownNow();
        }
        LOG.info(
                "{} schedules, {} ids, {} faults, {}",
                only == null ? SCHEDULES : 1,
                totals.ids,
                totals.faults,
                totals.occurrences);
        // A simulation in which nothing happens proves nothing.
        if (only == null) {
            assertThat(totals.ids).as("ids issued").isGreaterThan(IDS_A_SCHEDULE * SCHEDULES);
            assertThat(totals.faults).as("faults fired").isGreaterThan(SCHEDULES);
            for (Occurrence each : EnumSet.complementOf(EnumSet.of(Occurrence.REPAIRED, Occurrence.REPAIR_REFUSED))) {
                assertThat(totals.occurrences.getOrDefault(each, 0L))
                        .as("how often came about: %s", each)
                        .isGreaterThanOrEqualTo(SCHEDULES / SCHEDULES_AN_OCCURRENCE);
            }
        }
    }

    /** The totals of many schedules. */
    private static final class Totals {
        long ids;
        long faults;
        final Map<Occurrence, Long> occurrences = new EnumMap<>(Occurrence.class);

        void add(Totals others) {
            ids += others.ids;
            faults += others.faults;
            others.occurrences.forEach((each, count) -> occurrences.merge(each, count, Long::sum));
        }

        void add(Result result) {
            ids += result.ids();
            faults += result.faults();
            result.occurrences().forEach((each, count) -> occurrences.merge(each, count, Long::sum));
        }
    }

    /** Each schedule runs in one thread, and its seed alone decides it. */
    private static Totals runUntil(long end, AtomicLong seeds) {
        Totals totals = new Totals();
        for (long seed = seeds.getAndIncrement(); seed < end; seed = seeds.getAndIncrement()) {
            Result result = run(seed);
            assertThat(result.violations())
                    .as("again with -Dsimulation.seed=%d", seed)
                    .isEmpty();
            totals.add(result);
        }
        return totals;
    }

    private static Result run(long seed) {
        try {
            return new AllocatorSimulation(seed).run();
        } catch (RuntimeException | Error e) {
            throw new AssertionError("again with -Dsimulation.seed=" + seed, e);
        }
    }

    @Test
    void shouldBeDecidedByTheSeedAlone() {
        for (long seed = 0; seed < 20; seed++) {
            assertThat(run(seed)).as("seed %d", seed).isEqualTo(run(seed));
        }
    }

    @Tag("long")
    @Test
    void shouldFindEveryPlantedBug() {
        List<String> missed = new ArrayList<>();
        for (PlantedBug bug : PlantedBug.values()) {
            Mutant.Simulation simulation = bug.simulation();
            long seed = LongStream.concat(
                            LongStream.of(TRIED_FIRST.getOrDefault(bug, 0L)), LongStream.range(0, PlantedBug.SCHEDULES))
                    .filter(each -> !violations(simulation, each).isEmpty())
                    .findFirst()
                    .orElse(-1);
            if (seed < 0) {
                missed.add(bug.name());
            } else {
                LOG.info(
                        "{}: seed {}: {}",
                        bug,
                        seed,
                        violations(simulation, seed).get(0));
            }
        }
        assertThat(missed)
                .as("planted bugs that %d schedules did not find", PlantedBug.SCHEDULES)
                .isEmpty();
    }

    private static List<String> violations(Mutant.Simulation simulation, long seed) {
        try {
            return simulation.violations(seed);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError("again with -Dsimulation.seed=" + seed, e);
        }
    }
}
