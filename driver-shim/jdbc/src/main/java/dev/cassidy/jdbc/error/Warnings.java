package dev.cassidy.jdbc.error;

import java.sql.SQLWarning;
import org.jspecify.annotations.Nullable;

/** A chain of warnings, cut when nobody reads it: a pooled connection lives long. */
public final class Warnings {

    private static final int MAX_WARNINGS = 100;

    private @Nullable SQLWarning first;
    private int count;

    public static SQLWarning general(String text) {
        return new SQLWarning(Lines.escaped(text), SqlStates.WARNING);
    }

    public void add(SQLWarning warning) {
        if (count == MAX_WARNINGS) {
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
    public SQLWarning first() {
        return first;
    }

    public void clear() {
        first = null;
        count = 0;
    }
}
