package dev.cassidy.insert;

/** T-SQL that cannot be served, or that SQL Server refuses too. The message names the construct and a workaround. */
public final class UnsupportedSqlException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final String construct;
    private final int number;

    public UnsupportedSqlException(String construct, String workaround) {
        super(construct + " is not supported: " + workaround);
        this.construct = construct;
        this.number = 0;
    }

    private UnsupportedSqlException(int number, String message) {
        super(message);
        this.construct = message;
        this.number = number;
    }

    /** For a statement that SQL Server itself refuses, with an error of this number. */
    public static UnsupportedSqlException asSqlServer(int number, String message) {
        return new UnsupportedSqlException(number, message);
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
