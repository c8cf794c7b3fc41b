package dev.cassidy.sequence.protocol;

import dev.cassidy.sequence.IdCursor;
import dev.cassidy.sequence.Order;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.store.Claim;
import dev.cassidy.sequence.store.Span;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Stream;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * The tiers in the process under many interleavings: each id must be drawn once, in an order in which one thread could
 * have drawn it. {@code -Dinterleavings=N} explores more of each scenario.
 */
class InterleavingsTest {

    private static final int THREADS = 3;
    private static final int INVOCATIONS = Integer.getInteger("interleavings", 50);

    @Test
    void shouldDrawEachPositionOnceAndNoneThatIsGivenBack() {
        new ModelCheckingOptions()
                .iterations(15)
                .minimizeFailedScenario(false)
                .invocationsPerIteration(5 * INVOCATIONS)
                // Earlier operations would usually have closed the block.
                .actorsBefore(0)
                .actorsAfter(0)
                .threads(2)
                .actorsPerThread(2)
                .check(OneBlock.class);
    }

    /** Uses real threads, because the model checker would also follow every step of the claims' futures. */
    @Test
    void shouldDrawEachIdOnceInOrderOfTheProcess() {
        stress(ProcessOrder.class);
    }

    @Test
    void shouldDrawEachIdOnceThroughCursorsWhileBlocksAreGivenBack() {
        stress(GivenBack.class);
    }

    private static void stress(Class<?> operations) {
        new StressOptions()
                .iterations(20)
                .minimizeFailedScenario(false)
                .invocationsPerIteration(INVOCATIONS)
                .threads(THREADS)
                .actorsPerThread(3)
                .check(operations);
    }

    private static BlockAllocator allocator(SequenceSpec spec) {
        long[] nanos = new long[1];
        AllocatorContext context = new AllocatorContext(
                Duration.ofDays(1),
                0.5,
                Duration.ofHours(24),
                0.5,
                (task, delay) -> task.run(),
                // Each reading advances the clock by a minute, so that idle blocks are given back immediately.
                () -> nanos[0] += 61_000_000_000L,
                new SplittableRandom(1),
                () -> new UUID(0, nanos[0]++));
        return new BlockAllocator(spec, 1, new EndlessStore(), context);
    }

    /**
     * A block of six ids that are drawn one by one, and in chunks of which one id is used. Ids after the point where
     * the block is closed go back to the store.
     */
    public static class OneBlock {
        private static final SequenceSpec ORDERS = SequenceSpec.of("orders");
        /**
         * One for each thread. They are created here because the checker would treat objects created in an operation as
         * local to it.
         */
        private final List<Chunk> chunks = Stream.generate(() -> allocator(ORDERS))
                .map(allocator -> new Chunk(allocator.blocks(), allocator))
                .limit(THREADS + 2)
                .toList();
        /** The threshold is never reached; at it, the block would ask the allocator for more. */
        private final Block block = new Block(ORDERS, new Claim(1, new Span(0, 6), new UUID(0, 1)), -1);

        private final AtomicIntegerArray issued = new AtomicIntegerArray(6);
        private volatile boolean revoked;
        private volatile boolean issuedLate;

        @Operation
        public void draw() {
            issue(block.draw(1));
        }

        @Operation
        public void drawChunk(@Param(gen = ThreadIdGen.class) int thread) {
            Chunk chunk = chunks.get(thread);
            if (chunk.drawFrom(block, 3)) {
                boolean over = revoked;
                if (chunk.hasNext()) {
                    issuedLate |= over;
                    issue(chunk.takeNext() - ORDERS.start());
                }
            }
            chunk.leave();
        }

        @Operation
        public void close() {
            block.revoke();
            revoked = true;
            // As if another process had taken the rest from the store immediately.
            for (long position = block.close(); position < block.count(); position++) {
                issue(position);
            }
        }

        private void issue(long position) {
            if (position < block.count()) {
                issued.incrementAndGet((int) position);
            }
        }

        @Validate
        public void eachOnce() {
            for (int position = 0; position < issued.length(); position++) {
                if (issued.get(position) > 1) {
                    throw new IllegalStateException("position " + position + " was issued twice");
                }
            }
            if (issuedLate) {
                throw new IllegalStateException("a chunk's id was issued after the block was revoked");
            }
        }
    }

    /**
     * Linearizable if it behaves like itself in one thread. Blocks have three ids, so that every third draw changes the
     * block.
     */
    public static class ProcessOrder {
        private final BlockAllocator allocator =
                allocator(SequenceSpec.of("orders").withBlock(3, 3));

        @Operation
        public long nextLong() {
            return allocator.nextLong();
        }
    }

    /**
     * Not linearizable, because returned ids may be issued again in another order; but no id is issued twice. Blocks
     * are large enough for chunks.
     */
    public static class GivenBack {
        private final BlockAllocator allocator =
                allocator(SequenceSpec.of("orders").withOrder(Order.THREAD).withBlock(128, 128));
        private final Set<Long> issued = ConcurrentHashMap.newKeySet();
        private volatile String twice = "";

        @Operation
        public void nextLong() {
            issue(allocator.nextLong());
        }

        @Operation
        public void threeOfACursor() {
            try (IdCursor cursor = allocator.cursor()) {
                issue(cursor.nextLong());
                issue(cursor.nextLong());
                issue(cursor.nextLong());
            }
        }

        @Operation
        public void giveBackIdle() {
            allocator.giveBackIdle();
        }

        private void issue(long id) {
            if (!issued.add(id)) {
                twice = "id " + id;
            }
        }

        @Validate
        public void eachIdOnce() {
            if (!twice.isEmpty()) {
                throw new IllegalStateException("issued twice: " + twice);
            }
        }
    }
}
