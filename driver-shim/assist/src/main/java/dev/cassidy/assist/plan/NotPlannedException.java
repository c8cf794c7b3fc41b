package dev.cassidy.assist.plan;

import dev.cassidy.jdbc.assist.NotAssistedException;

/** A statement has a part for which nobody knows which rows it needs. The message names it. */
public final class NotPlannedException extends NotAssistedException {

    private static final long serialVersionUID = 1;

    public NotPlannedException(String message) {
        super(message);
    }
}
