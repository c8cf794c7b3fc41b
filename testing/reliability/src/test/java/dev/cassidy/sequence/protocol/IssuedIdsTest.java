package dev.cassidy.sequence.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.sequence.IdCursor;
import dev.cassidy.sequence.IdRange;
import dev.cassidy.sequence.IdentityType;
import dev.cassidy.sequence.SequenceSpec;
import dev.cassidy.sequence.store.Incarnations;
import dev.cassidy.sequence.store.RangeStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an allocator knows of the ids that it has issued. */
class IssuedIdsTest {

    private static final SequenceSpec ORDERS =
            SequenceSpec.of("orders", IdentityType.BIGINT, 1, 1).withBlock(256, 256);

    private final RangeStore store = new EndlessStore();
    private final AllocatorContext context = context();

    private static AllocatorContext context() {
        long[] nanos = new long[1];
        return new AllocatorContext(
                Duration.ofDays(1),
                0.5,
                Duration.ofHours(24),
                0.5,
                (task, delay) -> task.run(),
                // Each reading advances the clock by a minute, so that idle blocks are given back immediately.
                () -> nanos[0] += 61_000_000_000L,
                new SplittableRandom(1),
                () -> new UUID(0, nanos[0]++));
    }

    private BlockAllocator allocator(SequenceSpec spec) {
        return new BlockAllocator(spec, 1, store, context);
    }

    private static void assertKnows(BlockAllocator allocator, long... ids) {
        assertThat(LongStream.rangeClosed(-10, 2_000).filter(allocator::hasIssued))
                .containsExactly(LongStream.of(ids).boxed().toArray(Long[]::new));
    }

    @Test
    void shouldKnowWhatItHasIssuedAndNothingElse() {
        BlockAllocator allocator = allocator(ORDERS);
        assertKnows(allocator);

        allocator.nextLong();
        IdRange range = allocator.nextRange(3);

        assertThat(range.count()).isEqualTo(3);
        assertKnows(allocator, 1, 2, 3, 4);
        assertThat(allocator.hasIssued(Long.MIN_VALUE)).isFalse();
        assertThat(allocator.hasIssued(Long.MAX_VALUE)).isFalse();
    }

    @Test
    void shouldKnowOnlyIdsOfTheSequence() {
        BlockAllocator down =
                allocator(SequenceSpec.of("down", IdentityType.BIGINT, 9, -5).withBounds(-1_000, 9));
        assertThat(down.nextLong()).isEqualTo(9);
        assertThat(down.nextLong()).isEqualTo(4);
        assertThat(down.nextLong()).isEqualTo(-1);

        assertKnows(down, -1, 4, 9);
    }

    @Test
    void shouldKnowIdsAtBothEndsOfWhatLongsHold() {
        SequenceSpec wide = SequenceSpec.of("wide", IdentityType.BIGINT, Long.MIN_VALUE, 1L << 62)
                .withBlock(4, 4);
        BlockAllocator allocator = allocator(wide);
        List<Long> ids = List.of(allocator.nextLong(), allocator.nextLong(), allocator.nextLong());

        assertThat(ids).containsExactly(Long.MIN_VALUE, Long.MIN_VALUE / 2, 0L);
        assertThat(ids).allMatch(allocator::hasIssued);
        assertThat(allocator.hasIssued(1L << 62)).isFalse();
        assertThat(allocator.hasIssued(Long.MAX_VALUE)).isFalse();
    }

    /** A cursor has four ids of a block of 256. */
    @Test
    void shouldNotKnowWhatACursorHasDrawnAheadOrGivenBack() {
        BlockAllocator allocator = allocator(ORDERS);
        allocator.nextLong();
        IdCursor cursor = allocator.cursor();

        assertThat(cursor.nextLong()).isEqualTo(2);
        assertKnows(allocator, 1, 2);
        assertThat(allocator.nextLong()).isEqualTo(6);
        assertKnows(allocator, 1, 2, 6);
        assertThat(cursor.nextLong()).isEqualTo(3);
        assertKnows(allocator, 1, 2, 3, 6);

        IdCursor other = allocator.cursor();
        assertThat(other.nextLong()).isEqualTo(7);
        assertThat(other.nextLong()).isEqualTo(8);
        other.close();
        assertKnows(allocator, 1, 2, 3, 6, 7, 8);
        assertThat(allocator.nextLong()).isEqualTo(9);
        assertKnows(allocator, 1, 2, 3, 6, 7, 8, 9);
    }

    @Test
    void shouldKnowWhatItIssuedBeforeItWasClosedAndOpenedAgain() {
        BlockAllocator allocator = allocator(ORDERS);
        allocator.nextLong();
        allocator.nextLong();
        allocator.close();
        assertKnows(allocator, 1, 2);

        BlockAllocator next = allocator.successor(ORDERS, 0, 1, store, context);
        assertKnows(next, 1, 2);
        assertThat(next.nextLong()).as("of the tail").isEqualTo(3);
        assertKnows(next, 1, 2, 3);

        SequenceSpec other = SequenceSpec.of("orders", IdentityType.BIGINT, 1_001, 1);
        assertKnows(next.successor(other, 0, 1, store, context));
        assertKnows(next.successor(ORDERS, 0, 2, store, context), 1, 2);
        assertKnows(next.successor(ORDERS, 0, Incarnations.first(1), store, context));
    }

    @Test
    void shouldForgetEverythingInACopyOfTheProcess() {
        BlockAllocator closed = allocator(ORDERS);
        closed.nextLong();
        closed.close();
        BlockAllocator allocator = allocator(ORDERS);
        long first = allocator.nextLong();
        for (int i = 0; i < 300; i++) {
            allocator.nextLong();
        }
        assertThat(allocator.hasIssued(first))
                .as("of a block before the current one")
                .isTrue();

        allocator.disown();
        closed.disown();
        assertKnows(allocator);
        assertKnows(closed);
        allocator.resume();
        long id = allocator.nextLong();
        assertKnows(allocator, id);
    }

    @Test
    void shouldForgetTheLowestOfTooManyRuns() {
        IssuedSpans issued = new IssuedSpans();
        for (long run = 0; run <= IssuedSpans.MAX_RUNS; run++) {
            issued.add(run * 10, run * 10 + 5);
        }

        assertThat(issued.contains(0)).isFalse();
        assertThat(issued.contains(10)).isTrue();
        assertThat(issued.contains(15)).isFalse();
        issued.add(15, 20);
        issued.add(0, 5);
        assertThat(issued.contains(0)).as("the two runs are one now").isTrue();
        assertThat(issued.contains(10)).isTrue();
        assertThat(issued.contains(17)).isTrue();
        assertThat(issued.contains(24)).isTrue();
        assertThat(issued.contains(25)).isFalse();
    }

    /** Whatever happens: what was issued is known, and what is known is not issued again. */
    @ParameterizedTest
    @ValueSource(longs = {64, 512})
    void shouldIssueNothingThatItKnew(long largest) {
        SequenceSpec spec = ORDERS.withBlock(4, largest);
        for (int seed = 0; seed < 20; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            RangeStore own = new EndlessStore();
            AllocatorContext time = context();
            BlockAllocator allocator = new BlockAllocator(spec, 1, own, time);
            List<IdCursor> cursors = new ArrayList<>();
            Set<Long> issued = new HashSet<>();
            Set<Long> known = new HashSet<>();
            for (int step = 0; step < 60; step++) {
                switch (random.nextInt(12)) {
                    case 0 -> cursors.add(allocator.cursor());
                    case 1 -> {
                        if (!cursors.isEmpty()) {
                            cursors.remove(random.nextInt(cursors.size())).close();
                        }
                    }
                    case 2 -> allocator.giveBackIdle();
                    case 3 -> {
                        allocator.suspendAsync();
                        allocator.resume();
                    }
                    case 4 -> {
                        if (random.nextInt(5) == 0) {
                            allocator.close();
                            cursors.clear();
                            allocator = allocator.successor(spec, 0, 1, own, time);
                        }
                    }
                    case 5, 6, 7 -> {
                        for (int i = random.nextInt(40); i >= 0; i--) {
                            issue(allocator.nextLong(), issued, known, seed);
                        }
                    }
                    default -> {
                        if (!cursors.isEmpty()) {
                            IdCursor cursor = cursors.get(random.nextInt(cursors.size()));
                            for (int i = random.nextInt(20); i >= 0; i--) {
                                issue(cursor.nextLong(), issued, known, seed);
                            }
                        }
                    }
                }
                long past = issued.stream().mapToLong(id -> id).max().orElse(0) + 600;
                BlockAllocator now = allocator;
                known.clear();
                LongStream.rangeClosed(0, past).filter(now::hasIssued).forEach(known::add);
                assertThat(known).as("seed %s, step %s", seed, step).containsAll(issued);
            }
        }
    }

    private static void issue(long id, Set<Long> issued, Set<Long> known, int seed) {
        assertThat(issued.add(id)).as("seed %s: id %s issued once", seed, id).isTrue();
        assertThat(known).as("seed %s: known before it was issued", seed).doesNotContain(id);
    }

    /** The threads get ids from cursors that they often close, while others ask for ids that nobody has yet. */
    @Test
    void shouldNeverKnowAnIdBeforeItIsIssued() throws Exception {
        int most = 100_000;
        BlockAllocator allocator = allocator(ORDERS.withBlock(2_048, 2_048));
        AtomicLong time = new AtomicLong();
        AtomicLongArray knownSince = new AtomicLongArray(2 * most);
        AtomicLong newest = new AtomicLong();
        AtomicBoolean ended = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> drawing = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                int seed = i;
                drawing.add(threads.submit(() -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    IdCursor cursor = allocator.cursor();
                    for (int n = 0; n < most / 2; n++) {
                        long before = time.get();
                        long id = random.nextInt(20) == 0 ? allocator.nextLong() : cursor.nextLong();
                        long since = knownSince.get((int) id);
                        assertThat(since == 0 || since > before)
                                .as("id %s was not known before it was drawn", id)
                                .isTrue();
                        assertThat(allocator.hasIssued(id)).as("id %s", id).isTrue();
                        newest.set(id);
                        if (random.nextInt(10) == 0) {
                            cursor.close();
                            cursor = allocator.cursor();
                        }
                    }
                }));
            }
            List<Future<?>> asking = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                int seed = 10 + i;
                asking.add(threads.submit(() -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    while (!ended.get()) {
                        long id = newest.get() + random.nextInt(-40, 40);
                        if (id > 0 && allocator.hasIssued(id)) {
                            knownSince.compareAndSet((int) id, 0, time.incrementAndGet());
                        }
                    }
                }));
            }
            try {
                for (Future<?> each : drawing) {
                    each.get();
                }
            } finally {
                ended.set(true);
            }
            for (Future<?> each : asking) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
