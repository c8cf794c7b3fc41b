package dev.cassidy.cql;

import dev.cassidy.transaction.cassandra.ExactRowException;

/** An UPDATE or DELETE under {@link ExactConditions#ADDED} has written nothing, and has no answer. The message gives a workaround. */
public final class ExactWriteException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** Why it has no answer. */
    public enum Reason {
        /** The row lacks its mark: a client has written it that does not know that the table's writes are exact. */
        UNMARKED,
        /** Another datacenter may have inserted the row a moment ago, and does not answer. Run the statement again. */
        IN_DOUBT,
        /** Transactions hold the row, one after the other. Run the statement again. */
        HELD
    }

    private final Reason reason;

    private ExactWriteException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    static ExactWriteException of(ExactRowException failure) {
        return new ExactWriteException(
                switch (failure.reason()) {
                    case UNMARKED -> Reason.UNMARKED;
                    case IN_DOUBT -> Reason.IN_DOUBT;
                    case HELD -> Reason.HELD;
                },
                String.valueOf(failure.getMessage()),
                failure);
    }

    /** Returns why it has no answer. */
    public Reason reason() {
        return reason;
    }
}
