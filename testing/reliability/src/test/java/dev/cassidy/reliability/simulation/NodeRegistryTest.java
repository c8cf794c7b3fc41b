package dev.cassidy.reliability.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.reliability.simulation.DefectiveNodeStore.Fate;
import dev.cassidy.reliability.simulation.DefectiveNodeStore.Step;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.protocol.OpenNodeRegistry;
import dev.cassidy.snowflake.store.NodeLedger;
import dev.cassidy.snowflake.store.NodeShare;
import dev.cassidy.snowflake.store.NodeStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** How a time-ordered sequence is created, joined, found and destroyed, and what is refused. */
class NodeRegistryTest {

    private final OneSnowflake there = new OneSnowflake(128);
    private final SnowflakeSpec spec = there.spec;
    private final OpenNodeRegistry registry = registry(UnaryOperator.identity());

    /** @param around wraps the store */
    private OpenNodeRegistry registry(UnaryOperator<NodeStore> around) {
        return new OpenNodeRegistry(around.apply(there.store()), there.context());
    }

    /** Creates the sequence; this datacenter has not joined it. */
    private void createdElsewhere() {
        there.await(there.store().create(spec));
    }

    private void markDestroyedEverywhere() {
        there.await(there.store().ledger(spec.name()).thenCompose(ledger -> there.store()
                .destroy(ledger.orElseThrow())));
    }

    private void refused(CompletionStage<?> call, Class<? extends Exception> by, String because) {
        assertThatThrownBy(() -> there.await(call)).hasCauseInstanceOf(by).hasMessageContaining(because);
    }

    /** Expects that the call is refused when the caller's time is up, not before, and not much later. */
    private void refusedInTime(CompletionStage<?> call, String because) {
        long begin = there.time.nanoTime();
        refused(call, SequenceException.Unavailable.class, because);
        assertThat(Duration.ofNanos(there.time.nanoTime() - begin))
                .isBetween(OneSnowflake.TIMEOUT, OneSnowflake.TIMEOUT.plusSeconds(5));
    }

    private boolean isDestroyedEverywhere() {
        return there.global.ledger != null && there.global.ledger.destroyed();
    }

    private boolean isDestroyedHere() {
        return there.here.share != null && there.here.share.destroyed();
    }

    // Creating and joining.

    @Test
    void shouldCreateASequenceAndJoinItOnce() {
        NodeShare share = there.await(registry.share(spec));

        assertThat(share).isEqualTo(new NodeShare(spec, false, 0, List.of()));
        assertThat(there.here.share).isEqualTo(share);
        assertThat(there.global.ledger).isEqualTo(new NodeLedger(spec, false, 0));
        there.grant(0, 4);
        assertThat(there.await(registry.share(spec))).as("as it is").isEqualTo(there.here.share);
        assertThat(there.grants()).hasSize(1);
    }

    /** Otherwise grants whose rows are lost would be absorbed again. */
    @Test
    void shouldJoinAgainAfterTheLastGrant() {
        there.grant(0, 4);
        there.promise(4, 8);
        there.here.share = null;

        NodeShare share = there.await(registry.share(spec));

        assertThat(share).isEqualTo(new NodeShare(spec, false, 2, List.of()));
    }

    @ParameterizedTest
    @EnumSource(Fate.class)
    void shouldCreateItWhateverHappensToTheStatement(Fate fate) {
        NodeShare share = there.await(registry(store -> DefectiveNodeStore.first(Step.CREATE, fate, store))
                .share(spec));

        assertThat(share).isEqualTo(there.here.share);
        assertThat(there.global.ledger).isEqualTo(new NodeLedger(spec, false, 0));
    }

    @ParameterizedTest
    @EnumSource(Fate.class)
    void shouldJoinItWhateverHappensToTheStatement(Fate fate) {
        createdElsewhere();

        NodeShare share = there.await(registry(store -> DefectiveNodeStore.first(Step.JOIN, fate, store))
                .share(spec));

        assertThat(share).isEqualTo(new NodeShare(spec, false, 0, List.of()));
        assertThat(there.here.share).isEqualTo(share);
    }

    @ParameterizedTest
    @EnumSource(
            value = Step.class,
            names = {"SHARE", "LEDGER", "HIGHEST_GRANT"})
    void shouldJoinAlthoughAReadWasNotAnswered(Step step) {
        NodeShare share = there.await(
                registry(store -> DefectiveNodeStore.unanswered(step, store)).share(spec));

        assertThat(share).isEqualTo(there.here.share);
    }

    @Test
    void shouldNeedNoOtherDatacenterIfItsOwnHasJoined() {
        NodeShare share = there.await(registry.share(spec));
        there.here.cutOff = true;

        assertThat(there.await(registry.share(spec))).isEqualTo(share);
    }

    @Test
    void shouldReportTheLastFailureWhenTheTimeIsUp() {
        there.here.cutOff = true;

        refusedInTime(registry.share(spec), "joining sequence numbered: not within PT15S: simulated: no answer");
    }

    @Test
    void shouldReportThatOthersWereFirstWhenTheTimeIsUp() {
        OpenNodeRegistry failing = registry(around -> new DefectiveNodeStore(around) {
            @Override
            public CompletionStage<ClaimOutcome> create(SnowflakeSpec wanted) {
                return CompletableFuture.completedFuture(new ClaimOutcome.Lost());
            }
        });

        refusedInTime(failing.share(spec), "joining sequence numbered: not within PT15S; others always came first");
    }

    @Test
    void shouldRefuseAnotherConfigurationHereAndElsewhere() {
        createdElsewhere();
        for (SnowflakeSpec other : List.of(spec.withNodes(256), other(spec))) {
            refused(registry.share(other), SequenceException.Conflict.class, "stored " + spec + ", asked " + other);
            assertThat(there.here.share).isNull();
        }

        there.await(registry.share(spec));
        for (SnowflakeSpec other : List.of(spec.withNodes(256), other(spec))) {
            refused(registry.share(other), SequenceException.Conflict.class, "stored " + spec + ", asked " + other);
        }
    }

    private static SnowflakeSpec other(SnowflakeSpec spec) {
        return new SnowflakeSpec(spec.name(), spec.epoch().plusMillis(1), spec.nodes());
    }

    @Test
    void shouldNotJoinADestroyedSequence() {
        createdElsewhere();
        markDestroyedEverywhere();

        refused(registry.share(spec), SequenceException.Destroyed.class, "was destroyed, for ever");

        assertThat(there.here.share).isNull();
    }

    @Test
    void shouldNotServeASequenceThatItsDatacenterKnowsToBeDestroyed() {
        there.await(registry.share(spec));
        there.await(there.store().destroyHere(spec.name()));
        there.here.cutOff = true;

        refused(registry.share(spec), SequenceException.Destroyed.class, "was destroyed, for ever");
    }

    // Finding.

    @Test
    void shouldFindASequenceByReadingItsDatacenterOnly() {
        there.await(registry.share(spec));
        there.here.cutOff = true;

        assertThat(there.await(registry.find(spec.name()))).contains(spec);
    }

    @Test
    void shouldFindASequenceThatItsDatacenterHasNotJoinedWithoutJoiningIt() {
        createdElsewhere();

        assertThat(there.await(registry.find(spec.name()))).contains(spec);

        assertThat(there.here.share).isNull();
    }

    @Test
    void shouldNotFindANonexistentSequence() {
        assertThat(there.await(registry.find(spec.name()))).isEmpty();

        assertThat(there.global.ledger).isNull();
    }

    /** So that ids that were already issued can still be decoded. */
    @Test
    void shouldFindTheConfigurationOfADestroyedSequence() {
        createdElsewhere();
        there.await(registry.destroy(spec.name()));
        assertThat(there.await(registry.find(spec.name()))).contains(spec);

        there.here.share = new NodeShare(spec, true, 0, List.of());
        assertThat(there.await(registry.find(spec.name()))).contains(spec);
    }

    @ParameterizedTest
    @EnumSource(
            value = Step.class,
            names = {"SHARE", "LEDGER"})
    void shouldFindASequenceAlthoughAReadWasNotAnswered(Step step) {
        createdElsewhere();

        assertThat(there.await(registry(store -> DefectiveNodeStore.unanswered(step, store))
                        .find(spec.name())))
                .contains(spec);
    }

    @Test
    void shouldReportThatItCouldNotReadWhenTheTimeIsUp() {
        createdElsewhere();
        there.here.cutOff = true;

        refusedInTime(registry.find(spec.name()), "reading sequence numbered: not within PT15S: simulated: no answer");
    }

    // Destroying.

    /**
     * Every other datacenter learns of it from the global mark, so a process that sees the local mark must also find
     * the global one.
     */
    @Test
    void shouldMarkItDestroyedEverywhereFirstAndThenHere() {
        there.await(registry.share(spec));
        List<Boolean> everywhere = new ArrayList<>();

        there.await(registry(around -> new DefectiveNodeStore(around) {
                    @Override
                    public CompletionStage<ClaimOutcome> destroyHere(String sequence) {
                        everywhere.add(isDestroyedEverywhere());
                        return super.destroyHere(sequence);
                    }
                })
                .destroy(spec.name()));

        assertThat(everywhere).as("whether it was destroyed everywhere").containsExactly(true);
        assertThat(isDestroyedHere()).isTrue();
    }

    @Test
    void shouldDestroyASequenceThatItsDatacenterHasNotJoined() {
        createdElsewhere();

        there.await(registry.destroy(spec.name()));

        assertThat(isDestroyedEverywhere()).isTrue();
        assertThat(there.here.share).isNull();
    }

    @Test
    void shouldMarkASequenceHereThatAnotherDatacenterDestroyed() {
        there.await(registry.share(spec));
        markDestroyedEverywhere();

        there.await(registry.destroy(spec.name()));

        assertThat(isDestroyedHere()).isTrue();
    }

    @Test
    void shouldWriteNothingIfItIsAlreadyDestroyed() {
        there.await(registry.share(spec));
        there.await(registry.destroy(spec.name()));

        there.await(registry(around -> new DefectiveNodeStore(around) {
                    @Override
                    CompletionStage<ClaimOutcome> write(Step step, Supplier<CompletionStage<ClaimOutcome>> send) {
                        throw new AssertionError(step);
                    }
                })
                .destroy(spec.name()));

        assertThat(isDestroyedEverywhere()).isTrue();
        assertThat(isDestroyedHere()).isTrue();
    }

    @Test
    void shouldReportThatThereIsNothingToDestroy() {
        refused(registry.destroy(spec.name()), SequenceException.NotFound.class, "no time-ordered sequence numbered");
    }

    static Stream<Arguments> marks() {
        return Stream.of(Step.DESTROY, Step.DESTROY_HERE)
                .flatMap(step -> Stream.of(Fate.values()).map(fate -> Arguments.of(step, fate)));
    }

    @ParameterizedTest
    @MethodSource("marks")
    void shouldDestroyItWhateverHappensToAStatement(Step step, Fate fate) {
        there.await(registry.share(spec));

        there.await(
                registry(store -> DefectiveNodeStore.first(step, fate, store)).destroy(spec.name()));

        assertThat(isDestroyedEverywhere()).isTrue();
        assertThat(isDestroyedHere()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(
            value = Step.class,
            names = {"LEDGER", "SHARE"})
    void shouldDestroyItAlthoughAReadWasNotAnswered(Step step) {
        there.await(registry.share(spec));

        there.await(
                registry(store -> DefectiveNodeStore.unanswered(step, store)).destroy(spec.name()));

        assertThat(isDestroyedEverywhere()).isTrue();
        assertThat(isDestroyedHere()).isTrue();
    }

    @Test
    void shouldNotReportASequenceAsDestroyedThatItCouldNotMark() {
        there.await(registry.share(spec));
        there.here.cutOff = true;
        refusedInTime(
                registry.destroy(spec.name()), "destroying sequence numbered: not within PT15S: simulated: no answer");
        assertThat(isDestroyedEverywhere() || isDestroyedHere()).isFalse();

        there.here.cutOff = false;
        OpenNodeRegistry onlyThere = registry(around -> new DefectiveNodeStore(around) {
            @Override
            public CompletionStage<ClaimOutcome> destroyHere(String sequence) {
                return noAnswer();
            }
        });
        refusedInTime(onlyThere.destroy(spec.name()), "destroying sequence numbered: not within PT15S: unavailable");
        assertThat(isDestroyedEverywhere()).isTrue();
    }
}
