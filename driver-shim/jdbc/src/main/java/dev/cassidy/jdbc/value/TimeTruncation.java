package dev.cassidy.jdbc.value;

import java.sql.DataTruncation;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;

/** The warning that a java.sql.Time holds less than the column's value. Sizes are those of the texts. */
final class TimeTruncation extends DataTruncation {

    private static final long serialVersionUID = 1;

    private final String message;

    TimeTruncation(int index, LocalTime stored) {
        this(index, stored.toString(), stored.truncatedTo(ChronoUnit.MILLIS).toString());
    }

    private TimeTruncation(int index, String stored, String read) {
        super(index, false, true, stored.length(), read.length());
        message = "java.sql.Time holds milliseconds; cut off: " + stored + " in column " + index + " was read as "
                + read + "; getObject(" + index + ", LocalTime.class) reads all of it";
    }

    @Override
    public String getMessage() {
        return message;
    }
}
