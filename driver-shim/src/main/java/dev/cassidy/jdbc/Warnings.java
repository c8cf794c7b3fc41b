package dev.cassidy.jdbc;

import java.sql.SQLWarning;
import org.jspecify.annotations.Nullable;

/** A chain of warnings, cut when nobody reads it: a pooled connection lives long. */
final class Warnings {

    private static final int MOST = 100;

    private @Nullable SQLWarning first;
    private int count;

    static SQLWarning general(String text) {
        return new SQLWarning(text, SqlStates.WARNING);
    }

    void add(SQLWarning warning) {
        if (count == MOST) {
            return;
        }
        count++;
        if (first == null) {
            first = warning;
        } else {
            first.setNextWarning(warning);
        }
    }

    @Nullable
    SQLWarning first() {
        return first;
    }

    void clear() {
        first = null;
        count = 0;
    }
}
