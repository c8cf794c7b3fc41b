package dev.cassidy.cql;

import java.util.Objects;

/**
 * A value that a write gives a column breaks a rule that CREATE TABLE in T-SQL declared for the column. Nothing was sent. The
 * message names the column, the value and the rule.
 */
public final class ColumnValueException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** Which rule is broken, and SQL Server's number of the error. */
    public enum Reason {
        /** The column is NOT NULL. */
        NULL(515),
        /** A text or binary is longer than the column. */
        TRUNCATION(2628),
        /** A number has more digits before the point than the column. */
        OVERFLOW(8115),
        /** A number is not from 0 to 255. */
        TINYINT(220),
        /** A number is infinite, or none. */
        NOT_A_NUMBER(8023),
        /** The type of T-SQL has no such day. */
        DATE_RANGE(242),
        /** The value of a simple statement has a class that the driver encodes as another type than the column's. */
        CLASS(206),
        /** The server would compute the value from what the column contains, as in {@code n += 1}. */
        COMPUTED(402),
        /** The row breaks a CHECK constraint. */
        CHECK(547),
        /** An UPDATE sets an identity column. */
        IDENTITY(8102);

        private final int number;

        Reason(int number) {
            this.number = number;
        }

        /** Returns SQL Server's number of the error. */
        public int number() {
            return number;
        }
    }

    private final Reason reason;

    ColumnValueException(Reason reason, String message) {
        super(message);
        this.reason = Objects.requireNonNull(reason, "reason");
    }

    public Reason reason() {
        return reason;
    }
}
