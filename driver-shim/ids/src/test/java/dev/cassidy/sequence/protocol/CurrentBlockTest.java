package dev.cassidy.sequence.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class CurrentBlockTest {

    private static final SequenceSpec SPEC = SequenceSpec.of("orders");

    /** What a thread has drawn of a block ahead, and never uses. */
    private static final class Unused implements Revocable {

        private boolean revoked;

        @Override
        public void revoke() {
            revoked = true;
        }

        @Override
        public boolean holds(long position) {
            return !revoked;
        }

        @Override
        public void gaveBack() {}
    }

    /** A thread that has ended keeps its ids for ever, and so the claim: raises would wait for this process. */
    @Test
    void shouldRevokeBlocksBeyondTheLastSixteenThatAreUsedUp() {
        CurrentBlock blocks = new CurrentBlock(SPEC, new IssuedSpans());
        List<Unused> threads = new ArrayList<>();
        blocks.lock.lock();
        try {
            for (int i = 0; i < 20; i++) {
                Block block = new Block(SPEC, new Claim(1, new Span(10L * i, 10L * i + 10), new UUID(1, i)), 5);
                Unused thread = new Unused();
                block.enter(thread);
                block.draw(10);
                threads.add(thread);
                blocks.replace(block);
            }

            // The last one is in use.
            assertThat(threads.subList(0, 3)).allMatch(thread -> thread.revoked);
            assertThat(threads.subList(3, 20)).noneMatch(thread -> thread.revoked);
            assertThat(blocks.spent())
                    .extracting(block -> block.claim.span().lo())
                    .containsExactly(0L, 10L, 20L);
        } finally {
            blocks.lock.unlock();
        }
    }
}
