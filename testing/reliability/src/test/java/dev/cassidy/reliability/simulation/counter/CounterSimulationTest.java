package dev.cassidy.reliability.simulation.counter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.counter.protocol.CounterMutations;
import dev.cassidy.reliability.simulation.Mutant;
import dev.cassidy.reliability.simulation.counter.CounterSimulation.Fate;
import dev.cassidy.reliability.simulation.counter.CounterSimulation.Result;
import dev.cassidy.reliability.simulation.counter.SimulatedStores.Bug;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs many schedules. {@code -Dcounter.seed=N} runs one again, {@code -Dcounter.schedules=N} runs more. The first seed is
 * the same in every build, so that a failure can be repeated on every machine.
 */
class CounterSimulationTest {

    private static final Logger LOG = LoggerFactory.getLogger(CounterSimulationTest.class);
    private static final int THREADS = 2;
    private static final long SCHEDULES = Long.getLong("counter.schedules", 800);

    /** Each planted bug must be found within this number of schedules. */
    private static final long ENOUGH = 8_000;

    /**
     * Schedules that found the bugs that most schedules miss. They are tried first, to save time; without them the bugs
     * are found, too.
     */
    private static final Map<String, Long> TRIED_FIRST = Map.of(
            CounterMutations.VisibleTakenForStored.class.getSimpleName(), 7_761L,
            CounterMutations.GapsIgnored.class.getSimpleName(), 741L,
            CounterMutations.NothingAwaited.class.getSimpleName(), 121L,
            Bug.READ_IN_PAGES.name(), 82L,
            Bug.TABLE_NOT_NAMED.name(), 210L,
            Bug.ID_USED_AGAIN.name(), 122L,
            Bug.CONTRACT_REPLACED_BLINDLY.name(), 145L,
            Bug.COMPLETED_WHATEVER_THE_REVISION.name(), 3_117L,
            Bug.OTHERS_NOT_ASKED_AFTER_THE_CLAIM.name(), 1L,
            Bug.CLAIM_OPENED.name(), 237L);

    private record Totals(
            long acknowledged, long faults, long folds, long taken, long verdicts, long deletes, long refused) {
        static final Totals NONE = new Totals(0, 0, 0, 0, 0, 0, 0);

        Totals plus(Totals more) {
            return new Totals(
                    acknowledged + more.acknowledged,
                    faults + more.faults,
                    folds + more.folds,
                    taken + more.taken,
                    verdicts + more.verdicts,
                    deletes + more.deletes,
                    refused + more.refused);
        }
    }

    @Test
    void shouldCountEachIncrementOnceWhateverHappens() throws Exception {
        Long only = Long.getLong("counter.seed");
        AtomicLong seeds = new AtomicLong(only == null ? 0 : only);
        long end = only == null ? SCHEDULES : only + 1;
        Totals totals = Totals.NONE;
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
            assertThat(totals.acknowledged()).as("acknowledged").isGreaterThan(10 * SCHEDULES);
            assertThat(totals.faults()).as("faults fired").isGreaterThan(50 * SCHEDULES);
            assertThat(totals.folds()).as("folds").isGreaterThan(2 * SCHEDULES);
            assertThat(totals.taken()).as("rounds of the janitor").isGreaterThan(SCHEDULES);
            assertThat(totals.verdicts()).as("verdicts of increments in doubt").isGreaterThan(SCHEDULES / 4);
            assertThat(totals.deletes())
                    .as("counters deleted by another client")
                    .isGreaterThan(SCHEDULES);
            assertThat(totals.refused())
                    .as("increments refused because of a clock")
                    .isGreaterThan(SCHEDULES);
        }
    }

    private static Totals runUntil(long end, AtomicLong seeds) {
        Totals totals = Totals.NONE;
        for (long seed = seeds.getAndIncrement(); seed < end; seed = seeds.getAndIncrement()) {
            Result result = run(seed);
            assertThat(result.violations())
                    .as("again with -Dcounter.seed=%d", seed)
                    .isEmpty();
            totals = totals.plus(new Totals(
                    result.acknowledged(),
                    result.faults(),
                    result.folds(),
                    result.taken(),
                    result.verdicts(),
                    result.deletes(),
                    result.refused()));
        }
        return totals;
    }

    private static Result run(long seed) {
        try {
            return new CounterSimulation(seed).run();
        } catch (RuntimeException | Error e) {
            throw new AssertionError("again with -Dcounter.seed=" + seed, e);
        }
    }

    @Test
    void shouldBeDecidedByTheSeedAlone() {
        for (long seed = 0; seed < 20; seed++) {
            assertThat(run(seed)).as("seed %d", seed).isEqualTo(run(seed));
        }
    }

    /** Broken promises; that a process waits in vain is not one of them. */
    private static boolean breaksAPromise(List<String> violations) {
        return violations.stream().anyMatch(violation -> !violation.startsWith("not counted without faults"));
    }

    /** The table is emptied again and again. */
    @Test
    void shouldCountFrom0WhateverHappensMeanwhile() {
        long acknowledged = 0;
        for (long seed = 0; seed < SCHEDULES / 4; seed++) {
            Result result = new CounterSimulation(seed, null, Fate.EMPTIED).run();
            assertThat(result.violations()).as("seed %d", seed).isEmpty();
            acknowledged += result.acknowledged();
        }
        assertThat(acknowledged).as("acknowledged").isGreaterThan(2 * SCHEDULES);
    }

    /** The table is dropped and created again and again, by two installations, and emptied too. */
    @Test
    void shouldCountInATableThatIsMadeAnewWhateverHappensMeanwhile() {
        long acknowledged = 0;
        long dropped = 0;
        for (long seed = 0; seed < SCHEDULES / 10; seed++) {
            Result result = new CounterSimulation(seed, null, Fate.MADE_ANEW).run();
            assertThat(result.violations()).as("seed %d", seed).isEmpty();
            acknowledged += result.acknowledged();
            dropped += result.dropped();
        }
        assertThat(acknowledged).as("acknowledged").isGreaterThan(SCHEDULES);
        assertThat(dropped).as("dropped").isGreaterThan(SCHEDULES / 10);
    }

    /** The table is dropped and created again and again, and two installations declare and open it. */
    @Test
    void shouldDeclareATableForOneInstallationWhateverHappensMeanwhile() {
        long dropped = 0;
        for (long seed = 0; seed < SCHEDULES / 4; seed++) {
            Result result = new CounterSimulation(seed, null, Fate.OPENED).run();
            assertThat(result.violations()).as("seed %d", seed).isEmpty();
            dropped += result.dropped();
        }
        assertThat(dropped).as("dropped").isGreaterThan(SCHEDULES);
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {
                "GENERATION_NOT_ASKED",
                "GENERATIONS_SHARE_SETTLEMENTS",
                "EMPTIED_IN_ONE_STEP",
                "TABLE_NOT_NAMED",
                "CONTRACT_OF_ANY_TABLE",
                "GONE_NOT_REMEMBERED",
                "ID_USED_AGAIN",
                "CONTRACT_REPLACED_BLINDLY",
                "COMPLETED_WHATEVER_THE_REVISION",
                "OTHERS_NOT_ASKED_AFTER_THE_CLAIM",
                "CLAIM_OPENED"
            })
    @Tag("long")
    void shouldFindBugsOfTheStores(Bug bug) {
        find(
                bug.name(),
                seed -> new CounterSimulation(seed, bug, Fate.KEPT).run().violations());
    }

    @ParameterizedTest
    @EnumSource(names = {"GENERATION_NOT_ASKED", "GENERATIONS_SHARE_SETTLEMENTS", "EMPTIED_IN_ONE_STEP"})
    @Tag("long")
    void shouldFindBugsOfEmptyingATable(Bug bug) {
        find(
                bug.name(),
                seed -> new CounterSimulation(seed, bug, Fate.EMPTIED).run().violations());
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "TABLE_NOT_NAMED",
                "CONTRACT_OF_ANY_TABLE",
                "GONE_NOT_REMEMBERED",
                "ID_USED_AGAIN",
                "CONTRACT_REPLACED_BLINDLY"
            })
    @Tag("long")
    void shouldFindBugsOfMakingATableAnew(Bug bug) {
        find(
                bug.name(),
                seed -> new CounterSimulation(seed, bug, Fate.MADE_ANEW).run().violations());
    }

    @ParameterizedTest
    @EnumSource(names = {"COMPLETED_WHATEVER_THE_REVISION", "OTHERS_NOT_ASKED_AFTER_THE_CLAIM", "CLAIM_OPENED"})
    @Tag("long")
    void shouldFindBugsOfDeclaringATable(Bug bug) {
        find(
                bug.name(),
                seed -> new CounterSimulation(seed, bug, Fate.OPENED).run().violations());
    }

    static Stream<Arguments> wovenBugs() {
        return Stream.of(
                Arguments.of(CounterMutations.NeverLooked.class, "protocol.Fence", "confirm"),
                Arguments.of(CounterMutations.HeldTakenForEnded.class, "protocol.Settler", "end"),
                Arguments.of(CounterMutations.NeverWritten.class, "protocol.Group", "mayBeWritten"),
                Arguments.of(CounterMutations.OneTooFar.class, "store.ActorRows$EpochSum", "fold"),
                Arguments.of(CounterMutations.GapsIgnored.class, "store.ActorRows", "sum"),
                Arguments.of(CounterMutations.VisibleTakenForStored.class, "protocol.Verdicts", "spread"),
                Arguments.of(CounterMutations.SameEpoch.class, "protocol.SlotKeeper", "nextEpoch"),
                Arguments.of(CounterMutations.EpochByTheClockAlone.class, "protocol.SlotKeeper", "nextEpoch"),
                Arguments.of(CounterMutations.ClockNotChecked.class, "protocol.CheckedClock", "now"),
                Arguments.of(CounterMutations.SetClockIgnored.class, "protocol.SlotKeeper", "mistrusted"),
                Arguments.of(CounterMutations.NothingAwaited.class, "protocol.HeldSlot", "end"));
    }

    @ParameterizedTest
    @MethodSource("wovenBugs")
    @Tag("long")
    void shouldFindBugsOfTheProtocol(Class<?> mutation, String type, String method) {
        Mutant.Simulation simulation =
                Mutant.ofCounters().with(mutation, type, method).simulation();
        find(mutation.getSimpleName(), simulation);
    }

    /** The clocks of a whole datacenter may be wrong, so epochs do not rely on them; and one that is wrong is refused. */
    @Test
    @Tag("long")
    void shouldFindIncrementsThatAreLostByClocks() {
        Mutant.Simulation simulation = Mutant.ofCounters()
                .with(CounterMutations.ClockNotChecked.class, "protocol.CheckedClock", "now")
                .with(CounterMutations.EpochByTheClockAlone.class, "protocol.SlotKeeper", "nextEpoch")
                .simulation();
        find("ClocksBelieved", seed -> simulation.violations(seed).stream()
                .filter(violation -> violation.contains("lacks"))
                .toList());
    }

    private static void find(String bug, Mutant.Simulation simulation) {
        long seed = LongStream.concat(LongStream.of(TRIED_FIRST.getOrDefault(bug, 0L)), LongStream.range(0, ENOUGH))
                .filter(each -> {
                    try {
                        return breaksAPromise(simulation.violations(each));
                    } catch (ReflectiveOperationException e) {
                        throw new AssertionError(e);
                    }
                })
                .findFirst()
                .orElse(-1);
        LOG.info("{}: found by seed {}", bug, seed);
        assertThat(seed).as("schedule that finds %s", bug).isNotNegative();
    }
}
