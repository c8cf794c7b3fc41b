package dev.cassidy.reliability.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs many schedules; {@code -Dsnowflake.seed=N} runs one again, {@code -Dsnowflake.schedules=N} runs more. The first
 * seed is the same in every build, so that a red build is red for everybody.
 */
class SnowflakeSimulationTest {

    private static final int SCHEDULES = Integer.getInteger("snowflake.schedules", 1_000);

    @Test
    void shouldIssueNoIdTwiceWhateverHappens() {
        Long only = Long.getLong("snowflake.seed");
        LongStream seeds = only == null ? LongStream.range(0, SCHEDULES) : LongStream.of(only);
        long[] totals = new long[3];
        seeds.forEach(seed -> {
            SnowflakeSimulation.Result result = new SnowflakeSimulation(seed, null).run();
            assertThat(result.violations())
                    .as("again with -Dsnowflake.seed=%d", seed)
                    .isEmpty();
            totals[0] += result.ids();
            totals[1] += result.faults();
            totals[2] += result.attached();
        });
        // A simulation in which nothing happens proves nothing.
        assertThat(totals).as("ids issued, faults fired, numbers given").doesNotContain(0);
    }

    @ParameterizedTest
    @EnumSource(SimulatedNodeStore.Bug.class)
    void shouldFindEveryPlantedBug(SimulatedNodeStore.Bug bug) {
        OptionalLong found = LongStream.range(0, 4_000)
                .filter(seed ->
                        !new SnowflakeSimulation(seed, bug).run().violations().isEmpty())
                .findFirst();

        assertThat(found).as("first seed that shows %s", bug).isPresent();
    }
}
