package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.DriverException;
import dev.cassidy.async.Stages;
import dev.cassidy.count.CountException;
import dev.cassidy.count.RowCounters;
import dev.cassidy.definition.CountMark;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.session.SharedSession;
import java.math.BigInteger;
import java.sql.SQLException;
import java.sql.SQLNonTransientException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * What statements add to columns that count, until it is sent: of a transaction after its commit, and never if that is rolled back. It is
 * sent once: the counters repeat what they may, and nobody else does.
 */
final class Counts {

    /**
     * What is added to.
     *
     * @param table internal name, as those of the keyspace and the column
     * @param row the id by which it counts
     */
    record Counter(String keyspace, String table, UUID row, String column) {}

    /** An addition. */
    record Added(Counter counter, long delta) {}

    private final List<Added> all = new ArrayList<>();

    boolean isEmpty() {
        return all.isEmpty();
    }

    int size() {
        return all.size();
    }

    void add(List<Added> added) {
        all.addAll(added);
    }

    /** Drops what was added after the first ones. */
    void rollbackTo(int size) {
        all.subList(size, all.size()).clear();
    }

    void clear() {
        all.clear();
    }

    List<Added> taken() {
        List<Added> taken = List.copyOf(all);
        all.clear();
        return taken;
    }

    /** Returns what waits for one counter. */
    BigInteger pending(Counter counter) {
        return all.stream()
                .filter(each -> each.counter().equals(counter))
                .map(each -> BigInteger.valueOf(each.delta()))
                .reduce(BigInteger.ZERO, BigInteger::add);
    }

    /**
     * What became of additions that were sent.
     *
     * @param left those that certainly do not count
     * @param error null if all count
     */
    record Sent(List<Added> left, @Nullable SQLException error) {}

    /**
     * Sends additions, those of one counter as one, and waits for them.
     *
     * @param timeout null for that of the counters
     */
    static Sent send(
            SharedSession session, List<Added> additions, @Nullable Duration timeout, Cancellation cancellation) {
        Map<Counter, BigInteger> sums = new LinkedHashMap<>();
        additions.forEach(each -> sums.merge(each.counter(), BigInteger.valueOf(each.delta()), BigInteger::add));
        sums.values().removeIf(sum -> sum.signum() == 0);
        if (sums.isEmpty()) {
            return new Sent(List.of(), null);
        }
        Map<Counter, RowCounters> counters = new LinkedHashMap<>();
        try {
            cancellation.requireGoingOn();
            for (Map.Entry<Counter, BigInteger> each : sums.entrySet()) {
                // Before the first is sent.
                Counter counter = each.getKey();
                var unused = each.getValue().longValueExact();
                counters.put(counter, session.counts().of(counter.keyspace(), counter.table()));
            }
        } catch (SQLException | ArithmeticException e) {
            return new Sent(additions, SqlErrors.of(e));
        }
        cancellation.writes();
        Map<Counter, CompletableFuture<Void>> sent = new LinkedHashMap<>();
        counters.forEach((counter, to) -> sent.put(
                counter,
                to.addAsync(
                                CountMark.counter(counter.row(), counter.column()),
                                sums.getOrDefault(counter, BigInteger.ZERO).longValueExact())
                        .toCompletableFuture()));
        await(sent, timeout, cancellation);
        return outcome(sums, sent);
    }

    /** Each tells its own outcome. */
    private static void await(
            Map<Counter, CompletableFuture<Void>> sent, @Nullable Duration timeout, Cancellation cancellation) {
        CompletableFuture<Void> all = CompletableFuture.allOf(sent.values().toArray(CompletableFuture[]::new));
        try {
            var unused = cancellation.await(
                    timeout == null ? all : all.orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS),
                    Cancellation.OUTCOME_UNKNOWN);
        } catch (SQLException e) {
            // Those that are still under way are in doubt.
        }
    }

    private static Sent outcome(Map<Counter, BigInteger> sums, Map<Counter, CompletableFuture<Void>> sent) {
        List<Added> left = new ArrayList<>();
        Throwable unknown = null;
        Throwable refused = null;
        int doubtful = 0;
        for (Map.Entry<Counter, CompletableFuture<Void>> each : sent.entrySet()) {
            CompletableFuture<Void> done = each.getValue();
            if (!done.isDone()) {
                doubtful++;
                unknown = unknown == null ? new TimeoutException() : unknown;
            } else if (done.isCompletedExceptionally()) {
                Throwable failure = failure(done);
                if (isUnknown(failure)) {
                    doubtful++;
                    unknown = failure;
                } else {
                    refused = failure;
                    left.add(new Added(
                            each.getKey(),
                            sums.getOrDefault(each.getKey(), BigInteger.ZERO).longValueExact()));
                }
            }
        }
        int counted = sent.size() - doubtful - left.size();
        return new Sent(left, error(unknown, refused, counted, left.size(), doubtful));
    }

    private static Throwable failure(CompletableFuture<Void> done) {
        try {
            done.join();
            throw new IllegalStateException("has not failed");
        } catch (RuntimeException e) {
            return Stages.cause(e);
        }
    }

    private static boolean isUnknown(Throwable failure) {
        return !(failure instanceof CountException known) || known.outcome() == CountException.Outcome.UNKNOWN;
    }

    private static @Nullable SQLException error(
            @Nullable Throwable unknown, @Nullable Throwable refused, int counted, int left, int doubtful) {
        Throwable failure = unknown == null ? refused : unknown;
        if (failure == null) {
            return null;
        }
        boolean alone = counted + left + doubtful == 1;
        String of = alone
                ? ""
                : "Of " + (counted + left + doubtful) + " counters, " + counted + " have counted, " + left
                        + " have not, and of " + doubtful + " it is not known. ";
        if (unknown != null) {
            if (alone && unknown instanceof CountException) {
                return SqlErrors.of(unknown);
            }
            return new SQLTimeoutException(
                    of
                            + "It is not known whether what was added counts, now or later. Do not run it again: it might count"
                            + " twice",
                    SqlStates.TIMEOUT,
                    unknown instanceof DriverException || unknown instanceof CountException ? unknown : null);
        }
        if (counted == 0) {
            return SqlErrors.of(failure);
        }
        return new SQLNonTransientException(
                of + "Do not run the statement again: what has counted would count twice. The first reason: "
                        + failure.getMessage(),
                SqlStates.GENERAL,
                failure);
    }
}
