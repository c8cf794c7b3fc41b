package dev.cassidy.counter.protocol;

import java.math.BigInteger;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Why the protocol could not do what it was asked for. The users' package turns it into its own exceptions. */
public abstract sealed class CounterFailure extends RuntimeException {

    private static final long serialVersionUID = 1;

    private CounterFailure(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    static CounterFailure foreign(String counter, String what) {
        return new CounterFailure.Foreign("counter '" + counter + "' has a row that Cassidy did not write as it is: "
                + what + ". Its increments are summed, and not folded. Counters are written by Cassidy alone: remove"
                + " what else writes to this table, and the row");
    }

    static CounterFailure tooLarge(String counter, BigInteger sum) {
        return new CounterFailure.TooLarge("the increments of counter '" + counter + "' cannot be folded into one row: "
                + sum + " does not fit the column 'increment'. They are summed all the same. Use a table whose column"
                + " 'increment' is a varint");
    }

    /**
     * @param clocks what each of them says
     * @param bound by how much they may differ
     */
    static CounterFailure wrongClock(String clocks, Duration bound) {
        return new CounterFailure.WrongClock(
                "the clock of this process and those of its nodes differ by more than " + bound
                        + ": " + clocks
                        + ". While they do, this process neither counts nor collects. Set the clock that is wrong,"
                        + " and keep it right by NTP (\"chronyc tracking\" and \"timedatectl\" show its state); the process then"
                        + " goes on by itself");
    }

    /** Nothing was written, and nothing will be: the increment may be repeated. */
    public static final class NotSent extends CounterFailure {
        private static final long serialVersionUID = 1;

        NotSent(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /** The increment counts or it does not; its version will tell. */
    public static final class OutcomeUnknown extends CounterFailure {
        private static final long serialVersionUID = 1;

        private final String actor;
        private final long version;

        OutcomeUnknown(String message, String actor, long version, @Nullable Throwable cause) {
            super(message, cause);
            this.actor = actor;
            this.version = version;
        }

        public String actor() {
            return actor;
        }

        public long version() {
            return version;
        }
    }

    /** The clock of this process is not the one of its nodes. Nothing was done, and will not be before it is set. */
    public static final class WrongClock extends CounterFailure {
        private static final long serialVersionUID = 1;

        WrongClock(String message) {
            super(message, null);
        }
    }

    /** Every slot is held. */
    public static final class NoSlot extends CounterFailure {
        private static final long serialVersionUID = 1;

        NoSlot(String message) {
            super(message, null);
        }
    }

    /** What is stored is not what the protocol wrote. */
    public static final class Foreign extends CounterFailure {
        private static final long serialVersionUID = 1;

        Foreign(String message) {
            super(message, null);
        }
    }

    /** A sum does not fit the table's column. */
    public static final class TooLarge extends CounterFailure {
        private static final long serialVersionUID = 1;

        TooLarge(String message) {
            super(message, null);
        }
    }
}
