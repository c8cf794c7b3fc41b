package dev.cassidy.cql;

/** A write that would not be exact, to a table whose writes are; nothing was sent. The message gives a workaround. */
public final class WriteModeException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final boolean changing;

    WriteModeException(String message, boolean changing) {
        super(message);
        this.changing = changing;
    }

    /** Returns whether the table's writes are about to be exact, so that the same write may succeed later. */
    public boolean isChanging() {
        return changing;
    }
}
