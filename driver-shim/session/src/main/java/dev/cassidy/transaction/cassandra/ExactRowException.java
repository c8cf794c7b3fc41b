package dev.cassidy.transaction.cassandra;

import org.jspecify.annotations.Nullable;

/** Nothing was written to a row of an exact table, for a reason that its reads or its locks have shown. The message gives a workaround. */
public final class ExactRowException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Why nothing was written. */
    public enum Reason {
        /** The row lacks its mark, so that no exact write ever finds it. */
        UNMARKED,
        /** Whether there is a row is not known, because not every datacenter answers. */
        IN_DOUBT,
        /** Transactions hold the row, one after the other. */
        HELD
    }

    private final Reason reason;

    ExactRowException(Reason reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /** Returns why nothing was written. */
    public Reason reason() {
        return reason;
    }
}
