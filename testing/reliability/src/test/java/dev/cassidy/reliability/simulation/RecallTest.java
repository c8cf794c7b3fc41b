package dev.cassidy.reliability.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.protocol.BlockAllocator;
import dev.cassidy.sequence.protocol.HeldClaims;
import dev.cassidy.sequence.protocol.Raises;
import dev.cassidy.sequence.protocol.SequenceRegistry;
import dev.cassidy.sequence.store.HeldClaim;
import dev.cassidy.sequence.store.SequenceEntry;
import dev.cassidy.sequence.store.Span;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Which raises there are, and what no raise may bring back. */
class RecallTest {

    private final OneDatacenter there =
            new OneDatacenter(new SequenceSpec("recalled", IdentityType.INT, 1, 10, 1, Integer.MAX_VALUE)
                    .withBlock(10, 10)
                    .withReserve(200, 200));
    private final SequenceRegistry registry = there.registry(UnaryOperator.identity());
    private final HeldClaims claims = there.claims(UnaryOperator.identity());
    private final Raises raises = there.raises();
    private final BlockAllocator allocator = there.allocator(UnaryOperator.identity());

    private SequenceEntry recallPast(long id) {
        return there.await(raises.recallPast("recalled", id));
    }

    @Test
    void shouldRecallGrantedIdsThatMayStillBeIssued() {
        there.await(allocator.nextLongAsync());
        SequenceEntry before = there.await(registry.require("recalled"));
        assertThat(before.next()).as("granted, not issued").isEqualTo(200);

        // This id has the ordinal 150.
        SequenceEntry recalled = recallPast(1501);

        assertThat(recalled.incarnation()).isEqualTo(2);
        assertThat(recalled.origin()).isEqualTo(200);
    }

    @Test
    void shouldRecallTheIdItself() {
        SequenceEntry recalled = recallPast(1);

        assertThat(recalled.incarnation()).isEqualTo(2);
        assertThat(recalled.origin()).isEqualTo(1);
        assertThat(there.await(allocator.nextLongAsync())).isEqualTo(11);
    }

    @Test
    void shouldRecallNothingASecondTime() {
        SequenceEntry recalled = recallPast(41);
        assertThat(recalled.origin()).isEqualTo(5);

        assertThat(recallPast(41)).isEqualTo(recalled);
        assertThat(recallPast(50)).as("the same ids lie before it").isEqualTo(recalled);
        assertThat(recallPast(31)).isEqualTo(recalled);
        assertThat(recallPast(-5)).as("before the first id").isEqualTo(recalled);
        assertThat(recallPast(51).origin()).isEqualTo(6);
    }

    /** Otherwise its ordinals would be claimed again in the new incarnation, which should leave them behind. */
    @Test
    void shouldReclaimNothingOfAnOlderIncarnation() {
        there.await(allocator.nextLongAsync());
        SequenceEntry entry = there.await(registry.require("recalled"));
        List<HeldClaim> held = there.await(claims.claimsOf(entry));
        assertThat(held).hasSize(1);
        recallPast(1);
        assertThat(there.row().incarnation).isEqualTo(2);
        HeldClaim abandoned = held.get(0);

        boolean reclaimed =
                there.await(claims.reclaim(abandoned, List.of(abandoned.claim().span())));

        assertThat(reclaimed).isFalse();
        assertThat(there.row().tails.spans()).as("to be claimed again").isEmpty();
        assertThat(there.row().claims).as("still in the way of the raise").hasSize(1);
    }

    @Test
    void shouldReclaimAClaimOfTheIncarnationOnce() {
        there.await(allocator.nextLongAsync());
        SequenceEntry entry = there.await(registry.require("recalled"));
        HeldClaim abandoned = there.await(claims.claimsOf(entry)).get(0);
        List<Span> unused = List.of(abandoned.claim().span());

        assertThat(there.await(claims.reclaim(abandoned, unused))).isTrue();
        assertThat(there.row().tails.spans()).isEqualTo(unused);
        assertThat(there.await(claims.reclaim(abandoned, unused))).isFalse();
        assertThat(there.row().claims).isEmpty();
    }
}
