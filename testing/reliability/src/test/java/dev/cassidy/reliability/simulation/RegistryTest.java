package dev.cassidy.reliability.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.protocol.BlockAllocator;
import dev.cassidy.sequence.protocol.HeldClaims;
import dev.cassidy.sequence.protocol.Raises;
import dev.cassidy.sequence.protocol.SequenceRegistry;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.ClaimOutcome;
import dev.cassidy.sequence.store.Grant;
import dev.cassidy.sequence.store.HeldClaim;
import dev.cassidy.sequence.store.Reserve;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.sequence.store.Stripe;
import dev.cassidy.sequence.store.Tails;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the registry's calls do to a sequence, and what they refuse. */
class RegistryTest {

    private static final String NAME = "registered";
    private static final SequenceSpec SPEC = spec(1, 10);
    private static final Duration DAY = Duration.ofDays(1);

    /** The simulated catalog counts the age of claims this many times faster. */
    private static final long PACE = 7_200;

    private final OneDatacenter there = new OneDatacenter(SPEC);
    private final SequenceRegistry registry = there.registry(UnaryOperator.identity());
    private final HeldClaims claims = there.claims(UnaryOperator.identity());
    private final Raises raises = there.raises();
    private final BlockAllocator allocator = there.allocator(UnaryOperator.identity());

    private static SequenceSpec spec(long start, long increment) {
        return new SequenceSpec(NAME, IdentityType.INT, start, increment, -1_000, Integer.MAX_VALUE)
                .withBlock(10, 10)
                .withReserve(200, 200);
    }

    private SequenceEntry entry() {
        return there.await(registry.requireKnown(NAME));
    }

    private void draw() {
        there.await(allocator.nextLongAsync());
    }

    private void refused(CompletionStage<?> call, Class<? extends Exception> by, String because) {
        assertThatThrownBy(() -> there.await(call)).hasCauseInstanceOf(by).hasMessageContaining(because);
    }

    @Test
    void shouldBeginAnUntouchedSequenceElsewhereWithoutARaise() {
        SequenceEntry seeded = there.await(raises.seed(NAME, 100));

        assertThat(seeded).isEqualTo(entry());
        assertThat(seeded.incarnation()).isEqualTo(1);
        assertThat(List.of(seeded.next(), seeded.origin(), seeded.floor())).containsOnly(10L);
        assertThat(there.await(raises.seed(NAME, 100))).isEqualTo(seeded);
        assertThat(there.await(raises.seed(NAME, 50))).as("lower").isEqualTo(seeded);
        assertThat(there.await(allocator.nextLongAsync())).isEqualTo(101);
    }

    @Test
    void shouldRaiseAGrantedSequence() {
        draw();

        SequenceEntry seeded = there.await(raises.seed(NAME, 41));

        assertThat(seeded.incarnation()).isEqualTo(2);
        assertThat(List.of(seeded.next(), seeded.origin())).containsOnly(200L);
        assertThat(seeded.floor()).as("until all have acknowledged").isZero();
        assertThat(there.row().incarnation).isEqualTo(2);
        assertThat(there.await(raises.seed(NAME, 2_001))).as("where it begins").isEqualTo(seeded);
    }

    @Test
    void shouldMakeASequenceReadyThatAwaitsItsSeed() {
        there.cluster.write(SequenceEntry.fresh(SPEC, 1, false));
        refused(raises.recallPast(NAME, 1), SequenceException.NotReady.class, "awaits its seed");
        refused(registry.create(SPEC, true), SequenceException.Conflict.class, "awaits its seed");

        SequenceEntry seeded = there.await(raises.seed(NAME, -50));

        assertThat(seeded.ready()).isTrue();
        assertThat(seeded.next()).isZero();
    }

    @Test
    void shouldRefuseASeedPastTheEnd() {
        assertThat(there.await(raises.seed(NAME, 2_147_483_641)).next()).isEqualTo(214_748_364);
        refused(raises.seed(NAME, 2_147_483_642L), SequenceException.Exhausted.class, "no id left");
    }

    @Test
    void shouldRestartOnlyPastIssuedIds() {
        refused(raises.restart(NAME, 12, false), SequenceException.Conflict.class, "the next of its ids is 21");
        SequenceEntry restarted = there.await(raises.restart(NAME, 21, false));
        assertThat(restarted.incarnation()).isEqualTo(1);
        assertThat(restarted.next()).isEqualTo(2);
        assertThat(there.await(raises.restart(NAME, 21, false))).isEqualTo(restarted);
        refused(raises.restart(NAME, 11, false), SequenceException.Conflict.class, "ids before 21 are taken");

        draw();
        assertThat(entry().next()).isEqualTo(202);
        refused(raises.restart(NAME, 2_011, false), SequenceException.Conflict.class, "ids before 2021 are taken");
        SequenceEntry raised = there.await(raises.restart(NAME, 2_021, false));
        assertThat(raised.incarnation()).isEqualTo(2);
        assertThat(raised.origin()).isEqualTo(202);
        assertThat(there.await(raises.restart(NAME, 2_021, false))).isEqualTo(raised);
    }

    @Test
    void shouldWantAConfirmationBeforeManyIdsArePassedOver() {
        // SPEC has 214,748,365 ids.
        SequenceEntry before = entry();
        refused(raises.restart(NAME, 107_375_001, false), SequenceException.Conflict.class, "5.0 % of all");
        refused(raises.restart(NAME, 2_147_483_641, false), SequenceException.Conflict.class, "confirm it");
        assertThat(entry()).isEqualTo(before);

        assertThat(there.await(raises.restart(NAME, 107_374_001, false)).next()).isEqualTo(10_737_400);
        SequenceEntry raised = there.await(raises.restart(NAME, 2_147_483_641, true));
        assertThat(raised.next()).isEqualTo(214_748_364);
        // Run again, because its answer was lost.
        assertThat(there.await(raises.restart(NAME, 2_147_483_641, false))).isEqualTo(raised);
    }

    @Test
    void shouldRecogniseTheSameRestartWhileOlderIdsAreHeld() {
        draw();
        SequenceEntry raised = there.await(raises.restart(NAME, 2_001, false));
        BlockAllocator second = there.allocator(UnaryOperator.identity());
        there.await(second.nextLongAsync());
        assertThat(entry().next()).isGreaterThan(200);

        assertThat(there.await(raises.restart(NAME, 2_001, false)).incarnation())
                .isEqualTo(raised.incarnation());

        allocator.reseeded(2);
        there.pass(Duration.ofSeconds(1));
        assertThat(there.await(raises.acknowledge(raised))).isEmpty();
        refused(raises.restart(NAME, 2_001, false), SequenceException.Conflict.class, "are taken");
    }

    @Test
    void shouldRaiseTheFloorOnlyWhenNoOlderIdsAreHeld() {
        draw();
        SequenceEntry recalled = there.await(raises.recallPast(NAME, 1));
        assertThat(there.await(raises.acknowledge(recalled))).hasSize(1);
        assertThat(there.await(raises.datacentersBehind(recalled))).containsExactly("dc1");
        refused(raises.raiseFloor(recalled), SequenceException.NotAcknowledged.class, "dc1");

        allocator.reseeded(2);
        there.pass(Duration.ofSeconds(1));

        Raises.Behind behind = there.await(raises.settle(recalled, Duration.ofSeconds(10), Duration.ofSeconds(1)));
        assertThat(behind.isNobody()).isTrue();
        assertThat(there.await(raises.raiseFloor(recalled)).floor()).isEqualTo(200);
        assertThat(there.await(raises.raiseFloor(recalled))).isEqualTo(entry());
    }

    @Test
    void shouldReturnThoseThatAreBehindWhenTheTimeIsUp() {
        draw();
        SequenceEntry recalled = there.await(raises.recallPast(NAME, 1));
        long begin = there.time.nanoTime();

        Raises.Behind behind = there.await(raises.settle(recalled, Duration.ofSeconds(10), Duration.ofSeconds(1)));

        assertThat(behind.isNobody()).isFalse();
        assertThat(behind.datacenters()).containsExactly("dc1");
        assertThat(behind.holders()).extracting(HeldClaim::holder).containsExactly("1@test");
        assertThat(Duration.ofNanos(there.time.nanoTime() - begin))
                .isBetween(Duration.ofSeconds(10), Duration.ofSeconds(12));
    }

    @Test
    void shouldReleaseOnlyAProcessThatIsGone() {
        draw();
        SequenceEntry recalled = there.await(raises.recallPast(NAME, 1));
        assertThatThrownBy(() -> there.await(claims.release(recalled, "2@operator")))
                .hasCauseInstanceOf(IllegalArgumentException.class);
        refused(
                claims.release(recalled, "3@test"),
                SequenceException.Conflict.class,
                "no process called '3@test' holds ids from before its last raise in this datacenter, so nothing is"
                        + " released. These do: [1@test]");
        assertThat(there.await(claims.claimsBefore(recalled))).hasSize(1);

        there.await(claims.release(recalled, "1@test"));

        assertThat(there.await(claims.claimsBefore(recalled))).isEmpty();
        assertThat(there.await(raises.acknowledge(recalled))).isEmpty();
        assertThat(there.await(raises.datacentersBehind(recalled))).isEmpty();
    }

    @Test
    void shouldAcknowledgeForADatacenterThatIsGone() {
        draw();
        SequenceEntry recalled = there.await(raises.recallPast(NAME, 1));

        refused(
                raises.releaseDatacenter(recalled, "dc77"),
                SequenceException.Conflict.class,
                "no ids to a datacenter 'dc77', so nothing is released. It has to [dc1]; its last raise is not"
                        + " acknowledged by [dc1]");
        assertThat(there.await(raises.datacentersBehind(recalled))).containsExactly("dc1");
        there.await(raises.releaseDatacenter(recalled, "dc1"));
        there.await(raises.releaseDatacenter(recalled, "dc1"));

        assertThat(there.await(raises.datacentersBehind(recalled))).isEmpty();
    }

    @Test
    void shouldCreateADroppedSequenceAgainPastEveryIdAfterAllHaveLetGo() {
        draw();
        SequenceEntry dropped = there.await(registry.drop(NAME));
        assertThat(dropped.dropped()).isTrue();
        assertThat(dropped.incarnation()).isEqualTo(2);
        assertThat(there.await(registry.drop(NAME))).isEqualTo(dropped);
        refused(registry.require(NAME), SequenceException.Dropped.class, "was dropped");
        refused(registry.create(spec(2_000, 10), true), SequenceException.Conflict.class, "before 2001");
        refused(registry.create(spec(2_001, -1), true), SequenceException.Conflict.class, "the other way");
        refused(registry.create(spec(2_001, 1), true), SequenceException.NotAcknowledged.class, "dc1");

        allocator.reseeded(2);
        there.pass(Duration.ofSeconds(1));
        there.await(raises.acknowledge(dropped));
        SequenceEntry again = there.await(registry.create(spec(2_001, 1), true));

        assertThat(again.dropped()).isFalse();
        // A generation has 2^20 incarnations, as decision 7 says.
        assertThat(again.incarnation() >> 20).as("generation").isEqualTo(1);
        SequenceEntry droppedAgain = there.await(registry.drop(NAME));
        assertThat(there.await(raises.datacentersBehind(droppedAgain)))
                .as("no ids of this generation were granted")
                .isEmpty();
    }

    /** Explicit ids below a floor are accepted, whether or not the old generation would have reached them. */
    @Test
    void shouldCreateADroppedSequenceAgainOnlyPastItsFloor() {
        there.await(raises.raiseFloor(there.await(raises.recallPast(NAME, 95))));
        there.await(registry.drop(NAME));

        refused(registry.create(spec(92, 1), true), SequenceException.Conflict.class, "before 101");
        refused(registry.create(spec(100, 1), true), SequenceException.Conflict.class, "before 101");
        assertThat(there.await(registry.create(spec(101, 1), true)).dropped()).isFalse();
    }

    @Test
    void shouldCreateADroppedSequenceAgainOnlyPastItsSeed() {
        draw();
        there.await(raises.seed(NAME, 2_005));
        SequenceEntry dropped = there.await(registry.drop(NAME));
        allocator.reseeded(dropped.incarnation());
        there.pass(Duration.ofSeconds(1));
        there.await(raises.acknowledge(dropped));

        refused(registry.create(spec(2_004, 1), true), SequenceException.Conflict.class, "before 2011");
        assertThat(there.await(registry.create(spec(2_011, 1), true)).dropped()).isFalse();
    }

    @Test
    void shouldCreateOnceAndRefuseAnotherSpecification() {
        assertThat(there.await(registry.create(SPEC, true))).isEqualTo(entry());
        refused(registry.create(spec(2, 10), true), SequenceException.Conflict.class, "another specification");
        assertThat(there.await(registry.create(spec(2, 10), false)))
                .as("a registration keeps the start of an earlier one")
                .isEqualTo(entry());
        refused(registry.create(spec(1, 5), false), SequenceException.Conflict.class, "another specification");
    }

    private void age(Duration age) {
        there.pass(age.dividedBy(PACE));
    }

    @Test
    void shouldReclaimOnlyClaimsThatAreNeitherYoungNorTooOld() {
        draw();
        SequenceEntry entry = entry();
        refused(claims.abandonedBy(entry, "1@test"), SequenceException.Conflict.class, "may well be alive");
        refused(
                claims.abandonedBy(entry, "3@test"),
                SequenceException.Conflict.class,
                "no process called '3@test' holds ids of it in this datacenter, so nothing is reclaimed. These do: [1@test]");

        age(Duration.ofHours(2));
        HeldClaims.Abandoned found = there.await(claims.abandonedBy(entry, "1@test"));
        assertThat(found.reclaimable()).hasSize(1);
        assertThat(found.tooOld()).isEmpty();

        age(DAY.multipliedBy(5));
        HeldClaims.Abandoned later = there.await(claims.abandonedBy(entry, "1@test"));
        assertThat(later.reclaimable()).isEmpty();
        assertThat(later.tooOld()).hasSize(1);
    }

    /** By the row alone, its own reclaim with an unknown outcome looks like another process's reclaim. */
    @Test
    void shouldRecogniseItsOwnReclaimWithAnUnknownOutcome() {
        draw();
        HeldClaim abandoned = there.await(claims.claimsOf(entry())).get(0);
        boolean[] hidden = new boolean[1];
        HeldClaims unlucky = there.claims(store -> new DefectiveStore(store) {
            @Override
            public CompletionStage<ClaimOutcome> giveBack(
                    Stripe stripe, Reserve seen, List<Claim> ended, Tails after, List<Claim> spent) {
                boolean hide = !hidden[0];
                hidden[0] = true;
                return super.giveBack(stripe, seen, ended, after, spent)
                        .thenApply(outcome ->
                                hide ? new ClaimOutcome.Unknown(new IllegalStateException("time-out")) : outcome);
            }
        });
        List<Span> unused = List.of(abandoned.claim().span());

        assertThat(there.await(unlucky.reclaim(abandoned, unused))).isTrue();

        assertThat(there.row().tails.spans()).isEqualTo(unused);
        assertThat(there.await(claims.reclaim(abandoned, unused))).as("again").isFalse();
    }

    @Test
    void shouldReclaimNothingThatWasGivenBackBefore() {
        draw();
        HeldClaim abandoned = there.await(claims.claimsOf(entry())).get(0);
        SimulatedCluster.Partition row = there.row();
        SimulatedCluster.Held cameBack = row.claims.values().iterator().next();
        List<Span> unused = List.of(abandoned.claim().span());
        there.await(claims.reclaim(abandoned, unused));
        row.put(cameBack.claim(), cameBack.holder(), cameBack.at());

        refused(claims.reclaim(abandoned, unused), SequenceException.Conflict.class, "were given back before");
    }

    /** At grant 0 it would absorb and issue all of them again. */
    @Test
    void shouldCreateALostReserveAgainAboveEveryGrantAndRecordTheLostClaims() {
        draw();
        there.datacenter.partitions.remove(there.stripe);

        there.await(registry.join(entry()));

        assertThat(there.row().grantNumber).isEqualTo(1);
        assertThat(there.row().lost.values())
                .extracting(held -> held.claim().span())
                .containsExactly(new Span(0, 200));
        SequenceEntry recalled = there.await(raises.recallPast(NAME, 1));
        assertThat(there.await(raises.acknowledge(recalled)))
                .as("held by an unknown process")
                .hasSize(1);
        there.await(claims.release(recalled, SimulatedStore.UNKNOWN_HOLDER));
        assertThat(there.await(raises.acknowledge(recalled))).isEmpty();
    }

    /** Processes of each of them may go on, and what they hold is known from the grants alone. */
    @Test
    void shouldRecordTheLostClaimsOfEachIncarnation() {
        draw();
        SequenceEntry raised = there.await(raises.seed(NAME, 4_001));
        allocator.reseeded(raised.incarnation());
        draw();
        there.datacenter.partitions.remove(there.stripe);

        there.await(registry.join(entry()));

        assertThat(there.row().lost.values())
                .extracting(
                        held -> held.claim().incarnation(), held -> held.claim().span())
                .containsExactlyInAnyOrder(tuple(1, new Span(0, 200)), tuple(2, new Span(400, 600)));
        SequenceEntry recalled = there.await(raises.recallPast(NAME, 4_001));
        assertThat(there.await(raises.acknowledge(recalled))).hasSize(2);
    }

    /** What is recorded as lost must not be claimable: an operator who releases it says that nobody holds it. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void shouldRecordNothingAsLostThatCanStillBeClaimed(int reads) {
        draw();
        there.datacenter.partitions.remove(there.stripe);
        Grant late = new Grant(1, 2, new Span(200, 400));
        // Of a process that goes on; it lands when the registry has read so many times.
        SequenceRegistry slow = there.registry(store -> new DefectiveStore(store) {
            private int read;

            private <T> T counted(T answer) {
                if (++read == reads) {
                    there.cluster.put("dc1", 0, late);
                }
                return answer;
            }

            @Override
            public CompletionStage<Integer> highestGrant(Stripe stripe, int incarnation) {
                return super.highestGrant(stripe, incarnation).thenApply(this::counted);
            }

            @Override
            public CompletionStage<Optional<Grant>> grantAt(Stripe stripe, int incarnation, int number) {
                return super.grantAt(stripe, incarnation, number).thenApply(this::counted);
            }
        });

        there.await(slow.join(entry()));

        boolean absorbable = there.row().grantNumber < late.number();
        assertThat(there.row().lost.values())
                .extracting(held -> held.claim().span())
                .noneMatch(span -> absorbable && span.hi() > late.span().lo());
    }

    /** A slow writer may carry an entry that another has overtaken. */
    @Test
    void shouldNotSetACopyBack() {
        draw();
        SequenceEntry first = entry();
        SequenceEntry raised = there.await(raises.recallPast(NAME, 1_001));
        allocator.reseeded(raised.incarnation());
        there.pass(Duration.ofSeconds(1));
        there.await(raises.acknowledge(raised));
        SequenceEntry risen = there.await(raises.raiseFloor(raised));
        SequenceEntry copied = there.datacenter.copy();
        assertThat(copied.floor()).isEqualTo(risen.floor()).isGreaterThan(raised.floor());

        for (SequenceEntry old : List.of(first, raised, SequenceEntry.fresh(SPEC, 2, false))) {
            there.await(registry.join(old));
            assertThat(there.datacenter.copy()).isEqualTo(copied);
        }
    }

    @Test
    void shouldCreateANewSequenceWithItsReserveAndItsCopy() {
        OneDatacenter empty = new OneDatacenter(SPEC, false);
        SequenceRegistry first = empty.registry(UnaryOperator.identity());
        assertThat(empty.end(first.requireKnown(NAME))).isCompletedExceptionally();
        assertThat(empty.await(first.find(NAME))).isEmpty();

        SequenceEntry created = empty.await(first.create(SPEC, true));

        assertThat(created).isEqualTo(SequenceEntry.fresh(SPEC, 1, true));
        assertThat(empty.await(first.find(NAME))).contains(created);
        assertThat(empty.datacenter.copy()).isEqualTo(created);
        assertThat(empty.row().grantNumber).isZero();
        assertThat(empty.await(empty.allocator(UnaryOperator.identity()).nextLongAsync()))
                .isEqualTo(1);
    }

    /** The sequence would begin again, and issue everything a second time. */
    @Test
    void shouldCreateNothingIfOnlyTheCopyIsLeft() {
        draw();
        there.cluster.gone = true;

        refused(registry.create(SPEC, true), SequenceException.Conflict.class, "its global row is gone");
        refused(registry.create(SPEC, false), SequenceException.Conflict.class, "its global row is gone");
    }

    @Test
    void shouldCreateStreamsOnlyOfOneInterleaving() {
        SequenceEntry agreed = new SequenceEntry(SPEC, 1, false, false, 3, 0, 0, 0);
        OneDatacenter empty = new OneDatacenter(SPEC.interleave(2, 3), false);
        SequenceRegistry first = empty.registry(UnaryOperator.identity());
        assertThat(empty.await(first.create(SPEC.interleave(2, 3), true)).spec())
                .isEqualTo(SPEC.interleave(2, 3));

        there.cluster.write(agreed);

        for (SequenceSpec other : List.of(
                SPEC.interleave(1, 4),
                spec(11, 10).interleave(1, 3),
                spec(1, 20).interleave(1, 3),
                new SequenceSpec(NAME, IdentityType.BIGINT, 1, 10, -1_000, Integer.MAX_VALUE).interleave(1, 3),
                new SequenceSpec(NAME, IdentityType.INT, 1, 10, -1_001, Integer.MAX_VALUE).interleave(1, 3),
                new SequenceSpec(NAME, IdentityType.INT, 1, 10, -1_000, 1_000_000).interleave(1, 3))) {
            refused(registry.create(other, true), SequenceException.Conflict.class, "is interleaved differently");
        }
        refused(registry.create(SPEC, true), SequenceException.Conflict.class, "is interleaved: its 3 streams");
        refused(registry.requireKnown(NAME), SequenceException.Conflict.class, "only its 3 streams issue ids");
        assertThat(there.await(registry.find(NAME))).isEmpty();
    }

    @Test
    void shouldCreateNoStreamsOfAPlainSequence() {
        refused(
                registry.create(SPEC.interleave(1, 3), true),
                SequenceException.Conflict.class,
                "exists as a plain one and has issued");
    }

    @Test
    void shouldReadTheCopyIfItIsReadyElseTheEntryThatAnotherDatacenterSeeded() {
        draw();
        assertThat(there.await(registry.newestEntry(NAME)).next())
                .as("of which a copy knows nothing")
                .isZero();
        there.datacenter.copy(SequenceEntry.fresh(SPEC, 1, false));

        assertThat(there.await(registry.newestEntry(NAME)).ready()).isTrue();

        assertThat(there.datacenter.copy().ready()).as("brought up to date").isTrue();
        there.datacenter.copy(SequenceEntry.fresh(SPEC, 1, false));
        there.cluster.write(SequenceEntry.fresh(SPEC, 1, false));
        there.datacenter.partitions.clear();
        assertThat(there.await(registry.newestEntry(NAME)).ready()).isFalse();
        assertThat(there.datacenter.partitions).as("nothing to join yet").isEmpty();
    }
}
