package dev.cassidy.counter.cassandra;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.cassidy.async.Stages;
import dev.cassidy.async.Timer;
import dev.cassidy.counter.store.CounterTable;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Sends rows of several partitions in one request, when many rows are written at the same time. While few rows are under
 * way, each row is sent alone and immediately. With more, rows of one place wait until at most one request has no answer,
 * and go together then; ten do not wait. So a client with few callers waits for nothing, and the requests of a client with
 * many are large.
 *
 * <p>Safe for use by many threads; nothing blocks. No future of a caller is completed under the lock.
 */
final class WriteGroups<R> {

    /** What sends the rows. */
    interface Sender<R> {

        /** Returns what rows must have in common to go together; empty if the row must go alone. */
        Optional<Object> placeOf(R row);

        /** Returns an estimate of a row's size in bytes. */
        int sizeOf(R row);

        /**
         * Sends rows in one request.
         *
         * @return fails with {@link CounterTable.Rejected} or {@link CounterTable.NotExecuted} only if this is certain of
         *     every row
         */
        CompletionStage<Void> send(List<R> rows);
    }

    /** Cassandra logs a warning of an unlogged batch with more partitions. */
    static final int MAX_ROWS = 10;

    /** Cassandra logs a warning of a batch of more than 5 KiB. */
    static final int MAX_BYTES = 4 * 1024;

    /** While each request of a place has one row, and there are fewer than this, rows do not wait. */
    static final int FEW_ROWS = 8;

    /** With fewer requests of a place under way, rows do not wait, however large the requests are. */
    static final int FEW_REQUESTS = 2;

    /** So that requests without an answer delay the rows after them for a short time only. */
    static final Duration LONGEST_WAIT = Duration.ofMillis(10);

    private record Waiting<R>(R row, CompletableFuture<Void> written) {}

    /** The rows that may go together. */
    private static final class Place<R> {
        final Deque<Waiting<R>> waiting = new ArrayDeque<>();
        int rowsUnderWay;
        int requestsUnderWay;
        boolean timed;
    }

    private final Sender<R> sender;
    private final Timer timer;

    @GuardedBy("this")
    private final Map<Object, Place<R>> places = new HashMap<>();

    WriteGroups(Sender<R> sender, Timer timer) {
        this.sender = sender;
        this.timer = timer;
    }

    /** Writes a row, perhaps together with others. */
    CompletionStage<Void> write(R row) {
        Optional<Object> place = sender.placeOf(row);
        if (place.isEmpty()) {
            return sender.send(List.of(row));
        }
        Waiting<R> waiting = new Waiting<>(row, new CompletableFuture<>());
        boolean startTimer;
        synchronized (this) {
            Place<R> at = places.computeIfAbsent(place.get(), name -> new Place<>());
            at.waiting.add(waiting);
            startTimer = !at.timed && !maySend(at);
            at.timed |= startTimer;
        }
        if (startTimer) {
            timer.schedule(() -> sendLate(place.get()), LONGEST_WAIT);
        } else {
            sendWhatMayGo(place.get());
        }
        return waiting.written();
    }

    private static boolean maySend(Place<?> place) {
        boolean eachAlone = place.rowsUnderWay == place.requestsUnderWay;
        return (eachAlone && place.rowsUnderWay < FEW_ROWS)
                || place.requestsUnderWay < FEW_REQUESTS
                || place.waiting.size() >= MAX_ROWS;
    }

    private void sendWhatMayGo(Object name) {
        List<Waiting<R>> group;
        do {
            synchronized (this) {
                Place<R> place = places.get(name);
                group = place == null || !maySend(place) ? List.of() : take(place);
                if (place != null && place.requestsUnderWay == 0) {
                    places.remove(name);
                }
            }
            if (!group.isEmpty()) {
                send(name, group);
            }
        } while (!group.isEmpty());
    }

    private void sendLate(Object name) {
        List<Waiting<R>> group;
        // All of them: long rows need several requests, and no other timer was started.
        do {
            synchronized (this) {
                Place<R> place = places.get(name);
                if (place == null) {
                    return;
                }
                group = take(place);
                if (group.isEmpty()) {
                    place.timed = false;
                }
            }
            if (!group.isEmpty()) {
                send(name, group);
            }
        } while (!group.isEmpty());
    }

    /** Takes the oldest rows, as many as one request may have. Returns none if none waits. */
    @GuardedBy("this")
    private List<Waiting<R>> take(Place<R> place) {
        List<Waiting<R>> group = new ArrayList<>();
        int bytes = 0;
        for (Waiting<R> next = place.waiting.peek(); next != null; next = place.waiting.peek()) {
            bytes += sender.sizeOf(next.row());
            if (group.size() == MAX_ROWS || (bytes > MAX_BYTES && !group.isEmpty())) {
                break;
            }
            group.add(place.waiting.remove());
        }
        if (!group.isEmpty()) {
            place.rowsUnderWay += group.size();
            place.requestsUnderWay++;
        }
        return group;
    }

    private void send(Object name, List<Waiting<R>> group) {
        sender.send(group.stream().map(Waiting::row).toList()).whenComplete((done, failure) -> {
            synchronized (this) {
                Place<R> place = places.get(name);
                if (place != null) {
                    place.rowsUnderWay -= group.size();
                    place.requestsUnderWay--;
                }
            }
            // First what waits, so that the nodes have something to do while callers are told.
            sendWhatMayGo(name);
            answer(group, failure == null ? null : Stages.cause(failure));
        });
    }

    private void answer(List<Waiting<R>> group, @Nullable Throwable failure) {
        if (failure == null) {
            group.forEach(each -> each.written().complete(null));
        } else if (failure instanceof CounterTable.Rejected && group.size() > 1) {
            // Perhaps because of one of them.
            group.forEach(each -> sender.send(List.of(each.row()))
                    .whenComplete((done, alone) -> answer(List.of(each), alone == null ? null : Stages.cause(alone))));
        } else {
            group.forEach(each -> each.written().completeExceptionally(failure));
        }
    }

    /** Returns how many places are known, for tests. */
    synchronized int places() {
        return places.size();
    }
}
