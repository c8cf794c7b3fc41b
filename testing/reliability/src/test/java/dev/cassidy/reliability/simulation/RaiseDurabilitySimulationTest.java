package dev.cassidy.reliability.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.reliability.simulation.RaiseDurabilitySimulation.Defects;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.SequenceCatalog;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.Stripe;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code -Draises.schedules=N} runs more; {@code -Draises.seed=N} runs one again. */
class RaiseDurabilitySimulationTest {

    private static final Logger LOG = LoggerFactory.getLogger(RaiseDurabilitySimulationTest.class);

    private static LongStream seeds() {
        Long only = Long.getLong("raises.seed");
        return only == null ? LongStream.range(0, Long.getLong("raises.schedules", 40)) : LongStream.of(only);
    }

    @Test
    void shouldKeepWhatAnOperatorWasTold() {
        List<RaiseDurabilitySimulation.Result> results = seeds().parallel()
                .mapToObj(seed -> {
                    RaiseDurabilitySimulation.Result result = new RaiseDurabilitySimulation(seed).run();
                    assertThat(result.violations())
                            .as("again with -Draises.seed=%d", seed)
                            .isEmpty();
                    return result;
                })
                .toList();

        // A simulation in which no command ends proves nothing.
        assertThat(results.stream()
                        .mapToLong(RaiseDurabilitySimulation.Result::done)
                        .sum())
                .as("commands that succeeded")
                .isGreaterThan(3L * results.size());
        LOG.info(
                "{} schedules, {} kills, {} ids, {} commands that succeeded, {} that failed",
                results.size(),
                results.stream()
                        .mapToLong(RaiseDurabilitySimulation.Result::kills)
                        .sum(),
                results.stream()
                        .mapToLong(RaiseDurabilitySimulation.Result::ids)
                        .sum(),
                results.stream()
                        .mapToLong(RaiseDurabilitySimulation.Result::done)
                        .sum(),
                results.stream()
                        .mapToLong(RaiseDurabilitySimulation.Result::failed)
                        .sum());
    }

    private enum Bug {
        /** A change counts as soon as it is acknowledged. */
        NOT_WAITED(0, new Defects(Duration.ZERO, Duration.ZERO, UnaryOperator.identity(), UnaryOperator.identity())),
        /** A datacenter acknowledges before its reserves have moved for good. */
        ACKNOWLEDGED_TOO_EARLY(
                10,
                new Defects(
                        RaiseDurabilitySimulation.STANDING,
                        Duration.ZERO,
                        UnaryOperator.identity(),
                        UnaryOperator.identity())),
        /** What was changed is read only in order, which leaves replicas without it that others will read. */
        REPLICAS_NOT_MADE_TO_AGREE(
                100,
                new Defects(
                        RaiseDurabilitySimulation.STANDING,
                        RaiseDurabilitySimulation.STANDING,
                        InOrderAlone::new,
                        ReservesInOrderAlone::new)),
        /** The change is read back before the last node has synced. */
        READ_BACK_TOO_EARLY(
                0,
                new Defects(
                        Duration.ofSeconds(4),
                        Duration.ofSeconds(4),
                        UnaryOperator.identity(),
                        UnaryOperator.identity()));

        /** Shortly before the first schedule that shows it, when it was last looked for. */
        private final long from;

        private final Defects defects;

        Bug(long from, Defects defects) {
            this.from = from;
            this.defects = defects;
        }
    }

    private static final class InOrderAlone extends DefectiveCatalog {
        InOrderAlone(SequenceCatalog catalog) {
            super(catalog);
        }

        @Override
        public CompletionStage<Optional<SequenceEntry>> findAgreed(String name) {
            return super.find(name);
        }
    }

    private static final class ReservesInOrderAlone extends DefectiveStore {
        ReservesInOrderAlone(RangeStore store) {
            super(store);
        }

        @Override
        public CompletionStage<Optional<Reserve>> glance(Stripe stripe) {
            return super.reserve(stripe);
        }
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(Bug.class)
    void shouldFindEveryPlantedBug(Bug bug) {
        assertThat(LongStream.range(bug.from, 3_000)
                        .filter(seed -> !new RaiseDurabilitySimulation(seed, bug.defects)
                                .run()
                                .violations()
                                .isEmpty())
                        .findFirst())
                .as("first seed that shows %s", bug)
                .isPresent();
    }

    @Test
    void shouldBeDecidedByTheSeedAlone() {
        for (long seed = 0; seed < 5; seed++) {
            assertThat(new RaiseDurabilitySimulation(seed).run()).isEqualTo(new RaiseDurabilitySimulation(seed).run());
        }
    }
}
