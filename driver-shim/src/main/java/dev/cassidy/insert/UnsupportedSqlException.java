package dev.cassidy.insert;

/** T-SQL that cannot be served. The message names the construct and the way out. */
public final class UnsupportedSqlException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final String construct;

    public UnsupportedSqlException(String construct, String wayOut) {
        super(construct + " is not supported: " + wayOut);
        this.construct = construct;
    }

    /** Returns the construct's name, for example {@code MERGE}. */
    public String construct() {
        return construct;
    }
}
