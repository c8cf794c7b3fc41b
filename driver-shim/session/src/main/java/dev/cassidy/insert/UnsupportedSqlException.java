package dev.cassidy.insert;

/** T-SQL that cannot be served, or that SQL Server refuses too. The message names the construct and a workaround. */
public final class UnsupportedSqlException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final String construct;
    private final int number;
    private final String unread;
    private final String locking;

    public UnsupportedSqlException(String construct, String workaround) {
        this(0, construct + " is not supported: " + workaround, construct, "", "");
    }

    private UnsupportedSqlException(int number, String message, String construct, String unread, String locking) {
        super(message);
        this.construct = construct;
        this.number = number;
        this.unread = unread;
        this.locking = locking;
    }

    /** For a statement that SQL Server itself refuses, with an error of this number. */
    public static UnsupportedSqlException asSqlServer(int number, String message) {
        return new UnsupportedSqlException(number, message, message, "", "");
    }

    /** Returns the same refusal of a statement that was to be served in the client, and cannot be read there. */
    public UnsupportedSqlException ofUnread(String statement) {
        return same(statement, "");
    }

    /** Returns the same refusal of a statement that is not served in the client because one of its hints locks rows. */
    public UnsupportedSqlException ofLocking(String hint) {
        return same("", hint);
    }

    private UnsupportedSqlException same(String statement, String hint) {
        UnsupportedSqlException same =
                new UnsupportedSqlException(number, String.valueOf(getMessage()), construct, statement, hint);
        same.setStackTrace(getStackTrace());
        return same;
    }

    /** Returns the hint that locks rows, because of which the statement is not served in the client; empty if that is not the reason. */
    public String locking() {
        return locking;
    }

    /** Returns the statement that was to be served in the client, as it was to be read there; empty if there is none. */
    public String unread() {
        return unread;
    }

    /** Returns the number of SQL Server's own error; 0 if SQL Server would serve the statement. */
    public int number() {
        return number;
    }

    /** Returns the construct's name, for example {@code MERGE}. */
    public String construct() {
        return construct;
    }
}
