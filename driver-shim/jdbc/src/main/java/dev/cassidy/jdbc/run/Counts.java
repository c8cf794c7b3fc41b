package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.DriverException;
import dev.cassidy.async.Stages;
import dev.cassidy.count.CountException;
import dev.cassidy.count.RowCounters;
import dev.cassidy.definition.CountMark;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.session.SharedSession;
import java.math.BigInteger;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLNonTransientException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
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

    /**
     * Adds what a statement adds.
     *
     * @throws SQLDataException if a counter cannot take all that waits for it; nothing was added
     */
    void add(List<Added> added) throws SQLException {
        requireRoom(added);
        all.addAll(added);
    }

    /**
     * Requires that what waits for each counter can be sent with what a statement adds: after the commit it would be too late.
     *
     * @throws SQLDataException if that is not so
     */
    void requireRoom(List<Added> added) throws SQLException {
        Map<Counter, BigInteger> sums = sums(all);
        for (Added each : added) {
            BigInteger sum = sums.merge(each.counter(), BigInteger.valueOf(each.delta()), BigInteger::add);
            if (sum.bitLength() >= Long.SIZE) {
                throw SqlServerErrors.overflow(new SQLDataException("Arithmetic overflow: the transaction would add "
                        + sum
                        + " to column " + each.counter().column() + " of one row, which does not fit BIGINT; the"
                        + " statement has added nothing"));
            }
        }
    }

    private static Map<Counter, BigInteger> sums(List<Added> additions) {
        Map<Counter, BigInteger> sums = new LinkedHashMap<>();
        additions.forEach(each -> sums.merge(each.counter(), BigInteger.valueOf(each.delta()), BigInteger::add));
        return sums;
    }

    /** Drops what was added after the first ones. */
    void rollbackTo(int size) {
        all.subList(size, all.size()).clear();
    }

    void clear() {
        all.clear();
    }

    /** Returns what waits, which goes on waiting. */
    List<Added> waiting() {
        return List.copyOf(all);
    }

    /** Waits for the next try. */
    void putBack(List<Added> left) {
        all.addAll(left);
    }

    /** Returns the ids of the rows that it counts for. */
    Set<UUID> rows() {
        return all.stream().map(each -> each.counter().row()).collect(Collectors.toSet());
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
     * @param failure null if all count
     */
    record Sent(List<Added> left, @Nullable Failure failure) {}

    /**
     * Why not all count.
     *
     * @param cause that of one that is in doubt, if there is one
     * @param columns of which not all has counted
     * @param counted how many counters have, of how many it is certain that they have not, and of how many it is not known
     */
    record Failure(Throwable cause, Set<String> columns, int counted, int left, int doubtful) {

        /** Returns the error of a statement that writes nothing else. */
        SQLException ofStatement() {
            if (doubtful > 0) {
                return alone() && cause instanceof CountException
                        ? SqlErrors.of(cause)
                        : timeout(numbers()
                                + "It is not known whether what was added counts, now or later. Do not run it again: it"
                                + " might count twice");
            }
            if (counted == 0) {
                return SqlErrors.of(cause);
            }
            return new SQLNonTransientException(
                    numbers() + "Do not run the statement again: what has counted would count twice. The first reason: "
                            + cause.getMessage(),
                    SqlStates.GENERAL,
                    cause);
        }

        /** Returns the error of a statement whose other columns are written. */
        SQLException ofWrittenRows() {
            if (doubtful > 0) {
                return timeout("The other columns are written, and it is not known whether what was added to " + names()
                        + " counts, now or later. " + numbers() + "Do not run the statement again: it might count twice"
                        + reason());
            }
            return new SQLNonTransientException(
                    counted == 0
                            ? "The other columns are written; " + names() + (columns.size() == 1 ? " was" : " were")
                                    + " not counted. Send only the addition again" + reason()
                            : "The other columns are written, and not all of " + names() + " was counted. " + numbers()
                                    + "Do not run the statement again: what has counted would count twice" + reason(),
                    SqlStates.GENERAL,
                    cause);
        }

        /** Returns the error of a transaction whose rows are committed. */
        SQLException ofTransaction() {
            String message =
                    "The rows of the transaction are committed, and not all that it adds to columns that count has counted. "
                            + numbers()
                            + (doubtful > 0
                                    ? "It is not known whether what was added to " + names() + " counts, now or later. "
                                    : "")
                            + "Do not run the transaction again"
                            + (left == 0 ? "" : ": commit() sends what certainly has not counted, rollback() drops it")
                            + reason();
            return doubtful > 0 ? timeout(message) : new SQLNonTransientException(message, SqlStates.GENERAL, cause);
        }

        private SQLException timeout(String message) {
            return new SQLTimeoutException(
                    message,
                    SqlStates.TIMEOUT,
                    cause instanceof DriverException || cause instanceof CountException ? cause : null);
        }

        private boolean alone() {
            return counted + left + doubtful == 1;
        }

        private String numbers() {
            return alone()
                    ? ""
                    : "Of " + (counted + left + doubtful) + " counters, " + counted + " have counted, " + left
                            + " have not, and of " + doubtful + " it is not known. ";
        }

        private String names() {
            return String.join(", ", columns);
        }

        private String reason() {
            return cause.getMessage() == null ? "" : ". The reason: " + cause.getMessage();
        }
    }

    /**
     * Sends additions, those of one counter as one, and waits for them.
     *
     * @param timeout null for that of the counters
     */
    static Sent send(
            SharedSession session, List<Added> additions, @Nullable Duration timeout, Cancellation cancellation) {
        Map<Counter, BigInteger> sums = sums(additions);
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
        } catch (SQLException | RuntimeException e) {
            return new Sent(additions, new Failure(e, columns(sums.keySet()), 0, sums.size(), 0));
        }
        cancellation.writes();
        Map<Counter, CompletableFuture<Void>> sent = new LinkedHashMap<>();
        counters.forEach((counter, to) -> sent.put(
                counter,
                addition(
                        to, counter, sums.getOrDefault(counter, BigInteger.ZERO).longValueExact())));
        await(sent, timeout, cancellation);
        return outcome(sums, sent);
    }

    /** One that is refused at once must not hide what the others are told. */
    private static CompletableFuture<Void> addition(RowCounters to, Counter counter, long sum) {
        try {
            return to.addAsync(CountMark.counter(counter.row(), counter.column()), sum)
                    .toCompletableFuture();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static Set<String> columns(Collection<Counter> counters) {
        return counters.stream().map(Counter::column).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Each tells its own outcome. */
    private static void await(
            Map<Counter, CompletableFuture<Void>> sent, @Nullable Duration timeout, Cancellation cancellation) {
        CompletableFuture<Void> all = CompletableFuture.allOf(sent.values().toArray(CompletableFuture[]::new));
        try {
            var unused = cancellation.await(
                    timeout == null ? all : all.orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS),
                    Cancellation.OUTCOME_UNKNOWN);
        } catch (SQLException | RuntimeException e) {
            // Those that are still under way are in doubt.
        }
    }

    private static Sent outcome(Map<Counter, BigInteger> sums, Map<Counter, CompletableFuture<Void>> sent) {
        List<Added> left = new ArrayList<>();
        Throwable unknown = null;
        Throwable refused = null;
        int doubtful = 0;
        List<Counter> uncounted = new ArrayList<>();
        for (Map.Entry<Counter, CompletableFuture<Void>> each : sent.entrySet()) {
            CompletableFuture<Void> done = each.getValue();
            if (!done.isDone() || done.isCompletedExceptionally()) {
                uncounted.add(each.getKey());
            }
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
        Throwable cause = unknown == null ? refused : unknown;
        return new Sent(
                left, cause == null ? null : new Failure(cause, columns(uncounted), counted, left.size(), doubtful));
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
}
