package dev.cassidy.cql;

/** A plain write to a table whose rows are written under conditions; nothing was sent. The message gives a workaround. */
public final class WriteModeException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final boolean changing;

    WriteModeException(String message, boolean changing) {
        super(message);
        this.changing = changing;
    }

    /** Returns whether the table's mode is about to change, so that the same write may succeed later. */
    public boolean isChanging() {
        return changing;
    }
}
