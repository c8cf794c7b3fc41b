package dev.cassidy.reliability.simulation;

import dev.cassidy.sequence.Timer;
import java.time.Duration;
import java.util.PriorityQueue;

/** A clock and a queue of what is to happen; whoever runs it owns the order of everything. Single-threaded. */
final class VirtualTime implements Timer {

    private record Event(long at, long number, Runnable task) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(number, other.number);
        }
    }

    private final PriorityQueue<Event> queue = new PriorityQueue<>();
    private long now;
    private long scheduled;

    long nanoTime() {
        return now;
    }

    @Override
    public void schedule(Runnable task, Duration delay) {
        queue.add(new Event(now + delay.toNanos(), scheduled++, task));
    }

    /** Runs the next event; false if there is none. */
    boolean step() {
        Event event = queue.poll();
        if (event == null) {
            return false;
        }
        now = event.at();
        event.task().run();
        return true;
    }
}
