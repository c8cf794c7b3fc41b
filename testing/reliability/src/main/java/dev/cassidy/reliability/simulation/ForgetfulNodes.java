package dev.cassidy.reliability.simulation;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The nodes on which replicas are. Each syncs its commit log once in a period, and forgets what came after that when it is
 * killed. One node, or all of them, is killed only when what the last kill made them forget can have been repaired for a
 * period: one kill within two periods and some seconds. In between they stand still, one at a time, and usually in the worst
 * way: the one that missed a write goes on as the one that remembers it stops.
 */
final class ForgetfulNodes {

    static final Duration STANDING = DurabilitySimulation.PERIOD.plusSeconds(1);

    private static final Duration BETWEEN_KILLS =
            STANDING.multipliedBy(2).plus(DurabilitySimulation.PERIOD).plusSeconds(2);

    /** A node that was killed serves again no sooner than after two seconds. */
    private static final long SOONEST_RESTART_MILLIS = 2_001;

    private final List<? extends Replicas<?>> replicas;
    private final int count;
    private final VirtualTime time;
    private final SplittableRandom random;
    private final Runnable before;
    private long kills;
    private long forgotten;

    /** @param replicas what is on the nodes, each with a replica on every node */
    ForgetfulNodes(List<? extends Replicas<?>> replicas, int count, VirtualTime time, SplittableRandom random) {
        this(replicas, count, time, random, () -> {});
    }

    /** @param before runs right before a kill */
    ForgetfulNodes(
            List<? extends Replicas<?>> replicas,
            int count,
            VirtualTime time,
            SplittableRandom random,
            Runnable before) {
        this.before = before;
        this.replicas = replicas;
        this.count = count;
        this.time = time;
        this.random = random;
    }

    void begin() {
        for (int node = 0; node < count; node++) {
            int which = node;
            time.schedule(
                    () -> sync(which), Duration.ofMillis(random.nextLong(DurabilitySimulation.PERIOD.toMillis())));
        }
        time.schedule(this::happen, Duration.ofMillis(random.nextLong(30_000)));
    }

    long kills() {
        return kills;
    }

    /** Returns how often a replica has forgotten anything of a partition. */
    long forgotten() {
        return forgotten;
    }

    void allUp() {
        for (int node = 0; node < count; node++) {
            up(node, true);
        }
    }

    private void sync(int node) {
        replicas.forEach(each -> each.sync(node));
        time.schedule(() -> sync(node), DurabilitySimulation.PERIOD);
    }

    private void kill(int node) {
        forgotten += replicas.stream().filter(each -> each.forget(node)).count();
        up(node, false);
    }

    private void up(int node, boolean up) {
        replicas.forEach(each -> each.up(node, up));
    }

    private void later(Runnable task, long leastMillis, long mostMillis) {
        time.schedule(task, Duration.ofMillis(random.nextLong(leastMillis, mostMillis)));
    }

    /** A kill, and the pauses around it. */
    private void happen() {
        kills++;
        if (count == 1 || random.nextInt(6) == 0) {
            before.run();
            for (int node = 0; node < count; node++) {
                int which = node;
                kill(which);
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
                    kill(forgets);
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
