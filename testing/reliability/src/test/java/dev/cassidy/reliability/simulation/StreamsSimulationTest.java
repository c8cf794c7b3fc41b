package dev.cassidy.reliability.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.reliability.simulation.AllocatorSimulation.Result;
import dev.cassidy.reliability.simulation.SimulatedLink.Condition;
import dev.cassidy.sequence.protocol.Mutations;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code -Dstreams.seed=N} runs one schedule again, {@code -Dstreams.schedules=N} runs more. */
class StreamsSimulationTest {

    private static final Logger LOG = LoggerFactory.getLogger(StreamsSimulationTest.class);
    private static final long SCHEDULES = Long.getLong("streams.schedules", 300);
    private static final long IDS_A_SCHEDULE = 1_000;
    private static final int SCHEDULES_TO_FIND_A_BUG = 500;

    @Test
    void shouldIssueNoIdTwiceInAnyStream() {
        Long only = Long.getLong("streams.seed");
        long ids = LongStream.range(only == null ? 0 : only, only == null ? SCHEDULES : only + 1)
                .map(seed -> run(seed).ids())
                .sum();
        LOG.info("{} schedules, {} ids", only == null ? SCHEDULES : 1, ids);
        if (only == null) {
            assertThat(ids).as("ids issued").isGreaterThan(IDS_A_SCHEDULE * SCHEDULES);
        }
    }

    private static Result run(long seed) {
        Result result = new StreamsSimulation(seed).run();
        assertThat(result.violations()).as("again with -Dstreams.seed=%d", seed).isEmpty();
        return result;
    }

    @Test
    void shouldBeDecidedByTheSeedAlone() {
        for (long seed = 0; seed < 5; seed++) {
            assertThat(run(seed)).as("seed %d", seed).isEqualTo(run(seed));
        }
    }

    @Tag("long")
    @Test
    void shouldFindStreamsThatWereNotCompared() {
        requireFound(Mutant.ofStreams()
                .with(Mutations.AnywhereWillDo.class, "protocol.SequenceRegistry", "requireSameStreams")
                .simulation());
    }

    @Tag("long")
    @Test
    void shouldFindANameThatIsInsertedTwice() {
        requireFound(seed -> new StreamsSimulation(seed, Defect.without(Condition.INSERT_ONCE))
                .run()
                .violations());
    }

    private static void requireFound(Mutant.Simulation simulation) {
        assertThat(IntStream.range(0, SCHEDULES_TO_FIND_A_BUG)
                        .anyMatch(seed -> !violations(simulation, seed).isEmpty()))
                .as("found by one of %d schedules", SCHEDULES_TO_FIND_A_BUG)
                .isTrue();
    }

    private static List<String> violations(Mutant.Simulation simulation, long seed) {
        try {
            return simulation.violations(seed);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError("again with -Dstreams.seed=" + seed, e);
        }
    }
}
