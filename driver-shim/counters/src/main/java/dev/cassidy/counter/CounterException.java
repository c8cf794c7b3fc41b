package dev.cassidy.counter;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Counters cannot be opened, incremented, read or folded. The message names what, the rule and what to do. */
public abstract sealed class CounterException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private CounterException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** The increment was not sent, and does not count. It may be repeated. */
    public static final class NotSent extends CounterException {
        private static final long serialVersionUID = 1;

        NotSent(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * It is not known whether the increment counts. Do not repeat it: {@link Counters#status} tells, from the receipt, also
     * later and in another process. Without a receipt, nothing tells.
     */
    public static final class OutcomeUnknown extends CounterException {
        private static final long serialVersionUID = 1;

        private final transient @Nullable Receipt receipt;

        OutcomeUnknown(String message, Receipt receipt, @Nullable Throwable cause) {
            super(message + ": " + receipt, cause);
            this.receipt = receipt;
        }

        OutcomeUnknown(CounterKind kind, String message, @Nullable Throwable cause) {
            super(
                    message + ". Counters of the kind " + kind + " give no receipts, so nothing tells later whether it"
                            + " counts: repeat it only if a double increment is better than a missing one",
                    cause);
            this.receipt = null;
        }

        /** Returns the receipt of the increment; empty if its kind of counter gives none. */
        public Optional<Receipt> receipt() {
            return Optional.ofNullable(receipt);
        }
    }

    /** More processes increment than there are slots. Nothing was sent. */
    public static final class NoSlot extends CounterException {
        private static final long serialVersionUID = 1;

        NoSlot(String message) {
            super(message, null);
        }
    }

    /** A table or keyspace is missing or unfit, or the server or the role is. */
    public static final class Unfit extends CounterException {
        private static final long serialVersionUID = 1;

        Unfit(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /** Something else than Cassidy has written to the table. */
    public static final class ForeignWrite extends CounterException {
        private static final long serialVersionUID = 1;

        ForeignWrite(String message) {
            super(message, null);
        }
    }

    /** A value does not fit its type. Nothing wraps around. */
    public static final class Overflow extends CounterException {
        private static final long serialVersionUID = 1;

        Overflow(String message) {
            super(message, null);
        }
    }

    /** This kind of counter cannot do what was asked for, or this process cannot, because its clock is wrong. */
    public static final class Refused extends CounterException {
        private static final long serialVersionUID = 1;

        Refused(String message) {
            super(message, null);
        }
    }

    /** Cassandra did not answer in time, or too few replicas did; a later call may succeed. */
    public static final class Unavailable extends CounterException {
        private static final long serialVersionUID = 1;

        Unavailable(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }
}
