package dev.cassidy.reliability.counters;

import com.datastax.oss.driver.api.core.DriverException;
import dev.cassidy.counter.CounterException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A reader that reads one counter after another while they are incremented, and judges what it reads. */
final class Reading {

    private final Ledger ledger;
    private final Supplier<String> counters;
    private final Function<String, @Nullable BigInteger> total;
    private final List<String> violations = new ArrayList<>();
    private final CompletableFuture<Void> reader;
    private volatile boolean stopped;
    private volatile int reads;
    private volatile int torn;

    /**
     * @param counters which counter is read next
     * @param total reads a counter; null if the read was torn
     */
    static Reading start(
            Ledger ledger, Supplier<String> counters, Function<String, @Nullable BigInteger> total, Executor executor) {
        return new Reading(ledger, counters, total, executor);
    }

    private Reading(
            Ledger ledger, Supplier<String> counters, Function<String, @Nullable BigInteger> total, Executor executor) {
        this.ledger = ledger;
        this.counters = counters;
        this.total = total;
        this.reader = CompletableFuture.runAsync(this::read, executor);
    }

    private void read() {
        while (!stopped) {
            String counter = counters.get();
            long before = ledger.acknowledgedTotal(counter);
            BigInteger found;
            try {
                found = total.apply(counter);
            } catch (CounterException.Unavailable | DriverException | CompletionException e) {
                // A node is down, or slow.
                continue;
            }
            if (found == null) {
                torn++;
            } else {
                reads++;
                violations.addAll(ledger.violations(counter, before, found));
            }
        }
    }

    int reads() {
        return reads;
    }

    int torn() {
        return torn;
    }

    /** Returns what was wrong. */
    List<String> stop() throws InterruptedException, ExecutionException, TimeoutException {
        stopped = true;
        reader.get(15, TimeUnit.MINUTES);
        return violations;
    }
}
