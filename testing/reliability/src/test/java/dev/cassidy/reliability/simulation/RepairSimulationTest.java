package dev.cassidy.reliability.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Schedules of {@link AllocatorSimulation} in which operators also repair the sequence, at any time. */
class RepairSimulationTest {

    private static final Logger LOG = LoggerFactory.getLogger(RepairSimulationTest.class);
    private static final int SCHEDULES = Integer.getInteger("simulation.repairs", 1_000);
    private static final int SCHEDULES_OF_A_BUG = 5_000;

    /** Errors in what a repair relies on. Each must be found. */
    enum Bug {
        OLDER_GRANTS_OVERLOOKED(
                244, Defect.ofCatalog(catalog -> new DefectiveCatalog.GrantsOverlooked(catalog, false))),
        NEWEST_GRANTS_OVERLOOKED(
                519, Defect.ofCatalog(catalog -> new DefectiveCatalog.GrantsOverlooked(catalog, true))),
        GRANTS_OF_BEFORE_THE_DROP(3184, Defect.ofCatalog(DefectiveCatalog.GrantsReadOnce::new));

        /** A schedule that found it. It is tried first, to save time; without it the bug is found, too. */
        private final long triedFirst;

        private final Defect defect;

        Bug(long triedFirst, Defect defect) {
            this.triedFirst = triedFirst;
            this.defect = defect;
        }
    }

    private static List<String> violations(long seed, Defect defect) {
        return AllocatorSimulation.withRepairs(seed, defect).run().violations();
    }

    @Test
    void shouldIssueNoIdTwiceWhateverIsRepaired() {
        Long only = Long.getLong("simulation.seed");
        long repaired = 0;
        long refused = 0;
        for (long seed = only == null ? 0 : only; seed < (only == null ? SCHEDULES : only + 1); seed++) {
            AllocatorSimulation.Result result =
                    AllocatorSimulation.withRepairs(seed, Defect.NONE).run();
            assertThat(result.violations())
                    .as("again with -Dsimulation.seed=%d", seed)
                    .isEmpty();
            refused += result.occurrences().getOrDefault(Occurrence.REPAIR_REFUSED, 0L);
            repaired += result.occurrences().getOrDefault(Occurrence.REPAIRED, 0L);
        }
        LOG.info("{} schedules, {} repairs, {} refused", SCHEDULES, repaired, refused);
        if (only == null) {
            assertThat(repaired).as("how many repairs succeeded").isPositive();
        }
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource
    void shouldFindEveryBug(Bug bug) {
        long found = LongStream.concat(LongStream.of(bug.triedFirst), LongStream.range(0, SCHEDULES_OF_A_BUG))
                .filter(seed -> violations(seed, bug.defect).stream().anyMatch(each -> each.contains("twice")))
                .findFirst()
                .orElse(-1);
        assertThat(found).as("the schedule that finds it").isNotNegative();
        LOG.info("{}: seed {}", bug, found);
    }
}
