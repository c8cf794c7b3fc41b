package dev.cassidy.jdbc.assist;

/** A statement has a part that is not served in the client. The message names it. */
public class NotAssistedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** @param message what is not served, why, and what to write instead */
    public NotAssistedException(String message) {
        super(message);
    }
}
