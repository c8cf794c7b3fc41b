package dev.cassidy.snowflake.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cassidy.sequence.IdRange;
import dev.cassidy.snowflake.SnowflakeParts;
import dev.cassidy.snowflake.SnowflakeSpec;
import dev.cassidy.snowflake.store.NodeRow;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LeaseTest {

    private static final SnowflakeSpec SMALLEST_COUNTER = SnowflakeSpec.of("orders", Instant.EPOCH);
    private static final SnowflakeSpec WIDEST_COUNTER = SMALLEST_COUNTER.withNodes(128);

    static Lease lease(SnowflakeSpec spec, int node, long after, long tsHigh) {
        return new Lease(new NodeRow(node, 1, tsHigh, new UUID(1, 2), false), after, tsHigh, spec.counterBits());
    }

    /** In the seed the counter reached 2^bits, so nodes 4 and 5 could issue the same id. */
    @Test
    void shouldNeverReachTheNextNodesIds() {
        SnowflakeSpec spec = SMALLEST_COUNTER;
        for (int node = 0; node < spec.nodes(); node++) {
            Lease lease = lease(spec, node, 0, 3);
            for (long milli = 1; milli <= 3; milli++) {
                long first = (milli << 23) + ((long) node << 10);
                for (int counter = 0; counter < 1_024; counter++) {
                    long id = lease.next(milli);
                    if (id != first + counter) {
                        assertThat(id).as("node %d counter %d", node, counter).isEqualTo(first + counter);
                    }
                }
                if (lease.next(milli) != Lease.USED_UP) {
                    assertThat(lease.next(milli)).as("node %d", node).isEqualTo(Lease.USED_UP);
                }
            }
            if (lease.next(4) != Lease.UNPROVED) {
                assertThat(lease.next(4)).as("node %d", node).isEqualTo(Lease.UNPROVED);
            }
        }
    }

    @Test
    void shouldIssueAMillisecondsIdsInRangesThatEndWithIt() {
        for (SnowflakeSpec spec : List.of(SMALLEST_COUNTER, WIDEST_COUNTER)) {
            for (int most = 1; most <= spec.idsPerMilli() + 1; most += spec == SMALLEST_COUNTER ? 1 : 1_013) {
                Lease lease = lease(spec, 5, 9, 10);
                long next = (10L << 23) + (5L << spec.counterBits());
                long end = next + spec.idsPerMilli();
                while (next < end) {
                    IdRange range = lease.next(10, most);
                    assertThat(range).isEqualTo(new IdRange(next, 1, Math.min(most, end - next)));
                    next += range.count();
                }
                assertThat(lease.next(10, most)).isNull();
                assertThat(lease.obstacle(10)).isEqualTo(Lease.USED_UP);
            }
        }
    }

    @Test
    void shouldIssueNothingBeforeProof() {
        Lease lease = lease(SMALLEST_COUNTER, 1, 99, 100);
        assertThat(lease.next(101)).isEqualTo(Lease.UNPROVED);
        assertThat(lease.next(100)).isEqualTo((100L << 23) + 1_024);

        lease.proved(101);

        assertThat(lease.next(101)).isEqualTo((101L << 23) + 1_024);
        assertThat(lease.next(102)).isEqualTo(Lease.UNPROVED);
        assertThat(lease.provedUpTo()).isEqualTo(101);
        lease.proved(50);
        assertThat(lease.provedUpTo()).isEqualTo(101);
    }

    @Test
    void shouldIssueOnlyLaterMillisecondsThanItsPredecessor() {
        Lease lease = lease(SMALLEST_COUNTER, 1, 500, 10_000);

        assertThat(lease.next(400)).isEqualTo(Lease.USED_UP);
        assertThat(lease.next(500)).isEqualTo(Lease.USED_UP);
        assertThat(lease.next(501)).isEqualTo((501L << 23) + 1_024);
    }

    @Test
    void shouldContinueInTheLastMillisecondWhenTheClockWentBack() {
        Lease lease = lease(SMALLEST_COUNTER, 1, 0, 10_000);
        long before = lease.next(500);

        for (int i = 1; i < 1_024; i++) {
            assertThat(lease.next(499)).isEqualTo(before + i);
        }
        assertThat(lease.next(499)).isEqualTo(Lease.USED_UP);
        assertThat(lease.next(501)).isGreaterThan(before);
    }

    @Test
    void shouldIssueNothingAfterClose() {
        Lease lease = lease(SMALLEST_COUNTER, 1, 7, 10_000);
        lease.next(500);

        assertThat(lease.close()).isEqualTo(500);
        assertThat(lease.close()).isEqualTo(500);
        assertThat(lease.next(501)).isEqualTo(Lease.CLOSED);
        assertThat(lease.next(501, 10)).isNull();
        assertThat(lease.obstacle(501)).isEqualTo(Lease.CLOSED);
        assertThat(lease(SMALLEST_COUNTER, 1, 7, 10_000).close()).isEqualTo(7);
        assertThat(Lease.closed().next(1)).isEqualTo(Lease.CLOSED);
    }

    @Test
    void shouldIssueEachIdOnceToManyThreads() throws Exception {
        int threads = 8;
        Lease lease = lease(SMALLEST_COUNTER, 3, 0, 40);
        AtomicLong clock = new AtomicLong(1);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        List<Future<List<Long>>> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            SplittableRandom random = new SplittableRandom(i);
            running.add(pool.submit((Callable<List<Long>>) () -> {
                List<Long> ids = new ArrayList<>();
                while (clock.get() <= 40) {
                    long now = clock.get() - random.nextInt(2);
                    if (random.nextBoolean()) {
                        long id = lease.next(now);
                        if (id >= 0) {
                            ids.add(id);
                        } else if (id == Lease.USED_UP) {
                            clock.compareAndSet(now, now + 1);
                        }
                    } else {
                        IdRange range = lease.next(now, random.nextInt(1, 20));
                        if (range != null) {
                            range.forEach(ids::add);
                        }
                    }
                }
                return ids;
            }));
        }
        List<Long> all = new ArrayList<>();
        for (Future<List<Long>> one : running) {
            List<Long> ids = one.get(1, TimeUnit.MINUTES);
            assertThat(ids).isSorted();
            all.addAll(ids);
        }
        pool.shutdownNow();

        assertThat(all).doesNotHaveDuplicates().hasSize(40 * 1_024);
    }

    @ParameterizedTest
    @CsvSource({"128", "512", "8192"})
    void shouldDecodeTheIdsOfALease(int nodes) {
        SnowflakeSpec spec = new SnowflakeSpec("orders", Instant.EPOCH, nodes);
        for (long milli : new long[] {1, 77, 1L << 39, SnowflakeSpec.LAST_MILLI}) {
            for (int node : new int[] {0, 1, nodes / 2, nodes - 1}) {
                Lease lease = lease(spec, node, milli - 1, milli);
                long id = lease.next(milli);

                assertThat(id).isNotNegative();
                assertThat(spec.parts(id)).isEqualTo(new SnowflakeParts(Instant.EPOCH.plusMillis(milli), node, 0));
                assertThat(spec.parts(lease.next(milli)).counter()).isEqualTo(1);
            }
        }
    }
}
