package dev.cassidy.reliability.simulation;

import dev.cassidy.async.Timer;
import java.time.Duration;
import java.util.PriorityQueue;

/** A clock and a queue of future events; the caller that runs it decides the order of everything. Single-threaded. */
public final class VirtualTime implements Timer {

    /** @param background whether nothing waits for it */
    private record Event(long at, long number, Runnable task, boolean background) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return at != other.at ? Long.compare(at, other.at) : Long.compare(number, other.number);
        }
    }

    private final PriorityQueue<Event> queue = new PriorityQueue<>();
    private long now;
    private long scheduled;
    private int awaited;

    public long nanoTime() {
        return now;
    }

    @Override
    public void schedule(Runnable task, Duration delay) {
        schedule(task, delay, false);
    }

    /** Schedules a task that does not keep the simulation from being {@linkplain #isQuiet at rest}. */
    void scheduleInBackground(Runnable task, Duration delay) {
        schedule(task, delay, true);
    }

    private void schedule(Runnable task, Duration delay, boolean background) {
        queue.add(new Event(now + delay.toNanos(), scheduled++, task, background));
        awaited += background ? 0 : 1;
    }

    /** Whether only background events are left. */
    boolean isQuiet() {
        return awaited == 0;
    }

    /** Runs the next event; false if there is none. */
    public boolean step() {
        Event event = queue.poll();
        if (event == null) {
            return false;
        }
        now = event.at();
        awaited -= event.background() ? 0 : 1;
        event.task().run();
        return true;
    }
}
