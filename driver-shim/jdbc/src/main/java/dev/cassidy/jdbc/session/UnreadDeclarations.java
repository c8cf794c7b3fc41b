package dev.cassidy.jdbc.session;

import java.sql.SQLException;

/** What is declared of a table could not be read while a statement was read. */
public final class UnreadDeclarations extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final transient SQLException error;

    UnreadDeclarations(SQLException error) {
        super(error);
        this.error = error;
    }

    /** Returns what to tell the caller. */
    public SQLException error() {
        return error;
    }
}
