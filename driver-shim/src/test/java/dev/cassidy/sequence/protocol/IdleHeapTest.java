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

/** A process may have thousands of sequences open, of which it never draws an id. */
class IdleHeapTest {

    private static final int OPEN = 10_000;

    /** What is allocated is more than what is kept, by a third here, and does not depend on when the collector runs. */
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
        // A specification takes 150 bytes more, and what it takes while it is made is not kept.
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
