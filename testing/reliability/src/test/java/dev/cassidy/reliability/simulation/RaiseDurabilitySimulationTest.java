package dev.cassidy.reliability.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.reliability.simulation.RaiseDurabilitySimulation.Defects;
import dev.cassidy.sequence.store.Grant;
import dev.cassidy.sequence.store.GrantStanding;
import dev.cassidy.sequence.store.RangeStore;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.SequenceCatalog;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.Stripe;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
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
                "{} schedules, {} kills, {} grants, {} ids, {} commands that succeeded, {} that failed",
                results.size(),
                results.stream()
                        .mapToLong(RaiseDurabilitySimulation.Result::kills)
                        .sum(),
                results.stream()
                        .mapToLong(RaiseDurabilitySimulation.Result::grants)
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
        NOT_WAITED(1, false, Defects.times(Duration.ZERO, Duration.ZERO)),
        /** A datacenter acknowledges before its reserves have moved for good. */
        ACKNOWLEDGED_TOO_EARLY(646, false, Defects.times(RaiseDurabilitySimulation.STANDING, Duration.ZERO)),
        /** What was changed is read only in order, which leaves replicas without it that others will read. */
        REPLICAS_NOT_MADE_TO_AGREE(57, false, Defects.of(InOrderAlone::new, ReservesInOrderAlone::new)),
        /** The change is read back before the last node has synced. */
        READ_BACK_TOO_EARLY(2, false, Defects.times(Duration.ofSeconds(4), Duration.ofSeconds(4))),
        /** A grant is used once it is old, and not read back. */
        GRANTS_NOT_READ_BACK(
                4, false, Defects.drawn(store -> new GrantsSeen(store, (seen, grant, repair) -> stood(seen, grant)))),
        /** A grant is read only in order. */
        GRANTS_NOT_MADE_TO_AGREE(
                1_140,
                true,
                Defects.drawn(
                        store -> new GrantsSeen(store, (seen, grant, repair) -> repair ? stood(seen, grant) : seen))),
        /** A grant is read without an order. */
        GRANTS_NOT_READ_IN_ORDER(
                0,
                true,
                Defects.drawn(
                        store -> new GrantsSeen(store, (seen, grant, repair) -> repair ? seen : stood(seen, grant)))),
        /** A grant is looked at, and not what others were granted. */
        GRANTS_OF_OTHERS_OVERLOOKED(
                53,
                false,
                Defects.drawn(store -> new GrantsSeen(
                        store,
                        (seen, grant, repair) -> new GrantStanding(
                                seen.incarnation(), seen.numbering(), seen.next(), seen.own(), List.of())))),
        /** A grant writes only what it changes of the global row. */
        PARTS_OF_THE_ROW(59, false, Defects.ofParts());

        /** The first schedule that shows it, or shortly before it, when it was last looked for. */
        private final long from;

        /** Whether it takes hundreds of schedules to find it again once the schedules have changed. */
        private final boolean rare;

        private final Defects defects;

        Bug(long from, boolean rare, Defects defects) {
            this.from = from;
            this.rare = rare;
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

    /** What a process takes for what it has read of a grant. */
    private interface Sight {
        GrantStanding of(GrantStanding seen, Grant grant, boolean repair);
    }

    private static GrantStanding stood(GrantStanding seen, Grant grant) {
        return new GrantStanding(
                grant.incarnation(), seen.numbering(), grant.span().hi(), grant.span(), List.of());
    }

    private static final class GrantsSeen extends DefectiveStore {
        private final Sight sight;

        GrantsSeen(RangeStore store, Sight sight) {
            super(store);
            this.sight = sight;
        }

        @Override
        public CompletionStage<GrantStanding> standing(Stripe stripe, Grant grant, boolean repair) {
            return super.standing(stripe, grant, repair).thenApply(seen -> sight.of(seen, grant, repair));
        }
    }

    /** {@code -Draises.all=true} takes those, too, for which many schedules have to be run. */
    static Stream<Bug> bugs() {
        return Stream.of(Bug.values()).filter(bug -> !bug.rare || Boolean.getBoolean("raises.all"));
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("bugs")
    void shouldFindEveryPlantedBug(Bug bug) {
        OptionalLong first = LongStream.range(bug.from, 3_000)
                .filter(seed -> !new RaiseDurabilitySimulation(seed, bug.defects)
                        .run()
                        .violations()
                        .isEmpty())
                .findFirst();
        assertThat(first).as("first seed that shows %s", bug).isPresent();
        LOG.info("{}: shown by seed {}", bug, first.getAsLong());
    }

    @Test
    void shouldBeDecidedByTheSeedAlone() {
        for (long seed = 0; seed < 2; seed++) {
            assertThat(new RaiseDurabilitySimulation(seed).run()).isEqualTo(new RaiseDurabilitySimulation(seed).run());
        }
    }
}
