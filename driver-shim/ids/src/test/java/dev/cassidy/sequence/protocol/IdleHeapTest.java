package dev.cassidy.sequence.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.store.RangeStore;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A process may have thousands of sequences open, and never draw an id from them. */
class IdleHeapTest {

    private static final int OPEN = 10_000;

    /** Allocated bytes exceed retained bytes, here by a third, but do not depend on when the garbage collector runs. */
    @Test
    void shouldTakeAtMostTwoKilobytesForASequenceThatHasIssuedNothing() {
        RangeStore store = (RangeStore) Proxy.newProxyInstance(
                RangeStore.class.getClassLoader(), new Class<?>[] {RangeStore.class}, (proxy, method, arguments) -> {
                    throw new AssertionError(method);
                });
        AllocatorContext context = new AllocatorContext(
                Duration.ofSeconds(15),
                0.5,
                Duration.ofHours(24),
                0.5,
                (task, delay) -> {
                    throw new AssertionError(task);
                },
                System::nanoTime,
                new SplittableRandom(1),
                UUID::randomUUID);
        // A specification takes 150 further bytes; temporary objects from its creation are not retained.
        List<SequenceSpec> specs = IntStream.range(0, OPEN)
                .mapToObj(i -> SequenceSpec.of("sequence." + i))
                .toList();
        List<BlockAllocator> open = new ArrayList<>(OPEN);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        open.add(new BlockAllocator(specs.get(0), 1, store, context));

        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 1; i < OPEN; i++) {
            open.add(new BlockAllocator(specs.get(i), 1, store, context));
        }
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;

        assertThat(open).hasSize(OPEN);
        assertThat(allocated / (OPEN - 1)).as("bytes for each").isLessThanOrEqualTo(2_048);
    }
}
