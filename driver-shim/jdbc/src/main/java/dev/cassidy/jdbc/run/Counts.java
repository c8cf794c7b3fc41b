package dev.cassidy.jdbc.run;

import com.datastax.oss.driver.api.core.DriverException;
import dev.cassidy.async.Stages;
import dev.cassidy.count.CountException;
import dev.cassidy.count.RowCounters;
import dev.cassidy.definition.CountMark;
import dev.cassidy.jdbc.error.SqlErrors;
import dev.cassidy.jdbc.error.SqlServerErrors;
import dev.cassidy.jdbc.error.SqlStates;
import dev.cassidy.jdbc.error.Unserved;
import dev.cassidy.jdbc.session.SharedSession;
import dev.cassidy.table.TableWrites;
import dev.cassidy.transaction.RowChange;
import java.math.BigInteger;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLNonTransientException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What statements add to columns that count, until it is sent. What a transaction adds is a part of its commit: rows of the counters, which
 * the process that ends the transaction writes. What a statement adds by itself is sent to the counters, once: they repeat what they may, and nobody else does.
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

    /**
     * What a commit writes to count.
     *
     * @param places by the counters that have to learn how they ended
     */
    record Rows(List<RowChange> changes, Map<RowCounters.Addition, RowCounters> places) {

        /** They are written. */
        void written() {
            places.forEach((place, counters) -> counters.written(place));
        }

        /** They are not written, and never will be. */
        void dropped() {
            places.forEach((place, counters) -> counters.dropped(place));
        }

        /** They may be written later. */
        void inDoubt() {
            places.forEach((place, counters) -> counters.inDoubt(place));
        }
    }

    /** Where a counter is, and how its table is written. */
    private record Target(RowCounters counters, TableWrites writes) {}

    /** Returns what waits as rows that a commit writes, which must tell them how it ended. */
    Rows rows(SharedSession session) throws SQLException {
        Map<Counter, BigInteger> sums = sums(all);
        sums.values().removeIf(sum -> sum.signum() == 0);
        Map<Counter, Target> targets = new LinkedHashMap<>();
        for (Counter counter : sums.keySet()) {
            targets.put(counter, target(session, counter));
        }
        Map<RowCounters.Addition, RowCounters> places = new LinkedHashMap<>();
        List<RowChange> changes = new ArrayList<>();
        // Nothing fails from here on: a place that is forgotten would keep all later rows from being summed up.
        targets.forEach((counter, to) -> {
            RowCounters.Addition place = to.counters()
                    .addition(
                            CountMark.counter(counter.row(), counter.column()),
                            to.writes().home());
            places.put(place, to.counters());
            changes.add(RowChange.addition(
                    to.writes(),
                    place.counter(),
                    place.actor(),
                    place.version(),
                    sums.getOrDefault(counter, BigInteger.ZERO).longValueExact()));
        });
        return new Rows(changes, places);
    }

    private static Target target(SharedSession session, Counter counter) throws SQLException {
        RowCounters counters = session.counts().of(counter.keyspace(), counter.table());
        TableWrites writes = TableMode.of(session, session.tables(), Optional.of(counter.keyspace()), counter.table())
                .orElseThrow(() -> Unserved.feature("Table " + counter.keyspace() + "." + counter.table()
                        + " has columns that count, and is not written exactly any more: nothing was written"));
        return new Target(counters, writes);
    }

    /** Returns the ids of the rows that it counts for. */
    Set<UUID> counted() {
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
     * Why not all count.
     *
     * @param cause that of one that is in doubt, if there is one
     * @param counted how many counters have, of how many it is certain that they have not, and of how many it is not known
     */
    record Failure(Throwable cause, int counted, int left, int doubtful) {

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
    }

    /**
     * Sends additions, those of one counter as one, and waits for them.
     *
     * @param timeout null for that of the counters
     * @return null if all count
     */
    static @Nullable Failure send(
            SharedSession session, List<Added> additions, @Nullable Duration timeout, Cancellation cancellation) {
        Map<Counter, BigInteger> sums = sums(additions);
        sums.values().removeIf(sum -> sum.signum() == 0);
        if (sums.isEmpty()) {
            return null;
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
            return new Failure(e, 0, sums.size(), 0);
        }
        cancellation.writes();
        Map<Counter, CompletableFuture<Void>> sent = new LinkedHashMap<>();
        counters.forEach((counter, to) -> sent.put(
                counter,
                addition(
                        to, counter, sums.getOrDefault(counter, BigInteger.ZERO).longValueExact())));
        await(sent, timeout, cancellation);
        return outcome(sent);
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

    private static @Nullable Failure outcome(Map<Counter, CompletableFuture<Void>> sent) {
        Throwable unknown = null;
        Throwable refused = null;
        int doubtful = 0;
        int left = 0;
        for (CompletableFuture<Void> done : sent.values()) {
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
                    left++;
                }
            }
        }
        Throwable cause = unknown == null ? refused : unknown;
        return cause == null ? null : new Failure(cause, sent.size() - doubtful - left, left, doubtful);
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
