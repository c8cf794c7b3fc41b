package dev.cassidy.reliability.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cassidy.sequence.IdRange;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceException;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.protocol.BlockAllocator;
import dev.cassidy.sequence.protocol.Raises;
import dev.cassidy.sequence.protocol.Repairs;
import dev.cassidy.sequence.protocol.SequenceRegistry;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.Grant;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.Span;
import dev.cassidy.sequence.store.Tails;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a repair of a sequence that was raised too far relies on, what it makes, and what it refuses. */
class RepairTest {

    private static final String NAME = "repaired";
    private static final int LAST = Integer.MAX_VALUE;
    private static final SequenceSpec SPEC = new SequenceSpec(NAME, IdentityType.INT, 1, 1, 1, LAST)
            .withBlock(10, 10)
            .withReserve(200, 200);

    private final OneDatacenter there = new OneDatacenter(SPEC);
    private final SequenceRegistry registry = there.registry(UnaryOperator.identity());
    private final Raises raises = there.raises();
    private final Repairs repairs = there.repairs();
    private final BlockAllocator allocator = there.allocator(UnaryOperator.identity());
    private final Set<Long> issued = new HashSet<>();

    private void refused(CompletionStage<?> call, Class<? extends Exception> by, String because) {
        assertThatThrownBy(() -> there.await(call)).hasCauseInstanceOf(by).hasMessageContaining(because);
    }

    private long draw(BlockAllocator from) {
        long id = there.await(from.nextLongAsync());
        assertThat(issued.add(id)).as("%s is issued once", id).isTrue();
        return id;
    }

    private void restart(long next) {
        there.await(raises.restart(NAME, next, true));
        allocator.reseeded(there.await(registry.requireKnown(NAME)).incarnation());
        settle();
    }

    /** Drops the sequence and lets the process give up what it holds. */
    private SequenceEntry drop() {
        SequenceEntry dropped = there.await(registry.drop(NAME));
        allocator.reseeded(dropped.incarnation());
        settle();
        return dropped;
    }

    private void settle() {
        there.pass(Duration.ofSeconds(1));
        allocator.removeLeftovers();
        there.pass(Duration.ofSeconds(1));
        assertThat(there.await(raises.acknowledge(there.await(registry.requireKnown(NAME)))))
                .isEmpty();
    }

    private Repairs.Target target(long next) {
        return Repairs.target(there.await(repairs.evidence(NAME)).gap(next), next, OptionalLong.empty(), false);
    }

    private BlockAllocator reopened() {
        SequenceEntry entry = there.await(registry.requireKnown(NAME));
        return there.allocator(entry);
    }

    @Test
    void shouldIssueAgainFromWithinWhatTheRaisePassedOver() {
        assertThat(draw(allocator)).isEqualTo(1);
        restart(LAST);
        assertThat(draw(allocator)).isEqualTo(LAST);
        refused(
                allocator.nextLongAsync(),
                SequenceException.Exhausted.class,
                "exhausted: its ids up to the last, " + LAST + " (");

        Repairs.Gap gap = there.await(repairs.evidence(NAME)).gap();
        assertThat(gap.ids()).isEqualTo(new IdRange(201, 1, LAST - 201L));
        assertThat(gap.granted()).isTrue();
        assertThat(target(30_201).mustBeUnused()).isEqualTo(new IdRange(20_201, 1, LAST - 20_201L));
        assertThat(target(300).mustBeUnused().first()).as("granted ids too").isEqualTo(1);
        drop();

        SequenceEntry repaired = there.await(repairs.repair(target(10_201)));

        assertThat(repaired.ready()).isTrue();
        assertThat(repaired.spec().idAt(0)).isEqualTo(10_201);
        assertThat(repaired.spec().maximum()).isEqualTo(LAST - 1);
        assertThat(repaired.spec().idAt(repaired.floor())).isEqualTo(10_201);
        refused(allocator.nextLongAsync(), SequenceException.Dropped.class, "dropped and created again");
        assertThat(draw(reopened())).isEqualTo(10_201);
        assertThat(there.await(repairs.alreadyIssuing(NAME, 10_201, OptionalLong.empty())))
                .isPresent();
        assertThat(there.await(repairs.alreadyIssuing(NAME, 10_202, OptionalLong.empty())))
                .isEmpty();
    }

    @Test
    void shouldKeepTheWholeSpaceIfNothingWasGrantedSince() {
        draw(allocator);
        restart(2_000_000_000);

        assertThat(there.await(repairs.evidence(NAME)).gap().issuable()).isEqualTo(new IdRange(201, 1, LAST - 200L));
        drop();
        SequenceEntry repaired = there.await(repairs.repair(target(201)));

        assertThat(repaired.spec().maximum()).isEqualTo(LAST);
        assertThat(there.cluster.taken).isEmpty();
    }

    @Test
    void shouldNeverIssueWhatWasGrantedAfterTheRaise() {
        draw(allocator);
        restart(1_000_000_001);
        assertThat(draw(allocator)).isEqualTo(1_000_000_001);
        drop();
        there.await(repairs.repair(target(201)));
        there.await(registry.drop(NAME));

        SequenceSpec again = new SequenceSpec(NAME, IdentityType.BIGINT, 300, 1, 1, Long.MAX_VALUE);
        refused(
                registry.create(again.withBounds(1, 1_000_000_001), true),
                SequenceException.Conflict.class,
                "ids from 1000000001 to 1000000200 may have been issued before");
        refused(registry.create(again, true), SequenceException.Conflict.class, "start it past them");
        refused(
                registry.create(new SequenceSpec(NAME, IdentityType.BIGINT, 1_000_000_200, 1, 1, LAST), true),
                SequenceException.Conflict.class,
                "start it past them");
        there.await(registry.create(again.withBounds(1, 1_000_000_000), true));
        there.await(registry.drop(NAME));
        // The record outlives further generations.
        refused(registry.create(again, true), SequenceException.Conflict.class, "start it past them");
        there.await(registry.create(new SequenceSpec(NAME, IdentityType.BIGINT, 1_000_000_201, 1, 1, LAST + 9L), true));
        assertThat(draw(reopened())).isEqualTo(1_000_000_201);
    }

    /** Whoever names an end knows of ids past it, although no grant does. */
    @Test
    void shouldNeverIssueWhatLiesPastAnEndThatWasNamed() {
        draw(allocator);
        restart(2_000_000_000);
        drop();
        Repairs.Gap gap = there.await(repairs.evidence(NAME)).gap(300);
        assertThat(gap.granted()).isFalse();

        SequenceEntry repaired = there.await(repairs.repair(Repairs.target(gap, 300, OptionalLong.of(1_000), false)));

        assertThat(repaired.spec().maximum()).isEqualTo(1_000);
        assertThat(there.cluster.taken)
                .extracting(taken -> List.of(taken.lowest(), taken.highest()))
                .containsExactly(List.of(1_001L, (long) LAST));
        there.await(registry.drop(NAME));
        refused(
                registry.create(new SequenceSpec(NAME, IdentityType.INT, 2_000_000_001, 1, 1, LAST), true),
                SequenceException.Conflict.class,
                "ids from 1001 to 2147483647 may have been issued before");
    }

    @Test
    void shouldRepairTwice() {
        draw(allocator);
        restart(LAST);
        draw(allocator);
        drop();
        there.await(repairs.repair(target(201)));
        assertThat(draw(reopened())).isEqualTo(201);
        assertThat(there.await(repairs.alreadyIssuing(NAME, 201, OptionalLong.empty())))
                .isPresent();
        there.await(raises.restart(NAME, LAST - 1, true));
        assertThat(there.await(repairs.alreadyIssuing(NAME, 201, OptionalLong.empty())))
                .as("raised again")
                .isEmpty();

        Repairs.Gap second = there.await(repairs.evidence(NAME)).gap();

        assertThat(second.ids()).isEqualTo(new IdRange(401, 1, LAST - 1 - 401L));
        assertThat(second.issuable()).isEqualTo(new IdRange(401, 1, LAST - 401L));
    }

    @Test
    void shouldFindTheLastGapThatIsWideOrTheOneThatIsMeant() {
        there.await(raises.seed(NAME, 1_000_000_001));
        draw(allocator);
        restart(1_500_000_001);
        draw(allocator);
        restart(1_500_010_001);
        draw(allocator);

        assertThat(there.await(repairs.evidence(NAME)).gap().ids())
                .isEqualTo(new IdRange(1_000_000_201, 1, 499_999_800));
        assertThat(there.await(repairs.evidence(NAME)).gap(5).ids()).isEqualTo(new IdRange(1, 1, 1_000_000_000));
        assertThat(there.await(repairs.evidence(NAME)).gap(1_500_005_000).ids())
                .isEqualTo(new IdRange(1_500_000_201, 1, 9_800));
        assertThat(target(1_000_000_201).issues().hi()).isEqualTo(1_500_000_000);
    }

    @Test
    void shouldRefuseAnIdThatMayHaveBeenIssued() {
        draw(allocator);
        restart(1_000_000);
        draw(allocator);
        Repairs.Gap gap = there.await(repairs.evidence(NAME)).gap();

        for (long next : new long[] {200, 1_000_000, 1_000_199, LAST}) {
            assertThatThrownBy(() -> target(next))
                    .isInstanceOf(SequenceException.Conflict.class)
                    .hasMessageContaining("the ids that a raise passed over are 201 to 999999");
        }
        assertThatThrownBy(() -> target(0)).hasMessageContaining("never issues 0");
        assertThatThrownBy(() -> Repairs.target(gap, 300, OptionalLong.of(1_000_000), false))
                .hasMessageContaining("it may issue 300 to 999999");
        assertThatThrownBy(() -> Repairs.target(gap, 300, OptionalLong.of(299), false))
                .hasMessageContaining("cannot be repaired to end with 299");
        assertThat(Repairs.target(gap, 300, OptionalLong.of(300), false).mustBeUnused())
                .isEqualTo(new IdRange(1, 1, 300));
    }

    /** What a restore from a backup, or a lost majority, may leave behind. */
    enum Sign {
        HOLE("got grant 3 of incarnation 1, and of the grants before it 1 are not there, such as grant 2") {
            @Override
            void leave(RepairTest test) {
                test.there.cluster.put("dc1", 0, new Grant(1, 3, new Span(200, 400)));
            }
        },
        GRANTED_TWICE("ids 101 to 300 were granted twice") {
            @Override
            void leave(RepairTest test) {
                test.there.cluster.put("dc1", 0, new Grant(1, 2, new Span(100, 300)));
            }
        },
        UNKNOWN_GRANT("incarnation 2 that took grant 1, and the last grant to it is none") {
            @Override
            void leave(RepairTest test) {
                test.there.cluster.grants().remove(new SimulatedCluster.GrantKey("dc1", 0, 2, 1));
            }
        },
        RESERVE("has a reserve of incarnation 2 with ids 301 to 400, which no grant has") {
            @Override
            void leave(RepairTest test) {
                test.there.row().next = 300;
                test.there.row().hi = 400;
            }
        },
        UPCOMING("with ids 301 to 400, which no grant has") {
            @Override
            void leave(RepairTest test) {
                test.there.row().nlo = 300;
                test.there.row().nhi = 400;
            }
        },
        TAIL("with ids 301 to 310, which no grant has") {
            @Override
            void leave(RepairTest test) {
                test.there.row().tails = new Tails(List.of(new Span(300, 310)));
            }
        },
        CLAIM("has a claim of 7@gone to ids 196 to 205, which no grant has") {
            @Override
            void leave(RepairTest test) {
                // A part of it is granted.
                test.there.row().put(new Claim(1, new Span(195, 205), new UUID(1, 1)), "7@gone", 0);
            }
        },
        LATER_CLAIM("has a claim of incarnation 9, later than 2") {
            @Override
            void leave(RepairTest test) {
                test.there.row().put(new Claim(9, new Span(0, 10), new UUID(1, 1)), "7@gone", 0);
            }
        },
        LATER_RESERVE("has a reserve of incarnation 9, later than 2") {
            @Override
            void leave(RepairTest test) {
                test.there.row().incarnation = 9;
            }
        },
        LATER_COPY("has a copy of incarnation 9, later than 2") {
            @Override
            void leave(RepairTest test) {
                test.there.datacenter.copy(SequenceEntry.fresh(SPEC, 9, true));
            }
        },
        ELSEWHERE("datacenter dc2, stripe 0, has a reserve of incarnation 2 that took grant 4") {
            @Override
            void leave(RepairTest test) {
                SimulatedCluster.Datacenter other = new SimulatedCluster.Datacenter("dc2");
                other.partitions.put(test.there.stripe, new SimulatedCluster.Partition(2, 4));
                test.there.cluster.datacenters = List.of(test.there.datacenter, other);
            }
        };

        private final String named;

        Sign(String named) {
            this.named = named;
        }

        abstract void leave(RepairTest test);
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseIfRowsOfGrantsAreMissing(Sign sign) {
        draw(allocator);
        restart(1_000_000);
        draw(allocator);
        assertThat(there.await(repairs.evidence(NAME)).gaps()).hasSize(1);
        sign.leave(this);

        refused(repairs.evidence(NAME), SequenceException.Conflict.class, sign.named);
        refused(repairs.evidence(NAME), SequenceException.Conflict.class, "Seed it past every id that was ever issued");
    }

    @Test
    void shouldDropOnlyWhatWasProven() {
        draw(allocator);
        restart(LAST - 1_000);
        SequenceEntry proven = there.await(repairs.evidence(NAME)).entry();
        // A grant since then does no harm.
        draw(allocator);
        SequenceEntry dropped = there.await(registry.drop(proven));
        assertThat(there.await(registry.drop(proven))).as("again").isEqualTo(dropped);
        assertThat(there.await(registry.drop(dropped)))
                .as("proven when it was dropped")
                .isEqualTo(dropped);
        drop();
        SequenceEntry repaired = there.await(repairs.repair(target(10_300)));

        // A second repair that is late.
        refused(registry.drop(proven), SequenceException.Conflict.class, "changed by another operator");
        refused(registry.drop(dropped), SequenceException.Conflict.class, "changed by another operator");
        assertThat(there.await(registry.requireKnown(NAME))).isEqualTo(repaired);

        there.await(raises.restart(NAME, 2_000_000, true));
        refused(registry.drop(repaired), SequenceException.Conflict.class, "changed by another operator");
    }

    /** Explicit ids before the floor are accepted, and may have been inserted since. */
    @Test
    void shouldNotDropASequenceWhoseFloorHasRisen() {
        draw(allocator);
        SequenceEntry recalled = there.await(raises.recallPast(NAME, 1_000));
        allocator.reseeded(recalled.incarnation());
        settle();
        SequenceEntry proven = there.await(repairs.evidence(NAME)).entry();

        SequenceEntry risen = there.await(raises.raiseFloor(recalled));

        assertThat(risen).isEqualTo(proven.withFloor(risen.floor())).isNotEqualTo(proven);
        refused(registry.drop(proven), SequenceException.Conflict.class, "changed by another operator");
        assertThat(there.await(registry.requireKnown(NAME)).dropped()).isFalse();
    }

    /** It begins as far from its start, and has the same floor: its incarnation alone tells it apart. */
    @Test
    void shouldNotDropASequenceThatWasCreatedAgainAndRaisedAsBefore() {
        there.await(raises.restart(NAME, 1_001, true));
        SequenceEntry proven = there.await(repairs.evidence(NAME)).entry();
        there.await(registry.drop(NAME));
        there.await(registry.create(
                new SequenceSpec(NAME, IdentityType.INT, 2_001, 1, 1, LAST)
                        .withBlock(10, 10)
                        .withReserve(200, 200),
                true));
        SequenceEntry again = there.await(raises.restart(NAME, 3_001, true));

        assertThat(again).isNotEqualTo(proven);
        assertThat(again.origin()).isEqualTo(proven.origin());
        assertThat(again.floor()).isEqualTo(proven.floor());
        refused(registry.drop(proven), SequenceException.Conflict.class, "changed by another operator");
    }

    @Test
    void shouldRefuseASequenceThatPassedOverNothing() {
        draw(allocator);
        refused(repairs.evidence(NAME), SequenceException.Conflict.class, "nothing to repair");
        there.cluster.write(SequenceEntry.fresh(SPEC, 1, false));
        refused(repairs.evidence(NAME), SequenceException.NotReady.class, "awaits its seed");
    }

    @Test
    void shouldWantToKnowThatClientsAreStoppedIfExplicitIdsWereAllowed() {
        there.await(raises.restart(NAME, 2_000_000_000, true));
        Repairs.Gap gap = there.await(repairs.evidence(NAME)).gap();

        assertThatThrownBy(() -> Repairs.target(gap, 500, OptionalLong.empty(), false))
                .isInstanceOf(SequenceException.Conflict.class)
                .hasMessageContaining("has its floor past 500, 2000000000");
        assertThat(Repairs.target(gap, 500, OptionalLong.empty(), true).mustBeUnused())
                .isEqualTo(new IdRange(1, 1, LAST));
    }

    @Test
    void shouldRefuseWhileAProcessHoldsIds() {
        draw(allocator);
        restart(LAST);
        SequenceEntry before = there.await(registry.requireKnown(NAME));
        refused(repairs.repair(target(300)), SequenceException.Conflict.class, "changed by another operator");
        // A process that is paused: it does not notice the drop, and holds the last id.
        BlockAllocator paused = there.allocator(before);
        draw(paused);
        there.await(registry.drop(NAME));

        refused(repairs.repair(target(300)), SequenceException.NotAcknowledged.class, "[dc1] have not let go");

        assertThat(there.await(registry.requireKnown(NAME)).dropped()).isTrue();
    }

    @Test
    void shouldRefuseASequenceThatHasChangedSinceItWasProven() {
        draw(allocator);
        restart(LAST);
        drop();
        Repairs.Target proven = target(300);
        there.await(registry.create(new SequenceSpec(NAME, IdentityType.BIGINT, LAST, 1, 1, Long.MAX_VALUE), true));

        refused(repairs.repair(proven), SequenceException.Conflict.class, "changed by another operator");
    }

    @Test
    void shouldRepairOnceWhateverTheOutcomesSay() {
        draw(allocator);
        restart(LAST);
        draw(allocator);
        drop();
        Repairs.Target proven = target(300);

        SequenceEntry one = there.await(repairs.repair(proven));
        long first = draw(reopened());
        SequenceEntry again = there.await(repairs.repair(proven));

        assertThat(again.incarnation()).isEqualTo(one.incarnation());
        assertThat(again.next()).isGreaterThan(one.next());
        assertThat(first).isEqualTo(300);
        assertThat(there.cluster.taken).hasSize(1);
    }

    @Test
    void shouldRepairADescendingSequence() {
        SequenceSpec down = new SequenceSpec(NAME, IdentityType.INT, -1, -1, Integer.MIN_VALUE, -1)
                .withBlock(10, 10)
                .withReserve(200, 200);
        OneDatacenter here = new OneDatacenter(down);
        BlockAllocator from = here.allocator(UnaryOperator.identity());
        here.await(from.nextLongAsync());
        here.await(here.raises().restart(NAME, -1_000_000, true));
        SequenceRegistry register = here.registry(UnaryOperator.identity());
        from.reseeded(here.await(register.requireKnown(NAME)).incarnation());
        assertThat(here.await(from.nextLongAsync())).isEqualTo(-1_000_000);

        Repairs.Gap gap = here.await(here.repairs().evidence(NAME)).gap();
        assertThat(gap.ids()).isEqualTo(new IdRange(-201, -1, 999_799));
        from.reseeded(here.await(register.drop(NAME)).incarnation());
        here.pass(Duration.ofSeconds(1));
        from.removeLeftovers();
        here.pass(Duration.ofSeconds(1));
        here.await(here.raises().acknowledge(here.await(register.requireKnown(NAME))));
        SequenceEntry repaired = here.await(here.repairs()
                .repair(Repairs.target(
                        here.await(here.repairs().evidence(NAME)).gap(), -500, OptionalLong.empty(), false)));

        assertThat(repaired.spec().start()).isEqualTo(-500);
        assertThat(repaired.spec().minimum()).isEqualTo(-999_999);
        assertThat(here.cluster.taken)
                .extracting(taken -> List.of(taken.lowest(), taken.highest()))
                .containsExactly(List.of(-1_000_199L, -1_000_000L));
    }
}
