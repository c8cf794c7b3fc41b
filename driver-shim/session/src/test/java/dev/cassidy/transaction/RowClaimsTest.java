package dev.cassidy.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.definition.RowMark;
import dev.cassidy.table.TableWrites;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class RowClaimsTest {

    private static final TableWrites TABLE = new TableWrites("ks", "t", "dc1", null, false);
    private static final ByteBuffer FREE = LockMark.free(1L);
    private static final ByteBuffer CLAIM = LockMark.claim(new UUID(1, 1));
    private static final UUID UNIQUE = new UUID(7, 7);

    private final World world = new World(0);

    /** Each mark that is given, after the one that is expected. */
    private final List<List<ByteBuffer>> sent = new ArrayList<>();

    private final CompletableFuture<WriteOutcome<Map<String, ByteBuffer>>> answer = new CompletableFuture<>();

    private final RowClaims claims = new RowClaims(
            (table, key, expected, mark) -> {
                sent.add(List.of(expected, mark));
                return answer;
            },
            new LockResolver(null, null, world, world.random),
            () -> UNIQUE);

    private RowClaim claim(int partition, int row) {
        return claims.claim(TABLE, Map.of("p", number(partition), "c", number(row)), 2, FREE, CLAIM);
    }

    private static ByteBuffer number(int value) {
        return ByteBuffer.allocate(4).putInt(0, value);
    }

    private Optional<Boolean> outcome(WriteOutcome<Map<String, ByteBuffer>> answered) {
        answer.complete(answered);
        return claim(1, 1).outcome().toCompletableFuture().join();
    }

    @Test
    void shouldTellThatTheRowHasTheClaim() {
        assertThat(outcome(new WriteOutcome.Applied<>())).contains(true);
        assertThat(sent).containsExactly(List.of(FREE, CLAIM));
    }

    @Test
    void shouldTellThatTheRowHasAnotherMark() {
        assertThat(outcome(new WriteOutcome.Refused<>(Map.of(RowMark.COLUMN, LockMark.free(2L)))))
                .contains(false);
    }

    @Test
    void shouldTellThatThereIsNoRow() {
        assertThat(outcome(new WriteOutcome.Refused<>(Map.of()))).contains(false);
    }

    @Test
    void shouldTellThatTheOutcomeIsNotKnown() {
        assertThat(outcome(new WriteOutcome.Unknown<>(new World.Fault("lost")))).isEmpty();
    }

    /** Otherwise the transaction would wait for itself. */
    @Test
    void shouldKnowItsOwnClaimByWhichItIsRefused() {
        assertThat(outcome(new WriteOutcome.Refused<>(Map.of(RowMark.COLUMN, CLAIM))))
                .contains(true);
    }

    @Test
    void shouldTakeAClaimBackWhenItsOutcomeIsThere() {
        RowClaim claim = claim(1, 1);
        CompletableFuture<Void> ended = claims.unclaim(List.of(claim)).toCompletableFuture();
        assertThat(sent).hasSize(1);
        assertThat(ended).isNotDone();
        answer.complete(new WriteOutcome.Unknown<>(new World.Fault("lost")));
        assertThat(sent).endsWith(List.of(CLAIM, LockMark.free(UNIQUE)));
        assertThat(ended).isCompleted();
    }

    @Test
    void shouldTakeBackAClaimOfWhichItIsSaidThatItFailed() {
        RowClaim claim = claim(1, 1);
        answer.completeExceptionally(new World.Fault("not sent"));
        assertThat(claims.unclaim(List.of(claim)).toCompletableFuture()).isCompleted();
        assertThat(sent).hasSize(2);
    }
}
