package dev.cassidy.jdbc.run;

import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one JDBC batch that write one row of an exact table each, many of them at a time. Those of one partition are
 * written one after the other, in their order, whatever becomes of each: an entry may rely on what those before it have written.
 *
 * <p>Used by the batch's thread alone. The driver's threads only tell it that there is an answer; what follows from the answer is
 * done here, where it may wait.
 */
final class ParallelRows {

    /** More make the nodes' rounds of Paxos slower, not more of them. */
    static final int MAX_UNDER_WAY = 32;

    /** How many entries may wait for others of their partitions. */
    private static final int MAX_WAITING = 8 * MAX_UNDER_WAY;

    /**
     * What became of an entry.
     *
     * @param result null if it failed
     * @param failure null if it succeeded
     */
    record Outcome(
            int index,
            RowEntry entry,
            @Nullable StepResult result,
            @Nullable Exception failure) {}

    private static final class Write {
        private final int index;
        private final RowEntry entry;
        private final RowEntry.Bound bound;
        private @Nullable CompletableFuture<?> answer;
        private RowWrite.Next next;

        Write(int index, RowEntry entry, RowEntry.Bound bound) {
            this.index = index;
            this.entry = entry;
            this.bound = bound;
            this.next = bound.first();
        }
    }

    private final Cancellation cancellation;
    private final Set<Write> underWay = new HashSet<>();

    /** By the partitions that are written: the entries that wait for those before them. */
    private final Map<RowEntry.Partition, Deque<Write>> waiting = new HashMap<>();

    private int numberWaiting;
    private final SortedMap<Integer, Outcome> outcomes = new TreeMap<>();

    /** Filled by the driver's threads. */
    private final Queue<Write> answered = new ConcurrentLinkedQueue<>();

    private volatile CompletableFuture<Void> wake = new CompletableFuture<>();

    ParallelRows(Cancellation cancellation) {
        this.cancellation = cancellation;
    }

    /** Sends an entry once the entries of its partition before it have ended. */
    void add(int index, RowEntry entry) {
        while (underWay.size() >= MAX_UNDER_WAY || numberWaiting >= MAX_WAITING) {
            takeAnswer();
        }
        Write write;
        try {
            cancellation.beginEntry();
            cancellation.requireGoingOn();
            write = new Write(index, entry, entry.binding().bind());
        } catch (SQLException | RuntimeException e) {
            outcomes.put(index, new Outcome(index, entry, null, e));
            return;
        }
        RowEntry.Partition partition = write.bound.partition();
        if (partition == null) {
            awaitAll();
            run(write);
            awaitAll();
        } else if (waiting.containsKey(partition)) {
            waiting.get(partition).add(write);
            numberWaiting++;
        } else {
            waiting.put(partition, new ArrayDeque<>());
            run(write);
        }
    }

    /** Waits for all entries; returns what became of those since the last call, in their order. */
    List<Outcome> finish() {
        awaitAll();
        List<Outcome> all = List.copyOf(outcomes.values());
        outcomes.clear();
        return all;
    }

    private void awaitAll() {
        while (!underWay.isEmpty()) {
            takeAnswer();
        }
    }

    /** Waits until an entry has an answer, and takes it on. */
    private void takeAnswer() {
        Write write = answered.poll();
        while (write == null) {
            CompletableFuture<Void> signal = new CompletableFuture<>();
            wake = signal;
            // An answer that came before has not seen this signal.
            write = answered.poll();
            if (write == null) {
                awaitAnswer(signal);
                write = answered.poll();
            }
        }
        run(write);
    }

    private void awaitAnswer(CompletableFuture<Void> signal) {
        try {
            cancellation.await(signal, Cancellation.OUTCOME_UNKNOWN);
        } catch (SQLException cancelled) {
            // Each tells its own outcome.
            for (Write each : List.copyOf(underWay)) {
                if (each.answer != null) {
                    each.answer.cancel(true);
                }
            }
        }
    }

    /** Takes a write on; if it ends, so do the next ones of its partition, until one is under way. */
    private void run(Write begun) {
        Write write = begun;
        while (write != null && !isUnderWay(write)) {
            write = next(write);
        }
    }

    private boolean isUnderWay(Write write) {
        RowWrite then;
        try {
            // What others have written says nothing of this one.
            cancellation.beginEntry();
            then = write.next.go();
        } catch (SQLException | RuntimeException e) {
            outcomes.put(write.index, new Outcome(write.index, write.entry, null, e));
            return false;
        }
        if (then instanceof RowWrite.Ended ended) {
            outcomes.put(write.index, new Outcome(write.index, write.entry, ended.result(), null));
            return false;
        }
        RowWrite.UnderWay sent = (RowWrite.UnderWay) then;
        write.answer = sent.answer();
        write.next = sent.next();
        underWay.add(write);
        var unused = sent.answer().whenComplete((answer, failure) -> {
            answered.add(write);
            wake.complete(null);
        });
        return true;
    }

    /** Returns the next entry of the partition of one that has ended; null if there is none. */
    private @Nullable Write next(Write ended) {
        underWay.remove(ended);
        RowEntry.Partition partition = ended.bound.partition();
        Deque<Write> others = partition == null ? null : waiting.get(partition);
        Write next = others == null ? null : others.poll();
        if (next != null) {
            numberWaiting--;
        } else if (partition != null) {
            waiting.remove(partition);
        }
        return next;
    }
}
