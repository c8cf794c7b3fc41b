package dev.cassidy.reliability.counters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;

/**
 * Several callers in one process. Each increments one counter after another, one increment at a time, until it is told to
 * stop.
 */
final class Load {

    private static final long LONGEST_MINUTES = 15;

    private final String name;
    private final Incrementing client;
    private final Ledger ledger;
    private final Executor pause;
    private final CompletableFuture<Void> callers;
    private volatile boolean stopped;

    /** @param pause between two increments of one caller: a think time, so that a test does not make too many counters */
    static Load start(String name, Incrementing client, Ledger ledger, int callers, Duration pause) {
        return new Load(name, client, ledger, callers, pause);
    }

    private Load(String name, Incrementing client, Ledger ledger, int callers, Duration pause) {
        this.name = name;
        this.client = client;
        this.ledger = ledger;
        this.pause = CompletableFuture.delayedExecutor(pause.toNanos(), TimeUnit.NANOSECONDS);
        this.callers = CompletableFuture.allOf(
                IntStream.range(0, callers).mapToObj(caller -> next(caller, 0)).toArray(CompletableFuture<?>[]::new));
    }

    private CompletableFuture<Void> next(int caller, int n) {
        if (stopped) {
            return CompletableFuture.completedFuture(null);
        }
        String counter = name + "-" + caller + "-" + n / ledger.perCounter();
        return client.increment(counter, n % ledger.perCounter(), ledger)
                .thenComposeAsync(told -> next(caller, n + 1), pause)
                .toCompletableFuture();
    }

    Ledger ledger() {
        return ledger;
    }

    /** Waits until so many more increments are acknowledged. */
    void awaitMore(int count) {
        int before = ledger.acknowledged();
        await(name)
                .atMost(LONGEST_MINUTES, TimeUnit.MINUTES)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> {
                    assertThat(callers).as(name).isNotDone();
                    return ledger.acknowledged() >= before + count;
                });
    }

    /** Ends after the increments that are under way. */
    Ledger stop() throws InterruptedException, ExecutionException, TimeoutException {
        stopped = true;
        callers.get(LONGEST_MINUTES, TimeUnit.MINUTES);
        return ledger;
    }

    static void stopAll(List<Load> loads) throws InterruptedException, ExecutionException, TimeoutException {
        for (Load load : loads) {
            load.stop();
        }
    }
}
