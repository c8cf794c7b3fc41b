package dev.cassidy.reliability.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.sequence.protocol.FreshClaims;
import dev.cassidy.sequence.store.GrantStanding;
import dev.cassidy.sequence.store.Numbering;
import dev.cassidy.snowflake.store.NodeGrant;
import dev.cassidy.snowflake.store.NodeStore;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code -Dgrants.schedules=N} runs more; {@code -Dgrants.seed=N} runs one again. */
class NodeGrantSimulationTest {

    private static final Logger LOG = LoggerFactory.getLogger(NodeGrantSimulationTest.class);

    private static LongStream seeds() {
        Long only = Long.getLong("grants.seed");
        return only == null ? LongStream.range(0, Long.getLong("grants.schedules", 60)) : LongStream.of(only);
    }

    @Test
    void shouldGiveNoNumberToTwoDatacenters() {
        List<NodeGrantSimulation.Result> results = seeds().parallel()
                .mapToObj(seed -> {
                    NodeGrantSimulation.Result result = new NodeGrantSimulation(seed).run();
                    assertThat(result.violations())
                            .as("again with -Dgrants.seed=%d", seed)
                            .isEmpty();
                    return result;
                })
                .toList();

        // A simulation in which nothing is granted, or forgotten, proves nothing.
        assertThat(results.stream()
                        .mapToLong(NodeGrantSimulation.Result::numbers)
                        .sum())
                .as("numbers")
                .isGreaterThan(20L * results.size());
        assertThat(results.stream()
                        .mapToLong(NodeGrantSimulation.Result::forgotten)
                        .sum())
                .as("times that a replica forgot anything")
                .isGreaterThan(results.size() / 4);
        LOG.info(
                "{} schedules, {} kills, forgotten {} times, {} numbers, attached {} times",
                results.size(),
                results.stream().mapToLong(NodeGrantSimulation.Result::kills).sum(),
                results.stream()
                        .mapToLong(NodeGrantSimulation.Result::forgotten)
                        .sum(),
                results.stream().mapToLong(NodeGrantSimulation.Result::numbers).sum(),
                results.stream().mapToLong(NodeGrantSimulation.Result::attached).sum());
    }

    private enum Bug {
        /** Numbers are used at once; {@code durability=warn} does so. */
        USED_AT_ONCE(3, FreshClaims.SERVE, UnaryOperator.identity(), true),
        /** A grant is used once it is old, and not read back. */
        NOT_READ_BACK(1, FreshClaims.WAIT, store -> new Seen(store, (seen, grant, repair) -> stood(grant)), true),
        /** A grant is read only in order. */
        NOT_MADE_TO_AGREE(
                2_923,
                FreshClaims.WAIT,
                store -> new Seen(store, (seen, grant, repair) -> repair ? stood(grant) : seen),
                true);

        /** The first seed that showed it, when it was last looked for. It is tried before all others, to save a build the search. */
        private final long first;

        private final FreshClaims freshClaims;
        private final UnaryOperator<NodeStore> around;
        private final boolean whole;

        Bug(long first, FreshClaims freshClaims, UnaryOperator<NodeStore> around, boolean whole) {
            this.first = first;
            this.freshClaims = freshClaims;
            this.around = around;
            this.whole = whole;
        }
    }

    /** What a process takes for what it has read of a grant. */
    private interface Sight {
        GrantStanding of(GrantStanding seen, NodeGrant grant, boolean repair);
    }

    private static GrantStanding stood(NodeGrant grant) {
        return new GrantStanding(0, Numbering.NONE, grant.hi(), grant.asGrant().span(), List.of());
    }

    private static final class Seen extends DefectiveNodeStore {
        private final Sight sight;

        Seen(NodeStore store, Sight sight) {
            super(store);
            this.sight = sight;
        }

        @Override
        public CompletionStage<GrantStanding> standing(String sequence, NodeGrant grant, boolean repair) {
            return super.standing(sequence, grant, repair).thenApply(seen -> sight.of(seen, grant, repair));
        }
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(Bug.class)
    void shouldFindEveryPlantedBug(Bug bug) {
        OptionalLong first = LongStream.concat(LongStream.of(bug.first), LongStream.range(0, 10_000))
                .filter(seed -> !new NodeGrantSimulation(seed, bug.freshClaims, bug.around, bug.whole)
                        .run()
                        .violations()
                        .isEmpty())
                .findFirst();
        assertThat(first).as("first seed that shows %s", bug).isPresent();
        LOG.info("{}: shown by seed {}", bug, first.getAsLong());
    }

    @Test
    void shouldBeDecidedByTheSeedAlone() {
        for (long seed = 0; seed < 5; seed++) {
            assertThat(new NodeGrantSimulation(seed).run()).isEqualTo(new NodeGrantSimulation(seed).run());
        }
    }
}
