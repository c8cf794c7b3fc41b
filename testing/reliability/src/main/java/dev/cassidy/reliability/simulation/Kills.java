package dev.cassidy.reliability.simulation;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The syncs, the kills and the pauses of one datacenter's replicas. One replica, or all of them, is killed only when what the
 * last kill made them forget can have been repaired for a period: one kill within two periods and some seconds. In between
 * they stand still, one at a time, and usually in the worst way: the one that missed a write goes on as the one that
 * remembers it stops.
 */
final class Kills {

    static final Duration PERIOD = Duration.ofSeconds(10);
    static final Duration STANDING = PERIOD.plusSeconds(1);
    private static final Duration BETWEEN_KILLS =
            STANDING.multipliedBy(2).plus(PERIOD).plusSeconds(2);

    /** A node that was killed serves again no sooner than after two seconds. */
    private static final long SOONEST_RESTART_MILLIS = 2_001;

    private final List<? extends Replicas<?>> partitions;
    private final int count;
    private final VirtualTime time;
    private final SplittableRandom random;
    private final Runnable before;
    private long kills;
    private long forgotten;

    /**
     * @param partitions all on the same nodes
     * @param before runs right before a kill
     */
    Kills(List<? extends Replicas<?>> partitions, VirtualTime time, SplittableRandom random, Runnable before) {
        this.partitions = List.copyOf(partitions);
        this.count = partitions.get(0).count();
        this.time = time;
        this.random = random;
        this.before = before;
    }

    void begin() {
        for (int replica = 0; replica < count; replica++) {
            int which = replica;
            time.schedule(() -> sync(which), Duration.ofMillis(random.nextLong(PERIOD.toMillis())));
        }
        time.schedule(this::happen, Duration.ofMillis(random.nextLong(30_000)));
    }

    /** Returns how many kills there were. */
    long kills() {
        return kills;
    }

    /** Returns how often a replica has forgotten anything of a partition. */
    long forgotten() {
        return forgotten;
    }

    private void sync(int replica) {
        partitions.forEach(partition -> partition.sync(replica));
        time.schedule(() -> sync(replica), PERIOD);
    }

    private void forget(int replica) {
        forgotten += partitions.stream()
                .filter(partition -> partition.forget(replica))
                .count();
    }

    private void up(int replica, boolean up) {
        partitions.forEach(partition -> partition.up(replica, up));
    }

    private void later(Runnable task, long leastMillis, long mostMillis) {
        time.schedule(task, Duration.ofMillis(random.nextLong(leastMillis, mostMillis)));
    }

    /** A kill, and the pauses around it. */
    private void happen() {
        kills++;
        if (count == 1 || random.nextInt(6) == 0) {
            before.run();
            for (int replica = 0; replica < count; replica++) {
                int which = replica;
                forget(which);
                up(which, false);
                later(() -> up(which, true), SOONEST_RESTART_MILLIS, 6_000);
            }
        } else {
            int first = random.nextInt(count);
            ambush(first, (first + 1) % count, (first + 2) % count);
        }
        time.schedule(this::happen, BETWEEN_KILLS.plusMillis(random.nextLong(20_000)));
    }

    /** One misses writes, one forgets them, and the one that remembers stands still while the others go on. */
    private void ambush(int misses, int forgets, int remembers) {
        up(misses, false);
        later(
                () -> {
                    before.run();
                    forget(forgets);
                    up(forgets, false);
                    later(
                            () -> {
                                up(misses, true);
                                up(forgets, true);
                                up(remembers, false);
                                later(() -> up(remembers, true), 10, 20_000);
                            },
                            SOONEST_RESTART_MILLIS,
                            6_000);
                },
                10,
                9_000);
    }
}
