package dev.cassidy.counter;

import java.util.Comparator;
import java.util.PriorityQueue;

/** Runs tasks in the order of their times, and those of one moment in the order in which they were added. */
final class SimulatedTime {

    private record Event(long at, long number, Runnable task) {}

    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::number));
    private long now;
    private long numbers;

    long millis() {
        return now;
    }

    long nanos() {
        return now * 1_000_000;
    }

    /** Runs a task so many milliseconds from now. */
    void after(long millis, Runnable task) {
        events.add(new Event(now + millis, numbers++, task));
    }

    /** Runs what is due up to {@code end}, in milliseconds, which is the time then. */
    void runUntil(long end) {
        while (!events.isEmpty() && events.peek().at() <= end) {
            next();
        }
        now = Math.max(now, end);
    }

    /** Runs until nothing is left. */
    void run() {
        while (!events.isEmpty()) {
            next();
        }
    }

    private void next() {
        Event next = events.remove();
        now = next.at();
        next.task().run();
    }
}
