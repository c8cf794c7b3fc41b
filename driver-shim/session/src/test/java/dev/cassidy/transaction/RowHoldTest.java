package dev.cassidy.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.table.TableWrites;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class RowHoldTest {

    private static final ByteBuffer INSERTED = ByteBuffer.wrap(new byte[] {(byte) 0xff});
    private static final ByteBuffer FREE = LockMark.free(1L);
    private static final ByteBuffer OWN = LockMark.claim(new UUID(1, 1));
    private static final ByteBuffer OTHER = LockMark.claim(new UUID(2, 1));
    private static final ByteBuffer LOCK = new LockMark(new UUID(3, 1), false).toBytes();

    private static RowClaim claim(ByteBuffer over) {
        return new RowClaim(
                new TableWrites("ks", "t", "dc1", null, false),
                Map.of("k", INSERTED),
                1,
                over,
                OWN,
                CompletableFuture.completedFuture(Optional.empty()));
    }

    private static RowHold of(ByteBuffer mark, ByteBuffer held, RowClaim... own) {
        return RowHold.of(mark, held, List.of(own));
    }

    @Test
    void shouldTellWhoHoldsARowThatThisTransactionDoesNot() {
        assertThat(of(null, null)).isEqualTo(RowHold.NONE);
        assertThat(of(FREE, null)).isEqualTo(RowHold.FREE);
        assertThat(of(INSERTED, null)).isEqualTo(RowHold.FREE);
        assertThat(of(OTHER, null, claim(FREE))).isEqualTo(RowHold.CLAIMED);
        assertThat(of(LOCK, null, claim(FREE))).isEqualTo(RowHold.LOCKED);
    }

    @Test
    void shouldTellThatItHasLostARow() {
        assertThat(of(null, FREE)).isEqualTo(RowHold.LOST);
        assertThat(of(INSERTED, FREE)).isEqualTo(RowHold.LOST);
        assertThat(of(OTHER, OWN, claim(FREE))).isEqualTo(RowHold.LOST);
        assertThat(of(LOCK, OWN, claim(FREE))).isEqualTo(RowHold.LOST);
    }

    /** Many rows are held by the marks that they have, which may be the claim of another. */
    @Test
    void shouldTellThatItHoldsARowByItsMarkAlone() {
        assertThat(of(FREE, FREE)).isEqualTo(RowHold.FREE);
        assertThat(of(OTHER, OTHER)).isEqualTo(RowHold.CLAIMED);
    }

    @Test
    void shouldKnowItsOwnClaimWhoseOutcomeItWasNotTold() {
        assertThat(of(OWN, null, claim(FREE))).isEqualTo(RowHold.OWN);
        assertThat(of(OWN, FREE, claim(FREE))).isEqualTo(RowHold.OWN);
        assertThat(of(OWN, OWN, claim(FREE))).isEqualTo(RowHold.OWN);
    }

    /** The row was deleted, and inserted again with the mark that it had: others may have held it in between. */
    @Test
    void shouldNotHoldARowByAClaimThatWasLate() {
        assertThat(of(OWN, LockMark.claim(new UUID(1, 2)), claim(INSERTED))).isEqualTo(RowHold.LOST);
    }
}
