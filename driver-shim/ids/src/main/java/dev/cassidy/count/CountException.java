package dev.cassidy.count;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Counters could not be made, opened, added to or read. The message says why and what to do. */
public final class CountException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** What is known of what was to be added. */
    public enum Outcome {
        /** It does not count and never will; it may be repeated. */
        NOT_COUNTED,
        /** It may count now or later: it must not be repeated. */
        UNKNOWN,
        /** It does not count, because the sum would not fit. */
        OVERFLOW,
        /** Nothing was to be added: the counters cannot be made, opened or read now. */
        UNAVAILABLE,
        /** The table, or the right to use it, is missing or unfit, and stays so. */
        UNFIT
    }

    private final Outcome outcome;

    /** @param cause null if there is none */
    public CountException(Outcome outcome, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.outcome = Objects.requireNonNull(outcome, "outcome");
    }

    /** Returns what is known. */
    public Outcome outcome() {
        return outcome;
    }
}
