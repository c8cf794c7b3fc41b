package dev.cassidy.reliability.simulation.counter;

import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/**
 * A partition that conditional steps change. A step has taken effect before a majority has its commit; a plain read at a
 * majority may then return the value before it, but once one has returned the new value, every later one does, because it
 * repairs the replicas that it asks.
 */
final class Register<T> {

    private final SplittableRandom random;
    private T latest;
    private T visible;
    private T before;

    Register(T first, SplittableRandom random) {
        this.latest = first;
        this.visible = first;
        this.before = first;
        this.random = random;
    }

    /** Reads in the order of the steps, and settles what was left half done. */
    T read() {
        visible = latest;
        return latest;
    }

    /** Returns what nobody may know yet, and changes nothing. Only for a judge. */
    T latest() {
        return latest;
    }

    /** Reads plainly at a majority. */
    T look() {
        if (visible != latest && random.nextBoolean()) {
            visible = latest;
        }
        return visible;
    }

    /** Reads any replica, without repairing others. Only for a bug. */
    T stale() {
        return random.nextBoolean() ? before : latest;
    }

    /** Replaces the value; {@link #commit} makes it visible to everybody. */
    void step(UnaryOperator<T> change) {
        // A step begins with what the one before it left.
        visible = latest;
        before = latest;
        latest = change.apply(latest);
    }

    /** The sender of the last step gets its answer. */
    void commit() {
        visible = latest;
    }
}
