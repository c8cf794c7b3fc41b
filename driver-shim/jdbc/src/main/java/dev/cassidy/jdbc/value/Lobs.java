package dev.cassidy.jdbc.value;

import dev.cassidy.jdbc.error.SqlStates;
import java.sql.SQLException;

/** The arguments of {@link BlobValue} and {@link ClobValue}, checked. */
final class Lobs {

    private Lobs() {}

    /** @param position from 1, at most one past the end */
    static int offset(long position, int size) throws SQLException {
        if (position < 1 || position > size + 1L) {
            throw new SQLException(
                    "must be from 1 to " + (size + 1L) + ": position=" + position, SqlStates.BAD_ARGUMENT);
        }
        return (int) position - 1;
    }

    /** Returns {@code length}, or less if there is less. */
    static int length(long length, int rest) throws SQLException {
        if (length < 0) {
            throw new SQLException("must be >= 0: length=" + length, SqlStates.BAD_ARGUMENT);
        }
        return (int) Math.min(length, rest);
    }

    static int exactLength(long length, int rest) throws SQLException {
        if (length < 0 || length > rest) {
            throw new SQLException("must be from 0 to " + rest + ": length=" + length, SqlStates.BAD_ARGUMENT);
        }
        return (int) length;
    }
}
