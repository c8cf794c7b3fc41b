package dev.cassidy.sequence.cassandra;

import java.util.Objects;
import java.util.OptionalLong;

/**
 * A repair of a sequence that was raised too far, by mistake or by an injected statement.
 *
 * @param sequence its name
 * @param next the first id that it will issue: one that the raise passed over
 * @param last the last one; empty for the last id that the raise passed over, or that there is if nothing was granted since
 * @param clientsStopped whether the caller says that no client of the sequence runs in any datacenter. Needed if the floor lies
 *     past {@code next}, because a client may be about to insert an explicit id before the floor
 */
public record Repair(String sequence, long next, OptionalLong last, boolean clientsStopped) {

    public Repair {
        Objects.requireNonNull(sequence, "sequence");
        Objects.requireNonNull(last, "last");
    }

    /** Returns a repair of a sequence whose clients may run. */
    public static Repair of(String sequence, long next) {
        return new Repair(sequence, next, OptionalLong.empty(), false);
    }

    /** Returns this with a last id. */
    public Repair withLast(long id) {
        return new Repair(sequence, next, OptionalLong.of(id), clientsStopped);
    }

    /** Returns this with the statement that all clients are stopped. */
    public Repair withClientsStopped() {
        return new Repair(sequence, next, last, true);
    }
}
