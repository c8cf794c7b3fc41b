package dev.cassidy.assist.eval;

import dev.cassidy.jdbc.assist.NotAssistedException;

/** A statement has a part that is not evaluated in the client. The message says what, why, and what to do instead. */
public final class NotEvaluatedException extends NotAssistedException {

    private static final long serialVersionUID = 1L;

    /**
     * @param what the part of the statement
     * @param why why it is not evaluated
     * @param instead what to write or to do
     */
    NotEvaluatedException(String what, String why, String instead) {
        super(what + " is not evaluated in the client: " + why + ". " + instead);
    }
}
