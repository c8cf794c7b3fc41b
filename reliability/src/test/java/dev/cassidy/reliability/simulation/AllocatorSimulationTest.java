package dev.cassidy.reliability.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.sequence.RangeStore;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Runs many schedules; {@code -Dsimulation.seed=N} runs one again, {@code -Dsimulation.schedules=N} runs more. The first
 * seed is the same in every build, so that a red build is red for everybody.
 */
class AllocatorSimulationTest {

    private static final int SCHEDULES = Integer.getInteger("simulation.schedules", 5_000);

    @Test
    void shouldIssueNoIdTwiceWhateverHappens() {
        Long only = Long.getLong("simulation.seed");
        LongStream seeds = only == null ? LongStream.range(0, SCHEDULES) : LongStream.of(only);
        long[] totals = new long[2];
        seeds.forEach(seed -> {
            AllocatorSimulation.Result result = new AllocatorSimulation(seed, UnaryOperator.identity()).run();
            assertThat(result.violations())
                    .as("again with -Dsimulation.seed=%d", seed)
                    .isEmpty();
            totals[0] += result.ids();
            totals[1] += result.faults();
        });
        // A simulation in which nothing happens proves nothing.
        assertThat(totals[0]).as("ids issued").isPositive();
        assertThat(totals[1]).as("faults fired").isPositive();
    }

    @Test
    void shouldFindEveryPlantedBug() {
        for (PlantedBug bug : PlantedBug.values()) {
            List<String> found = LongStream.range(0, 2_000)
                    .mapToObj(seed ->
                            new AllocatorSimulation(seed, bug.defect).run().violations())
                    .filter(violations -> !violations.isEmpty())
                    .findFirst()
                    .orElse(List.of());
            assertThat(found).as("planted bug %s", bug).isNotEmpty();
        }
    }

    /** What goes wrong when the store's steps are judged or ordered carelessly. */
    private enum PlantedBug {
        UNKNOWN_TAKEN_FOR_CLAIMED(DefectiveStore.UnknownTakenForClaimed::new),
        LOST_TAKEN_FOR_CLAIMED(DefectiveStore.LostTakenForClaimed::new),
        ANY_CLAIM_TAKEN_FOR_OURS(DefectiveStore.AnyClaimTakenForOurs::new),
        PROOF_BY_POSITION(DefectiveStore.ProofByPosition::new),
        GRANT_ABSORBED_TWICE(DefectiveStore.GrantAbsorbedTwice::new),
        INCARNATION_IGNORED(DefectiveStore.IncarnationIgnored::new);

        private final UnaryOperator<RangeStore> defect;

        PlantedBug(UnaryOperator<RangeStore> defect) {
            this.defect = defect;
        }
    }
}
