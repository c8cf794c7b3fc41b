package dev.cassidy.recorder;

import org.jspecify.annotations.Nullable;

/** A statement without its values. Immutable. */
public final class Scanned {

    private final String kind;
    private final @Nullable String sql;
    private final @Nullable String unread;

    private Scanned(String kind, @Nullable String sql, @Nullable String unread) {
        this.kind = kind;
        this.sql = sql;
        this.unread = unread;
    }

    static Scanned read(String kind, String sql) {
        return new Scanned(kind, sql, null);
    }

    static Scanned unread(String kind, String why) {
        return new Scanned(kind, null, why);
    }

    /** Returns the statement's first word in capitals, such as SELECT; OTHER for none that is known. */
    public String kind() {
        return kind;
    }

    /** Returns the statement with a marker for each literal; null if it could not be read. */
    public @Nullable String sql() {
        return sql;
    }

    /** Returns why it could not be read; null if it could. */
    public @Nullable String unread() {
        return unread;
    }
}
